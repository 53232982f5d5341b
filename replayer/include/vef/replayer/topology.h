// SPDX-License-Identifier: Apache-2.0
// A network as packed tables: devices, ports, who is connected to whom, and the way to every destination.
//
// Ports are numbered through: first those of switch 0, of switch 1, ..., then one port of each node. Every
// link is a pair of ports and carries traffic both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vef/base/result.h"
#include "vef/replayer/config.h"

namespace vef::replayer {

using PortId = std::uint32_t;
using SwitchId = std::uint32_t;
using NodeIndex = std::uint32_t;
inline constexpr PortId kNoPort = 0xffff'ffff;

/// The way out of a switch: the output, and which of the topology's classes of virtual channels to take
/// there.
struct Hop {
  PortId port;
  std::uint32_t channel_class;
};

struct Topology {
  std::uint32_t nodes = 0;
  std::uint32_t switches = 0;
  std::vector<PortId> first_port;   // of each switch; [switches] is the port of node 0
  std::vector<PortId> peer;         // other end of the link, by port; kNoPort: not connected
  std::vector<SwitchId> switch_of;  // of each switch port
  // [switch * targets + target]: the local output port in the lower kPortBits, above them the class of its
  // virtual channels. A target is a node or, by_switch, the switch of the node: much less where nodes
  // outnumber switches.
  std::vector<std::uint16_t> route;
  bool by_switch = false;
  std::vector<SwitchId> home;  // by_switch: of each node, and its port there
  std::vector<std::uint16_t> home_port;
  std::uint32_t lanes = 1;    // by_switch: parallel links; the route names the first, the destination chooses
  std::uint32_t classes = 1;  // of virtual channels that the routes need, so that they cannot deadlock
  std::vector<std::string> switch_names;

  PortId node_port(NodeIndex node) const { return first_port[switches] + node; }
  bool is_node_port(PortId port) const { return port >= first_port[switches]; }
  NodeIndex node_of(PortId port) const { return port - first_port[switches]; }
  std::uint32_t radix(SwitchId s) const { return first_port[s + 1] - first_port[s]; }
  std::uint32_t ports() const { return static_cast<std::uint32_t>(peer.size()); }
  static constexpr unsigned kPortBits = 12;
  Hop hop(SwitchId s, NodeIndex destination) const {
    if (!by_switch) return unpack(s, route[std::size_t{s} * nodes + destination], 0);
    const SwitchId to = home[destination];
    if (to == s) return {first_port[s] + home_port[destination], 0};
    return unpack(s, route[std::size_t{s} * switches + to], lanes == 1 ? 0 : destination % lanes);
  }
  PortId route_port(SwitchId s, NodeIndex destination) const { return hop(s, destination).port; }
  /// "leaf 3 port 12" or "node 17".
  std::string port_name(PortId port) const;

 private:
  Hop unpack(SwitchId s, std::uint16_t entry, std::uint32_t lane) const {
    return {first_port[s] + (entry & ((1u << kPortBits) - 1)) + lane, std::uint32_t{entry} >> kPortBits};
  }
};

/// Puts a topology together switch by switch; also for networks that no configuration names (tests).
class TopologyBuilder {
 public:
  /// `by_switch`: routes are set by set_switch_route(), for each pair of switches.
  explicit TopologyBuilder(std::uint32_t nodes, bool by_switch = false)
      : nodes_(nodes), by_switch_(by_switch) {}

  /// Adds a switch with `radix` ports; returns its number.
  SwitchId add_switch(std::uint32_t radix, std::string name);
  void connect(SwitchId a, std::uint32_t port_a, SwitchId b, std::uint32_t port_b);
  void connect_node(NodeIndex node, SwitchId s, std::uint32_t port);
  /// The output of `s` for packets to `destination`.
  void set_route(SwitchId s, NodeIndex destination, std::uint32_t port);
  /// The output of `s` for packets to nodes of switch `to`, and the class of its channels; of parallel links
  /// the first port.
  void set_switch_route(SwitchId s, SwitchId to, std::uint32_t port, std::uint32_t channel_class);
  void set_lanes(std::uint32_t lanes) { lanes_ = lanes; }
  void set_classes(std::uint32_t classes) { classes_ = classes; }
  /// Ends the building. Every route has been set and every node connected by now.
  Topology build();

 private:
  struct Link {
    std::uint32_t a, port_a, b, port_b;
  };  // b == kNode: port_b is a node
  std::uint32_t nodes_;
  bool by_switch_;
  std::uint32_t lanes_ = 1;
  std::uint32_t classes_ = 1;
  std::vector<std::uint32_t> radix_;
  std::vector<std::string> names_;
  std::vector<Link> links_;
  std::vector<std::uint16_t> route_;
  struct SwitchRoute {
    SwitchId s, to;
    std::uint16_t entry;
  };
  std::vector<SwitchRoute> switch_routes_;
};

/// Numbers that make no network of this kind, or one too large to simulate, are an error that names the keys.
Status check_topology(const TopologyConfig& config);

/// Builds what the configuration describes. The error is that of check_topology.
Result<Topology> make_topology(const TopologyConfig& config);

struct TopologySummary {
  std::uint32_t nodes = 0;
  std::uint32_t switches = 0;
  std::uint32_t radix = 0;            // largest
  std::uint64_t ports_used = 0;       // switch ports with a link
  std::uint64_t links = 0;            // between switches, and
  std::uint64_t node_links = 0;       // between a node and a switch
  std::uint32_t diameter = 0;         // switches on the longest route between two nodes
  double average_distance = 0;        // switches on the route, mean over all pairs of different nodes
  std::uint64_t bisection_links = 0;  // links between the two halves, 0: not known
  std::string bisection_note;
};
TopologySummary summarise(const Topology& topology, const TopologyConfig* config = nullptr);

/// Classes of virtual channels that the topology's routes need; the configuration must be sound.
std::uint32_t channel_classes(const TopologyConfig& config);

/// A cycle in the channel dependency graph of the routes (ports whose outgoing channels wait for each other
/// in turn), or nothing: then no set of packets can block itself for ever (Dally and Seitz 1987).
std::optional<std::vector<PortId>> find_channel_cycle(const Topology& topology);

}  // namespace vef::replayer
