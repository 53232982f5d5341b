// SPDX-License-Identifier: Apache-2.0
// Stage 3a: which send each receive took. Within (communicator, source, destination, tag) the k-th receive in
// posting order takes the k-th send in posting order: MPI's non-overtaking rule (MPI 4.0, section 3.5) with
// the wildcards replaced by what the status said. Time plays no part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "communicators.h"
#include "model.h"
#include "store.h"
#include "vef/merge/merge.h"
#include "workers.h"

namespace vef::merge {

/// A message is known by one number: that of its send. Messages without a send in the logs (lowered
/// collectives) come after those.
struct MessageNumbers {
  std::vector<std::uint64_t> first;  // by rank: number of its first send
  std::uint64_t total = 0;
};
MessageNumbers number_messages(const std::vector<RankData>& ranks);

/// Sets Receive::message; appends to `unmatched` and `warnings`. Deterministic. `store`: may be null.
void match_messages(std::vector<RankData>& ranks, const CommTable& comms, const MessageNumbers& numbers,
                    Store* store, Workers& workers, std::vector<Unmatched>& unmatched,
                    std::vector<std::string>& warnings);

}  // namespace vef::merge
