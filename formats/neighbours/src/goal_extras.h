// SPDX-License-Identifier: Apache-2.0
// What a schedule that is executed like one of GOAL may have and GOAL has not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::neighbours {

/// A collective as a whole. The size of a member's operation is its part: what it contributes, in a scatter
/// what it gets, in an all-to-all its total.
struct GoalCollective {
  formats::CommId comm = 0;
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  bool is_reduce_scatter = false;  // a reduction whose result is shared out; `op` is kReduce
  bool parts_are_equal = true;
  std::uint32_t root = 0;  // a rank of the schedule
  std::uint32_t members = 0;
  std::uint64_t total = 0;  // of all parts
};

struct GoalExtras {
  std::vector<GoalCollective> collectives;
  formats::Communicators communicators;  // empty: the world only
  /// Calculations on further processors that wait for nothing are clocks.
  bool has_clocks = true;
  /// By rank, where each has a file of nodes; GoalOp::line is a node's id then. Else empty.
  std::vector<std::string> files;
};

}  // namespace vef::neighbours
