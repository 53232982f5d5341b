// SPDX-License-Identifier: Apache-2.0
// Stage 1b: several worlds (MPI_COMM_WORLDs) become one set of tasks, those of the first world first.
//
// A process knows the members of other worlds by numbers of its own. Who they are follows from the calls by
// which worlds meet, each seen from two sides whose groups are the same two in the same orders:
//   MPI_Comm_spawn       the spawned world; its capture names the root
//   accept and connect   by the port's name and the sizes of the groups
//   join                 by the addresses of the socket's two ends
// Calls that are alike in all this follow each other in the order of their ends on the wall clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.h"

namespace vef::merge {

struct World {
  std::string directory;
  std::string job;                // its name; empty: not known
  std::string parent_job;         // the job that spawned it; empty: none, or not known
  std::int32_t parent_rank = -1;  // the rank there that was the root; -1: not known
  formats::TaskId first = 0;      // task that its rank 0 is
  std::int32_t size = 0;
  std::string how;     // it met another, for people; empty: it did not
  bool bound = false;  // its tasks begin with the call that spawned them
};

/// `ranks`: those of the first world, then of the second, and so on, all there are. Renumbers processes to
/// tasks; what is exchanged with processes of no world that is merged is counted in RankData::outside and
/// otherwise as if it had not been. The calls by which worlds meet become barriers of both sides. Appends to
/// `warnings` the meetings whose other side is not there.
void join_worlds(std::vector<RankData>& ranks, std::vector<World>& worlds,
                 std::vector<std::string>& warnings);

/// The times of worlds that met none before they began: what they began later than the first passes before
/// their first call. Returns the reference for zero(): the world that began first.
std::uint32_t align_begins(std::vector<RankData>& ranks, const std::vector<World>& worlds);

}  // namespace vef::merge
