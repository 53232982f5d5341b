// SPDX-License-Identifier: Apache-2.0
// Megafly, also called Dragonfly+ (Shpiner et al. 2017; Flajslik et al. 2018): groups of leaf and spine
// switches, every leaf linked to every spine of its group, spines linked to the other groups. Here each spine
// has the same number of links (one, in the usual size) to every other group, and always to the spine of its
// own number there.
//
// Ports of a leaf: its nodes, then the links to spine 0, to spine 1, ... (parallel ones side by side). Ports
// of a spine: the links to leaf 0, leaf 1, ..., then those to the groups that follow its own, cyclically.
//
// Routing, D-mod-K: up link u = d mod (up links of a leaf), so the spine is u / parallel links; from there to
// the group of d, and down to its leaf by parallel link d mod (parallel links). Where a leaf has as many
// nodes as up links, each of its nodes so has a down link of its own.
//
// Deadlock freedom with one virtual channel: a route is a part of the sequence leaf-to-spine, spine-to-spine
// (global), spine-to-leaf. Channels are asked for in that order of their classes and never twice in one
// class, so no cycle of waiting can close.
#include <string>

#include "topologies.h"

namespace vef::replayer {
namespace {

std::uint32_t up_links(const TopologyConfig& c) { return c.spines * c.leaf_spine_links; }
std::uint32_t down_links(const TopologyConfig& c) { return c.leaves * c.leaf_spine_links; }
/// Links of one spine to one other group.
std::uint32_t links_per_group(const TopologyConfig& c) {
  return c.groups > 1 ? c.global_links / (c.groups - 1) : 0;
}
/// How many groups `to` comes after `from`, minus one.
std::uint32_t steps_between(const TopologyConfig& c, std::uint32_t from, std::uint32_t to) {
  return (to + c.groups - from - 1) % c.groups;
}

SwitchId leaf_id(const TopologyConfig& c, std::uint32_t group, std::uint32_t leaf) {
  return group * (c.leaves + c.spines) + leaf;
}
SwitchId spine_id(const TopologyConfig& c, std::uint32_t group, std::uint32_t spine) {
  return group * (c.leaves + c.spines) + c.leaves + spine;
}

void set_routes(const TopologyConfig& c, TopologyBuilder& builder, std::uint32_t group, NodeIndex d) {
  const std::uint32_t leaf = d / c.nodes_per_leaf % c.leaves;
  const std::uint32_t home = d / c.nodes_per_leaf / c.leaves;
  for (std::uint32_t l = 0; l < c.leaves; ++l) {
    const bool here = home == group && leaf == l;
    builder.set_route(leaf_id(c, group, l), d,
                      here ? d % c.nodes_per_leaf : c.nodes_per_leaf + d % up_links(c));
  }
  for (std::uint32_t s = 0; s < c.spines; ++s) {
    const std::uint32_t port = home == group
                                   ? leaf * c.leaf_spine_links + d % c.leaf_spine_links
                                   : down_links(c) + steps_between(c, group, home) * links_per_group(c) +
                                         d / up_links(c) % links_per_group(c);
    builder.set_route(spine_id(c, group, s), d, port);
  }
}

void connect_group(const TopologyConfig& c, TopologyBuilder& builder, std::uint32_t group) {
  for (std::uint32_t l = 0; l < c.leaves; ++l) {
    for (std::uint32_t i = 0; i < c.nodes_per_leaf; ++i) {
      builder.connect_node((group * c.leaves + l) * c.nodes_per_leaf + i, leaf_id(c, group, l), i);
    }
    for (std::uint32_t up = 0; up < up_links(c); ++up) {
      builder.connect(leaf_id(c, group, l), c.nodes_per_leaf + up,
                      spine_id(c, group, up / c.leaf_spine_links),
                      l * c.leaf_spine_links + up % c.leaf_spine_links);
    }
  }
  for (std::uint32_t other = group + 1; other < c.groups; ++other) {
    for (std::uint32_t s = 0; s < c.spines; ++s) {
      for (std::uint32_t i = 0; i < links_per_group(c); ++i) {
        builder.connect(
            spine_id(c, group, s), down_links(c) + steps_between(c, group, other) * links_per_group(c) + i,
            spine_id(c, other, s), down_links(c) + steps_between(c, other, group) * links_per_group(c) + i);
      }
    }
  }
}

}  // namespace

Result<TopologySizes> megafly_sizes(const TopologyConfig& c) {
  if (c.groups == 0 || c.leaves == 0 || c.spines == 0 || c.nodes_per_leaf == 0 || c.leaf_spine_links == 0) {
    return config_error(
        "[topology] has a 0 among groups, leaves, spines, nodes-per-leaf, leaf-spine-links; "
        "expected numbers of at least 1");
  }
  if (c.groups > 1 && (c.global_links == 0 || c.global_links % (c.groups - 1) != 0)) {
    return config_error("[topology] global-links is " + std::to_string(c.global_links) +
                        "; expected a multiple of groups - 1 = " + std::to_string(c.groups - 1));
  }
  const std::uint64_t lanes = c.leaf_spine_links;
  TopologySizes sizes;
  sizes.nodes = bounded_product(bounded_product(c.groups, c.leaves), c.nodes_per_leaf);
  sizes.switches = bounded_product(c.groups, std::uint64_t{c.leaves} + c.spines);
  const std::uint64_t leaf_radix = c.nodes_per_leaf + bounded_product(c.spines, lanes);
  const std::uint64_t spine_radix = bounded_product(c.leaves, lanes) + (c.groups > 1 ? c.global_links : 0);
  sizes.radix = leaf_radix > spine_radix ? leaf_radix : spine_radix;
  return sizes;
}

Topology make_megafly(const TopologyConfig& c) {
  TopologyBuilder builder(c.groups * c.leaves * c.nodes_per_leaf);
  const auto name = [](const char* what, std::uint32_t group, std::uint32_t number) {
    return "group " + std::to_string(group) + " " + what + " " + std::to_string(number);
  };
  for (std::uint32_t g = 0; g < c.groups; ++g) {
    for (std::uint32_t l = 0; l < c.leaves; ++l) {
      builder.add_switch(c.nodes_per_leaf + up_links(c), name("leaf", g, l));
    }
    for (std::uint32_t s = 0; s < c.spines; ++s) {
      builder.add_switch(down_links(c) + (c.groups > 1 ? c.global_links : 0), name("spine", g, s));
    }
  }
  const NodeIndex nodes = c.groups * c.leaves * c.nodes_per_leaf;
  for (std::uint32_t g = 0; g < c.groups; ++g) {
    connect_group(c, builder, g);
    for (NodeIndex d = 0; d < nodes; ++d) set_routes(c, builder, g, d);
  }
  return builder.build();
}

}  // namespace vef::replayer
