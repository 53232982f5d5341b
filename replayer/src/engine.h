// SPDX-License-Identifier: Apache-2.0
// The state and the steps of the packet-level simulation. One instant t goes in two phases: first every event
// of t applies (arrivals, links and inputs that fall free, pauses), then each output touched by them decides
// once, in the order of port numbers. What needs no decision needs no event: links that are free again,
// credits on their way home and buffer space being emptied are time stamps that the next reader settles; a
// wake-up is scheduled only for a port where something waits.
//
// Parts: engine.cc the loop; engine_switch.cc arbitration and crossbar; engine_flow.cc credits, pauses and
// wake-ups; engine_node.cc end nodes; engine_check.cc deadlock report and end-of-run check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event_queue.h"
#include "pool.h"
#include "vef/replayer/simulation.h"

namespace vef::replayer {

struct Packet {
  Picoseconds arrived = 0;  // first bit, at the input buffer it is in
  Picoseconds wire_time = 0;
  Index message = kNone;
  Index next = kNone;  // in its queue
  NodeIndex dst = 0;
  std::uint32_t bytes = 0;   // on the wire
  PortId out = kNoPort;      // output it wants in this switch
  std::uint16_t vc = 0;      // of the link it came by
  std::uint16_t out_vc = 0;  // of the link it wants
};

struct MessageState {
  Injection what;
  Picoseconds injected = 0;
  std::uint64_t payload_left = 0;  // not yet made into packets
  std::uint64_t packets_to_send = 0;
  std::uint64_t packets_to_come = 0;  // not yet delivered
  Index next = kNone;                 // in its node's queue
};

/// FIFO of packets or messages linked through their `next`.
struct Queue {
  Index head = kNone;
  Index tail = kNone;
  bool empty() const { return head == kNone; }
};

struct CreditReturn {
  Picoseconds time = 0;
  std::uint32_t bytes = 0;
};

/// One virtual channel of an output: what is known of the buffer at the other end, and the output buffer
/// (CIOQ).
struct Lane {
  std::int64_t credits = 0;
  std::uint64_t used = 0;  // bytes in the output buffer, what is leaving included
  Queue queue;             // the output buffer's packets
  bool waiting = false;    // for a credit that is not yet on its way
  bool paused = false;
  Ring<CreditReturn> returns;  // on their way, in order of time
};

/// One cache line.
struct alignas(64) OutPort {
  Picoseconds free = 0;           // when the link's last packet will have left
  Picoseconds crossbar_free = 0;  // CIOQ: the same for the way into the output buffer
  Picoseconds wake = kNever;      // earliest wake-up scheduled
  PortId peer = kNoPort;
  PortId switch_first = 0;      // first port of this switch
  std::uint32_t queued = 0;     // packets in the output buffer
  std::uint32_t draining = 0;   // bytes of the output buffer that are leaving until `free`
  std::uint16_t next_slot = 0;  // round robin over (input, channel)
  std::uint8_t next_vc = 0;     // round robin over the channels of the output buffer
  std::uint8_t draining_vc = 0;
  bool dirty = false;  // decides at the end of this instant
  bool to_node = false;
  std::uint64_t bytes = 0;  // sent in all
  std::uint64_t packets = 0;
};
static_assert(sizeof(OutPort) == 64);

/// One virtual channel of an input buffer.
struct Buffer {
  std::uint64_t used = 0;  // what is leaving included
  bool xoff_sent = false;
};

struct InPort {
  Picoseconds free = 0;  // when the packet being read out will have left
  Picoseconds wake = kNever;
  SwitchId owner = 0;
  std::uint32_t local = 0;    // port number within the switch
  std::uint32_t queued = 0;   // packets waiting
  std::uint32_t leaving = 0;  // bytes that leave until `free`
  std::uint32_t leaving_vc = 0;
  std::uint64_t used = 0;  // all channels
  std::uint64_t peak = 0;
};

struct Nic {
  Queue messages;
  Picoseconds memory_free = 0;
};

class Engine {
 public:
  Engine(const NetworkConfig& config, Topology topology);

  void inject(const Injection& message, Picoseconds now);
  Picoseconds run_until(Picoseconds limit, std::vector<Delivery>& delivered);

  std::string describe_deadlock() const;
  bool is_idle(std::string* what) const;
  LinkCounts link_counts(PortId from) const;

