// SPDX-License-Identifier: Apache-2.0
// Which operation a request handle stands for. Handles are not unique: both MPIs give all sends that
// completed at once the same handle, so a handle maps to a queue of operations, oldest first. An
// open-addressing table whose slots hold the oldest operation in place; further ones are chained. Thread safe
// through TableGuard.
//
// The same table maps message handles (MPI_Mprobe) to message numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lock.h"
#include "open_addressing.h"

namespace vef::shim {

enum class OperationKind : std::uint8_t {
  kSend,
  kReceive,
  kPlain,               // nothing is known of its completion but that: collectives, one-sided access, files
  kPartitionedReceive,  // from one source, with one tag
  kSendReceive,         // MPI_Isendrecv: one request, the send is `number`, the receive is `number` + 1
  kCommDup,             // MPI_Comm_idup: the new communicator is known at completion
  kMessage,             // a message found by MPI_Mprobe
};

struct Operation {
  std::uint64_t number = 0;  // from 1; 0: none
  // Receives: bytes, source and tag, canonical. Partitioned sends: bytes of a part. kCommDup: where the
  // library puts the new handle, an address, and the new communicator's number.
  std::uint64_t room = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  OperationKind kind = OperationKind::kSend;
  // The next four are looked at in one go by is_plain().
  bool persistent = false;
  bool active = true;      // persistent ones: started and not completed
  bool from_null = false;  // a receive from MPI_PROC_NULL: its status tells nothing
  bool cancelled = false;  // MPI_Cancel was called

  /// A send or receive that ends when its request does, of which the status tells all.
  bool is_plain() const { return kind <= OperationKind::kReceive && state() == Operation{}.state(); }

 private:
  std::uint32_t state() const {
    std::uint32_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(this) + offsetof(Operation, persistent), sizeof word);
    return word;
  }
};
static_assert(offsetof(Operation, cancelled) == offsetof(Operation, persistent) + 3);

class RequestTable {
 public:
  /// Memory for the first requests; false where there is none. Before everything else.
  bool start();

  /// Gives the memory back. There is no destructor: the recorder's tables live as long as the process, and
  /// threads may still be at them while it ends.
  void release();

  /// Appends to (front: puts at the head of) the handle's queue. False: no memory, the operation is
  /// forgotten.
  [[gnu::always_inline]] bool push(std::uint64_t handle, Operation operation, bool front = false) {
    if (threads_are_concurrent) [[unlikely]]  // another may be changing the table
      return push_slowly(handle, operation, front);
    const std::size_t index = handle_hash(handle) & (capacity_ - 1);
    if (used_slots_ * 2 >= capacity_ || slots_[index].used()) [[unlikely]]
      return push_slowly(handle, operation, front);
    Slot& slot = slots_[index];
    slot.handle = handle;
    slot.first = operation;
    slot.next = slot.last = 0;
    ++used_slots_;
    return true;
  }

  /// Takes the oldest operation of the handle out of the table.
  bool pop(std::uint64_t handle, Operation& operation);

  /// Changes the handle's oldest operation in place: `change(operation)` is called under the lock and returns
  /// whether the operation leaves the table. False: the handle is not known.
  template <class Change>
  bool update(std::uint64_t handle, Change change) {
    TableGuard guard(lock_);
    const std::size_t index = find(handle);
    if (index == kNone) return false;
    if (change(slots_[index].first)) remove_first(index);
    return true;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Where the handle's oldest operation is, if it is plain, else kNone; until the table changes. In one
  /// thread only, as are the next two.
  [[gnu::always_inline]] std::size_t find_plain(std::uint64_t handle) const {
    const std::size_t index = find(handle);
    return index != kNone && slots_[index].first.is_plain() ? index : kNone;
  }
  const Operation& at(std::size_t index) const { return slots_[index].first; }
  [[gnu::always_inline]] void take(std::size_t index) { remove_first(index); }

  std::size_t size() const { return used_slots_ + chained_; }

 private:
  struct Node {
    Operation operation;
    std::uint32_t next;
  };
  // A power of two, so that places take a shift; and one line of the cache.
  struct alignas(64) Slot {
    std::uint64_t handle;
    Operation first;
    std::uint32_t next;  // of the chain, index + 1 into nodes_; 0: end
    std::uint32_t last;

    bool used() const { return first.number != 0; }
    void clear() { first.number = 0; }
  };

  /// Index of the handle's slot; kNone if it has none.
  [[gnu::always_inline]] std::size_t find(std::uint64_t handle) const {
    const std::size_t index = handle_hash(handle) & (capacity_ - 1);
    if (slots_[index].handle == handle && slots_[index].used()) [[likely]]
      return index;
    return find_further(handle, index);
  }
  [[gnu::noinline]] std::size_t find_further(std::uint64_t handle, std::size_t index) const {
    for (; slots_[index].used(); index = (index + 1) & (capacity_ - 1)) {
      if (slots_[index].handle == handle) return index;
    }
    return kNone;
  }
  // By value: so that only here it must lie in memory.
  bool push_slowly(std::uint64_t handle, Operation operation, bool front);
  [[gnu::always_inline]] void remove_first(std::size_t index) {
    Slot& slot = slots_[index];
    if (slot.next != 0) [[unlikely]]
      return remove_chained(slot);
    if (slots_[(index + 1) & (capacity_ - 1)].used()) [[unlikely]]
      close_hole(slots_, capacity_, index);
    else
      slot.clear();
    --used_slots_;
  }
  void remove_chained(Slot& slot);
  bool grow_slots();
  std::uint32_t new_node();

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t used_slots_ = 0;
  Node* nodes_ = nullptr;
  std::uint32_t node_capacity_ = 0;
  std::uint32_t free_node_ = 0;  // index + 1 of the first free node; 0: none
  std::size_t chained_ = 0;
  SpinLock lock_;
};

}  // namespace vef::shim
