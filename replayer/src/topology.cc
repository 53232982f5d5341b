// SPDX-License-Identifier: Apache-2.0
#include "vef/replayer/topology.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "cycle.h"
#include "topologies.h"

namespace vef::replayer {
namespace {

constexpr std::uint32_t kToNode = 0xffff'ffff;
constexpr std::uint16_t kUnset = 0xffff;

TopologySizes single_switch_sizes(const TopologyConfig& config) { return {config.nodes, 1, config.nodes}; }

Topology make_single_switch(const TopologyConfig& config) {
  TopologyBuilder builder(config.nodes);
  const SwitchId only = builder.add_switch(config.nodes, "switch");
  for (NodeIndex node = 0; node < config.nodes; ++node) {
    builder.connect_node(node, only, node);
    builder.set_route(only, node, node);
  }
  return builder.build();
}

/// Nodes to which the routes differ: all, or those that stand for the others of their switch, one for each of
/// parallel links.
std::vector<NodeIndex> different_destinations(const Topology& topology, std::uint32_t for_each_switch) {
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < topology.nodes; ++node) {
    if (!topology.by_switch || topology.home_port[node] < for_each_switch) nodes.push_back(node);
  }
  return nodes;
}

/// Nodes attached to each switch.
std::vector<std::uint32_t> attached_nodes(const Topology& topology) {
  std::vector<std::uint32_t> attached(topology.switches, 0);
  for (NodeIndex node = 0; node < topology.nodes; ++node) {
    ++attached[topology.switch_of[topology.peer[topology.node_port(node)]]];
  }
  return attached;
}

Status check_sizes(const TopologySizes& sizes) {
  constexpr std::uint64_t kMaxNodes = 1 << 20;
  constexpr std::uint64_t kMaxRadix = (1 << Topology::kPortBits) - 1;
  constexpr std::uint64_t kMaxPorts = 1 << 22;
  constexpr std::uint64_t kMaxRoutes = 1 << 28;  // entries of the routing tables
  const auto fault = [](const char* what, std::uint64_t found, std::uint64_t most) {
    return config_error("[topology] has " + std::to_string(found) + " " + what + "; expected 1 to " +
                        std::to_string(most));
  };
  if (sizes.nodes < 1 || sizes.nodes > kMaxNodes) return fault("nodes", sizes.nodes, kMaxNodes);
  if (sizes.radix > kMaxRadix) return fault("ports in one switch", sizes.radix, kMaxRadix);
  const std::uint64_t ports = bounded_product(sizes.switches, sizes.radix);
  if (ports > kMaxPorts) return fault("switch ports", ports, kMaxPorts);
  const std::uint64_t routes =
      bounded_product(sizes.switches, sizes.by_switch ? sizes.switches : sizes.nodes);
  if (routes > kMaxRoutes)
    return fault(sizes.by_switch ? "routes, one per pair of switches," : "routes, one per switch and node,",
                 routes, kMaxRoutes);
  return {};
}

}  // namespace

std::string Topology::port_name(PortId port) const {
  if (is_node_port(port)) return "node " + std::to_string(node_of(port));
  const SwitchId s = switch_of[port];
  return switch_names[s] + " port " + std::to_string(port - first_port[s]);
}

SwitchId TopologyBuilder::add_switch(std::uint32_t radix, std::string name) {
  radix_.push_back(radix);
  names_.push_back(std::move(name));
  if (!by_switch_) route_.resize(route_.size() + nodes_, kUnset);
  return static_cast<SwitchId>(radix_.size() - 1);
}

void TopologyBuilder::connect(SwitchId a, std::uint32_t port_a, SwitchId b, std::uint32_t port_b) {
  links_.push_back({a, port_a, b, port_b});
}

void TopologyBuilder::connect_node(NodeIndex node, SwitchId s, std::uint32_t port) {
  links_.push_back({s, port, kToNode, node});
}

void TopologyBuilder::set_route(SwitchId s, NodeIndex destination, std::uint32_t port) {
  route_[std::size_t{s} * nodes_ + destination] = static_cast<std::uint16_t>(port);
}

void TopologyBuilder::set_switch_route(SwitchId s, SwitchId to, std::uint32_t port,
                                       std::uint32_t channel_class) {
  switch_routes_.push_back({s, to, static_cast<std::uint16_t>(port | channel_class << Topology::kPortBits)});
}

