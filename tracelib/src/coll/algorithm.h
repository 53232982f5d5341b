// SPDX-License-Identifier: Apache-2.0
// The algorithms the two libraries choose from, and the choice. Facts, not code, of Open MPI 4.1.4
// (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c) and MPICH 4.0 (maint/tuning/coll/mpir/generic.json).
#pragma once

#include <cstdint>
#include <string_view>

#include "vef/formats/trace.h"
#include "vef/tracelib/collectives.h"

namespace vef::tracelib::coll {

enum class Algorithm : std::uint8_t {
  kNone,  // nothing to send: one rank, or no data
  kLinear,
  kLinearSync,
  kPipeline,
  kBinary,
  kSplitBinary,
  kInOrderBinary,
  kBinomial,
  kKnomial,
  kScatterAllgather,
  kScatterRing,
  kRabenseifner,
  kRecursiveDoubling,
  kRing,
  kReduceBroadcast,
  kGatherBroadcast,
  kReduceScatter,
  kBruck,
  kNeighborExchange,
  kTwoProcesses,
  kPairwise,
  kScattered,
  kDissemination,
  kTree,
};

std::string_view algorithm_name(Algorithm algorithm);

/// What a decision looks at.
struct Shape {
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::int32_t size = 1;     // ranks
  std::uint64_t bytes = 0;   // of the vector; per-rank kinds: of one block, of unequal ones the mean
  std::uint64_t total = 0;   // per-rank kinds: of all blocks
  std::uint64_t count = 0;   // elements of the vector
  bool equal_blocks = true;  // per-rank kinds: false selects the vector form of the operation
};

/// The algorithm that really runs, after the library's own fallbacks (a ring where doubling needs a power of
/// two, ...). kReduceBroadcast, kGatherBroadcast and kReduceScatter ask again for
/// their parts.
Algorithm choose_openmpi(const Shape& shape);
Algorithm choose_mpich(const Shape& shape);

}  // namespace vef::tracelib::coll
