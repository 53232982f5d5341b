// SPDX-License-Identifier: Apache-2.0
#include "posted_receives.h"

#include <algorithm>

namespace vef::neighbours {

namespace {

bool is_wild(const PostedReceives::Wanted& wanted) {
  return wanted.source == PostedReceives::kAny || wanted.tag == PostedReceives::kAny;
}

}  // namespace

bool PostedReceives::overlap(const Wanted& a, const Wanted& b) {
  const auto fit = [](std::int64_t x, std::int64_t y) { return x == y || x == kAny || y == kAny; };
  return a.context == b.context && fit(a.source, b.source) && fit(a.tag, b.tag);
}

std::uint64_t PostedReceives::post(const Wanted& wanted, std::uint64_t line) {
  const std::uint64_t receive = next_++;
  open_.emplace(receive, Posted{wanted, line, {}, {}, {}});
  if (is_wild(wanted)) {
    wild_.push_back(receive);
  } else {
    specific_[wanted].push_back(receive);
  }
  return receive;
}

bool PostedReceives::is_blocked(std::uint64_t receive, const Wanted& channel) const {
  return std::any_of(wild_.begin(), wild_.end(), [&](std::uint64_t other) {
    return other < receive && overlap(open_.at(other).wanted, channel);
  });
}

void PostedReceives::name(std::uint64_t receive, const Wanted& channel) {
  Posted& posted = open_.at(receive);
  posted.message = match_(channel, posted.line);
  for (const std::uint64_t who : posted.waiting) settled_.push_back({who, *posted.message});
  posted.waiting.clear();
}

/// Those that were posted for this channel before have their messages, too: MPI serves them first.
void PostedReceives::assign(std::uint64_t receive, const Wanted& channel) {
  const auto queue = specific_.find(channel);
  while (queue != specific_.end() && !queue->second.empty() && queue->second.front() <= receive) {
    const std::uint64_t front = queue->second.front();
    queue->second.pop_front();
    name(front, channel);
  }
  if (queue != specific_.end() && queue->second.empty()) specific_.erase(queue);
  if (!open_.at(receive).message) name(receive, channel);
}

std::optional<std::uint64_t> PostedReceives::complete(std::uint64_t receive, const Wanted& channel) {
  Posted& posted = open_.at(receive);
  posted.took = channel;
  std::erase(wild_, receive);
  if (!posted.message && is_blocked(receive, channel)) {
    held_.push_back(receive);
    settle_held();
    return std::nullopt;
  }
  if (!posted.message) assign(receive, channel);
  const std::uint64_t message = *posted.message;
  open_.erase(receive);
  settle_held();
  return message;
}

void PostedReceives::watch(std::uint64_t receive, std::uint64_t who) {
  Posted& posted = open_.at(receive);
  if (posted.message) {
    settled_.push_back({who, *posted.message});
  } else {
    posted.waiting.push_back(who);
  }
}

void PostedReceives::cancel(std::uint64_t receive) {
  const auto found = open_.find(receive);
  std::erase(wild_, receive);
  const auto queue = specific_.find(found->second.wanted);
  if (queue != specific_.end()) {
    std::erase(queue->second, receive);
    if (queue->second.empty()) specific_.erase(queue);
  }
  open_.erase(found);
  settle_held();
}

void PostedReceives::settle_held() {
  std::sort(held_.begin(), held_.end());
  std::erase_if(held_, [&](std::uint64_t receive) {
    const Posted& posted = open_.at(receive);
    if (!posted.message && is_blocked(receive, *posted.took)) return false;
    if (!posted.message) assign(receive, *posted.took);
    open_.erase(receive);
    return true;
  });
}

std::vector<PostedReceives::Settled> PostedReceives::take_settled() { return std::exchange(settled_, {}); }

void PostedReceives::finish() {
  wild_.clear();
  settle_held();
}

}  // namespace vef::neighbours
