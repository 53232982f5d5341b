// SPDX-License-Identifier: Apache-2.0
// The families of networks: their sizes (checked before anything is built) and their construction.
#pragma once

#include <cstdint>
#include <string>

#include "vef/replayer/topology.h"

namespace vef::replayer {

struct TopologySizes {
  std::uint64_t nodes = 0;
  std::uint64_t switches = 0;
  std::uint64_t radix = 0;
  bool by_switch = false;  // the routes are those between switches
};

Result<TopologySizes> fat_tree_sizes(const TopologyConfig& config);
Topology make_fat_tree(const TopologyConfig& config);

Result<TopologySizes> megafly_sizes(const TopologyConfig& config);
Topology make_megafly(const TopologyConfig& config);

/// Torus, mesh, HyperX, Dragonfly, Slim Fly, Jellyfish: switch_graph.h.
bool is_switch_graph(TopologyKind kind);
Result<TopologySizes> switch_graph_sizes(const TopologyConfig& config);
std::uint32_t switch_graph_classes(const TopologyConfig& config);
Topology make_switch_graph(const TopologyConfig& config);

/// Fills bisection_links and its note where a closed form is known.
void set_bisection(const TopologyConfig& config, TopologySummary& summary);

/// A fault of the configuration; the reader of the file puts the file's name before it.
inline Error config_error(const std::string& message) { return {ErrorKind::kInput, message}; }

/// a x b, or 2^62 where it would be more: sizes are compared with limits far below.
inline std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  return a != 0 && b > kMax / a ? kMax : a * b;
}

}  // namespace vef::replayer
