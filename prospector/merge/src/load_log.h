// SPDX-License-Identifier: Apache-2.0
// Stage 1: the events of one rank -> RankData. Local to the rank: requests and persistent requests are
// resolved, peers become world ranks, and the gaps between calls become the computing time of each operation:
// the gaps count, what is inside MPI does not, neither do the short gaps of a run of failed polls.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model.h"
#include "store.h"
#include "vef/base/result.h"
#include "vef/formats/rank_log_reader.h"

namespace vef::merge {

/// The logs of one rank, one per thread, all of the same rank and world size. Events of several threads are
/// taken in the order of their starts, so that a request may be completed by another thread than the one that
/// posted it. `store`: where the data go; null: all in memory.
Result<RankData> load_rank(std::vector<std::unique_ptr<formats::RankLogReader>> logs, std::int32_t world_size,
                           Store* store = nullptr);

}  // namespace vef::merge
