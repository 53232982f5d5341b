// SPDX-License-Identifier: Apache-2.0
#include "vef/replayer/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vef::replayer {
namespace {

TopologyConfig of_kind(TopologyKind kind) {
  TopologyConfig config;
  config.kind = kind;
  return config;
}

TopologyConfig fat_tree(std::vector<std::uint32_t> down, std::vector<std::uint32_t> up) {
  TopologyConfig config = of_kind(TopologyKind::kFatTree);
  config.down = std::move(down);
  config.up = std::move(up);
  return config;
}

Topology build(const TopologyConfig& config) {
  Result<Topology> topology = make_topology(config);
  EXPECT_TRUE(topology.ok());
  return std::move(topology).value();
}

/// Links are symmetric, every port of the tested networks is used, and every route ends at its node.
void expect_sound(const Topology& t) {
  for (PortId port = 0; port < t.ports(); ++port) {
    ASSERT_NE(t.peer[port], kNoPort) << t.port_name(port);
    EXPECT_EQ(t.peer[t.peer[port]], port);
  }
  for (NodeIndex from = 0; from < t.nodes; ++from) {
    for (NodeIndex to = 0; to < t.nodes; ++to) {
      PortId at = t.peer[t.node_port(from)];
      std::uint32_t hops = 0;
      while (!t.is_node_port(at)) {
        ASSERT_LT(hops++, t.switches + 1) << from << " to " << to << " goes in circles";
        at = t.peer[t.route_port(t.switch_of[at], to)];
      }
      ASSERT_EQ(t.node_of(at), to);
    }
  }
}

// The counts of the paper's table: 16 leaves x 32 ports + 16 spines x 16 ports = 768.
TEST(Topology, FatTreeOf256NodesHasItsClosedFormCounts) {
  const TopologyConfig config = of_kind(TopologyKind::kFatTree);
  const Topology t = build(config);
  const TopologySummary s = summarise(t, &config);
  EXPECT_EQ(s.nodes, 256u);
  EXPECT_EQ(s.switches, 32u);
  EXPECT_EQ(s.radix, 32u);
  EXPECT_EQ(s.ports_used, 768u);
  EXPECT_EQ(s.links, 256u);
  EXPECT_EQ(s.diameter, 3u);
  EXPECT_EQ(s.bisection_links, 128u);
  // Of the 255 others, 15 are at the same leaf (1 switch), 240 elsewhere (3 switches).
  EXPECT_DOUBLE_EQ(s.average_distance, (15 * 1 + 240 * 3) / 255.0);
  expect_sound(t);
}

// 36 leaves and 36 spines, all with 16 ports: 1152.
TEST(Topology, MegaflyOf288NodesHasItsClosedFormCounts) {
  const TopologyConfig config = of_kind(TopologyKind::kMegafly);
  const Topology t = build(config);
  const TopologySummary s = summarise(t, &config);
  EXPECT_EQ(s.nodes, 288u);
  EXPECT_EQ(s.switches, 72u);
  EXPECT_EQ(s.radix, 16u);
  EXPECT_EQ(s.ports_used, 1152u);
  // 36 leaves x 8 links up + 9 x 8 / 2 pairs of groups x 4 links.
  EXPECT_EQ(s.links, 288u + 144u);
  EXPECT_EQ(s.diameter, 4u);
  // Of the 287 others, 7 at the leaf (1), 24 in the group (3), 256 in other groups (4).
  EXPECT_DOUBLE_EQ(s.average_distance, (7 * 1 + 24 * 3 + 256 * 4) / 287.0);
  EXPECT_EQ(s.bisection_links, 4u * 5u * 4u);
  expect_sound(t);
}

TEST(Topology, MegaflyLinksEveryPairOfGroupsFourTimesSpineToSpine) {
  const Topology t = build(of_kind(TopologyKind::kMegafly));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> spines;
  for (SwitchId s = 0; s < t.switches; ++s) {
    const std::uint32_t group = s / 8, place = s % 8;
    for (PortId port = t.first_port[s]; port < t.first_port[s + 1]; ++port) {
      if (t.is_node_port(t.peer[port])) continue;
      const SwitchId other = t.switch_of[t.peer[port]];
      if (other / 8 == group) continue;
      EXPECT_EQ(other % 8, place);
      EXPECT_GE(place, 4u) << "a leaf has a global link";
      EXPECT_TRUE(spines[std::make_pair(group, other / 8)].insert(place).second);
    }
  }
  EXPECT_EQ(spines.size(), 72u);
  for (const auto& [pair, places] : spines) EXPECT_EQ(places.size(), 4u);
}

// D-mod-K: the 8 nodes of a leaf are reached through 8 different links from its spines, whatever the source.
TEST(Topology, MegaflyGivesEachNodeOfALeafItsOwnDownLink) {
  const Topology t = build(of_kind(TopologyKind::kMegafly));
  std::map<PortId, std::set<NodeIndex>> users;  // last port before the destination's leaf
  for (NodeIndex from = 0; from < t.nodes; ++from) {
    for (NodeIndex to = 0; to < t.nodes; ++to) {
      const SwitchId home = t.switch_of[t.peer[t.node_port(to)]];
      SwitchId at = t.switch_of[t.peer[t.node_port(from)]];
      PortId out = kNoPort;
      while (at != home) {
        out = t.route_port(at, to);
        at = t.switch_of[t.peer[out]];
      }
      if (out != kNoPort) users[out].insert(to);
    }
  }
  EXPECT_EQ(users.size(), 36u * 8u);
  for (const auto& [port, nodes] : users) EXPECT_EQ(nodes.size(), 1u) << t.port_name(port);
}

// XGFT(3; 4,4,4; 1,4,4), the 4-ary 3-tree: 64 nodes, 3 levels of 16 switches; XGFT(3; 4,3,2; 1,2,3): 24
// nodes, levels of 3*2 = 6, 2*2 = 4 and 2*3 = 6 switches.
TEST(Topology, GeneralFatTrees) {
  const TopologyConfig tree = fat_tree({4, 4, 4}, {4, 4});
  const Topology t = build(tree);
  const TopologySummary s = summarise(t, &tree);
  EXPECT_EQ(s.nodes, 64u);
  EXPECT_EQ(s.switches, 48u);
  EXPECT_EQ(s.diameter, 5u);
  EXPECT_EQ(s.bisection_links, 32u);
  expect_sound(t);
  EXPECT_FALSE(find_channel_cycle(t));

  const Topology u = build(fat_tree({4, 3, 2}, {2, 3}));
  EXPECT_EQ(u.nodes, 24u);
  EXPECT_EQ(u.switches, 16u);
  expect_sound(u);
  EXPECT_FALSE(find_channel_cycle(u));
}

TEST(Topology, SingleSwitch) {
  TopologyConfig config = of_kind(TopologyKind::kSingleSwitch);
  config.nodes = 5;
  const Topology t = build(config);
  const TopologySummary s = summarise(t, &config);
  EXPECT_EQ(s.ports_used, 5u);
  EXPECT_EQ(s.diameter, 1u);
  EXPECT_EQ(s.links, 0u);
  expect_sound(t);
}

TEST(Topology, RoutesOfTheReadyNetworksHaveNoChannelCycle) {
  EXPECT_FALSE(find_channel_cycle(build(of_kind(TopologyKind::kFatTree))));
  EXPECT_FALSE(find_channel_cycle(build(of_kind(TopologyKind::kMegafly))));
}

// Three switches in a ring, every route clockwise: the three ring channels wait for each other.
TEST(Topology, ARingRoutedOneWayHasAChannelCycle) {
  TopologyBuilder builder(3);
  for (int i = 0; i < 3; ++i) builder.add_switch(3, "ring " + std::to_string(i));
  for (std::uint32_t i = 0; i < 3; ++i) {
    builder.connect_node(i, i, 0);
    builder.connect(i, 1, (i + 1) % 3, 2);
    for (NodeIndex d = 0; d < 3; ++d) builder.set_route(i, d, d == i ? 0 : 1);
  }
  const Topology t = builder.build();
  const auto cycle = find_channel_cycle(t);
  ASSERT_TRUE(cycle);
  EXPECT_EQ(cycle->size(), 3u);
}

TEST(Topology, ImpossibleNumbersAreErrorsThatNameTheKey) {
  TopologyConfig megafly = of_kind(TopologyKind::kMegafly);
  megafly.global_links = 7;
  EXPECT_NE(check_topology(megafly).error().message.find("global-links"), std::string::npos);
  EXPECT_FALSE(check_topology(fat_tree({16, 16}, {})));
  EXPECT_FALSE(check_topology(fat_tree({2'000'000'000, 2'000'000'000, 2'000'000'000}, {2'000'000'000, 7})));
  megafly.global_links = 2'000'000'000;
  megafly.groups = 2'000'000'001;
  EXPECT_FALSE(check_topology(megafly));
  TopologyConfig single = of_kind(TopologyKind::kSingleSwitch);
  single.nodes = 2'000'000'000;
  EXPECT_FALSE(check_topology(single));
}

}  // namespace
}  // namespace vef::replayer
