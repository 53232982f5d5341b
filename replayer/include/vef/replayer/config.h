// SPDX-License-Identifier: Apache-2.0
// What a simulated network is made of: plain values, their defaults, and the checks that hold before a
// simulation may start. The text form (TOML) is described in docs/network-config.md. Sizes are bytes, times
// picoseconds, rates bits per second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/base/units.h"

namespace vef::replayer {

enum class TopologyKind : std::uint8_t {
  kSingleSwitch,
  kFatTree,
  kMegafly,
  kTorus,
  kMesh,
  kHyperX,
  kDragonfly,
  kSlimFly,
  kJellyfish,
};

/// Which switch of a Dragonfly's group has the link to which other group (Hastings et al. 2015).
enum class GlobalWiring : std::uint8_t { kAbsolute, kRelative, kCirculant };

struct TopologyConfig {
  TopologyKind kind = TopologyKind::kFatTree;
  // Single switch.
  std::uint32_t nodes = 8;
  // Fat tree, an extended generalised fat tree: down[l] children below a switch of level l, up[l] parents
  // above it (one entry less than down).
  std::vector<std::uint32_t> down = {16, 16};
  std::vector<std::uint32_t> up = {16};
  // Megafly (Dragonfly+).
  std::uint32_t groups = 9;
  std::uint32_t leaves = 4;  // per group
  std::uint32_t spines = 4;  // per group
  std::uint32_t nodes_per_leaf = 8;
  std::uint32_t leaf_spine_links = 2;  // parallel links between a leaf and a spine of its group
  std::uint32_t global_links = 8;      // global ports of a spine; Dragonfly: of a switch
  // All but fat tree, megafly and single switch.
  std::uint32_t nodes_per_switch = 4;
  // Torus, mesh, HyperX: switches along each dimension.
  std::vector<std::uint32_t> dimensions = {4, 4};
  std::uint32_t lanes = 1;  // parallel links wherever there is one; all but Dragonfly
  // Dragonfly: `groups`, `global_links`, and
  std::uint32_t switches_per_group = 8;
  GlobalWiring wiring = GlobalWiring::kAbsolute;
  // Slim Fly.
  std::uint32_t q = 5;
  // Jellyfish: a random regular graph.
  std::uint32_t switches = 32;
  std::uint32_t network_ports = 6;  // links of a switch to others
  std::uint64_t seed = 1;
};

/// Deterministic, by destination. kAutomatic: what the topology has, D-mod-K for trees, dimension order for
/// torus, mesh and HyperX, minimal for all others.
enum class RoutingKind : std::uint8_t { kAutomatic, kDModK, kDimensionOrder, kMinimal };
/// The routing of a topology of this kind.
RoutingKind routing_of(TopologyKind kind);

enum class Architecture : std::uint8_t { kIq, kCioq };
enum class Switching : std::uint8_t { kCutThrough, kStoreAndForward };
enum class InputQueues : std::uint8_t { kFifo, kVoq };

struct SwitchConfig {
  Architecture architecture = Architecture::kCioq;
  Switching switching = Switching::kCutThrough;
  InputQueues queues = InputQueues::kFifo;
  std::uint64_t input_buffer = 128ULL * 1024;  // per port, shared out evenly among the virtual channels
  std::uint64_t output_buffer = 48ULL * 1024;  // per port, likewise; CIOQ only
  double speed_up = 2;                         // of the crossbar over the links; CIOQ only
  Picoseconds pipeline_latency = 0;  // from the arrival of a packet's first bit to its first request
  // Shared out evenly among the classes that the routing needs (channel_classes()); of its class a packet
  // uses channel (destination mod channels).
  std::uint32_t virtual_channels = 1;
};

struct LinkConfig {
  std::uint64_t bandwidth = 400'000'000'000;
  double length_m = 3;
  Picoseconds delay_per_metre = 5'000;

  Picoseconds delay() const;
};

struct PacketConfig {
  std::uint64_t mtu = 9600;  // payload of a full packet
  std::uint64_t header = 0;  // added to every packet on the wire
  bool fixed_size = false;   // every packet costs header + mtu on the wire, however little it carries

  std::uint64_t max_wire() const { return mtu + header; }
  /// Bytes on the wire of a packet with `payload` bytes. A packet is never shorter than one byte.
  std::uint64_t wire(std::uint64_t payload) const {
    if (fixed_size) return mtu + header;
    const std::uint64_t bytes = payload + header;
    return bytes == 0 ? 1 : bytes;
  }
};

enum class FlowControlKind : std::uint8_t { kCredits, kPfc };

struct FlowControlConfig {
  FlowControlKind kind = FlowControlKind::kPfc;
  // PFC thresholds per virtual channel; 0 stands for the defaults: xoff = buffer - headroom, xon = xoff - 2
  // packets.
  std::uint64_t xoff = 0;
  std::uint64_t xon = 0;
};

enum class NicScheduling : std::uint8_t { kFifo, kRoundRobin };

struct NodeConfig {
  NicScheduling scheduling = NicScheduling::kFifo;
  bool local_through_network = false;  // messages to the own node go out to the switch and back
  Picoseconds local_latency = 0;
  std::uint64_t memory_bandwidth = 0;  // of local messages, one after the other; 0: unlimited
};

struct NetworkConfig {
  std::string name;  // of the file, for results
  TopologyConfig topology;
  RoutingKind routing = RoutingKind::kAutomatic;
  SwitchConfig switches;
  LinkConfig link;
  PacketConfig packet;
  FlowControlConfig flow;
  NodeConfig node;

  std::uint64_t input_buffer_per_vc() const { return switches.input_buffer / switches.virtual_channels; }
  std::uint64_t output_buffer_per_vc() const { return switches.output_buffer / switches.virtual_channels; }
};

/// What may still arrive after a buffer has asked for a pause, beyond the packet that made it ask:
/// ceil(2 x link delay x bandwidth) + one packet of the largest size. Between the moment of XOFF and the last
/// moment at which the other end may still start a packet lie two link delays seen from here; the packet
/// started last comes whole.
std::uint64_t pfc_headroom(const NetworkConfig& config);

/// The thresholds in force (defaults filled in).
std::uint64_t pfc_xoff(const NetworkConfig& config);
std::uint64_t pfc_xon(const NetworkConfig& config);

/// Fraction of a link's bandwidth that credits allow: min(1, whole packets in the buffer x packet / (round
/// trip x bandwidth)), the round trip from a packet's start to the return of its credit. 1 with PFC.
double credit_limit(const NetworkConfig& config);

/// Everything that must hold: ranges, buffers of at least one packet, PFC thresholds with room above them.
Status check_config(const NetworkConfig& config);

/// Reads a network file. A key that is unknown or has the wrong type is an error with file and line.
Result<NetworkConfig> read_network_config(const std::string& path);
/// The same from text; `path` is for messages.
Result<NetworkConfig> parse_network_config(std::string_view text, const std::string& path);

}  // namespace vef::replayer
