// SPDX-License-Identifier: Apache-2.0
// End nodes: messages are cut into packets one at a time, when the injection link can take the next one; a
// message is delivered with the last bit of its last packet. Messages of a node are sent in the order of
// injection (or a packet of each in turn).
#include <algorithm>

#include "engine.h"

namespace vef::replayer {

void Engine::inject(const Injection& what, Picoseconds now) {
  now_ = std::max(now_, now);
  ++counts_.messages;
  counts_.message_bytes += what.bytes;
  const Index index = messages_.take();
  MessageState& message = messages_[index];
  message.what = what;
  message.injected = now_;
  if (what.src == what.dst && !config_.node.local_through_network) {
    inject_local(index, now_);
    return;
  }
  const std::uint64_t mtu = config_.packet.mtu;
  message.payload_left = what.bytes;
  message.packets_to_send = what.bytes == 0 ? 1 : (what.bytes - 1) / mtu + 1;
  message.packets_to_come = message.packets_to_send;
  Queue& queue = nics_[what.src].messages;
  if (queue.empty()) {
    queue.head = index;
  } else {
    messages_[queue.tail].next = index;
  }
  queue.tail = index;
  mark(topology_.node_port(what.src));
}

/// A message to the own node: through the memory, one after the other, then the fixed latency.
void Engine::inject_local(Index index, Picoseconds now) {
  const Injection& what = messages_[index].what;
  ++counts_.local_messages;
  counts_.local_bytes += what.bytes;
  Picoseconds& free = nics_[what.src].memory_free;
  free = std::max(free, now);
  if (config_.node.memory_bandwidth != 0) {
    free = saturating_add(free, serialisation_time(what.bytes, config_.node.memory_bandwidth));
  }
  push(saturating_add(free, config_.node.local_latency), Kind::kLocal, what.src, index);
}

void Engine::send_from_node(PortId out) {
  OutPort& o = outs_[out];
  Queue& queue = nics_[topology_.node_of(out)].messages;
  if (queue.empty()) return;
  if (o.free > now_) {
    wake_out_at(out, o.free);
    return;
  }
  const Index first = queue.head;
  MessageState& message = messages_[first];
  const std::uint64_t payload = std::min(config_.packet.mtu, message.payload_left);
  const auto bytes = static_cast<std::uint32_t>(config_.packet.wire(payload));
  // Nobody waits for an injection link in a circle: any class will do.
  const std::uint16_t vc = channel(0, message.what.dst);
  if (!may_send(out, vc, bytes)) return;

  const Index index = packets_.take();
  Packet& packet = packets_[index];
  packet.message = first;
  packet.dst = message.what.dst;
  packet.bytes = bytes;
  packet.vc = packet.out_vc = vc;
  packet.wire_time =
      bytes == full_bytes_ ? full_wire_time_ : serialisation_time(bytes, config_.link.bandwidth);
  ++counts_.packets;
  counts_.wire_bytes += bytes;
  start_link(out, index);

  message.payload_left -= payload;
  const bool more = --message.packets_to_send > 0;
  if (!more || config_.node.scheduling == NicScheduling::kRoundRobin) {
    queue.head = message.next;
    message.next = kNone;
    if (more) {
      if (queue.empty()) {
        queue.head = first;
      } else {
        messages_[queue.tail].next = first;
      }
      queue.tail = first;
    }
  }
  if (!queue.empty()) wake_out_at(out, o.free);
}

void Engine::deliver(Index index) {
  const Packet& packet = packets_[index];
  const Index message = packet.message;
  ++counts_.packets_delivered;
  counts_.wire_bytes_delivered += packet.bytes;
  packets_.give_back(index);
  if (--messages_[message].packets_to_come == 0) complete(message, false);
}

void Engine::complete(Index index, bool local) {
  const MessageState& message = messages_[index];
  ++counts_.delivered;
  counts_.delivered_bytes += message.what.bytes;
  ++delivered_this_instant_;
  delivered_->push_back({message.what.id, message.what.src, message.what.dst, message.what.bytes,
                         message.injected, now_, local});
  messages_.give_back(index);
}

}  // namespace vef::replayer
