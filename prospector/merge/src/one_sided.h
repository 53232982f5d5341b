// SPDX-License-Identifier: Apache-2.0
// Stage 3c: one-sided communication -> messages. Each access is a message to its target and, where something
// comes back, an answer of the target's network interface; which calls wait for them is worked out here.
//
// Windows are recognised as communicators are: by what they were made from and the how-manieth on it. An
// epoch is found by counting: the k-th fence of every member is the same; the k-th MPI_Win_start of an origin
// that names a target belongs to the k-th MPI_Win_post of that target that names the origin, likewise
// MPI_Win_complete and MPI_Win_wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.h"

namespace vef::merge {

/// Numbers of messages: of access i of a rank first_access + 2i, of its answer one more; of the empty message
/// of a post or complete to its j-th peer (index in RankData::peers) first_peer + j.
struct OneSidedNumbers {
  std::vector<std::uint64_t> first_access;  // by rank
  std::vector<std::uint64_t> first_peer;
  std::uint64_t total = 0;  // of all messages up to here
};

/// Sets what every Sync waits for. `first`: the first number that is free.
OneSidedNumbers match_one_sided(std::vector<RankData>& ranks, std::uint64_t first,
                                std::vector<std::string>& warnings);

}  // namespace vef::merge
