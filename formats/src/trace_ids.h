// SPDX-License-Identifier: Apache-2.0
// How many different ids were seen, whatever they are: a bitmap where they are dense, a hash set for the
// rest. Memory follows the number of ids, never their size. Not thread safe.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace vef::formats {

class DistinctIds {
 public:
  /// True if `id` is new.
  bool insert(std::uint64_t id) {
    if (id >= bits_.size() * 64 && !make_room(id)) return count_new(sparse_.insert(id).second);
    // An id may have come before the bitmap reached it.
    if (!sparse_.empty() && sparse_.contains(id)) return false;
    std::uint64_t& word = bits_[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return count_new(is_new);
  }

  std::uint64_t size() const { return count_; }

 private:
  static constexpr std::uint64_t kBitsPerId = 64;
  static constexpr std::uint64_t kFreeIds = 64 * 1024;

  bool make_room(std::uint64_t id) {
    if (id / kBitsPerId > count_ + kFreeIds / kBitsPerId) return false;
    bits_.resize(id / 64 * 3 / 2 + 64);
    return true;
  }
  bool count_new(bool is_new) {
    count_ += is_new ? 1 : 0;
    return is_new;
  }

  std::vector<std::uint64_t> bits_;
  std::unordered_set<std::uint64_t> sparse_;
  std::uint64_t count_ = 0;
};

}  // namespace vef::formats