  const NetworkConfig& config() const { return config_; }
  const Topology& topology() const { return topology_; }
  const SimulationCounts& counts() const { return counts_; }

 private:
  // The order decides nothing but the order of work within one instant.
  enum class Kind : std::uint32_t { kPause, kResume, kArrive, kDeliver, kDone, kWakeIn, kWakeOut, kLocal };

  void push(Picoseconds time, Kind kind, std::uint32_t entity, std::uint32_t argument) {
    events_.push(time, (std::uint64_t{static_cast<std::uint32_t>(kind)} << 60) |
                           (std::uint64_t{entity} << 32) | argument);
  }
  void apply(const Event& event);
  void decide();

  // Switches.
  void arrive(PortId in, Index packet);
  void present(PortId in, Index packet);
  void present_all(PortId in);
  void wake_input(PortId in);
  void settle_input(PortId in);
  template <class Visit>
  void for_each_head(PortId in, Visit visit) const;
  std::size_t queue_index(PortId in, std::uint32_t vc, PortId out) const;
  bool has_requests(PortId out) const;
  template <class Accept>
  bool pick(PortId out, Accept accept);
  void arbitrate_iq(PortId out);
  void arbitrate_cioq(PortId out);
  void take_from_input(PortId in, Index packet, Picoseconds until, PortId out);
  void cross(PortId out, PortId in, Index packet);
  void send_queued(PortId out);
  void settle_output(PortId out);
  void start_link(PortId out, Index packet);
  void append(Queue& queue, Index packet);
  void pop(Queue& queue);

  // Flow control and wake-ups.
  bool may_send(PortId out, std::uint32_t vc, std::uint32_t bytes);
  void return_credit(PortId in, std::uint32_t vc, std::uint32_t bytes, Picoseconds at);
  void check_xoff(PortId in, std::uint32_t vc);
  void check_xon(PortId in, std::uint32_t vc);
  void wake_out_at(PortId out, Picoseconds time);
  void wake_in_at(PortId in, Picoseconds time);
  void mark(PortId out);

  // End nodes.
  void send_from_node(PortId out);
  void deliver(Index packet);
  void inject_local(Index message, Picoseconds now);
  void complete(Index message, bool local);

  /// Channel of a class for packets to a destination.
  std::uint16_t channel(std::uint32_t channel_class, NodeIndex destination) const {
    if (vcs_ == 1) return 0;
    return static_cast<std::uint16_t>(channel_class * class_vcs_ +
                                      (class_vcs_ == 1 ? 0 : destination % class_vcs_));
  }
  std::size_t lane_index(PortId port, std::uint32_t vc) const { return std::size_t{port} * vcs_ + vc; }

  NetworkConfig config_;
  Topology topology_;
  std::uint32_t vcs_;
  std::uint32_t class_vcs_;  // of them in each class
  std::uint32_t max_radix_;
  std::size_t words_;  // of request bits per output
  bool cioq_, voq_, credits_, store_and_forward_;
  Picoseconds delay_, pipeline_;
  Picoseconds full_wire_time_, full_crossbar_time_;
  std::uint64_t crossbar_rate_;
  std::uint32_t full_bytes_;
  std::uint64_t buffer_capacity_, output_capacity_, xoff_, xon_;

  Picoseconds now_ = 0;
  EventQueue events_;
  std::vector<PortId> dirty_;
  std::vector<Delivery>* delivered_ = nullptr;
  std::uint64_t delivered_this_instant_ = 0;

  std::vector<OutPort> outs_;      // every port
  std::vector<Picoseconds> busy_;  // by port: time its link has been in use
  std::vector<InPort> ins_;        // switch ports
  std::vector<Lane> lanes_;        // [port][vc]
  std::vector<Buffer> buffers_;    // [switch port][vc]
  std::vector<Queue> queues_;      // [switch port][vc], VOQ: [switch port][vc][output of the switch]
  std::vector<std::uint64_t>
      filled_;  // VOQ: which of a channel's queues hold packets, [switch port][vc][word]
  std::vector<std::uint64_t>
      requests_;  // [switch port as output][word]: bit (input of the switch x channels + vc)
  std::vector<Nic> nics_;
  Pool<Packet> packets_;
  Pool<MessageState> messages_;
  SimulationCounts counts_;
};

}  // namespace vef::replayer
