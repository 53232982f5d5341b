// SPDX-License-Identifier: Apache-2.0
// Loaded networks against known results: credit-limited links, incast, contention-free permutations, and the
// saturation of input queues.
#include <gtest/gtest.h>

#include "test_traffic.h"

namespace vef::replayer {
namespace {

// A link of 1000 m: delay 5 us. Packets of 4096 bytes at 100 Gb/s: 327.68 ns. The switch passes a packet on
// at once, so its credit is back 2 x 5 us + 327.68 ns after its start. With room for 8 packets, packet i
// starts at floor(i / 8) x 10.32768 us + (i mod 8) x 327.68 ns, and arrives two delays and a packet time
// later.
TEST(Throughput, CreditsLimitALongLink) {
  for (const std::uint64_t slack : {0u, 1000u, 4095u}) {  // what is not a whole packet does not help
    NetworkConfig config = conf2(TopologyKind::kSingleSwitch);
    config.link.length_m = 1000;
    config.switches.input_buffer = 8 * 4096 + slack;
    Simulation simulation = make(config);
    const std::vector<Delivery> d = play(simulation, {{0, 1, 80 * 4096, 0}});
    ASSERT_EQ(d.size(), 1u);
    constexpr Picoseconds kRoundTrip = 10'327'680;
    EXPECT_EQ(d[0].time, 9 * kRoundTrip + 7 * 327'680 + 2 * 5'000'000 + 327'680);
    EXPECT_NEAR(credit_limit(config), 8 * 327'680.0 / kRoundTrip, 1e-12);
    expect_conserved(simulation);
  }
}

TEST(Throughput, EnoughCreditsDoNotLimit) {
  NetworkConfig config = conf2(TopologyKind::kSingleSwitch);
  config.link.length_m = 1000;
  config.switches.input_buffer = 32 * 4096;  // 32 x 327.68 ns = 10.486 us, more than the round trip
  Simulation simulation = make(config);
  const std::vector<Delivery> d = play(simulation, {{0, 1, 800 * 4096, 0}});
  ASSERT_EQ(d.size(), 1u);
  EXPECT_EQ(d[0].time, 800 * 327'680 + 2 * 5'000'000);
  EXPECT_DOUBLE_EQ(credit_limit(config), 1);
}

// n senders, S bytes each, one receiver: its link carries n S bytes, the first of which cannot be there
// before two link delays.
TEST(Throughput, IncastFillsTheLastLink) {
  for (const TopologyKind kind :
       {TopologyKind::kFatTree, TopologyKind::kMegafly, TopologyKind::kSingleSwitch}) {
    for (NetworkConfig config : {conf1(kind), conf2(kind)}) {
      config.topology.nodes = 65;
      Simulation simulation = make(config);
      std::vector<Send> sends;
      constexpr std::uint64_t kBytes = 64 * 9600;  // whole packets in both configurations: 64 and 150
      for (NodeIndex n = 1; n <= 64; ++n) sends.push_back({n, 0, kBytes, 0});
      const std::vector<Delivery> d = play(simulation, sends);
      ASSERT_EQ(d.size(), 64u);
      const Picoseconds bound = serialisation_time(64 * kBytes, config.link.bandwidth) + 2 * 15'000;
      EXPECT_GE(d.back().time, bound);
      EXPECT_LE(static_cast<double>(d.back().time), 1.01 * static_cast<double>(bound));
      expect_conserved(simulation);
    }
  }
}

// D-mod-K on a full-bisection fat tree: node i sends to i + shift, all at once. Up links: the 16 nodes of a
// leaf have 16 different destinations modulo 16. Down links: a spine's link to a leaf carries one
// destination. So every message takes as long as if it were alone: 4 links, or 2 within a leaf.
TEST(Throughput, ShiftPermutationsOnTheFatTreeRunWithoutContention) {
  for (const NetworkConfig& config : {conf1(TopologyKind::kFatTree), conf2(TopologyKind::kFatTree)}) {
    const Picoseconds wire = config.packet.fixed_size ? 327'680 : 192'000;
    for (NodeIndex shift = 1; shift < 256; ++shift) {
      Simulation simulation = make(config);
      std::vector<Send> sends;
      for (NodeIndex i = 0; i < 256; ++i) sends.push_back({i, (i + shift) % 256, 4 * config.packet.mtu, 0});
      const std::vector<Delivery> deliveries = play(simulation, sends);
      ASSERT_EQ(deliveries.size(), 256u);
      for (const Delivery& d : deliveries) {
        const int links = d.src / 16 == d.dst / 16 ? 2 : 4;
        ASSERT_EQ(d.time, links * 15'000 + 4 * wire) << d.src << " to " << d.dst;
      }
    }
  }
}

/// Share of the output bandwidth that a switch of `nodes` ports delivers when every input has always more to
/// send, to destinations drawn uniformly over all ports, the own one included.
double saturation(NetworkConfig config, std::uint64_t slots, std::uint64_t seed) {
  config.topology.kind = TopologyKind::kSingleSwitch;
  config.node.local_through_network = true;
  const std::uint32_t nodes = config.topology.nodes;
  Simulation simulation = make(config);
  std::mt19937_64 random(seed);
  const auto send = [&](NodeIndex src, Picoseconds now) {
    simulation.inject({0, src, static_cast<NodeIndex>(random() % nodes), config.packet.mtu}, now);
  };
  for (NodeIndex src = 0; src < nodes; ++src) {
    for (int i = 0; i < 200; ++i) send(src, 0);  // more than the buffer holds, so a source never runs dry
  }
  const Picoseconds wire = serialisation_time(config.packet.max_wire(), config.link.bandwidth);
  const Picoseconds begin = wire * 1000;
  const Picoseconds end = begin + wire * static_cast<Picoseconds>(slots);
  std::vector<Delivery> deliveries;
  std::uint64_t counted = 0;
  for (Picoseconds now = 0; now < end;) {
    now = simulation.run_until(end, deliveries);
    for (const Delivery& d : deliveries) {
      if (d.time >= begin && d.time < end) ++counted;
      send(d.src, now);
    }
    deliveries.clear();
  }
  return static_cast<double>(counted) / (static_cast<double>(nodes) * static_cast<double>(slots));
}

NetworkConfig saturated_switch(std::uint32_t nodes) {
  NetworkConfig config = conf2(TopologyKind::kSingleSwitch);
  config.topology.nodes = nodes;
  return config;
}

// Karol, Hluchyj and Morgan (1987), table I: 0.75, 0.6553, 0.6184 for 2, 4, 8 ports, 2 - sqrt(2) = 0.5858 in
// the limit.
TEST(Throughput, FifoInputQueuesSaturateAsKnown) {
  EXPECT_NEAR(saturation(saturated_switch(2), 40'000, 1), 0.7500, 0.0075);
  EXPECT_NEAR(saturation(saturated_switch(4), 40'000, 2), 0.6553, 0.0066);
  EXPECT_NEAR(saturation(saturated_switch(8), 40'000, 3), 0.6184, 0.0062);
  const double large = saturation(saturated_switch(128), 2'000, 4);
  EXPECT_NEAR(large, 0.5858, 0.0090);
}

TEST(Throughput, VirtualOutputQueuesAndSpeedUpLiftTheSaturation) {
  NetworkConfig voq = saturated_switch(8);
  voq.switches.queues = InputQueues::kVoq;
  EXPECT_GT(saturation(voq, 20'000, 5), 0.95);
  // At full load output queues grow without bound; what the output buffer does not take blocks the inputs
  // again.
  NetworkConfig cioq = saturated_switch(8);
  cioq.switches.architecture = Architecture::kCioq;
  cioq.switches.output_buffer = 1 << 20;
  EXPECT_GT(saturation(cioq, 20'000, 6), 0.97);
  cioq.switches.output_buffer = 48 * 1024;
  EXPECT_GT(saturation(cioq, 20'000, 6), 0.90);
  // Without a speed-up the output buffer alone does not help against blocking at the head.
  cioq.switches.speed_up = 1;
  EXPECT_LT(saturation(cioq, 20'000, 7), 0.66);
}

// More channels split the FIFO by destination and lift the saturation of a FIFO (0.618 at 8 ports); the
// node's own FIFO still blocks when the channel of its first message is full.
TEST(Throughput, VirtualChannelsLessenBlocking) {
  NetworkConfig config = saturated_switch(8);
  config.switches.virtual_channels = 2;
  const double two = saturation(config, 20'000, 8);
  EXPECT_GT(two, 0.63);
  config.switches.virtual_channels = 8;  // one per destination
  EXPECT_GT(saturation(config, 20'000, 9), two + 0.05);
}

}  // namespace
}  // namespace vef::replayer
