// SPDX-License-Identifier: Apache-2.0
// Where the merge keeps what it has read: in memory up to a bound, then in a temporary file without a name
// that is mapped, so that whatever reads it sees no difference. Of the file only what is at work stays
// resident: trim() lets go of the rest, which the system keeps cached as long as nobody else needs the
// memory. Thread safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vef/base/result.h"

namespace vef::merge {

class Store {
 public:
  /// `directory`: where the temporary file goes once it is needed. `bound`: resident bytes; 0: no bound.
  Store(std::string directory, std::uint64_t bound);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t offset = 0;  // in the file
    bool mapped = false;
  };
  /// Of the heap while that is within the bound, else of the file. Where the file cannot grow it is of the
  /// heap too, and status() tells.
  Block take(std::size_t bytes);
  void give_back(const Block& block);
  /// Gives back what is behind the first `bytes`.
  void shrink(Block& block, std::size_t bytes);
  /// As memcpy, with no more of it resident than the bound allows.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);

  /// Whether so much is in the heap that what is finished should move to the file.
  bool is_full() const { return bound_ != 0 && heap_ > bound_ / 4; }
  Block take_of_file(std::size_t bytes);

  /// To be called now and then (see kTrimStep) by who works through what is stored.
  void trim();
  static constexpr std::uint64_t kTrimStep = 1 << 15;  // items between two calls

  Status status() const;
  /// Of the temporary file, at its largest.
  std::uint64_t most_file_bytes() const { return end_; }

 private:
  bool open_file();
  Block fail(std::size_t bytes, const char* what, int number);
  Block heap_block(std::size_t bytes);

  std::string directory_;
  std::uint64_t bound_;
  std::atomic<std::uint64_t> heap_{0};
  std::atomic<std::uint64_t> in_file_{0};
  mutable std::mutex mutex_;  // of all below
  int fd_ = -1;
  std::uint64_t end_ = 0;  // of the file
  std::vector<Block> mapped_;
  Status status_;
};

/// A vector of plain data in a Store, or in the heap where it has none.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  using value_type = T;

  Column() = default;
  explicit Column(Store* store) : store_(store) {}
  Column(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  Column(const Column& other) : store_(other.store_) { append(other.begin(), other.end()); }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { release(); }

  void set_store(Store* store) { store_ = store; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  T& back() { return data_[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) [[unlikely]] {
      const T copy = value;  // it may lie in here
      reserve(capacity_ < 16 ? 16 : 2 * capacity_);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  void push_front(const T& value) {
    push_back(value);
    for (std::size_t i = size_ - 1; i > 0; --i) data_[i] = data_[i - 1];
    data_[0] = value;
  }
  void assign(std::size_t count, const T& value) {
    reserve(count);
    size_ = count;
    for (T& item : *this) item = value;
  }
  void clear() { size_ = 0; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    Column larger(store_);
    larger.block_ = store_ != nullptr ? store_->take(count * sizeof(T)) : heap(count * sizeof(T));
    larger.data_ = reinterpret_cast<T*>(larger.block_.data);
    larger.capacity_ = count;
    larger.size_ = size_;
    if (size_ > 0 && store_ != nullptr) {
      store_->copy(larger.block_.data, reinterpret_cast<const std::byte*>(data_), bytes());
    } else if (size_ > 0) {
      std::memcpy(larger.block_.data, data_, bytes());
    }
    swap(larger);
  }

  /// What lies in the heap moves to `place`, which outlives it and has room for bytes(); what lies in the
  /// file stays, without what it does not use. Returns the bytes moved.
  std::size_t settle(std::byte* place) {
    if (!in_heap()) {
      if (block_.mapped) store_->shrink(block_, bytes());
      capacity_ = size_;
      return 0;
    }
    if (size_ > 0) store_->copy(place, reinterpret_cast<const std::byte*>(data_), bytes());
    const std::size_t size = size_;
    release();
    data_ = reinterpret_cast<T*>(place);
    size_ = capacity_ = size;
    return bytes();
  }
  bool in_heap() const { return block_.data != nullptr && !block_.mapped; }

 private:
  static Store::Block heap(std::size_t bytes) {
    return {static_cast<std::byte*>(::operator new(bytes)), bytes, 0, false};
  }
  void release() {
    if (store_ != nullptr) {
      store_->give_back(block_);
    } else {
      ::operator delete(block_.data);
    }
    block_ = {};
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  void swap(Column& other) {
    std::swap(store_, other.store_);
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  Store* store_ = nullptr;
  Store::Block block_;  // empty: none, or what it has lies in memory of its rank
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace vef::merge
