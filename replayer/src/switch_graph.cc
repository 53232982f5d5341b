// SPDX-License-Identifier: Apache-2.0
#include "switch_graph.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace vef::replayer {
namespace {

std::uint64_t product(const std::vector<std::uint32_t>& factors) {
  std::uint64_t result = 1;
  for (const std::uint32_t factor : factors) result = bounded_product(result, factor);
  return result;
}

RoutedGraph make_routed(const TopologyConfig& config) {
  switch (config.kind) {
    case TopologyKind::kHyperX:
      return make_hyperx(config);
    case TopologyKind::kDragonfly:
      return make_dragonfly(config);
    case TopologyKind::kSlimFly:
      return make_slim_fly(config);
    case TopologyKind::kJellyfish:
      return make_jellyfish(config);
    default:
      return make_torus(config);
  }
}

bool has_dimensions(TopologyKind kind) {
  return kind == TopologyKind::kTorus || kind == TopologyKind::kMesh || kind == TopologyKind::kHyperX;
}

/// Switches, and links of one to others.
std::pair<std::uint64_t, std::uint64_t> switches_and_degree(const TopologyConfig& c) {
  if (c.kind == TopologyKind::kDragonfly) {
    return {bounded_product(c.groups, c.switches_per_group),
            std::uint64_t{c.switches_per_group} - 1 + c.global_links};
  }
  if (c.kind == TopologyKind::kSlimFly)
    return {bounded_product(2, bounded_product(c.q, c.q)), slim_fly_degree(c.q)};
  if (c.kind == TopologyKind::kJellyfish) return {c.switches, c.network_ports};
  std::uint64_t degree = 0;
  for (const std::uint32_t k : c.dimensions)
    degree += c.kind == TopologyKind::kHyperX ? k - 1 : std::min<std::uint32_t>(k - 1, 2);
  return {product(c.dimensions), degree};
}

Status check_numbers(const TopologyConfig& c) {
  if (c.nodes_per_switch == 0 || c.lanes == 0)
    return config_error("[topology] has a 0 for nodes-per-switch or lanes; expected numbers of at least 1");
  if (has_dimensions(c.kind)) {
    if (c.dimensions.empty() || c.dimensions.size() > 16)
      return config_error("[topology] has " + std::to_string(c.dimensions.size()) +
                          " dimensions; expected 1 to 16");
    if (*std::min_element(c.dimensions.begin(), c.dimensions.end()) < 2)
      return config_error("[topology] has a dimension of less than 2 switches; expected at least 2 in each");
  }
  if (c.kind == TopologyKind::kDragonfly) return check_dragonfly(c);
  if (c.kind == TopologyKind::kSlimFly) return check_slim_fly(c);
  if (c.kind == TopologyKind::kJellyfish) return check_jellyfish(c);
  return {};
}

}  // namespace

std::uint64_t pair_hash(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0xd1b54a32d192ed03;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint32_t SwitchGraph::place(SwitchId a, SwitchId b) const {
  const auto& list = neighbours[a];
  return static_cast<std::uint32_t>(std::find(list.begin(), list.end(), b) - list.begin());
}

std::vector<std::uint16_t> distances(const SwitchGraph& graph) {
  const std::size_t size = graph.size();
  std::vector<std::uint16_t> all(size * size, kFar);
  std::vector<SwitchId> queue;
  for (SwitchId from = 0; from < size; ++from) {
    std::uint16_t* distance = &all[from * size];
    distance[from] = 0;
    queue.assign(1, from);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const SwitchId to : graph.neighbours[queue[next]]) {
        if (distance[to] != kFar) continue;
        distance[to] = static_cast<std::uint16_t>(distance[queue[next]] + 1);
        queue.push_back(to);
      }
    }
  }
  return all;
}

