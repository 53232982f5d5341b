// SPDX-License-Identifier: Apache-2.0
// Nothing is lost, nothing overflows, nothing depends on chance; and what cannot go on is named.
#include <gtest/gtest.h>

#include "test_traffic.h"

namespace vef::replayer {
namespace {

TopologyConfig small_fat_tree() {
  TopologyConfig topology;
  topology.kind = TopologyKind::kFatTree;
  topology.down = {4, 4};
  topology.up = {2};  // oversubscribed: queues fill
  return topology;
}

TopologyConfig small_megafly() {
  TopologyConfig topology;
  topology.kind = TopologyKind::kMegafly;
  topology.groups = 3;
  topology.leaves = 2;
  topology.spines = 2;
  topology.nodes_per_leaf = 4;
  topology.global_links = 2;
  return topology;
}

/// Every combination of what a switch can be, with buffers of a few packets so that all of it is put to use.
std::vector<NetworkConfig> all_kinds() {
  std::vector<NetworkConfig> configs;
  for (int bits = 0; bits < 128; ++bits) {
    NetworkConfig config;
    config.topology = (bits & 1) != 0 ? small_fat_tree() : small_megafly();
    config.switches.architecture = (bits & 2) != 0 ? Architecture::kIq : Architecture::kCioq;
    config.flow.kind = (bits & 4) != 0 ? FlowControlKind::kCredits : FlowControlKind::kPfc;
    config.switches.queues = (bits & 8) != 0 ? InputQueues::kVoq : InputQueues::kFifo;
    config.switches.switching = (bits & 16) != 0 ? Switching::kStoreAndForward : Switching::kCutThrough;
    config.switches.virtual_channels = (bits & 32) != 0 ? 3 : 1;
    config.packet.fixed_size = (bits & 64) != 0;
    config.packet.mtu = 2048;
    config.packet.header = 64;
    config.switches.pipeline_latency = (bits & 48) != 0 ? 100'000 : 0;
    config.switches.output_buffer = 2 * 2112 * config.switches.virtual_channels;
    // PFC needs 2 x 15 ns x 400 Gb/s = 1500 bytes and three packets, and one byte.
    config.switches.input_buffer = (1500 + 3 * 2112 + 1) * std::uint64_t{config.switches.virtual_channels};
    configs.push_back(config);
  }
  return configs;
}

TEST(Lossless, EveryKindOfSwitchDeliversEverythingAndEndsEmpty) {
  for (const NetworkConfig& config : all_kinds()) {
    Simulation simulation = make(config);
    const std::uint32_t nodes = simulation.topology().nodes;
    std::vector<Send> sends = random_sends(nodes, 600, 20'000, 8'000'000, 42);
    for (std::size_t i = 0; i < sends.size(); i += 3) sends[i].dst = 1;  // a hot spot
    const std::vector<Delivery> d = play(simulation, sends);
    EXPECT_EQ(d.size(), sends.size()) << simulation.describe_deadlock();
    expect_conserved(simulation);
    for (PortId port = 0; port < simulation.topology().ports(); ++port) {
      const LinkCounts link = simulation.link_counts(port);
      EXPECT_LE(link.peak_buffer, config.switches.input_buffer) << simulation.topology().port_name(port);
    }
    EXPECT_EQ(simulation.counts().pauses > 0, config.flow.kind == FlowControlKind::kPfc);
  }
}

// The first hop alone: a sender at full rate into a switch whose output is taken. Full packets only: the
// buffer fills to XOFF, and what is on the way then needs the headroom. The longer the link, the more of it.
TEST(Lossless, PfcHeadroomHoldsForLongLinks) {
  for (const double metres : {1.0, 3.0, 50.0, 300.0, 2000.0}) {
    NetworkConfig config = single_switch(4);
    config.link.length_m = metres;
    config.switches.input_buffer = pfc_headroom(config) + 2 * config.packet.max_wire() + 1;
    Simulation simulation = make(config);
    std::vector<Send> sends;
    for (NodeIndex n = 1; n < 4; ++n) {
      sends.push_back({n, 0, 10'000'000, 0});
      sends.push_back({n, 0, 10'000'123, 0});
    }
    play(simulation, sends);
    expect_conserved(simulation);
    std::uint64_t peak = 0;
    for (NodeIndex n = 0; n < 4; ++n) {
      peak = std::max(peak, simulation.link_counts(simulation.topology().node_port(n)).peak_buffer);
    }
    EXPECT_LE(peak, config.switches.input_buffer);
    EXPECT_GT(peak, pfc_xoff(config)) << "the headroom was never used, so the test shows nothing";
  }
}

// 2 x 15 ns x 400 Gb/s = 12,000 bits = 1500 bytes, and one packet of 9600.
TEST(Lossless, HeadroomFormula) {
  NetworkConfig config;
  EXPECT_EQ(pfc_headroom(config), 1500u + 9600u);
  EXPECT_EQ(pfc_xoff(config), 131'072u - 11'100u);
  EXPECT_EQ(pfc_xon(config), 131'072u - 11'100u - 19'200u);
  config.link.length_m = 100;  // 2 x 500 ns: 50,000 bytes
  EXPECT_EQ(pfc_headroom(config), 50'000u + 9600u);
}

TEST(Lossless, ABufferTooSmallForPfcSaysHowMuchIsNeeded) {
  NetworkConfig config;
  config.link.length_m = 1000;  // 2 x 5 us x 400 Gb/s = 500,000 bytes; + 9600 headroom, + 2 x 9600 + 1
  const Status status = check_config(config);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("528801 bytes"), std::string::npos) << status.error().message;
  config.switches.input_buffer = 528'801;
  EXPECT_TRUE(check_config(config));
  config.switches.input_buffer = 528'800;
  EXPECT_FALSE(check_config(config));
}

TEST(Lossless, TheSameInputsGiveTheSamePicoseconds) {
  for (const TopologyKind kind : {TopologyKind::kFatTree, TopologyKind::kMegafly}) {
    for (const NetworkConfig& config : {conf1(kind), conf2(kind)}) {
      const std::vector<Send> sends = random_sends(256, 2000, 60'000, 20'000'000, 9);
      std::vector<Delivery> runs[2];
      for (auto& run : runs) {
        Simulation simulation = make(config);
        run = play(simulation, sends);
        expect_conserved(simulation);
      }
      ASSERT_EQ(runs[0].size(), runs[1].size());
      for (std::size_t i = 0; i < runs[0].size(); ++i) {
        ASSERT_EQ(runs[0][i].id, runs[1][i].id);
        ASSERT_EQ(runs[0][i].time, runs[1][i].time);
      }
    }
  }
}

/// Switches in a ring, one node each, every route clockwise.
Topology one_way_ring(std::uint32_t size) {
  TopologyBuilder builder(size);
  for (std::uint32_t i = 0; i < size; ++i) builder.add_switch(3, "ring " + std::to_string(i));
  for (std::uint32_t i = 0; i < size; ++i) {
    builder.connect_node(i, i, 0);
    builder.connect(i, 1, (i + 1) % size, 2);
    for (NodeIndex d = 0; d < size; ++d) builder.set_route(i, d, d == i ? 0 : 1);
  }
  return builder.build();
}

NetworkConfig one_packet_buffers(Architecture architecture) {
  NetworkConfig config = conf2(TopologyKind::kSingleSwitch);
  config.switches.architecture = architecture;
  config.switches.input_buffer = 4096;
  config.switches.output_buffer = 4096;
  return config;
}

// Each node sends to the one before it, size - 1 switches on.
// IQ, 3 switches: all first packets enter the ring at once and fill its three buffers of one packet; each
// then waits for the next. CIOQ: with one more buffer per switch, three packets can still move round
// together, and leave; among 4 switches round robin lets a new packet into each output while each input holds
// one that has farther to go.
TEST(Lossless, ADeadlockIsReportedWithItsCycle) {
  for (const std::uint32_t size : {3u, 4u}) {
    Simulation simulation(one_packet_buffers(size == 3 ? Architecture::kIq : Architecture::kCioq),
                          one_way_ring(size));
    std::vector<Send> sends;
    for (NodeIndex i = 0; i < size; ++i) sends.push_back({i, (i + size - 1) % size, 40'960, 0});
    EXPECT_TRUE(play(simulation, sends).empty());
    EXPECT_EQ(simulation.messages_under_way(), size);
    const std::string report = simulation.describe_deadlock();
    EXPECT_NE(report.find("deadlock: " + std::to_string(size) + " ports"), std::string::npos) << report;
    for (std::uint32_t i = 0; i < size; ++i) {
      EXPECT_NE(report.find("ring " + std::to_string(i) + " port 1"), std::string::npos) << report;
    }
    EXPECT_FALSE(simulation.is_idle());
  }
}

TEST(Lossless, TheSameRingWithOneSenderGetsThrough) {
  Simulation simulation(one_packet_buffers(Architecture::kIq), one_way_ring(3));
  EXPECT_EQ(play(simulation, {{0, 2, 40'960, 0}}).size(), 1u);
  EXPECT_EQ(simulation.describe_deadlock(), "");
  expect_conserved(simulation);
}

// The host may hand over messages at any moment; a run that is cut into small steps ends the same.
TEST(Lossless, LimitsOfTheHostDoNotChangeTheRun) {
  const NetworkConfig config = conf2(TopologyKind::kFatTree);
  const std::vector<Send> sends = random_sends(256, 300, 60'000, 2'000'000, 5);
  Simulation whole = make(config);
  const std::vector<Delivery> expected = play(whole, sends);
  Simulation stepped = make(config);
  std::vector<Delivery> d;
  std::size_t next = 0;
  for (Picoseconds now = 0; d.size() < expected.size() && now < 1'000'000'000;) {
    for (; next < sends.size() && sends[next].time <= now; ++next) {
      stepped.inject({next, sends[next].src, sends[next].dst, sends[next].bytes}, now);
    }
    Picoseconds limit = now + 777;
    if (next < sends.size()) limit = std::min(limit, sends[next].time);
    now = stepped.run_until(std::max(limit, now), d);
  }
  ASSERT_EQ(d.size(), expected.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    EXPECT_EQ(d[i].id, expected[i].id);
    EXPECT_EQ(d[i].time, expected[i].time);
  }
}

}  // namespace
}  // namespace vef::replayer
