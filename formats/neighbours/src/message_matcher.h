// SPDX-License-Identifier: Apache-2.0
// Gives each message its id in one pass over sends and receives in any order of tasks: between two tasks the
// k-th send with a tag meets the k-th receive with it. Memory follows what has not met yet.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::neighbours {

class MessageMatcher {
 public:
  struct Channel {
    formats::TaskId source = 0;
    formats::TaskId destination = 0;
    std::int64_t tag = 0;
    bool operator==(const Channel&) const = default;
  };

  /// The id of the message of the next send, or receive, of a channel; a new one comes from `next_id`. `line`
  /// is kept for messages about what finds no counterpart.
  std::uint64_t send(const Channel& channel, std::uint64_t line, std::uint64_t& next_id) {
    return meet(channel, false, line, next_id);
  }
  std::uint64_t receive(const Channel& channel, std::uint64_t line, std::uint64_t& next_id) {
    return meet(channel, true, line, next_id);
  }

  /// After the end: sends that no receive took, and a receive that got nothing (the first by task and line).
  std::uint64_t sends_left() const;
  struct Receive {
    Channel channel;
    std::uint64_t line = 0;
  };
  bool receive_left(Receive& first) const;

 private:
  struct Waiting {
    std::uint64_t id = 0;
    std::uint64_t line = 0;
  };
  struct Queue {
    std::vector<Waiting> items;
    std::size_t head = 0;
    bool of_receives = false;
  };
  struct Hash {
    std::size_t operator()(const Channel& channel) const;
  };

  std::uint64_t meet(const Channel& channel, bool is_receive, std::uint64_t line, std::uint64_t& next_id);

  std::unordered_map<Channel, Queue, Hash> queues_;  // none is empty
};

}  // namespace vef::neighbours
