// SPDX-License-Identifier: Apache-2.0
// Switches: packets queue at their input; the heads of the queues request outputs; each output grants one
// request at a time, round robin over inputs and channels. A request stands only while its input is free and
// its packet is ready, so an output that looks at its requests sees nothing but packets that could leave now.
//
// IQ: a grant is the start on the link. CIOQ: a grant moves the packet through the crossbar, speed-up times
// as fast as a link (but not before it has arrived), into the output buffer, from which the link takes
// packets in order.
#include <algorithm>
#include <bit>

#include "engine.h"

namespace vef::replayer {
namespace {

enum class Choice { kNext, kStop };

constexpr std::uint64_t bit(std::uint32_t position) { return std::uint64_t{1} << (position % 64); }

}  // namespace

std::size_t Engine::queue_index(PortId in, std::uint32_t vc, PortId out) const {
  const std::size_t channel = lane_index(in, vc);
  return voq_ ? channel * max_radix_ + (out - outs_[out].switch_first) : channel;
}

template <class Visit>
void Engine::for_each_head(PortId in, Visit visit) const {
  for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
    const std::size_t channel = lane_index(in, vc);
    if (!voq_) {
      if (!queues_[channel].empty()) visit(queues_[channel].head);
      continue;
    }
    const std::size_t filled_words = (max_radix_ + 63) / 64;
    for (std::size_t word = 0; word < filled_words; ++word) {
      for (std::uint64_t bits = filled_[channel * filled_words + word]; bits != 0; bits &= bits - 1) {
        const auto output = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        visit(queues_[channel * max_radix_ + output].head);
      }
    }
  }
}

void Engine::append(Queue& queue, Index packet) {
  packets_[packet].next = kNone;
  if (queue.empty()) {
    queue.head = packet;
  } else {
    packets_[queue.tail].next = packet;
  }
  queue.tail = packet;
}

void Engine::pop(Queue& queue) { queue.head = packets_[queue.head].next; }

void Engine::arrive(PortId in, Index index) {
  Packet& packet = packets_[index];
  InPort& input = ins_[in];
  packet.arrived = now_;
  const Hop hop = topology_.hop(input.owner, packet.dst);
  packet.out = hop.port;
  packet.out_vc = channel(hop.channel_class, packet.dst);
  settle_input(in);
  buffers_[lane_index(in, packet.vc)].used += packet.bytes;
  input.used += packet.bytes;
  input.peak = std::max(input.peak, input.used);
  if (!credits_) check_xoff(in, packet.vc);

  Queue& queue = queues_[queue_index(in, packet.vc, packet.out)];
  const bool first = queue.empty();
  append(queue, index);
  ++input.queued;
  if (!first) return;  // those before it arrange for it
  if (voq_) {
    const std::uint32_t output = packet.out - outs_[packet.out].switch_first;
    filled_[lane_index(in, packet.vc) * ((max_radix_ + 63) / 64) + output / 64] |= bit(output);
  }
  if (input.free > now_) {
    wake_in_at(in, input.free);
  } else {
    present(in, index);
  }
}

/// Lets the packet, at the head of its queue in a free input, request its output as soon as it is ready.
void Engine::present(PortId in, Index index) {
  const Packet& packet = packets_[index];
  const Picoseconds ready = packet.arrived + pipeline_ + (store_and_forward_ ? packet.wire_time : 0);
  if (ready > now_) {
    wake_in_at(in, ready);
    return;
  }
  const std::uint32_t slot = ins_[in].local * vcs_ + packet.vc;
  std::uint64_t& word = requests_[packet.out * words_ + slot / 64];
  if ((word & bit(slot)) != 0) return;
  word |= bit(slot);
  mark(packet.out);
}

void Engine::present_all(PortId in) {
  for_each_head(in, [&](Index packet) { present(in, packet); });
}

void Engine::wake_input(PortId in) {
  InPort& input = ins_[in];
  if (input.wake == now_) input.wake = kNever;
  settle_input(in);
  if (input.free > now_) {
    wake_in_at(in, input.free);
  } else if (input.queued > 0) {
    present_all(in);
  }
}

