// SPDX-License-Identifier: Apache-2.0
// The graphs of all ranks while they grow in any order. A dependency may name an operation of its rank by its
// number, or by the message or collective that it will stand for, whether that is known yet or not. Kept in a
// TaskSpool; one rank at a time is put together at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "goal.h"
#include "task_spool.h"
#include "vef/formats/trace.h"

namespace vef::neighbours {

/// What an operation stands for, besides itself.
struct GoalName {
  formats::DepKind kind = formats::DepKind::kIndependent;  // that: nothing
  std::uint64_t id = 0;
};

class GoalGraph {
 public:
  static constexpr std::uint32_t kNone = kGoalAny;

  GoalGraph(const std::string& output, std::size_t ranks)
      : path_(output), spool_(output, ranks), counts_(ranks) {}

  /// Returns its number in the rank. A fault is kept for status().
  std::uint32_t add(std::size_t rank, const GoalOp& op, GoalName name = {});
  void require(std::size_t rank, GoalEdge edge);
  /// `op` waits for what `needs` names: for the begin of a send, for the end of others.
  void require(std::size_t rank, std::uint32_t op, GoalName needs);

  /// The first fault of the above.
  const Status& status() const { return status_; }

  Status put_together(std::size_t rank, GoalRank& out);

 private:
  struct Entry;

  void append(std::size_t rank, const Entry& entry);

  std::string path_;
  TaskSpool spool_;
  std::vector<std::uint32_t> counts_;  // of operations, by rank
  Status status_;
};

}  // namespace vef::neighbours
