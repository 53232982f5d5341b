// SPDX-License-Identifier: Apache-2.0
// Stage 4b: the records of all tasks in the order of their starts, with dense ids handed out in that order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cursor.h"
#include "store.h"
#include "vef/base/result.h"
#include "vef/formats/trace_io.h"
#include "vef/merge/merge.h"
#include "workers.h"

namespace vef::merge {

/// What the header and the metadata need before the first record is written.
struct EmitPlan {
  formats::TraceHeader header;
  std::vector<std::uint64_t> group_ids;  // by G record group
  std::uint64_t messages = 0;
  std::uint64_t answers = 0;  // among the messages
  std::uint64_t marks = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives_by_op[formats::kCollectiveOps] = {};
};

/// First pass: counts the records, and gives the collectives their ids by their earliest record. `zero`: by
/// rank, the instant on its host's clock that is time zero of the trace.
EmitPlan plan_records(const Model& model, const std::vector<std::int64_t>& zero, Store* store,
                      Workers& workers);

/// Second pass: writes the records. Does not call finish().
Status write_records(const Model& model, const std::vector<std::int64_t>& zero, const EmitPlan& plan,
                     formats::TraceWriter& writer, Store* store,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace vef::merge