/// Empties what has left the buffer by now.
void Engine::settle_input(PortId in) {
  InPort& input = ins_[in];
  if (input.leaving == 0 || input.free > now_) return;
  buffers_[lane_index(in, input.leaving_vc)].used -= input.leaving;
  input.used -= input.leaving;
  input.leaving = 0;
  if (!credits_) check_xon(in, input.leaving_vc);
}

bool Engine::has_requests(PortId out) const {
  const std::uint64_t* words = &requests_[out * words_];
  for (std::size_t i = 0; i < words_; ++i) {
    if (words[i] != 0) return true;
  }
  return false;
}

/// Offers the requests of an output in round-robin order to `accept` until it stops; true if it did. The
/// order goes on behind the request it stopped at.
template <class Accept>
bool Engine::pick(PortId out, Accept accept) {
  OutPort& o = outs_[out];
  const std::size_t first_word = o.next_slot / 64;
  const std::uint64_t from_slot = ~std::uint64_t{0} << (o.next_slot % 64);
  for (std::size_t n = 0; n <= words_; ++n) {
    const std::size_t word = (first_word + n) % words_;
    std::uint64_t bits = requests_[out * words_ + word];
    if (n == 0) bits &= from_slot;
    if (n == words_) bits &= ~from_slot;
    for (; bits != 0; bits &= bits - 1) {
      const auto slot =
          static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
      const PortId in = o.switch_first + (vcs_ == 1 ? slot : slot / vcs_);
      const std::uint32_t vc = vcs_ == 1 ? 0 : slot % vcs_;
      if (accept(in, vc) == Choice::kNext) continue;
      o.next_slot = static_cast<std::uint16_t>((slot + 1) % static_cast<std::uint32_t>(words_ * 64));
      return true;
    }
  }
  return false;
}

void Engine::arbitrate_iq(PortId out) {
  if (!has_requests(out)) return;
  if (outs_[out].free > now_) {
    wake_out_at(out, outs_[out].free);
    return;
  }
  // A channel without room for the packet whose turn it is waits for it: shorter packets may not overtake for
  // ever.
  std::uint32_t blocked = 0;
  const bool granted = pick(out, [&](PortId in, std::uint32_t in_vc) {
    const Index packet = queues_[queue_index(in, in_vc, out)].head;
    const std::uint32_t vc = packets_[packet].out_vc;
    if (((blocked >> vc) & 1) != 0) return Choice::kNext;
    if (!may_send(out, vc, packets_[packet].bytes)) {
      blocked |= 1u << vc;
      return Choice::kNext;
    }
    start_link(out, packet);
    take_from_input(in, packet, now_ + packets_[packet].wire_time, out);
    packets_[packet].vc = packets_[packet].out_vc;
    return Choice::kStop;
  });
  if (granted && has_requests(out)) wake_out_at(out, outs_[out].free);
}

void Engine::arbitrate_cioq(PortId out) {
  OutPort& o = outs_[out];
  settle_output(out);
  if (o.queued > 0 && o.free <= now_) send_queued(out);
  if (o.crossbar_free <= now_) {
    std::uint32_t blocked = 0;
    pick(out, [&](PortId in, std::uint32_t in_vc) {
      const Index packet = queues_[queue_index(in, in_vc, out)].head;
      const std::uint32_t vc = packets_[packet].out_vc;
      if (((blocked >> vc) & 1) != 0) return Choice::kNext;
      if (lanes_[lane_index(out, vc)].used + packets_[packet].bytes > output_capacity_) {
        blocked |= 1u << vc;
        return Choice::kNext;
      }
      cross(out, in, packet);
      return Choice::kStop;
    });
    if (o.queued > 0 && o.free <= now_) send_queued(out);
  }
  if (o.queued > 0 && o.free > now_) wake_out_at(out, o.free);
  if (!has_requests(out)) return;
  if (o.crossbar_free > now_) {
    wake_out_at(out, o.crossbar_free);
  } else if (o.free > now_) {
    wake_out_at(out, o.free);  // room in the output buffer
  }
}