Topology TopologyBuilder::build() {
  Topology t;
  t.nodes = nodes_;
  t.switches = static_cast<std::uint32_t>(radix_.size());
  PortId next = 0;
  for (SwitchId s = 0; s < t.switches; ++s) {
    t.first_port.push_back(next);
    t.switch_of.insert(t.switch_of.end(), radix_[s], s);
    next += radix_[s];
  }
  t.first_port.push_back(next);
  t.peer.assign(next + nodes_, kNoPort);
  for (const Link& link : links_) {
    const PortId a = t.first_port[link.a] + link.port_a;
    const PortId b = link.b == kToNode ? t.node_port(link.port_b) : t.first_port[link.b] + link.port_b;
    assert(t.peer[a] == kNoPort && t.peer[b] == kNoPort);
    t.peer[a] = b;
    t.peer[b] = a;
  }
  if (by_switch_) {
    route_.assign(std::size_t{t.switches} * t.switches, kUnset);
    for (SwitchId s = 0; s < t.switches; ++s) route_[std::size_t{s} * t.switches + s] = 0;
    for (const SwitchRoute& r : switch_routes_) route_[std::size_t{r.s} * t.switches + r.to] = r.entry;
    for (NodeIndex node = 0; node < nodes_; ++node) {
      const PortId port = t.peer[t.node_port(node)];
      t.home.push_back(t.switch_of[port]);
      t.home_port.push_back(static_cast<std::uint16_t>(port - t.first_port[t.switch_of[port]]));
    }
  }
  assert(std::find(route_.begin(), route_.end(), kUnset) == route_.end());
  t.route = std::move(route_);
  t.by_switch = by_switch_;
  t.lanes = lanes_;
  t.classes = classes_;
  t.switch_names = std::move(names_);
  return t;
}

Status check_topology(const TopologyConfig& config) {
  Result<TopologySizes> sizes = single_switch_sizes(config);
  if (config.kind == TopologyKind::kFatTree) sizes = fat_tree_sizes(config);
  if (config.kind == TopologyKind::kMegafly) sizes = megafly_sizes(config);
  if (is_switch_graph(config.kind)) sizes = switch_graph_sizes(config);
  if (!sizes) return sizes.error();
  return check_sizes(*sizes);
}

Result<Topology> make_topology(const TopologyConfig& config) {
  if (Status status = check_topology(config); !status) return status.error();
  switch (config.kind) {
    case TopologyKind::kSingleSwitch:
      return make_single_switch(config);
    case TopologyKind::kFatTree:
      return make_fat_tree(config);
    case TopologyKind::kMegafly:
      return make_megafly(config);
    default:
      return make_switch_graph(config);
  }
}

TopologySummary summarise(const Topology& topology, const TopologyConfig* config) {
  TopologySummary summary;
  summary.nodes = topology.nodes;
  summary.switches = topology.switches;
  summary.node_links = topology.nodes;
  for (SwitchId s = 0; s < topology.switches; ++s) summary.radix = std::max(summary.radix, topology.radix(s));
  for (PortId port = 0; port < topology.first_port[topology.switches]; ++port) {
    if (topology.peer[port] != kNoPort) ++summary.ports_used;
  }
  summary.links = (summary.ports_used - summary.node_links) / 2;

  const std::vector<std::uint32_t> attached = attached_nodes(topology);
  double sum = 0;
  for (const NodeIndex to : different_destinations(topology, 1)) {
    const SwitchId home = topology.switch_of[topology.peer[topology.node_port(to)]];
    const std::uint32_t destinations = topology.by_switch ? attached[home] : 1;
    for (SwitchId from = 0; from < topology.switches; ++from) {
      const std::uint32_t sources = attached[from] - (from == home ? 1 : 0);
      if (attached[from] == 0 || sources == 0) continue;
      std::uint32_t distance = 1;
      for (SwitchId at = from; at != home; ++distance) {
        at = topology.switch_of[topology.peer[topology.route_port(at, to)]];
      }
      summary.diameter = std::max(summary.diameter, distance);
      sum += static_cast<double>(distance) * sources * destinations;
    }
  }
  const double pairs = static_cast<double>(topology.nodes) * (topology.nodes - 1);
  if (pairs > 0) summary.average_distance = sum / pairs;
  if (config != nullptr) set_bisection(*config, summary);
  return summary;
}

std::uint32_t channel_classes(const TopologyConfig& config) {
  return is_switch_graph(config.kind) ? switch_graph_classes(config) : 1;
}

std::optional<std::vector<PortId>> find_channel_cycle(const Topology& topology) {
  // A vertex is a class of channels of an output.
  const std::vector<std::uint32_t> attached = attached_nodes(topology);
  const std::size_t outputs = topology.first_port[topology.switches];
  std::vector<std::vector<std::uint32_t>> edges(outputs * topology.classes);
  std::vector<NodeIndex> visited(topology.switches, kNoPort);
  for (const NodeIndex to : different_destinations(topology, topology.lanes)) {
    for (SwitchId from = 0; from < topology.switches; ++from) {
      if (attached[from] == 0) continue;
      std::uint32_t before = kNoPort;
      for (SwitchId at = from;;) {
        const Hop hop = topology.hop(at, to);
        const std::uint32_t channel = hop.port * topology.classes + hop.channel_class;
        if (before != kNoPort) {
          auto& next = edges[before];
          if (std::find(next.begin(), next.end(), channel) == next.end()) next.push_back(channel);
        }
        // From a switch passed before, the way to this destination is known.
        if (visited[at] == to || topology.is_node_port(topology.peer[hop.port])) break;
        visited[at] = to;
        before = channel;
        at = topology.switch_of[topology.peer[hop.port]];
      }
    }
  }
  std::vector<std::uint32_t> cycle = find_cycle(edges);
  if (cycle.empty()) return std::nullopt;
  for (std::uint32_t& channel : cycle) channel /= topology.classes;
  return cycle;
}

}  // namespace vef::replayer
