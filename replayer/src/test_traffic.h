// SPDX-License-Identifier: Apache-2.0
// What the tests of the simulation share: configurations, traffic, and the loop that plays it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vef/replayer/simulation.h"

namespace vef::replayer {

struct Send {
  NodeIndex src = 0;
  NodeIndex dst = 0;
  std::uint64_t bytes = 0;
  Picoseconds time = 0;
};

/// Injects each send at its time (ascending), its position as id; runs until nothing more happens.
inline std::vector<Delivery> play(Simulation& simulation, const std::vector<Send>& sends) {
  std::vector<Delivery> deliveries;
  Picoseconds now = 0;
  std::size_t next = 0;
  while (now != kNever) {
    for (; next < sends.size() && sends[next].time <= now; ++next) {
      simulation.inject({next, sends[next].src, sends[next].dst, sends[next].bytes}, now);
    }
    now = simulation.run_until(next < sends.size() ? sends[next].time : kNever, deliveries);
  }
  return deliveries;
}

/// `count` sends of 0..max_bytes between random nodes, times uniform in 0..span.
inline std::vector<Send> random_sends(std::uint32_t nodes, std::size_t count, std::uint64_t max_bytes,
                                      Picoseconds span, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Send> sends(count);
  for (Send& send : sends) {
    send.src = static_cast<NodeIndex>(random() % nodes);
    send.dst = static_cast<NodeIndex>(random() % nodes);
    send.bytes = random() % (max_bytes + 1);
    send.time = static_cast<Picoseconds>(random() % static_cast<std::uint64_t>(span));
  }
  std::stable_sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) { return a.time < b.time; });
  return sends;
}

inline Simulation make(const NetworkConfig& config) {
  Result<Simulation> simulation = Simulation::create(config);
  if (!simulation) {
    ADD_FAILURE() << simulation.error().message;
    std::abort();
  }
  return std::move(simulation).value();
}

inline NetworkConfig single_switch(std::uint32_t nodes) {
  NetworkConfig config;
  config.topology.kind = TopologyKind::kSingleSwitch;
  config.topology.nodes = nodes;
  return config;
}

/// Configuration 1: CIOQ, PFC, 400 Gb/s, variable packets of up to 9600 bytes; these are the defaults.
inline NetworkConfig conf1(TopologyKind kind) {
  NetworkConfig config;
  config.topology.kind = kind;
  return config;
}

/// Configuration 2: IQ, credits, 100 Gb/s, fixed packets of 4096 bytes.
inline NetworkConfig conf2(TopologyKind kind) {
  NetworkConfig config;
  config.topology.kind = kind;
  config.switches.architecture = Architecture::kIq;
  config.flow.kind = FlowControlKind::kCredits;
  config.packet.mtu = 4096;
  config.packet.fixed_size = true;
  config.link.bandwidth = 100'000'000'000;
  return config;
}

/// Everything injected has arrived, and everything is back in its place.
inline void expect_conserved(const Simulation& simulation) {
  const SimulationCounts& counts = simulation.counts();
  EXPECT_EQ(counts.messages, counts.delivered);
  EXPECT_EQ(counts.message_bytes, counts.delivered_bytes);
  EXPECT_EQ(counts.packets, counts.packets_delivered);
  EXPECT_EQ(counts.wire_bytes, counts.wire_bytes_delivered);
  std::string what;
  EXPECT_TRUE(simulation.is_idle(&what)) << what;
}

}  // namespace vef::replayer
