// SPDX-License-Identifier: Apache-2.0
// Grids: torus, mesh, and HyperX (Ahn et al. 2009), whose switches are linked to all others that differ in
// one coordinate; with two dimensions it is a flattened butterfly (Kim, Dally and Abts 2007).
//
// Switch numbers count the first dimension fastest. Neighbours of a switch, dimension by dimension: the next
// one and the one before (torus, mesh), or all others in the order of their coordinate (HyperX).
//
// Routing, dimension order: the first coordinate that differs is set right, then the next. A torus goes the
// shorter way round; where both are as long, switches of even number go up.
//
// Deadlock freedom: dimensions are passed in one order, so a circle of waiting would lie within one. In a
// mesh and in HyperX there is none: the way along a line never turns round, that in a full graph is one link.
// In a ring of a torus there are two classes of channels: the first while the way has yet to pass the link
// between the last coordinate and 0, the second from then on (Dally and Seitz 1987): the first class ends at
// that link, the second never takes it.
#include <utility>

#include "switch_graph.h"

namespace vef::replayer {
namespace {

using Coordinates = std::vector<std::uint32_t>;

Coordinates coordinates(const Coordinates& sizes, SwitchId s) {
  Coordinates result;
  for (const std::uint32_t size : sizes) {
    result.push_back(s % size);
    s /= size;
  }
  return result;
}

SwitchId number(const Coordinates& sizes, const Coordinates& at) {
  SwitchId result = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) result = result * sizes[d] + at[d];
  return result;
}

std::string name_of(const Coordinates& at) {
  std::string name = "switch (";
  for (std::size_t d = 0; d < at.size(); ++d) name += (d == 0 ? "" : ",") + std::to_string(at[d]);
  return name + ")";
}

/// A graph of that shape without links.
SwitchGraph grid(const Coordinates& sizes) {
  std::size_t switches = 1;
  for (const std::uint32_t size : sizes) switches *= size;
  SwitchGraph graph(switches);
  for (SwitchId s = 0; s < switches; ++s) graph.names[s] = name_of(coordinates(sizes, s));
  return graph;
}

/// What there is to do in the first dimension in which two switches differ.
struct Difference {
  std::size_t dimension;
  std::uint32_t from, to;
};
Difference first_difference(const Coordinates& sizes, SwitchId at, SwitchId to) {
  for (std::size_t d = 0;; ++d) {
    if (at % sizes[d] != to % sizes[d]) return {d, at % sizes[d], to % sizes[d]};
    at /= sizes[d];
    to /= sizes[d];
  }
}

}  // namespace

RoutedGraph make_torus(const TopologyConfig& config) {
  const Coordinates sizes = config.dimensions;
  const bool wraps = config.kind == TopologyKind::kTorus;
  RoutedGraph routed{grid(sizes), switch_graph_classes(config), {}};
  SwitchGraph& graph = routed.graph;
  // Place of the neighbour one up (0) and one down (1) in each dimension.
  std::vector<std::uint32_t> places(graph.size() * sizes.size() * 2, ~0u);
  for (SwitchId s = 0; s < graph.size(); ++s) {
    const Coordinates at = coordinates(sizes, s);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      for (const std::uint32_t down : {0u, 1u}) {
        Coordinates next = at;
        next[d] = (at[d] + (down == 0 ? 1 : sizes[d] - 1)) % sizes[d];
        const bool border = down == 0 ? next[d] == 0 : at[d] == 0;
        // Two switches in a ring have one link, not two.
        if (border && (!wraps || sizes[d] == 2)) continue;
        places[(s * sizes.size() + d) * 2 + down] = static_cast<std::uint32_t>(graph.neighbours[s].size());
        graph.neighbours[s].push_back(number(sizes, next));
      }
    }
  }
  const bool one_class = routed.classes == 1;
  routed.step = [sizes, wraps, one_class, places = std::move(places)](SwitchId at, SwitchId to) {
    const auto [d, from, goal] = first_difference(sizes, at, to);
    const std::uint32_t size = sizes[d];
    const std::uint32_t up = (goal + size - from) % size;
    bool down = goal < from;
    if (wraps && size > 2) down = up * 2 == size ? at % 2 != 0 : up * 2 > size;
    const bool will_wrap = down ? goal > from : goal < from;
    const std::uint32_t place = places[(at * sizes.size() + d) * 2 + (down ? 1 : 0)];
    return Step{place, one_class || will_wrap ? 0u : 1u};
  };
  return routed;
}

RoutedGraph make_hyperx(const TopologyConfig& config) {
  const Coordinates sizes = config.dimensions;
  RoutedGraph routed{grid(sizes), 1, {}};
  for (SwitchId s = 0; s < routed.graph.size(); ++s) {
    const Coordinates at = coordinates(sizes, s);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      Coordinates next = at;
      for (next[d] = 0; next[d] < sizes[d]; ++next[d]) {
        if (next[d] != at[d]) routed.graph.neighbours[s].push_back(number(sizes, next));
      }
    }
  }
  routed.step = [sizes](SwitchId at, SwitchId to) {
    const auto [d, from, goal] = first_difference(sizes, at, to);
    std::uint32_t place = goal < from ? goal : goal - 1;
    for (std::size_t before = 0; before < d; ++before) place += sizes[before] - 1;
    return Step{place, 0};
  };
  return routed;
}

}  // namespace vef::replayer
