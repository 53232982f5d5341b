// SPDX-License-Identifier: Apache-2.0
// Which calls of different worlds were one meeting, and so who is who.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model.h"
#include "worlds.h"

namespace vef::merge {

/// Turns the numbers by which processes know each other into tasks.
class Names {
 public:
  Names(const std::vector<RankData>& ranks, const std::vector<World>& worlds);

  /// kStranger: not known, or not yet.
  formats::TaskId of(formats::TaskId task, std::int32_t number) const;
  void set(formats::TaskId task, std::int32_t number, formats::TaskId who);
  /// Tasks of a group, as `task` sees it.
  std::vector<formats::TaskId> of(formats::TaskId task, const std::vector<formats::RankRun>& runs) const;

 private:
  struct Own {
    formats::TaskId first = 0;  // of the world
    std::int32_t size = 0;
    std::vector<formats::TaskId> others;
  };
  std::vector<Own> own_;  // by task
};

enum class MeetingKind : std::uint8_t { kSpawn, kSpawned, kAccept, kConnect, kJoin };

/// One side of a meeting: its group and what its members saw.
struct Side {
  MeetingKind kind = MeetingKind::kSpawn;
  std::vector<formats::TaskId> local;
  std::uint64_t remote = 0;  // members of the other side; 0: not known
  formats::TaskId root = -1;
  std::int64_t end = 0;                                          // on the wall clock
  std::string text;                                              // as the root had it
  std::uint64_t asked = 0;                                       // kSpawn: processes that were asked for
  std::uint32_t world = 0;                                       // kSpawned
  std::vector<std::pair<formats::TaskId, std::uint32_t>> views;  // rank, index into its meetings
  std::size_t other = kNobody;                                   // the side that it met

  static constexpr std::size_t kNobody = ~std::size_t{0};
};

/// Finds all meetings; fills `names`.
std::vector<Side> find_meetings(std::vector<RankData>& ranks, const std::vector<World>& worlds, Names& names);

}  // namespace vef::merge
