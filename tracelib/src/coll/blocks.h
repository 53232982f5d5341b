// SPDX-License-Identifier: Apache-2.0
// How a buffer is divided into blocks: one per rank (gather, scatter, all-gather), evenly with the remainder
// in front (rings, reduce-scatter), or with a rounded-up block size and a short tail (scatter of a
// broadcast).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "plan.h"

namespace vef::tracelib::coll {

/// One block per rank, in rank order. Equal blocks cost no memory; of unequal ones the offsets are given.
class BlockLayout {
 public:
  BlockLayout() = default;
  BlockLayout(std::int32_t size, std::uint64_t block) : size_(size), block_(block) {}
  /// offsets[i] = where block i begins; size + 1 entries, which must outlive the layout.
  explicit BlockLayout(std::span<const std::uint64_t> offsets)
      : size_(static_cast<std::int32_t>(offsets.size()) - 1), offsets_(offsets) {}

  std::int32_t size() const { return size_; }
  std::uint64_t offset(std::int32_t i) const {
    return offsets_.empty() ? static_cast<std::uint64_t>(i) * block_ : offsets_[i];
  }
  std::uint64_t total() const { return offset(size_); }
  std::uint64_t bytes(std::int32_t i) const { return offset(i + 1) - offset(i); }
  Piece block(std::int32_t i) const { return {offset(i), bytes(i)}; }

 private:
  std::int32_t size_ = 0;
  std::uint64_t block_ = 0;
  std::span<const std::uint64_t> offsets_;
};

/// `count` blocks from `first` on, past the last block on to block 0.
struct BlockRange {
  const BlockLayout& layout;
  std::int32_t first;
  std::int32_t count;

  std::int32_t until_end() const { return std::min(count, layout.size() - first); }
  Piece head() const {
    return {layout.offset(first), layout.offset(first + until_end()) - layout.offset(first)};
  }
  Piece tail() const { return {0, layout.offset(count - until_end())}; }
  std::uint64_t size() const { return head().count + tail().count; }
  template <class Visit>
  void for_each(Visit visit) const {
    head().for_each(visit);
    tail().for_each(visit);
  }
};

/// A vector of `bytes` in elements of `element` bytes; the last element is short where it does not divide.
/// Algorithms split between elements only.
struct Elements {
  std::uint64_t bytes = 0;
  std::uint64_t element = 1;

  std::uint64_t count() const { return bytes / element + (bytes % element != 0 ? 1 : 0); }
  Piece range(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t begin = std::min(first * element, bytes);
    return {begin, std::min(last * element, bytes) - begin};
  }
  Piece all() const { return {0, bytes}; }
};

/// `count` elements in `parts` blocks, the first count % parts of them one element longer.
struct EvenSplit {
  std::uint64_t count = 0;
  std::uint64_t parts = 1;

  std::uint64_t begin(std::uint64_t i) const { return i * (count / parts) + std::min(i, count % parts); }
};

/// Segments of a pipelined message; segment size 0: one segment. An empty message is one empty segment.
struct Segments {
  std::uint64_t bytes = 0;
  std::uint64_t segment = 0;

  std::uint64_t count() const {
    if (segment == 0 || bytes == 0) return 1;
    return bytes / segment + (bytes % segment != 0 ? 1 : 0);
  }
  Piece piece(std::uint64_t i, std::uint64_t offset = 0) const {
    if (segment == 0) return {offset, bytes};
    const std::uint64_t begin = i * segment;
    return {offset + begin, std::min(segment, bytes - begin)};
  }
};

}  // namespace vef::tracelib::coll
