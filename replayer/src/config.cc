// SPDX-License-Identifier: Apache-2.0
#include "vef/replayer/config.h"

#include <algorithm>
#include <cmath>

#include "vef/replayer/topology.h"

namespace vef::replayer {
namespace {

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

Error fault(const std::string& message) { return {ErrorKind::kInput, message}; }

Status check_pfc(const NetworkConfig& config) {
  const std::uint64_t buffer = config.input_buffer_per_vc();
  const std::uint64_t packet = config.packet.max_wire();
  const std::uint64_t headroom = pfc_headroom(config);
  // Room for the headroom, the two packets between XON and XOFF, and one byte.
  const std::uint64_t needed = headroom + 2 * packet + 1;
  if (config.flow.xoff == 0 && buffer < needed) {
    return fault("[switch] input-buffer gives each virtual channel " + bytes_text(buffer) +
                 "; expected at least " + bytes_text(needed) + " for PFC (headroom " + bytes_text(headroom) +
                 " and two packets)");
  }
  if (pfc_xoff(config) > buffer || buffer - pfc_xoff(config) < headroom) {
    return fault(
        "[flow-control] xoff is " + bytes_text(pfc_xoff(config)) + " of a buffer of " + bytes_text(buffer) +
        "; expected " + bytes_text(headroom) + " above it for what is on the way, so an input buffer of " +
        bytes_text((pfc_xoff(config) + headroom) * config.switches.virtual_channels) + " or a lower xoff");
  }
  if (pfc_xon(config) >= pfc_xoff(config)) {
    return fault("[flow-control] xon is " + bytes_text(pfc_xon(config)) + "; expected less than xoff, " +
                 bytes_text(pfc_xoff(config)));
  }
  return {};
}

Status check_switch(const NetworkConfig& config) {
  const SwitchConfig& s = config.switches;
  const std::uint64_t packet = config.packet.max_wire();
  if (s.virtual_channels < 1 || s.virtual_channels > 16) {
    return fault("[switch] virtual-channels is " + std::to_string(s.virtual_channels) + "; expected 1 to 16");
  }
  if (!(s.speed_up >= 1 && s.speed_up <= 64))
    return fault("[switch] speed-up is out of range; expected 1 to 64");
  if (s.input_buffer > (std::uint64_t{1} << 40) || s.output_buffer > (std::uint64_t{1} << 40)) {
    return fault("[switch] a buffer is larger than 1 TiB; expected at most that");
  }
  if (s.pipeline_latency > kPicosPerSecond) return fault("[switch] pipeline-latency is more than 1 s");
  if (config.input_buffer_per_vc() < packet) {
    return fault("[switch] input-buffer gives each virtual channel " +
                 bytes_text(config.input_buffer_per_vc()) + "; expected at least one packet, " +
                 bytes_text(packet));
  }
  if (s.architecture == Architecture::kCioq && config.output_buffer_per_vc() < packet) {
    return fault("[switch] output-buffer gives each virtual channel " +
                 bytes_text(config.output_buffer_per_vc()) + "; expected at least one packet, " +
                 bytes_text(packet));
  }
  return {};
}

const char* routing_name(RoutingKind kind) {
  if (kind == RoutingKind::kDModK) return "d-mod-k";
  return kind == RoutingKind::kDimensionOrder ? "dimension-order" : "minimal";
}

Status check_routing(const NetworkConfig& config) {
  const RoutingKind natural = routing_of(config.topology.kind);
  if (config.routing != RoutingKind::kAutomatic && config.routing != natural) {
    return fault("[routing] kind is " + std::string(routing_name(config.routing)) + "; expected " +
                 routing_name(natural) + ", the routing of this topology");
  }
  const std::uint32_t classes = channel_classes(config.topology);
  if (config.switches.virtual_channels % classes != 0) {
    return fault("[switch] virtual-channels is " + std::to_string(config.switches.virtual_channels) +
                 "; expected a multiple of " + std::to_string(classes) + ", without which " +
                 routing_name(natural) + " routing on this topology could deadlock");
  }
  return {};
}

}  // namespace

RoutingKind routing_of(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::kSingleSwitch:
    case TopologyKind::kFatTree:
    case TopologyKind::kMegafly:
      return RoutingKind::kDModK;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
    case TopologyKind::kHyperX:
      return RoutingKind::kDimensionOrder;
    default:
      return RoutingKind::kMinimal;
  }
}

Picoseconds LinkConfig::delay() const {
  return static_cast<Picoseconds>(std::llround(length_m * static_cast<double>(delay_per_metre)));
}

std::uint64_t pfc_headroom(const NetworkConfig& config) {
  constexpr std::uint64_t kBitPicos = 8 * static_cast<std::uint64_t>(kPicosPerSecond);
  __extension__ using Wide = unsigned __int128;
  const Wide round_trip = Wide{2} * static_cast<Wide>(config.link.delay()) * config.link.bandwidth;
  return static_cast<std::uint64_t>((round_trip + kBitPicos - 1) / kBitPicos) + config.packet.max_wire();
}

std::uint64_t pfc_xoff(const NetworkConfig& config) {
  if (config.flow.xoff != 0) return config.flow.xoff;
  const std::uint64_t buffer = config.input_buffer_per_vc();
  return buffer - std::min(buffer, pfc_headroom(config));
}

std::uint64_t pfc_xon(const NetworkConfig& config) {
  if (config.flow.xon != 0) return config.flow.xon;
  const std::uint64_t xoff = pfc_xoff(config);
  return xoff - std::min(xoff, 2 * config.packet.max_wire());
}

double credit_limit(const NetworkConfig& config) {
  if (config.flow.kind != FlowControlKind::kCredits) return 1;
  // A packet's start to its credit's return: there, through the switch, out whole, and back.
  const std::uint64_t packet = config.packet.max_wire();
  const Picoseconds wire_time = serialisation_time(packet, config.link.bandwidth);
  Picoseconds round_trip = 2 * config.link.delay() + config.switches.pipeline_latency + wire_time;
  if (config.switches.switching == Switching::kStoreAndForward) round_trip += wire_time;
  const double packets = static_cast<double>(config.input_buffer_per_vc() / packet);
  return std::min(1.0, packets * static_cast<double>(wire_time) / static_cast<double>(round_trip));
}

Status check_config(const NetworkConfig& config) {
  const LinkConfig& link = config.link;
  if (link.bandwidth < 1'000'000 || link.bandwidth > 1'000'000'000'000'000) {
    return fault("[link] bandwidth is " + format_rate(link.bandwidth) + "; expected 1 Mb/s to 1 Pb/s");
  }
  if (!(link.length_m >= 0 && link.length_m <= 1e6) || link.delay_per_metre > kPicosPerNano * 1000) {
    return fault("[link] is longer than 1000 km or slower than 1 us/m; expected less");
  }
  if (config.packet.mtu < 1 || config.packet.mtu > (1 << 24) || config.packet.header > (1 << 16)) {
    return fault("[packet] mtu is " + bytes_text(config.packet.mtu) + ", header " +
                 bytes_text(config.packet.header) +
                 "; expected an mtu of 1 byte to 16 MiB and a header of at most 64 KiB");
  }
  if (config.node.local_latency > kPicosPerSecond) return fault("[node] local-latency is more than 1 s");
  if (Status status = check_switch(config); !status) return status;
  if (Status status = check_topology(config.topology); !status) return status;
  if (Status status = check_routing(config); !status) return status;
  if (config.flow.kind == FlowControlKind::kPfc) return check_pfc(config);
  return {};
}

}  // namespace vef::replayer
