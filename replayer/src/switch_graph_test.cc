// SPDX-License-Identifier: Apache-2.0
// Torus, mesh, HyperX, Dragonfly, Slim Fly, Jellyfish: counts and distances by their formulas, no deadlock,
// and times on the idle network.
#include "switch_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "galois_field.h"
#include "test_traffic.h"

namespace vef::replayer {
namespace {

using ::testing::HasSubstr;

TopologyConfig of_kind(TopologyKind kind, std::uint32_t nodes_per_switch = 1) {
  TopologyConfig config;
  config.kind = kind;
  config.nodes_per_switch = nodes_per_switch;
  return config;
}

TopologyConfig grid(TopologyKind kind, std::vector<std::uint32_t> dimensions,
                    std::uint32_t nodes_per_switch = 1) {
  TopologyConfig config = of_kind(kind, nodes_per_switch);
  config.dimensions = std::move(dimensions);
  return config;
}

TopologyConfig slim_fly(std::uint32_t q) {
  TopologyConfig config = of_kind(TopologyKind::kSlimFly);
  config.q = q;
  return config;
}

TopologyConfig dragonfly(std::uint32_t groups, std::uint32_t size, std::uint32_t globals,
                         GlobalWiring wiring = GlobalWiring::kAbsolute) {
  TopologyConfig config = of_kind(TopologyKind::kDragonfly);
  config.groups = groups;
  config.switches_per_group = size;
  config.global_links = globals;
  config.wiring = wiring;
  return config;
}

TopologyConfig jellyfish(std::uint32_t switches, std::uint32_t ports, std::uint64_t seed) {
  TopologyConfig config = of_kind(TopologyKind::kJellyfish);
  config.switches = switches;
  config.network_ports = ports;
  config.seed = seed;
  return config;
}

Topology build(const TopologyConfig& config) {
  Result<Topology> topology = make_topology(config);
  EXPECT_TRUE(topology.ok()) << topology.error().message;
  return std::move(topology).value();
}

/// Links of a switch to others, by the switch at the far end.
std::map<SwitchId, int> links_of(const Topology& t, SwitchId s) {
  std::map<SwitchId, int> links;
  for (PortId port = t.first_port[s]; port < t.first_port[s + 1]; ++port) {
    EXPECT_NE(t.peer[port], kNoPort);
    EXPECT_EQ(t.peer[t.peer[port]], port);
    if (!t.is_node_port(t.peer[port])) ++links[t.switch_of[t.peer[port]]];
  }
  return links;
}

/// Every route ends at its node, and no routes can wait for each other in a circle.
void expect_sound(const Topology& t) {
  for (NodeIndex from = 0; from < t.nodes; ++from) {
    for (NodeIndex to = 0; to < t.nodes; ++to) {
      PortId at = t.peer[t.node_port(from)];
      std::uint32_t hops = 0;
      while (!t.is_node_port(at)) {
        ASSERT_LT(hops++, t.switches + 1) << from << " to " << to << " goes in circles";
        const Hop hop = t.hop(t.switch_of[at], to);
        ASSERT_LT(hop.channel_class, t.classes);
        at = t.peer[hop.port];
      }
      ASSERT_EQ(t.node_of(at), to);
    }
  }
  EXPECT_FALSE(find_channel_cycle(t).has_value());
}

/// The same network with one class of channels only.
Topology with_one_class(Topology t) {
  for (std::uint16_t& entry : t.route) entry &= (1u << Topology::kPortBits) - 1;
  t.classes = 1;
  return t;
}

// Mean distance along a ring of k, self included: k/4 for even k, (k^2 - 1) / 4k for odd k; of a line
// (k^2 - 1) / 3k; of a full graph (k - 1) / k. Dimensions add up; without self: times N / (N - 1); one more
// for counting switches.
double mean_distance(const TopologyConfig& c, std::uint32_t switches) {
  double sum = 0;
  for (const std::uint32_t size : c.dimensions) {
    const double k = size;
    if (c.kind == TopologyKind::kTorus) {
      sum += size % 2 == 0 ? k / 4 : (k * k - 1) / (4 * k);
    } else {
      sum += c.kind == TopologyKind::kMesh ? (k * k - 1) / (3 * k) : (k - 1) / k;
    }
  }
  return 1 + sum * switches / (switches - 1);
}

TEST(SwitchGraph, GridsHaveTheDistancesOfTheirFormulas) {
  for (const TopologyKind kind : {TopologyKind::kTorus, TopologyKind::kMesh, TopologyKind::kHyperX}) {
    for (const std::vector<std::uint32_t>& sizes :
         {std::vector<std::uint32_t>{8}, {2, 2, 2}, {4, 4, 4}, {5, 3}, {7, 4, 2}, {3, 3}, {2, 2, 2, 2, 2}}) {
      const TopologyConfig config = grid(kind, sizes);
      const Topology t = build(config);
      expect_sound(t);
      std::uint32_t switches = 1, diameter = 1;
      for (const std::uint32_t k : sizes) {
        switches *= k;
        diameter += kind == TopologyKind::kTorus ? k / 2 : kind == TopologyKind::kMesh ? k - 1 : 1;
      }
      const TopologySummary s = summarise(t, &config);
      EXPECT_EQ(s.switches, switches);
      EXPECT_EQ(s.diameter, diameter);
      EXPECT_NEAR(s.average_distance, mean_distance(config, switches), 1e-9);
    }
  }
}

TEST(SwitchGraph, GridsHaveTheirLinks) {
  // Torus 4 x 4 x 4: 3 x 64 links, bisection 2 x 16. A hypercube of 16: 4 x 16 / 2 = 32, bisection 8. Mesh 4
  // x 2 with three links in parallel: 3 x (3 x 2 + 4), bisection 3 x 2. HyperX 4 x 3: 12 switches of 3 + 2.
  const TopologyConfig torus = grid(TopologyKind::kTorus, {4, 4, 4});
  EXPECT_EQ(summarise(build(torus), &torus).links, 192u);
  EXPECT_EQ(summarise(build(torus), &torus).bisection_links, 32u);
  const TopologyConfig cube = grid(TopologyKind::kTorus, {2, 2, 2, 2});
  EXPECT_EQ(summarise(build(cube), &cube).links, 32u);
  EXPECT_EQ(summarise(build(cube), &cube).bisection_links, 8u);
  TopologyConfig mesh = grid(TopologyKind::kMesh, {4, 2});
  mesh.lanes = 3;
  EXPECT_EQ(summarise(build(mesh), &mesh).links, 30u);
  EXPECT_EQ(summarise(build(mesh), &mesh).bisection_links, 6u);
  EXPECT_THAT(links_of(build(mesh), 0), ::testing::ElementsAre(std::pair(1, 3), std::pair(4, 3)));
  const TopologyConfig hyperx = grid(TopologyKind::kHyperX, {4, 3});
  EXPECT_EQ(summarise(build(hyperx), &hyperx).links, 30u);
}

// With one class the ring of 4 is a circle of channels that ask for each other (Dally and Seitz 1987); rings
// of 3 are not, their ways being one link long.
TEST(SwitchGraph, ATorusNeedsTwoClasses) {
  const Topology five = build(grid(TopologyKind::kTorus, {5}));
  EXPECT_EQ(five.classes, 2u);
  EXPECT_TRUE(find_channel_cycle(with_one_class(five)).has_value());
  const Topology three = build(grid(TopologyKind::kTorus, {3, 3}));
  EXPECT_EQ(three.classes, 1u);
}

TEST(SwitchGraph, ParallelLinksAreSharedOutByDestination) {
  TopologyConfig config = grid(TopologyKind::kMesh, {2}, 4);
  config.lanes = 2;
  const Topology t = build(config);
  std::map<PortId, int> used;
  for (NodeIndex to = 4; to < 8; ++to) ++used[t.route_port(0, to)];
  EXPECT_THAT(used, ::testing::ElementsAre(std::pair(4, 2), std::pair(5, 2)));
}

TEST(SwitchGraph, FiniteFieldsAreFields) {
  for (const std::uint32_t q : {2u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 25u, 27u, 49u, 64u}) {
    const auto field = GaloisField::make(q);
    ASSERT_TRUE(field.has_value()) << q;
    for (std::uint32_t a = 0; a < q; ++a) {
      EXPECT_EQ(field->subtract(field->add(a, 1), 1), a);
      std::set<std::uint32_t> products;
      for (std::uint32_t b = 0; b < q; ++b) {
        products.insert(field->multiply(a, b));
        EXPECT_EQ(field->multiply(a, b), field->multiply(b, a));
        // a (b + 1) = a b + a
        EXPECT_EQ(field->multiply(a, field->add(b, 1)), field->add(field->multiply(a, b), a));
      }
      EXPECT_EQ(products.size(), a == 0 ? 1u : q);  // every a but 0 has an inverse
    }
  }
  for (const std::uint32_t q : {0u, 1u, 6u, 12u, 100u}) EXPECT_FALSE(GaloisField::make(q).has_value()) << q;
}

// Besta and Hoefler 2014: 2 q^2 switches of degree (3 q - d) / 2, and from each of them to all others at most
// two links. Their largest example: q = 19, 722 switches of degree 29.
TEST(SwitchGraph, SlimFliesHaveDiameterTwo) {
  const std::map<std::uint32_t, std::uint32_t> degree = {
      {3, 5}, {4, 6}, {5, 7}, {7, 11}, {8, 12}, {9, 13}, {11, 17}, {13, 19}, {16, 24}, {17, 25}, {19, 29}};
  for (const auto& [q, expected] : degree) {
    const Topology t = build(slim_fly(q));
    EXPECT_EQ(t.switches, 2 * q * q);
    for (SwitchId s = 0; s < t.switches; ++s) {
      const auto links = links_of(t, s);
      ASSERT_EQ(links.size(), expected) << "q " << q << ", switch " << s;  // all to different ones
      ASSERT_FALSE(links.contains(s));
    }
    EXPECT_EQ(t.classes, 2u);
    if (q > 11) continue;
    expect_sound(t);
    // From a switch one link to `expected` others, two to the rest.
    const double others = t.switches - 1;
    EXPECT_NEAR(summarise(t).average_distance, 1 + (expected + 2 * (others - expected)) / others, 1e-9);
  }
}

TEST(SwitchGraph, TheSlimFlyOf3042NodesIsThePapers) {
  TopologyConfig config = slim_fly(13);
  config.nodes_per_switch = 9;
  const TopologySummary s = summarise(build(config));
  EXPECT_EQ(s.nodes, 3042u);
  EXPECT_EQ(s.switches, 338u);
  EXPECT_EQ(s.radix, 28u);
  EXPECT_EQ(s.links, 338u * 19 / 2);
}

// Kim, Dally, Scott and Abts 2008: with g = a h + 1 groups there is one link between any two.
TEST(SwitchGraph, DragonfliesLinkAllGroups) {
  for (const GlobalWiring wiring :
       {GlobalWiring::kAbsolute, GlobalWiring::kRelative, GlobalWiring::kCirculant}) {
    for (const auto& [groups, size, globals] : {std::tuple(9u, 4u, 2u),
                                                {5u, 4u, 2u},
                                                {6u, 5u, 2u},
                                                {2u, 3u, 1u},
                                                {33u, 8u, 4u},
                                                {1u, 4u, 1u},
                                                {3u, 2u, 4u}}) {
      const Topology t = build(dragonfly(groups, size, globals, wiring));
      expect_sound(t);
      EXPECT_EQ(t.switches, groups * size);
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> between;
      for (SwitchId s = 0; s < t.switches; ++s) {
        for (const auto& [other, count] : links_of(t, s)) {
          if (other / size == s / size) {
            EXPECT_EQ(count, 1);
          } else {
            between[{s / size, other / size}] += count;
          }
        }
      }
      EXPECT_EQ(between.size(), std::size_t{groups} * (groups - 1));
      for (const auto& [pair, count] : between) EXPECT_EQ(count, size * globals / (groups - 1));
      // At most a link in either group and the one between.
      EXPECT_LE(summarise(t).diameter, 4u);
    }
  }
}

TEST(SwitchGraph, ADragonflyNeedsTwoClasses) {
  EXPECT_TRUE(find_channel_cycle(with_one_class(build(dragonfly(9, 4, 2)))).has_value());
}

TEST(SwitchGraph, JellyfishAreRegularConnectedAndReproducible) {
  for (const auto& [switches, ports] : {std::pair(10u, 3u), {32u, 6u}, {64u, 8u}, {4u, 3u}, {6u, 5u}}) {
    const Topology t = build(jellyfish(switches, ports, 1));
    for (SwitchId s = 0; s < switches; ++s) {
      EXPECT_EQ(links_of(t, s).size(), ports);
      EXPECT_FALSE(links_of(t, s).contains(s));
    }
    expect_sound(t);
    EXPECT_EQ(build(jellyfish(switches, ports, 1)).peer, t.peer);
  }
  EXPECT_NE(build(jellyfish(32, 6, 2)).peer, build(jellyfish(32, 6, 1)).peer);
}

TEST(SwitchGraph, WhatIsNoNetworkIsRefusedWithTheReason) {
  const auto error_of = [](const TopologyConfig& config) {
    const Status status = check_topology(config);
    return status ? std::string() : status.error().message;
  };
  EXPECT_THAT(error_of(slim_fly(6)), HasSubstr("q is 6"));
  EXPECT_THAT(error_of(slim_fly(1'000'000)), HasSubstr("q is 1000000"));
  EXPECT_THAT(error_of(slim_fly(512)), HasSubstr("switch ports"));
  EXPECT_THAT(error_of(dragonfly(10, 4, 2)), HasSubstr("is 8; expected a multiple of groups - 1 = 9"));
  EXPECT_THAT(error_of(jellyfish(5, 3, 1)), HasSubstr("even product"));
  EXPECT_THAT(error_of(jellyfish(5, 5, 1)), HasSubstr("fewer than switches"));
  EXPECT_THAT(error_of(grid(TopologyKind::kTorus, {4, 1})), HasSubstr("at least 2"));
  EXPECT_THAT(error_of(grid(TopologyKind::kMesh, {})), HasSubstr("0 dimensions"));
  EXPECT_THAT(error_of(grid(TopologyKind::kHyperX, {60'000, 60'000})), HasSubstr("nodes"));
}

std::vector<TopologyConfig> some_networks() {
  return {grid(TopologyKind::kTorus, {4, 5}, 2),
          grid(TopologyKind::kMesh, {3, 3}, 2),
          grid(TopologyKind::kHyperX, {3, 4}, 2),
          dragonfly(5, 4, 1),
          slim_fly(4),
          jellyfish(12, 3, 1)};
}

NetworkConfig network(const TopologyConfig& topology) {
  NetworkConfig config = conf2(TopologyKind::kTorus);
  config.topology = topology;
  config.switches.virtual_channels = channel_classes(topology);
  return config;
}

// On the idle network of cut-through switches a packet takes its serialisation once, and one link delay more
// than there are switches on its way: 4096 B at 100 Gb/s are 327.68 ns, a link 15 ns. So the mean over all
// pairs is that of the distance, whose formula is tested above.
TEST(SwitchGraph, IdleNetworksTakeTheTimesOfTheirDistances) {
  for (const TopologyConfig& topology : some_networks()) {
    Simulation simulation = make(network(topology));
    const std::uint32_t nodes = simulation.topology().nodes;
    double sum = 0;
    Picoseconds now = 0;
    std::vector<Delivery> arrived;
    for (NodeIndex from = 0; from < nodes; ++from) {
      for (NodeIndex to = 0; to < nodes; ++to) {
        if (from == to) continue;
        simulation.inject({0, from, to, 4096}, now);
        arrived.clear();
        now = simulation.run_until(kNever, arrived);
        ASSERT_EQ(arrived.size(), 1u);
        sum += static_cast<double>(arrived[0].time - arrived[0].injected);
        now = arrived[0].time + 10'000'000;
      }
    }
    const double pairs = static_cast<double>(nodes) * (nodes - 1);
    const double expected = 327'680 + 15'000 * (summarise(simulation.topology()).average_distance + 1);
    EXPECT_NEAR(sum / pairs, expected, 1e-3);
  }
}

/// Buffers of one packet for each channel, so that a circle of waiting would show.
NetworkConfig tight(const TopologyConfig& topology, int bits) {
  NetworkConfig config = network(topology);
  config.packet.mtu = 2048;
  config.packet.fixed_size = false;
  config.switches.architecture = (bits & 1) != 0 ? Architecture::kIq : Architecture::kCioq;
  config.flow.kind = (bits & 2) != 0 ? FlowControlKind::kCredits : FlowControlKind::kPfc;
  config.switches.queues = (bits & 4) != 0 ? InputQueues::kVoq : InputQueues::kFifo;
  if ((bits & 8) != 0) config.switches.virtual_channels *= 2;
  const std::uint64_t channels = config.switches.virtual_channels;
  config.switches.output_buffer = 2048 * channels;
  // PFC: 2 x 15 ns x 100 Gb/s = 375 bytes, three packets and one byte.
  config.switches.input_buffer = ((bits & 2) != 0 ? 2048 : 375 + 3 * 2048 + 1) * channels;
  return config;
}

TEST(SwitchGraph, TightBuffersDeliverEverythingOnEveryNetwork) {
  for (const TopologyConfig& topology : some_networks()) {
    for (int bits = 0; bits < 16; ++bits) {
      Simulation simulation = make(tight(topology, bits));
      const std::uint32_t nodes = simulation.topology().nodes;
      // Everybody half way round at once, which fills the rings, and random messages on top.
      std::vector<Send> sends;
      for (NodeIndex n = 0; n < nodes; ++n) sends.push_back({n, (n + nodes / 2) % nodes, 40'960, 0});
      for (const Send& send : random_sends(nodes, 300, 20'000, 4'000'000, 3)) sends.push_back(send);
      EXPECT_EQ(play(simulation, sends).size(), sends.size()) << simulation.describe_deadlock();
      expect_conserved(simulation);
    }
  }
}

// The same traffic on a ring of 8 whose two classes are one: it stops, which is what the classes are for.
TEST(SwitchGraph, WithoutClassesARingStops) {
  const TopologyConfig ring = grid(TopologyKind::kTorus, {8});
  NetworkConfig config = tight(ring, 3);
  for (const bool classes : {true, false}) {
    config.switches.virtual_channels = classes ? 2 : 1;
    config.switches.input_buffer = 2048 * config.switches.virtual_channels;
    Simulation simulation(config, classes ? build(ring) : with_one_class(build(ring)));
    std::vector<Send> sends;
    for (NodeIndex n = 0; n < 8; ++n) sends.push_back({n, (n + 3) % 8, 409'600, 0});
    EXPECT_EQ(play(simulation, sends).size() == sends.size(), classes);
    EXPECT_EQ(simulation.describe_deadlock().find("deadlock: 8 ports") != std::string::npos, !classes);
  }
}

TEST(SwitchGraph, ChannelsMustBeAMultipleOfTheClasses) {
  NetworkConfig config = network(slim_fly(5));
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
    config.switches.virtual_channels = channels;
    const Status status = check_config(config);
    EXPECT_EQ(status.ok(), channels % 2 == 0);
    if (!status) {
      EXPECT_THAT(status.error().message, HasSubstr("expected a multiple of 2"));
    }
  }
  config.switches.virtual_channels = 2;
  config.routing = RoutingKind::kDModK;
  EXPECT_THAT(check_config(config).error().message, HasSubstr("expected minimal"));
}

}  // namespace
}  // namespace vef::replayer
