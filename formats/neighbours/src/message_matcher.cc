// SPDX-License-Identifier: Apache-2.0
#include "message_matcher.h"

#include <tuple>

namespace vef::neighbours {

std::size_t MessageMatcher::Hash::operator()(const Channel& channel) const {
  std::uint64_t hash = std::uint64_t{static_cast<std::uint32_t>(channel.source)} << 32 |
                       static_cast<std::uint32_t>(channel.destination);
  hash = (hash ^ static_cast<std::uint64_t>(channel.tag) * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

std::uint64_t MessageMatcher::meet(const Channel& channel, bool is_receive, std::uint64_t line,
                                   std::uint64_t& next_id) {
  const auto [entry, is_new] = queues_.try_emplace(channel);
  Queue& queue = entry->second;
  if (is_new || queue.of_receives == is_receive) {
    queue.of_receives = is_receive;
    queue.items.push_back({next_id, line});
    return next_id++;
  }
  const std::uint64_t id = queue.items[queue.head++].id;
  if (queue.head == queue.items.size()) queues_.erase(entry);
  return id;
}

std::uint64_t MessageMatcher::sends_left() const {
  std::uint64_t left = 0;
  for (const auto& [channel, queue] : queues_)
    left += queue.of_receives ? 0 : queue.items.size() - queue.head;
  return left;
}

bool MessageMatcher::receive_left(Receive& first) const {
  bool found = false;
  for (const auto& [channel, queue] : queues_) {
    if (!queue.of_receives) continue;
    const Receive receive{channel, queue.items[queue.head].line};
    if (!found ||
        std::tuple(channel.destination, receive.line) < std::tuple(first.channel.destination, first.line))
      first = receive;
    found = true;
  }
  return found;
}

}  // namespace vef::neighbours
