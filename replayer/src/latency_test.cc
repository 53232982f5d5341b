// SPDX-License-Identifier: Apache-2.0
// Empty networks, to the picosecond. Over h links (h - 1 switches) of delay d, with wire time s of a packet
// and pipeline latency p:
//   cut-through        h d + (h-1) p + s               each switch passes the first bit on after p
//   store-and-forward  h (d + s) + (h-1) p             each switch waits for the last bit
// and a message of n packets, the last one of wire time r <= s:
//   cut-through        h d + (h-1) p + (n-1) s + r
//   store-and-forward  h d + (h-1) p + (n-1 + h-1) s + r   (n >= 2: the last packet follows the full ones)
// The architecture does not matter: a crossbar at least as fast as the links adds nothing in an empty switch.
#include <gtest/gtest.h>

#include "test_traffic.h"

namespace vef::replayer {
namespace {

struct Case {
  const char* name;
  TopologyKind kind;
  NodeIndex src, dst;
  int links;
};

// Fat tree: 16 nodes per leaf. Megafly: 8 nodes per leaf, 32 per group.
constexpr Case kCases[] = {
    {"single switch", TopologyKind::kSingleSwitch, 2, 5, 2},
    {"fat tree, same leaf", TopologyKind::kFatTree, 0, 15, 2},
    {"fat tree", TopologyKind::kFatTree, 3, 255, 4},
    {"megafly, same leaf", TopologyKind::kMegafly, 0, 7, 2},
    {"megafly, same group", TopologyKind::kMegafly, 0, 31, 4},
    {"megafly", TopologyKind::kMegafly, 0, 287, 5},
};

std::vector<NetworkConfig> architectures(TopologyKind kind) {
  std::vector<NetworkConfig> configs;
  for (const NetworkConfig& base : {conf1(kind), conf2(kind)}) {
    for (const Switching switching : {Switching::kCutThrough, Switching::kStoreAndForward}) {
      for (const InputQueues queues : {InputQueues::kFifo, InputQueues::kVoq}) {
        for (const Picoseconds pipeline : {Picoseconds{0}, Picoseconds{123'457}}) {
          NetworkConfig config = base;
          config.switches.switching = switching;
          config.switches.queues = queues;
          config.switches.pipeline_latency = pipeline;
          configs.push_back(config);
        }
      }
    }
  }
  return configs;
}

Picoseconds lone_message(const NetworkConfig& config, NodeIndex src, NodeIndex dst, std::uint64_t bytes) {
  Simulation simulation = make(config);
  const std::vector<Delivery> deliveries = play(simulation, {{src, dst, bytes, 0}});
  EXPECT_EQ(deliveries.size(), 1u);
  expect_conserved(simulation);
  return deliveries.empty() ? kNever : deliveries[0].time;
}

TEST(Latency, OnePacketOverAnEmptyNetwork) {
  for (const Case& c : kCases) {
    for (const NetworkConfig& config : architectures(c.kind)) {
      // 1000 bytes: 20 ns at 400 Gb/s; a fixed packet of 4096 bytes: 327.68 ns at 100 Gb/s. Links: 3 m, 15
      // ns.
      const Picoseconds wire = config.packet.fixed_size ? 327'680 : 20'000;
      const Picoseconds pipelines = (c.links - 1) * config.switches.pipeline_latency;
      const Picoseconds expected = config.switches.switching == Switching::kCutThrough
                                       ? c.links * 15'000 + pipelines + wire
                                       : c.links * (15'000 + wire) + pipelines;
      EXPECT_EQ(lone_message(config, c.src, c.dst, 1000), expected) << c.name;
    }
  }
}

TEST(Latency, ALongMessageIsAPipelineOfPackets) {
  for (const Case& c : kCases) {
    for (const NetworkConfig& config : architectures(c.kind)) {
      // 1,000,000 bytes. Variable, 9600 bytes at 400 Gb/s: 104 packets of 192 ns and one of 1600 bytes, 32
      // ns. Fixed, 4096 bytes at 100 Gb/s: 245 packets (244.14 rounded up) of 327.68 ns, the last one as
      // long.
      const Picoseconds packets = config.packet.fixed_size ? 245 : 105;
      const Picoseconds wire = config.packet.fixed_size ? 327'680 : 192'000;
      const Picoseconds last = config.packet.fixed_size ? 327'680 : 32'000;
      const Picoseconds stored =
          config.switches.switching == Switching::kCutThrough ? 0 : (c.links - 1) * wire;
      const Picoseconds expected = c.links * 15'000 + (c.links - 1) * config.switches.pipeline_latency +
                                   (packets - 1) * wire + last + stored;
      EXPECT_EQ(lone_message(config, c.src, c.dst, 1'000'000), expected) << c.name;
    }
  }
}

TEST(Latency, AnEmptyMessageIsOnePacket) {
  NetworkConfig config = conf1(TopologyKind::kSingleSwitch);
  // One byte at 400 Gb/s: 20 ps. With a header of 62 bytes: 1240 ps. Fixed: 9600 + 62 bytes, 193.24 ns.
  EXPECT_EQ(lone_message(config, 0, 1, 0), 30'000 + 20);
  config.packet.header = 62;
  EXPECT_EQ(lone_message(config, 0, 1, 0), 30'000 + 1'240);
  config.packet.fixed_size = true;
  EXPECT_EQ(lone_message(config, 0, 1, 0), 30'000 + 193'240);
}

TEST(Latency, HeadersCostWireTimeOnEveryPacket) {
  NetworkConfig config = conf1(TopologyKind::kSingleSwitch);
  config.packet.header = 100;
  // 10,000 bytes: 9600 + 100 and 400 + 100 on the wire, 10,200 bytes at 400 Gb/s: 204 ns.
  EXPECT_EQ(lone_message(config, 0, 1, 10'000), 30'000 + 204'000);
}

TEST(Latency, LocalMessagesPassThroughMemoryOneAfterTheOther) {
  NetworkConfig config = conf1(TopologyKind::kSingleSwitch);
  EXPECT_EQ(lone_message(config, 3, 3, 5'000'000), 0);
  config.node.local_latency = 700;
  config.node.memory_bandwidth = 8'000'000'000;  // 1 byte per ns
  Simulation simulation = make(config);
  const std::vector<Delivery> d = play(simulation, {{3, 3, 100, 0}, {3, 3, 50, 0}, {4, 4, 10, 0}});
  ASSERT_EQ(d.size(), 3u);
  EXPECT_EQ(d[0].time, 10'700);  // node 4
  EXPECT_EQ(d[1].time, 100'700);
  EXPECT_EQ(d[2].time, 150'700);  // after the other one's bytes
  EXPECT_TRUE(d[2].local);
  EXPECT_EQ(simulation.counts().packets, 0u);

  config.node.local_through_network = true;  // 100 bytes at 400 Gb/s, two links
  EXPECT_EQ(lone_message(config, 3, 3, 100), 2 * 15'000 + 2'000);
}

// Two messages of two packets each at one node: FIFO sends AABB, round robin ABAB. Packets of 192 ns.
TEST(Latency, NodesSendInOrderOrInTurn) {
  NetworkConfig config = conf1(TopologyKind::kSingleSwitch);
  const std::vector<Send> sends = {{0, 1, 19'200, 0}, {0, 2, 19'200, 0}};
  Simulation fifo = make(config);
  const std::vector<Delivery> in_order = play(fifo, sends);
  ASSERT_EQ(in_order.size(), 2u);
  EXPECT_EQ(in_order[0].time, 2 * 192'000 + 30'000);
  EXPECT_EQ(in_order[1].time, 4 * 192'000 + 30'000);
  config.node.scheduling = NicScheduling::kRoundRobin;
  Simulation in_turn = make(config);
  const std::vector<Delivery> turns = play(in_turn, sends);
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[0].time, 3 * 192'000 + 30'000);
  EXPECT_EQ(turns[1].time, 4 * 192'000 + 30'000);
}

// Two heads that arrive at the same instant for one output: the second waits for the link, one packet time
// later.
TEST(Latency, TwoSendersShareAnOutputInTurn) {
  for (const NetworkConfig& base : {conf1(TopologyKind::kSingleSwitch), conf2(TopologyKind::kSingleSwitch)}) {
    const Picoseconds wire = base.packet.fixed_size ? 327'680 : 20'000;
    Simulation simulation = make(base);
    const std::vector<Delivery> d = play(simulation, {{0, 2, 1000, 0}, {1, 2, 1000, 0}});
    ASSERT_EQ(d.size(), 2u);
    EXPECT_EQ(d[0].time, 30'000 + wire);
    EXPECT_EQ(d[1].time, 30'000 + 2 * wire);
  }
}

}  // namespace
}  // namespace vef::replayer
