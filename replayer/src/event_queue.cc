// SPDX-License-Identifier: Apache-2.0
#include "event_queue.h"

#include <algorithm>
#include <bit>

namespace vef::replayer {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.time != b.time ? a.time > b.time : a.key > b.key;
  }
};

}  // namespace

void EventQueue::insert_current(const Event& event) {
  current_.insert(std::upper_bound(current_.begin(), current_.end(), event, Later{}), event);
}

void EventQueue::push_far(const Event& event) {
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), Later{});
}

std::int64_t EventQueue::next_occupied() const {
  const std::int64_t start = (current_slot_ + 1) & (kSlots - 1);
  std::int64_t word = start / 64;
  std::uint64_t bits = occupied_[static_cast<std::size_t>(word)] & (~std::uint64_t{0} << (start % 64));
  for (std::int64_t n = 0; n <= kWords; ++n) {
    if (bits != 0) {
      const std::int64_t index = word * 64 + std::countr_zero(bits);
      return current_slot_ + 1 + ((index - start) & (kSlots - 1));
    }
    word = (word + 1) % kWords;
    bits = occupied_[static_cast<std::size_t>(word)];
  }
  return -1;
}

void EventQueue::move_near() {
  while (!far_.empty() && (far_.front().time >> shift_) < current_slot_ + kSlots) {
    std::pop_heap(far_.begin(), far_.end(), Later{});
    const Event event = far_.back();
    far_.pop_back();
    const std::int64_t slot = event.time >> shift_;
    if (slot <= current_slot_) {
      insert_current(event);
    } else {
      put(event, slot);
    }
  }
}

bool EventQueue::load_slot(Picoseconds limit) {
  std::int64_t slot = 0;
  if (in_wheel_ > 0) {
    slot = next_occupied();
  } else if (!far_.empty()) {
    slot = far_.front().time >> shift_;
  } else {
    return false;
  }
  // A slot that lies wholly beyond the limit stays in the wheel: events before it may still come.
  if ((slot << shift_) >= limit) return false;
  current_slot_ = slot;
  const auto index = static_cast<std::size_t>(slot & (kSlots - 1));
  for (Index node = slots_[index]; node != kNone;) {
    current_.push_back(nodes_[node].event);
    const Index next = nodes_[node].next;
    nodes_.give_back(node);
    node = next;
    --in_wheel_;
  }
  slots_[index] = kNone;
  occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  if (current_.size() > 1) std::sort(current_.begin(), current_.end(), Later{});
  move_near();
  return true;
}

void EventQueue::advance(Picoseconds now) {
  const std::int64_t before = (now >> shift_) - 1;
  if (!current_.empty() || before <= current_slot_) return;
  current_slot_ = before;
  move_near();
}

}  // namespace vef::replayer
