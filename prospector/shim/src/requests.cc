// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <cstdlib>
#include <cstring>

namespace vef::shim {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::uint32_t kFirstNodes = 256;

}  // namespace

bool RequestTable::start() { return grow_slots() && (free_node_ = new_node()) != 0; }

void RequestTable::release() {
  std::free(slots_);
  std::free(nodes_);
  slots_ = nullptr;
  nodes_ = nullptr;
  capacity_ = used_slots_ = chained_ = 0;
  node_capacity_ = free_node_ = 0;
}

bool RequestTable::push_slowly(std::uint64_t handle, Operation operation, bool front) {
  TableGuard guard(lock_);
  const std::size_t found = find(handle);
  if (found == kNone) {
    if (used_slots_ * 2 >= capacity_ && !grow_slots()) return false;
    std::size_t index = handle_hash(handle) & (capacity_ - 1);
    while (slots_[index].used()) index = (index + 1) & (capacity_ - 1);
    slots_[index] = {.handle = handle, .first = operation, .next = 0, .last = 0};
    ++used_slots_;
    return true;
  }
  Slot* slot = &slots_[found];
  const std::uint32_t added = new_node();
  if (added == 0) return false;
  free_node_ = nodes_[added - 1].next;
  ++chained_;
  if (front) {
    nodes_[added - 1] = {.operation = slot->first, .next = slot->next};
    slot->first = operation;
    slot->next = added;
    if (slot->last == 0) slot->last = added;
    return true;
  }
  nodes_[added - 1] = {.operation = operation, .next = 0};
  if (slot->last != 0) {
    nodes_[slot->last - 1].next = added;
  } else {
    slot->next = added;
  }
  slot->last = added;
  return true;
}

bool RequestTable::pop(std::uint64_t handle, Operation& operation) {
  return update(handle, [&](Operation& first) {
    operation = first;
    return true;
  });
}

/// The next one of the handle takes its place.
void RequestTable::remove_chained(Slot& slot) {
  const std::uint32_t node = slot.next;
  slot.first = nodes_[node - 1].operation;
  slot.next = nodes_[node - 1].next;
  if (slot.next == 0) slot.last = 0;
  nodes_[node - 1].next = free_node_;
  free_node_ = node;
  --chained_;
}

bool RequestTable::grow_slots() {
  const std::size_t capacity = capacity_ == 0 ? kFirstSlots : capacity_ * 2;
  auto* slots = static_cast<Slot*>(std::aligned_alloc(alignof(Slot), capacity * sizeof(Slot)));
  if (slots == nullptr) return false;
  std::memset(static_cast<void*>(slots), 0, capacity * sizeof(Slot));
  for (std::size_t i = 0; i < capacity_; ++i) {
    if (!slots_[i].used()) continue;
    std::size_t index = handle_hash(slots_[i].handle) & (capacity - 1);
    while (slots[index].used()) index = (index + 1) & (capacity - 1);
    slots[index] = slots_[i];
  }
  std::free(slots_);
  slots_ = slots;
  capacity_ = capacity;
  return true;
}

/// Index + 1 of a free node, still in the free list; 0: no memory.
std::uint32_t RequestTable::new_node() {
  if (free_node_ != 0) return free_node_;
  if (node_capacity_ > (1U << 30)) return 0;
  const std::uint32_t capacity = node_capacity_ == 0 ? kFirstNodes : node_capacity_ * 2;
  void* grown = std::realloc(static_cast<void*>(nodes_), capacity * sizeof(Node));
  if (grown == nullptr) return 0;
  nodes_ = static_cast<Node*>(grown);
  for (std::uint32_t i = node_capacity_; i < capacity; ++i) nodes_[i].next = i + 1 < capacity ? i + 2 : 0;
  free_node_ = node_capacity_ + 1;
  node_capacity_ = capacity;
  return free_node_;
}

}  // namespace vef::shim
