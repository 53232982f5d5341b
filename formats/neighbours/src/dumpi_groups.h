// SPDX-License-Identifier: Apache-2.0
// MPI's operations on groups: lists of tasks in the order of their ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::neighbours {

using Group = std::vector<formats::TaskId>;

Group group_union(const Group& a, const Group& b);
Group group_intersection(const Group& a, const Group& b);
Group group_difference(const Group& a, const Group& b);
/// No value: the ranks are none of the group.
std::optional<Group> group_incl(const Group& group, const std::vector<std::int32_t>& ranks);
std::optional<Group> group_excl(const Group& group, const std::vector<std::int32_t>& ranks);
/// The ranks that triples of first, last and stride name. No value: they are none of `size`, or no triples.
std::optional<std::vector<std::int32_t>> ranks_of_ranges(const std::vector<std::int32_t>& triples,
                                                         std::size_t size);

}  // namespace vef::neighbours
