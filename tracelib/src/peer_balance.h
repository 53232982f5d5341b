// SPDX-License-Identifier: Apache-2.0
// Per peer of one participation: messages arrived minus receives posted. In a large communicator most
// algorithms meet few peers, so there only those take memory until they are many.
#pragma once

#include <cstdint>
#include <vector>

namespace vef::tracelib {

class PeerBalance {
 public:
  /// All balances 0, for ranks 0 .. size - 1. Memory is kept.
  void reset(std::int32_t size) {
    size_ = size;
    sparse_ = size > kDenseRanks;
    used_ = 0;
    if (!sparse_) {
      dense_.assign(static_cast<std::size_t>(size), 0);
    } else {
      slots_.assign(kFirstSlots, Slot{});
    }
  }

  /// The reference holds until the next call.
  std::int32_t& operator[](std::int32_t peer) {
    if (!sparse_) return dense_[static_cast<std::size_t>(peer)];
    if (2 * used_ >= slots_.size()) {
      grow();
      if (!sparse_) return dense_[static_cast<std::size_t>(peer)];
    }
    Slot& slot = find(peer);
    if (slot.peer != peer) slot.peer = peer, ++used_;
    return slot.balance;
  }

 private:
  static constexpr std::int32_t kDenseRanks = 256;
  static constexpr std::size_t kFirstSlots = 32;  // a power of two

  struct Slot {
    std::int32_t peer = -1;
    std::int32_t balance = 0;
  };

  /// The peer's slot, or the free one where it belongs: open addressing, linear probing.
  Slot& find(std::int32_t peer) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::uint32_t>(peer) * 0x9e3779b1u >> 7 & mask;
    while (slots_[at].peer != peer && slots_[at].peer >= 0) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    if (16 * used_ >= static_cast<std::size_t>(size_)) {
      sparse_ = false;
      dense_.assign(static_cast<std::size_t>(size_), 0);
      for (const Slot& slot : slots_) {
        if (slot.peer >= 0) dense_[static_cast<std::size_t>(slot.peer)] = slot.balance;
      }
      return;
    }
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.peer >= 0) find(slot.peer) = slot;
    }
  }

  std::int32_t size_ = 0;
  bool sparse_ = false;
  std::size_t used_ = 0;
  std::vector<std::int32_t> dense_;
  std::vector<Slot> slots_;
};

}  // namespace vef::tracelib
