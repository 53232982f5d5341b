// SPDX-License-Identifier: Apache-2.0
// Handles that are unique while they live (communicators, windows) -> what the recorder knows of each.
// Handles are reused by the libraries, so an entry lives from the creating call to the freeing one. Open
// addressing; thread safe through TableGuard. Memory from malloc, kept until the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "lock.h"
#include "open_addressing.h"

namespace vef::shim {

template <class Entry>
class HandleTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  /// Memory for the first handles; false where there is none.
  bool start() { return grow(); }

  /// Gives the memory back. There is no destructor: threads may still be at it while the process ends.
  void release() {
    std::free(slots_);
    slots_ = nullptr;
    capacity_ = used_ = 0;
  }

  /// True: `found` is set. False: the handle is not in the table.
  bool find(std::uint64_t handle, Entry& found) {
    TableGuard guard(lock_);
    if (capacity_ == 0) return false;
    const Slot& slot = slots_[place(handle)];
    if (slot.used()) found = slot.entry;
    return slot.used();
  }

  /// Enters the handle or replaces its entry. Without memory for it, it stays unknown.
  void enter(std::uint64_t handle, const Entry& entry) {
    TableGuard guard(lock_);
    if (used_ * 2 >= capacity_ && !grow()) return;
    insert(handle, entry);
  }

  /// Takes the handle out. True: `removed` is what it was.
  bool remove(std::uint64_t handle, Entry& removed) {
    TableGuard guard(lock_);
    if (capacity_ == 0) return false;
    const std::size_t index = place(handle);
    if (!slots_[index].used()) return false;
    removed = slots_[index].entry;
    close_hole(slots_, capacity_, index);
    --used_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t handle;
    Entry entry;
    bool in_use;

    bool used() const { return in_use; }
    void clear() { in_use = false; }
  };
  static constexpr std::size_t kFirstSlots = 256;

  /// Index of the handle's slot, or of the free one where it would go.
  std::size_t place(std::uint64_t handle) const {
    std::size_t index = handle_hash(handle) & (capacity_ - 1);
    while (slots_[index].used() && slots_[index].handle != handle) index = (index + 1) & (capacity_ - 1);
    return index;
  }

  void insert(std::uint64_t handle, const Entry& entry) {
    Slot& slot = slots_[place(handle)];
    if (!slot.used()) ++used_;
    slot = {.handle = handle, .entry = entry, .in_use = true};
  }

  bool grow() {
    Slot* old = slots_;
    const std::size_t old_capacity = capacity_;
    const std::size_t capacity = old_capacity == 0 ? kFirstSlots : old_capacity * 2;
    auto* slots = static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)));
    if (slots == nullptr) return false;
    slots_ = slots;
    capacity_ = capacity;
    used_ = 0;
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (old[i].used()) insert(old[i].handle, old[i].entry);
    }
    std::free(old);
    return true;
  }

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t used_ = 0;
  SpinLock lock_;
};

}  // namespace vef::shim