RoutedGraph route_minimally(SwitchGraph graph) {
  const auto table = std::make_shared<std::vector<std::uint16_t>>(distances(graph));
  const std::size_t size = graph.size();
  const std::uint32_t diameter = *std::max_element(table->begin(), table->end());
  const auto links = std::make_shared<std::vector<std::vector<SwitchId>>>(graph.neighbours);
  RoutedGraph routed{std::move(graph), std::max(diameter, 1u), {}};
  routed.step = [table, links, size, diameter](SwitchId at, SwitchId to) {
    const std::uint32_t left = (*table)[at * size + to];
    const std::vector<SwitchId>& next = (*links)[at];
    const auto is_nearer = [&](SwitchId other) { return (*table)[other * size + to] + 1u == left; };
    auto skip =
        pair_hash(at, to) % static_cast<std::uint64_t>(std::count_if(next.begin(), next.end(), is_nearer));
    std::uint32_t place = 0;
    while (!is_nearer(next[place]) || skip-- != 0) ++place;
    return Step{place, diameter - left};
  };
  return routed;
}

bool is_switch_graph(TopologyKind kind) { return kind >= TopologyKind::kTorus; }

Result<TopologySizes> switch_graph_sizes(const TopologyConfig& config) {
  if (Status status = check_numbers(config); !status) return status.error();
  const auto [switches, degree] = switches_and_degree(config);
  TopologySizes sizes;
  sizes.switches = switches;
  sizes.nodes = bounded_product(switches, config.nodes_per_switch);
  sizes.radix = config.nodes_per_switch + bounded_product(degree, config.lanes);
  sizes.by_switch = true;
  return sizes;
}

std::uint32_t switch_graph_classes(const TopologyConfig& config) {
  switch (config.kind) {
    case TopologyKind::kTorus:
      // Where no way along a ring has two links, none waits for the next one.
      return *std::max_element(config.dimensions.begin(), config.dimensions.end()) > 3 ? 2 : 1;
    case TopologyKind::kDragonfly:
      return config.groups > 1 ? 2 : 1;
    case TopologyKind::kSlimFly:
      return 2;
    case TopologyKind::kJellyfish:
      return make_jellyfish(config).classes;
    default:
      return 1;
  }
}

Topology make_switch_graph(const TopologyConfig& config) {
  const RoutedGraph routed = make_routed(config);
  const SwitchGraph& graph = routed.graph;
  const std::uint32_t nodes = config.nodes_per_switch, lanes = config.lanes;
  const auto size = static_cast<SwitchId>(graph.size());
  TopologyBuilder builder(size * nodes, true);
  builder.set_lanes(lanes);
  builder.set_classes(routed.classes);
  for (SwitchId s = 0; s < size; ++s) {
    builder.add_switch(nodes + lanes * static_cast<std::uint32_t>(graph.neighbours[s].size()),
                       graph.names[s]);
  }
  const auto port = [&](std::uint32_t place) { return nodes + place * lanes; };
  for (SwitchId s = 0; s < size; ++s) {
    for (std::uint32_t i = 0; i < nodes; ++i) builder.connect_node(s * nodes + i, s, i);
    for (std::uint32_t i = 0; i < graph.neighbours[s].size(); ++i) {
      const SwitchId other = graph.neighbours[s][i];
      if (other < s) continue;
      // The n-th link from here to there is the n-th from there to here.
      const auto& list = graph.neighbours[s];
      const auto before = std::count(list.begin(), list.begin() + i, other);
      std::uint32_t there = graph.place(other, s);
      for (auto skip = before; skip > 0; --skip) {
        do ++there;
        while (graph.neighbours[other][there] != s);
      }
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        builder.connect(s, port(i) + lane, other, port(there) + lane);
    }
    for (SwitchId to = 0; to < size; ++to) {
      if (to == s) continue;
      const Step step = routed.step(s, to);
      builder.set_switch_route(s, to, port(step.place), step.channel_class);
    }
  }
  return builder.build();
}

}  // namespace vef::replayer
