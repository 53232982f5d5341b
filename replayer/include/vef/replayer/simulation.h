// SPDX-License-Identifier: Apache-2.0
// The packet-level simulation of one network. The host injects messages and lets time run; the simulation
// reports messages that have arrived whole. replayer/README.md tells the model.
//
// Deterministic: the same injections give the same results to the last picosecond. Not thread safe; one
// object per thread. Nothing allocates per packet or hop once the pools have grown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vef/base/result.h"
#include "vef/base/units.h"
#include "vef/replayer/config.h"
#include "vef/replayer/topology.h"

namespace vef::replayer {

struct Injection {
  std::uint64_t id = 0;  // the host's own; handed back on delivery
  NodeIndex src = 0;
  NodeIndex dst = 0;
  std::uint64_t bytes = 0;
};

struct Delivery {
  std::uint64_t id = 0;
  NodeIndex src = 0;
  NodeIndex dst = 0;
  std::uint64_t bytes = 0;
  Picoseconds injected = 0;
  Picoseconds time = 0;  // last bit arrived
  bool local = false;    // never entered the network
};

struct SimulationCounts {
  std::uint64_t messages = 0;  // injected
  std::uint64_t message_bytes = 0;
  std::uint64_t local_messages = 0;  // of these, not through the network
  std::uint64_t local_bytes = 0;
  std::uint64_t delivered = 0;
  std::uint64_t delivered_bytes = 0;
  std::uint64_t packets = 0;  // put on an injection link
  std::uint64_t packets_delivered = 0;
  std::uint64_t wire_bytes = 0;  // put on injection links
  std::uint64_t wire_bytes_delivered = 0;
  std::uint64_t hops = 0;    // links crossed by all packets
  std::uint64_t events = 0;  // taken from the event queue
  std::uint64_t pauses = 0;  // PFC: XOFF sent
};

/// One direction of a link: from port `from` to its peer.
struct LinkCounts {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  // on the wire
  Picoseconds busy = 0;
  std::uint64_t peak_buffer =
      0;  // most bytes held at once by the input buffer at its end (all channels); 0 at nodes
};

class Simulation {
 public:
  /// Builds topology and tables. The error is that of check_config or make_topology.
  static Result<Simulation> create(const NetworkConfig& config);
  /// For a topology of one's own; the configuration must have passed check_config.
  Simulation(const NetworkConfig& config, Topology topology);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Hands a message to its source node. `now` is the time run_until returned last (0 at first); nodes must
  /// exist.
  void inject(const Injection& message, Picoseconds now);

  /// Runs up to `limit` (exclusive), or to the end of the first instant at which a message is delivered.
  /// Appends the deliveries to `delivered` and returns the time reached: that of the deliveries, else
  /// `limit`. kNever: nothing more can happen; if messages are still under way that is a deadlock.
  Picoseconds run_until(Picoseconds limit, std::vector<Delivery>& delivered);

  std::uint64_t messages_under_way() const;
  /// One line that names the ports waiting for each other in a cycle (or, failing that, the first one that
  /// waits); empty if nothing waits.
  std::string describe_deadlock() const;

  /// True if all credits are home, no buffer holds anything and no pause is in force: the state after a
  /// complete run. On false `what`, if given, says what was found.
  bool is_idle(std::string* what = nullptr) const;

  const SimulationCounts& counts() const;
  const Topology& topology() const;
  const NetworkConfig& config() const;
  LinkCounts link_counts(PortId from) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vef::replayer
