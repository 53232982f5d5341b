// SPDX-License-Identifier: Apache-2.0
// What the sizes of a collective say of the call that it is.
#pragma once

#include <cstdint>
#include <vector>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

using Sizes = std::vector<std::uint64_t>;

std::uint64_t largest_of(const Sizes& sizes);
bool all_equal(const Sizes& sizes);

/// The member that has a size where the others have none; 0 if nobody has.
std::size_t root_of(const Sizes& sizes);

/// Whether an all-to-all has one size for all, else each member has a total.
bool is_plain_alltoall(const WholeCollective& call);

/// What `from` sends to `to` in an all-to-all: the same to each, or its total shared out evenly, the first a
/// byte more.
std::uint64_t alltoall_share(const WholeCollective& call, std::size_t from, std::size_t to);

/// What a call names at most: a member's own size, or the sum of what it exchanges.
std::uint64_t largest_named(const WholeCollective& call);

}  // namespace vef::neighbours
