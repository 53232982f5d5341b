// SPDX-License-Identifier: Apache-2.0
#include "expanded.h"

#include <unordered_map>

namespace vef::neighbours {

namespace {

struct Direction {
  std::vector<std::uint64_t> sizes;
  std::size_t received = 0;
};

std::uint64_t direction(std::int32_t source, std::int32_t destination) {
  return std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(destination);
}

}  // namespace

std::vector<std::vector<CollectiveStep>> expand_all(const WholeCollective& call,
                                                    const CollectiveExpander& expand) {
  std::vector<std::vector<CollectiveStep>> members(call.send_bytes.size());
  std::unordered_map<std::uint64_t, Direction> directions;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto rank = static_cast<std::int32_t>(i);
    expand(call, rank, members[i]);
    for (const CollectiveStep& step : members[i]) {
      if (step.is_send) directions[direction(rank, step.peer)].sizes.push_back(step.bytes);
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (CollectiveStep& step : members[i]) {
      if (step.is_send) continue;
      Direction& from = directions[direction(step.peer, static_cast<std::int32_t>(i))];
      if (from.received < from.sizes.size()) step.bytes = from.sizes[from.received++];
    }
  }
  return members;
}

}  // namespace vef::neighbours
