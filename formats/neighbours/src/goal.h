// SPDX-License-Identifier: Apache-2.0
// GOAL, the schedules of LogGOPSim and ATLAHS: for each rank a graph of sends, receives and calculations.
//
// An edge says that an operation begins only when another of its rank has finished (`requires`) or begun
// (`irequires`). Receives meet sends as in MPI, by source and tag. Text and binary hold the same, but for
// labels. Both are read and written rank by rank; a rank is held in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "goal_extras.h"
#include "vef/base/result.h"

namespace vef::neighbours {

/// Collectives stand in no GOAL file: goal_extras.h.
enum class GoalKind : std::uint8_t { kSend = 1, kRecv = 2, kCalc = 3, kCollective = 4 };

inline constexpr std::uint32_t kGoalAny = 0xffffffff;  // source or tag
inline constexpr std::uint32_t kGoalMaxRanks = 1U << 30;

struct GoalOp {
  std::uint64_t size = 0;  // bytes; of a calculation nanoseconds
  std::uint64_t line = 0;  // in the text; 0 in a binary
  std::uint32_t peer = 0;  // of a collective: its index in GoalExtras
  std::uint32_t tag = 0;
  GoalKind kind = GoalKind::kCalc;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;

  bool operator==(const GoalOp&) const = default;
};

/// `op` waits for `needs`; both are indices into GoalRank::ops.
struct GoalEdge {
  std::uint32_t op = 0;
  std::uint32_t needs = 0;
  bool start = false;  // for its begin, not its end

  auto operator<=>(const GoalEdge&) const = default;
};

struct GoalRank {
  std::vector<GoalOp> ops;
  std::vector<GoalEdge> edges;

  void clear() {
    ops.clear();
    edges.clear();
  }
};

class GoalInput {
 public:
  virtual ~GoalInput() = default;

  virtual std::uint32_t ranks() const = 0;
  /// The next rank, from 0. False: all have been read and the file is whole.
  virtual Result<bool> next(GoalRank& rank) = 0;
  /// What the schedule is beside its operations; asked for once, after the last rank.
  virtual GoalExtras extras() { return {}; }
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

class GoalOutput {
 public:
  virtual ~GoalOutput() = default;

  /// The next rank, from 0. Its edges may be reordered.
  virtual Status write(GoalRank& rank) = 0;
  /// After the last rank.
  virtual Status finish() = 0;
};

Result<std::unique_ptr<GoalInput>> open_goal_text(const std::string& path);
Result<std::unique_ptr<GoalInput>> open_goal_binary(const std::string& path);
Result<std::unique_ptr<GoalOutput>> create_goal_text(const std::string& path, std::uint32_t ranks, int level);
Result<std::unique_ptr<GoalOutput>> create_goal_binary(const std::string& path, std::uint32_t ranks);

}  // namespace vef::neighbours
