// SPDX-License-Identifier: Apache-2.0
// All stages between the loaded ranks and the written trace, without files: the whole merge that tests can
// hold in the hand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives.h"
#include "communicators.h"
#include "emit.h"
#include "match.h"
#include "model.h"
#include "one_sided.h"
#include "store.h"
#include "vef/base/result.h"
#include "vef/formats/trace_io.h"
#include "vef/merge/merge.h"
#include "workers.h"
#include "worlds.h"

namespace vef::merge {

/// How the clocks of the ranks meet.
enum class TimeZero : std::uint8_t {
  kLatestInit,  // of the ranks on the same host, which share a clock
  kOwnInit,     // as the original mixer does
};

/// What the stages work with. Outlives what they make.
struct Means {
  Store* store = nullptr;      // null: all in memory
  Workers* workers = nullptr;  // null: one thread
};

struct Prepared {
  std::vector<RankData> ranks;
  std::vector<World> worlds;
  std::uint32_t first_world = 0;  // that began first
  CommTable comms{{1}};
  MessageNumbers messages;
  OneSidedNumbers one_sided;
  CollectiveTable collectives;
  std::vector<std::int64_t> zero;  // by rank, on its host's clock
  EmitPlan plan;
  formats::Communicators lines;
  formats::Metadata metadata;

  Model model() const { return {ranks, comms, collectives, messages, one_sided}; }
};

/// Runs the stages on all the ranks 0, 1, ... of each of the worlds; fills `report` but for what concerns
/// files.
Result<std::unique_ptr<Prepared>> prepare(std::vector<RankData> ranks, std::vector<World> worlds,
                                          TimeZero zero, formats::Metadata metadata, MergeReport& report,
                                          const Means& means = {});

/// The same of one world.
Result<std::unique_ptr<Prepared>> prepare(std::vector<RankData> ranks, TimeZero zero,
                                          formats::Metadata metadata, MergeReport& report);

/// The trace in memory.
formats::Trace to_trace(const Prepared& prepared);

}  // namespace vef::merge
