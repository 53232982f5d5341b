// SPDX-License-Identifier: Apache-2.0
// Flow control and wake-ups. Credits count bytes of the buffer at the other end of a link, per virtual
// channel; a credit sets out when a packet's last bit leaves that buffer and takes one link delay. Pause and
// resume frames (IEEE 802.1Qbb) take one link delay and no bandwidth. A packet counts with all its bytes from
// the arrival of its first bit to the departure of its last.
#include <cassert>

#include "engine.h"

namespace vef::replayer {

/// May a packet of `bytes` start on the link of `out`? If not, the port is woken when that changes.
bool Engine::may_send(PortId out, std::uint32_t vc, std::uint32_t bytes) {
  if (outs_[out].to_node) return true;  // nodes take in what comes at the rate of the link
  Lane& lane = lanes_[lane_index(out, vc)];
  if (!credits_) return !lane.paused;
  // What has come back is counted only when it is needed: then many at once, side by side in memory.
  if (lane.credits >= bytes) return true;
  while (!lane.returns.empty() && lane.returns.front().time <= now_) {
    lane.credits += lane.returns.front().bytes;
    lane.returns.pop_front();
  }
  if (lane.credits >= bytes) return true;
  std::int64_t expected = lane.credits;
  for (std::size_t i = 0; i < lane.returns.size(); ++i) {
    expected += lane.returns[i].bytes;
    if (expected >= bytes) {
      wake_out_at(out, lane.returns[i].time);
      return false;
    }
  }
  lane.waiting = true;
  return false;
}

void Engine::return_credit(PortId in, std::uint32_t vc, std::uint32_t bytes, Picoseconds at) {
  const PortId sender = outs_[in].peer;
  Lane& lane = lanes_[lane_index(sender, vc)];
  lane.returns.push_back({at, bytes});
  if (!lane.waiting) return;
  lane.waiting = false;
  wake_out_at(sender, at);
}

void Engine::check_xoff(PortId in, std::uint32_t vc) {
  Buffer& buffer = buffers_[lane_index(in, vc)];
  assert(buffer.used <= buffer_capacity_);
  if (buffer.xoff_sent || buffer.used < xoff_) return;
  buffer.xoff_sent = true;
  ++counts_.pauses;
  push(now_ + delay_, Kind::kPause, outs_[in].peer, vc);
  if (ins_[in].free > now_)
    wake_in_at(in, ins_[in].free);  // XON is due at the very moment, not when someone looks
}

void Engine::check_xon(PortId in, std::uint32_t vc) {
  Buffer& buffer = buffers_[lane_index(in, vc)];
  if (!buffer.xoff_sent || buffer.used > xon_) return;
  buffer.xoff_sent = false;
  push(now_ + delay_, Kind::kResume, outs_[in].peer, vc);
}

// A wake-up that is already due earlier serves as well: who wakes up in vain asks for the next one.
void Engine::wake_out_at(PortId out, Picoseconds time) {
  if (outs_[out].wake <= time) return;
  outs_[out].wake = time;
  push(time, Kind::kWakeOut, out, 0);
}

void Engine::wake_in_at(PortId in, Picoseconds time) {
  if (ins_[in].wake <= time) return;
  ins_[in].wake = time;
  push(time, Kind::kWakeIn, in, 0);
}

void Engine::mark(PortId out) {
  if (outs_[out].dirty) return;
  outs_[out].dirty = true;
  dirty_.push_back(out);
}

}  // namespace vef::replayer
