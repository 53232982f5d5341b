// SPDX-License-Identifier: Apache-2.0
// Speed of the packet-level simulation: one JSON line per network and traffic. Traffic:
//   uniform      messages of one full packet to random other nodes, 0.5 of the link bandwidth from every node
//   permutation  every node sends 2 MB to the node half the network away
//   incast       64 nodes send 640 kB each to one node, while the others exchange as in `uniform` at 0.1
//
//     bench_replayer [REPEATS] [PART OF "NETWORK TRAFFIC"]     default: 3, all
//
// Each case runs once to warm up and then REPEATS times; the fastest counts. Times are processor time; the
// program has one thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vef/replayer/simulation.h"

namespace {

using namespace vef;
using namespace vef::replayer;

struct Send {
  Picoseconds time;
  NodeIndex src, dst;
  std::uint64_t bytes;
};

std::vector<Send> uniform(const NetworkConfig& config, NodeIndex first, NodeIndex nodes, double load,
                          Picoseconds span) {
  const double wire =
      static_cast<double>(serialisation_time(config.packet.max_wire(), config.link.bandwidth));
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(load / wire);
  std::vector<Send> sends;
  for (NodeIndex src = first; src < nodes; ++src) {
    for (double time = gap(random); time < static_cast<double>(span); time += gap(random)) {
      const auto dst = static_cast<NodeIndex>((src + 1 + random() % (nodes - 1)) % nodes);
      sends.push_back({static_cast<Picoseconds>(time), src, dst, config.packet.mtu});
    }
  }
  return sends;
}

std::vector<Send> traffic(const std::string& name, const NetworkConfig& config, std::uint32_t nodes) {
  const Picoseconds wire = serialisation_time(config.packet.max_wire(), config.link.bandwidth);
  std::vector<Send> sends;
  if (name == "uniform") {
    sends = uniform(config, 0, nodes, 0.5, 2000 * wire);
  } else if (name == "permutation") {
    for (NodeIndex n = 0; n < nodes; ++n) sends.push_back({0, n, (n + nodes / 2) % nodes, 2'000'000});
  } else {
    sends = uniform(config, 65, nodes, 0.1, 4000 * wire);
    for (NodeIndex n = 1; n <= 64; ++n) sends.push_back({0, n, 0, 640'000});
  }
  std::stable_sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) { return a.time < b.time; });
  return sends;
}

/// Of this process: what else the machine does at the time does not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds of processor time.
double run(Simulation& simulation, const std::vector<Send>& sends) {
  const double begin = cpu_seconds();
  std::vector<Delivery> deliveries;
  Picoseconds now = 0;
  std::size_t next = 0;
  while (now != kNever) {
    for (; next < sends.size() && sends[next].time <= now; ++next) {
      simulation.inject({next, sends[next].src, sends[next].dst, sends[next].bytes}, now);
    }
    now = simulation.run_until(next < sends.size() ? sends[next].time : kNever, deliveries);
    deliveries.clear();
  }
  return cpu_seconds() - begin;
}

bool run_case(const std::string& network, const std::string& name, int repeats) {
  const auto config = read_network_config(VEF_SOURCE_DIR "/networks/" + network + ".toml");
  if (!config) {
    std::fprintf(stderr, "%s\n", config.error().message.c_str());
    return false;
  }
  double best = 1e300;
  SimulationCounts counts;
  for (int i = 0; i <= repeats; ++i) {
    auto simulation = Simulation::create(*config);
    if (!simulation) return false;
    const std::vector<Send> sends = traffic(name, *config, simulation->topology().nodes);
    const double seconds = run(*simulation, sends);
    if (i > 0) best = std::min(best, seconds);
    counts = simulation->counts();
    if (counts.delivered != counts.messages) return false;
  }
  const auto packets = static_cast<double>(counts.packets);
  const auto events = static_cast<double>(counts.events);
  const auto hops = static_cast<double>(counts.hops);
  fmt::print(
      "{{\"bench\": \"replayer\", \"network\": \"{}\", \"traffic\": \"{}\", \"packets\": {}, "
      "\"packets_per_s\": {:.0f}, "
      "\"events_per_packet\": {:.3f}, \"events_per_hop\": {:.3f}, \"ns_per_event\": {:.1f}, \"ns_per_hop\": "
      "{:.1f}}}\n",
      network, name, counts.packets, packets / best, events / packets, events / hops, best * 1e9 / events,
      best * 1e9 / hops);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  bool good = true;
  for (const char* network : {"fat-tree-256-conf1", "fat-tree-256-conf2", "megafly-288-conf1",
                              "megafly-288-conf2", "dragonfly-1056", "slim-fly-3042"}) {
    for (const char* name : {"uniform", "permutation", "incast"}) {
      const std::string both = std::string(network) + " " + name;
      if (argc > 2 && both.find(argv[2]) == std::string::npos) continue;
      good = run_case(network, name, repeats) && good;
    }
  }
  return good ? 0 : 1;
}
