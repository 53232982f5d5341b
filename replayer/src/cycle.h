// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace vef::replayer {

/// A cycle of the directed graph with edges[v] = successors of v, in order of its edges, or nothing. Depth
/// first from the lowest vertex; without recursion.
std::vector<std::uint32_t> find_cycle(const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace vef::replayer
