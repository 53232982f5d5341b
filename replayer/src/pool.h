// SPDX-License-Identifier: Apache-2.0
// Storage that is reused instead of freed: objects by index, and a ring that only ever grows. Not thread
// safe.
#pragma once

#include <cstdint>
#include <vector>

namespace vef::replayer {

using Index = std::uint32_t;
inline constexpr Index kNone = 0xffff'ffff;

/// Objects of T by index. T has a member `next`, which links the free ones. References hold until the next
/// take().
template <class T>
class Pool {
 public:
  Index take() {
    if (free_ == kNone) {
      items_.emplace_back();
      return static_cast<Index>(items_.size() - 1);
    }
    const Index index = free_;
    free_ = items_[index].next;
    items_[index] = T{};
    return index;
  }
  void give_back(Index index) {
    items_[index].next = free_;
    free_ = index;
  }
  T& operator[](Index index) { return items_[index]; }
  const T& operator[](Index index) const { return items_[index]; }

 private:
  std::vector<T> items_;
  Index free_ = kNone;
};

/// FIFO in an array of a power of two that doubles when full.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
  const T& front() const { return items_[first_]; }
  void pop_front() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }
  void push_back(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_++) & (items_.size() - 1)] = item;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 4 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    items_.swap(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace vef::replayer
