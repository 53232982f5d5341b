// SPDX-License-Identifier: Apache-2.0
// What is looked at when nothing moves any more: who waits for whom, and whether everything is back in its
// place.
#include "cycle.h"
#include "engine.h"

namespace vef::replayer {
// An output's channel waits for room in the input buffer behind its link; that buffer waits for the outputs
// its heads want. The graph has an edge from each output channel that packets want to each that the next
// buffer's heads want.
std::string Engine::describe_deadlock() const {
  std::vector<std::vector<std::uint32_t>> graph(lanes_.size());
  std::uint32_t first_waiting = kNone;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].empty()) continue;
    const std::size_t channel = voq_ ? q / max_radix_ : q;
    const auto in = static_cast<PortId>(channel / vcs_);
    const Packet& head = packets_[queues_[q].head];
    const auto wanted = static_cast<std::uint32_t>(lane_index(head.out, head.out_vc));
    if (first_waiting == kNone) first_waiting = wanted;
    graph[lane_index(outs_[in].peer, head.vc)].push_back(wanted);
  }
  if (first_waiting == kNone) return "";
  const std::vector<std::uint32_t> cycle = find_cycle(graph);
  const auto name = [&](std::uint32_t lane) { return topology_.port_name(static_cast<PortId>(lane / vcs_)); };
  if (cycle.empty()) return "packets wait for " + name(first_waiting) + ", which sends nothing";
  std::string text = "deadlock: " + std::to_string(cycle.size()) + " ports wait for each other in a cycle: ";
  for (const std::uint32_t lane : cycle) text += name(lane) + " -> ";
  text += name(cycle.front());
  if (vcs_ > 1) text += " (virtual channel " + std::to_string(cycle.front() % vcs_) + ")";
  return text;
}

bool Engine::is_idle(std::string* what) const {
  const auto fault = [&](PortId port, const std::string& found) {
    if (what != nullptr) *what = topology_.port_name(port) + ": " + found;
    return false;
  };
  for (PortId port = 0; port < topology_.ports(); ++port) {
    for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
      const Lane& lane = lanes_[lane_index(port, vc)];
      std::int64_t credits = lane.credits;
      for (std::size_t i = 0; i < lane.returns.size(); ++i) credits += lane.returns[i].bytes;
      if (credits != static_cast<std::int64_t>(buffer_capacity_)) return fault(port, "credits are missing");
      if (lane.paused) return fault(port, "still paused");
      const bool draining = outs_[port].draining_vc == vc;
      if (!lane.queue.empty() || lane.used != (draining ? outs_[port].draining : 0)) {
        return fault(port, "its output buffer is not empty");
      }
    }
    if (topology_.is_node_port(port)) {
      if (!nics_[topology_.node_of(port)].messages.empty()) return fault(port, "messages wait to be sent");
      continue;
    }
    if (ins_[port].queued != 0 || ins_[port].used != ins_[port].leaving) {
      return fault(port, "its input buffer is not empty");
    }
    for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
      if (buffers_[lane_index(port, vc)].xoff_sent) return fault(port, "has not ended a pause");
    }
  }
  return true;
}

LinkCounts Engine::link_counts(PortId from) const {
  const OutPort& out = outs_[from];
  LinkCounts counts{out.packets, out.bytes, busy_[from], 0};
  if (out.peer != kNoPort && !topology_.is_node_port(out.peer)) counts.peak_buffer = ins_[out.peer].peak;
  return counts;
}

}  // namespace vef::replayer
