// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace vef::replayer {
namespace {

// Slots so narrow that a full packet on the wire spans some hundred of them: then a slot holds a handful of
// events in networks of a few hundred ports.
unsigned slot_shift(Picoseconds full_wire_time) {
  const auto width = static_cast<std::uint64_t>(std::max<Picoseconds>(full_wire_time / 128, 1));
  return static_cast<unsigned>(std::bit_width(width) - 1);
}

std::uint32_t largest_radix(const Topology& topology) {
  std::uint32_t radix = 1;
  for (SwitchId s = 0; s < topology.switches; ++s) radix = std::max(radix, topology.radix(s));
  return radix;
}

}  // namespace

Engine::Engine(const NetworkConfig& config, Topology topology)
    : config_(config),
      topology_(std::move(topology)),
      vcs_(config.switches.virtual_channels),
      class_vcs_(vcs_ / topology_.classes),
      max_radix_(largest_radix(topology_)),
      words_((std::size_t{max_radix_} * vcs_ + 63) / 64),
      cioq_(config.switches.architecture == Architecture::kCioq),
      voq_(config.switches.queues == InputQueues::kVoq),
      credits_(config.flow.kind == FlowControlKind::kCredits),
      store_and_forward_(config.switches.switching == Switching::kStoreAndForward),
      delay_(config.link.delay()),
      pipeline_(config.switches.pipeline_latency),
      full_wire_time_(serialisation_time(config.packet.max_wire(), config.link.bandwidth)),
      crossbar_rate_(
          static_cast<std::uint64_t>(static_cast<double>(config.link.bandwidth) * config.switches.speed_up)),
      full_bytes_(static_cast<std::uint32_t>(config.packet.max_wire())),
      buffer_capacity_(config.input_buffer_per_vc()),
      output_capacity_(config.output_buffer_per_vc()),
      xoff_(pfc_xoff(config)),
      xon_(pfc_xon(config)),
      events_(slot_shift(full_wire_time_)) {
  full_crossbar_time_ = serialisation_time(full_bytes_, crossbar_rate_);
  const std::size_t ports = topology_.ports();
  const std::size_t switch_ports = topology_.first_port[topology_.switches];
  outs_.resize(ports);
  busy_.resize(ports);
  ins_.resize(switch_ports);
  lanes_.resize(ports * vcs_);
  buffers_.resize(switch_ports * vcs_);
  queues_.resize(switch_ports * vcs_ * (voq_ ? max_radix_ : 1));
  if (voq_) filled_.resize(switch_ports * vcs_ * ((max_radix_ + 63) / 64));
  requests_.resize(switch_ports * words_);
  nics_.resize(topology_.nodes);
  for (PortId port = 0; port < ports; ++port) {
    OutPort& out = outs_[port];
    out.peer = topology_.peer[port];
    out.to_node = out.peer != kNoPort && topology_.is_node_port(out.peer);
    for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
      lanes_[lane_index(port, vc)].credits = static_cast<std::int64_t>(buffer_capacity_);
    }
  }
  for (SwitchId s = 0; s < topology_.switches; ++s) {
    for (PortId port = topology_.first_port[s]; port < topology_.first_port[s + 1]; ++port) {
      outs_[port].switch_first = topology_.first_port[s];
      ins_[port].owner = s;
      ins_[port].local = port - topology_.first_port[s];
    }
  }
}

Picoseconds Engine::run_until(Picoseconds limit, std::vector<Delivery>& delivered) {
  delivered_ = &delivered;
  delivered_this_instant_ = 0;
  events_.advance(now_);
  for (;;) {
    const Picoseconds next = events_.next_before(limit);
    if (!dirty_.empty() && next > now_) {  // injected since the last instant
      decide();
      continue;
    }
    if (next == kNever) {
      if (limit != kNever) now_ = std::max(now_, limit);
      return limit;
    }
    now_ = next;
    do {
      apply(events_.take());
    } while (events_.next_before(next + 1) == next);
    decide();
    if (delivered_this_instant_ > 0) return now_;
  }
}

void Engine::apply(const Event& event) {
  ++counts_.events;
  const auto kind = static_cast<Kind>(event.key >> 60);
  const auto entity = static_cast<PortId>((event.key >> 32) & 0x0fff'ffff);
  const auto argument = static_cast<std::uint32_t>(event.key);
  switch (kind) {
    case Kind::kPause:
      lanes_[lane_index(entity, argument)].paused = true;
      break;
    case Kind::kResume:
      lanes_[lane_index(entity, argument)].paused = false;
      mark(entity);
      break;
    case Kind::kArrive:
      arrive(entity, argument);
      break;
    case Kind::kDeliver:
      deliver(argument);
      break;
    case Kind::kDone:
      wake_input(argument);
      [[fallthrough]];
    case Kind::kWakeOut:
      if (outs_[entity].wake == now_) outs_[entity].wake = kNever;
      mark(entity);
      break;
    case Kind::kWakeIn:
      wake_input(entity);
      break;
    case Kind::kLocal:
      complete(argument, true);
      break;
  }
}

void Engine::decide() {
  if (dirty_.size() > 1) std::sort(dirty_.begin(), dirty_.end());
  for (const PortId out : dirty_) {
    outs_[out].dirty = false;
    if (topology_.is_node_port(out)) {
      send_from_node(out);
    } else if (cioq_) {
      arbitrate_cioq(out);
    } else {
      arbitrate_iq(out);
    }
  }
  dirty_.clear();
}

}  // namespace vef::replayer
