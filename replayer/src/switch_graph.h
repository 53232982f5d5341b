// SPDX-License-Identifier: Apache-2.0
// Networks that are a graph of switches with nodes at each: the graph, the rule by which a switch finds the
// next one, and how many classes of virtual channels keep that rule free of deadlock.
//
// Ports of a switch: its nodes, then its neighbours in the order of the graph, parallel links side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topologies.h"

namespace vef::replayer {

struct SwitchGraph {
  std::vector<std::string> names;
  std::vector<std::vector<SwitchId>> neighbours;  // by switch; who is named twice has two links

  explicit SwitchGraph(std::size_t switches) : names(switches), neighbours(switches) {}
  std::size_t size() const { return names.size(); }
  /// Place of the first link to `b` among the neighbours of `a`.
  std::uint32_t place(SwitchId a, SwitchId b) const;
};

/// Where a switch sends what is for another: the place among its neighbours, the class of channels.
struct Step {
  std::uint32_t place;
  std::uint32_t channel_class;
};

struct RoutedGraph {
  SwitchGraph graph;
  std::uint32_t classes = 1;
  std::function<Step(SwitchId at, SwitchId to)> step;
};

/// Distances in links between all switches, [from * size + to]; kFar where there is no way.
inline constexpr std::uint16_t kFar = 0xffff;
std::vector<std::uint16_t> distances(const SwitchGraph& graph);

/// Shortest ways; of several next switches one is drawn from a hash of here and there. The class rises with
/// each link: diameter minus the links to go, so that no channel is asked for twice in a circle (Gunther
/// 1981).
RoutedGraph route_minimally(SwitchGraph graph);

RoutedGraph make_torus(const TopologyConfig& config);  // and mesh
RoutedGraph make_hyperx(const TopologyConfig& config);
RoutedGraph make_dragonfly(const TopologyConfig& config);
RoutedGraph make_slim_fly(const TopologyConfig& config);
RoutedGraph make_jellyfish(const TopologyConfig& config);

Status check_dragonfly(const TopologyConfig& config);
Status check_slim_fly(const TopologyConfig& config);
Status check_jellyfish(const TopologyConfig& config);
/// Links of a switch to others.
std::uint32_t slim_fly_degree(std::uint32_t q);

/// A number that tells pairs apart evenly.
std::uint64_t pair_hash(std::uint64_t a, std::uint64_t b);

}  // namespace vef::replayer
