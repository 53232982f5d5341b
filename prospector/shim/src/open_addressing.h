// SPDX-License-Identifier: Apache-2.0
// What the tables with open addressing and linear probing share: where a handle belongs, and how one leaves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::shim {

inline std::size_t handle_hash(std::uint64_t handle) {
  return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15ULL) >> 32);
}

/// Empties the slot `hole` and moves later ones of its run back, so that no search passes a hole (Knuth, vol.
/// 3, 6.4 R). A slot has `handle`, used() and clear(); `capacity` is a power of two.
template <class Slot>
void close_hole(Slot* slots, std::size_t capacity, std::size_t hole) {
  const std::size_t mask = capacity - 1;
  for (std::size_t next = (hole + 1) & mask; slots[next].used(); next = (next + 1) & mask) {
    const std::size_t home = handle_hash(slots[next].handle) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slots[hole] = slots[next];
    hole = next;
  }
  slots[hole].clear();
}

}  // namespace vef::shim
