// SPDX-License-Identifier: Apache-2.0
// A hash map from numbers to plain data for the few entries that are live at a time (requests that are
// active): one array, no allocation for an entry. Pointers to values are valid until the next insertion or
// removal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vef::merge {

template <class Value>
class FlatMap {
 public:
  Value* find(std::uint64_t key) {
    const std::size_t at = place_of(key);
    return at == kNone ? nullptr : &entries_[at].value;
  }

  Value& operator[](std::uint64_t key) {
    if (Value* found = find(key)) return *found;
    if (4 * (count_ + 1) > 3 * entries_.size()) grow();
    ++count_;
    Entry& entry = entries_[free_place(key)];
    entry = {key, {}, true};
    return entry.value;
  }

  /// Removes the entry and returns true with its value, if there is one.
  bool take(std::uint64_t key, Value& value) {
    std::size_t hole = place_of(key);
    if (hole == kNone) return false;
    value = entries_[hole].value;
    --count_;
    // Those behind it that would not be found any more move up.
    for (std::size_t at = next(hole); entries_[at].used; at = next(at)) {
      const std::size_t wanted = place(entries_[at].key);
      const bool reachable = hole <= at ? hole < wanted && wanted <= at : hole < wanted || wanted <= at;
      if (reachable) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole].used = false;
    return true;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Value value = {};
    bool used = false;
  };

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t place_of(std::uint64_t key) const {
    if (count_ == 0) return kNone;
    for (std::size_t at = place(key); entries_[at].used; at = next(at)) {
      if (entries_[at].key == key) return at;
    }
    return kNone;
  }
  std::size_t place(std::uint64_t key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(key * kGolden >> shift_);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
  std::size_t free_place(std::uint64_t key) const {
    std::size_t at = place(key);
    while (entries_[at].used) at = next(at);
    return at;
  }
  void grow() {
    const std::vector<Entry> old =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? std::size_t{16} : 2 * entries_.size()));
    shift_ = old.empty() ? 60 : shift_ - 1;
    for (const Entry& entry : old) {
      if (entry.used) entries_[free_place(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;  // a power of two
  std::size_t count_ = 0;
  unsigned shift_ = 60;
};

}  // namespace vef::merge