/// Moves a packet from its input to the output buffer. The crossbar is held until the last bit is across: at
/// its own speed, but not before that bit has arrived.
void Engine::cross(PortId out, PortId in, Index index) {
  OutPort& o = outs_[out];
  const Packet& packet = packets_[index];
  const Picoseconds own =
      packet.bytes == full_bytes_ ? full_crossbar_time_ : serialisation_time(packet.bytes, crossbar_rate_);
  o.crossbar_free = std::max(now_ + own, packet.arrived + packet.wire_time);
  take_from_input(in, index, o.crossbar_free, out);
  packets_[index].vc = packet.out_vc;
  Lane& lane = lanes_[lane_index(out, packet.out_vc)];
  lane.used += packet.bytes;
  append(lane.queue, index);
  ++o.queued;
}

/// Takes the packet off the head of its queue; it leaves the input buffer until `until`.
void Engine::take_from_input(PortId in, Index index, Picoseconds until, PortId out) {
  InPort& input = ins_[in];
  const Packet& packet = packets_[index];
  if (vcs_ == 1 && !voq_) {
    requests_[out * words_ + input.local / 64] &= ~bit(input.local);
  } else {
    for_each_head(in, [&](Index head) {
      const std::uint32_t slot = input.local * vcs_ + packets_[head].vc;
      requests_[packets_[head].out * words_ + slot / 64] &= ~bit(slot);
    });
  }
  Queue& queue = queues_[queue_index(in, packet.vc, out)];
  pop(queue);
  --input.queued;
  if (voq_ && queue.empty()) {
    const std::uint32_t output = out - outs_[out].switch_first;
    filled_[lane_index(in, packet.vc) * ((max_radix_ + 63) / 64) + output / 64] &= ~bit(output);
  }
  settle_input(in);
  input.free = until;
  input.leaving = packet.bytes;
  input.leaving_vc = packet.vc;
  if (credits_) return_credit(in, packet.vc, packet.bytes, until + delay_);

  const bool input_waits = input.queued > 0 || (!credits_ && buffers_[lane_index(in, packet.vc)].xoff_sent);
  if (!input_waits || input.wake <= until) return;
  if (outs_[out].wake > until && has_requests(out)) {  // one event for both ends of the transfer
    input.wake = until;
    outs_[out].wake = until;
    push(until, Kind::kDone, out, in);
  } else {
    wake_in_at(in, until);
  }
}

/// Starts the next packet of the output buffer, round robin over the channels that may send.
void Engine::send_queued(PortId out) {
  OutPort& o = outs_[out];
  for (std::uint32_t n = 0; n < vcs_; ++n) {
    const std::uint32_t vc = (o.next_vc + n) % vcs_;
    Lane& lane = lanes_[lane_index(out, vc)];
    if (lane.queue.empty()) continue;
    const Index packet = lane.queue.head;
    if (!may_send(out, vc, packets_[packet].bytes)) continue;
    pop(lane.queue);
    --o.queued;
    o.draining = packets_[packet].bytes;
    o.draining_vc = static_cast<std::uint8_t>(vc);
    o.next_vc = static_cast<std::uint8_t>((vc + 1) % vcs_);
    start_link(out, packet);
    return;
  }
}

void Engine::settle_output(PortId out) {
  OutPort& o = outs_[out];
  if (o.draining == 0 || o.free > now_) return;
  lanes_[lane_index(out, o.draining_vc)].used -= o.draining;
  o.draining = 0;
}

/// Puts the packet on the link of `out` now; the link is free and the other end has room.
void Engine::start_link(PortId out, Index index) {
  OutPort& o = outs_[out];
  const Packet& packet = packets_[index];
  o.free = now_ + packet.wire_time;
  ++o.packets;
  o.bytes += packet.bytes;
  busy_[out] += packet.wire_time;
  ++counts_.hops;
  if (o.to_node) {
    push(o.free + delay_, Kind::kDeliver, o.peer, index);
    return;
  }
  if (credits_) lanes_[lane_index(out, packet.out_vc)].credits -= packet.bytes;
  push(now_ + delay_, Kind::kArrive, o.peer, index);
}

}  // namespace vef::replayer
