// SPDX-License-Identifier: Apache-2.0
// What the merge holds of a rank as bytes and back, between processes of the same program on machines of the
// same kind: nothing to keep in a file. Writer and reader walk the same list of members (transfer.h). The
// reader believes no count before the bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store.h"

namespace vef::merge {

template <class T>
concept PlainData = std::is_trivially_copyable_v<T>;

class ArchiveWriter {
 public:
  std::string take() { return std::move(bytes_); }

  template <PlainData T>
  void item(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void item(const std::string& text) { array(text.data(), text.size()); }
  template <PlainData T>
  void item(const Column<T>& column) {
    array(column.data(), column.size());
  }
  template <class T>
  void item(const std::vector<T>& items) {
    item(std::uint64_t{items.size()});
    for (const T& one : items) item(one);
  }
  template <class First, class Second>
  void item(const std::pair<First, Second>& pair) {
    item(pair.first);
    item(pair.second);
  }
  template <class Key, class Value>
  void item(const std::map<Key, Value>& items) {
    item(std::uint64_t{items.size()});
    for (const auto& [key, value] : items) {
      item(key);
      item(value);
    }
  }
  /// What lists its members.
  template <class T>
  requires requires(T& value, ArchiveWriter& archive) { transfer(archive, value); }
  void item(const T& value) {
    transfer(*this, const_cast<T&>(value));  // a writer changes nothing
  }
  template <class... Items>
  void operator()(const Items&... items) {
    (item(items), ...);
  }

 private:
  template <class T>
  void array(const T* first, std::size_t count) {
    item(std::uint64_t{count});
    if (count != 0) bytes_.append(reinterpret_cast<const char*>(first), count * sizeof(T));
  }

  std::string bytes_;
};

class ArchiveReader {
 public:
  /// `store`: where columns go; null: memory.
  explicit ArchiveReader(std::string_view bytes, Store* store = nullptr) : left_(bytes), store_(store) {}

  /// Everything was there, and nothing is left.
  bool finished() const { return sound_ && left_.empty(); }

  template <PlainData T>
  void item(T& value) {
    take(&value, sizeof value);
  }
  void item(std::string& text) {
    text.resize(count(1));
    take(text.data(), text.size());
  }
  template <PlainData T>
  void item(Column<T>& column) {
    const std::size_t size = count(sizeof(T));
    column.set_store(store_);
    column.assign(size, T{});
    take(column.data(), size * sizeof(T));
  }
  template <class T>
  void item(std::vector<T>& items) {
    items.resize(count(1));
    for (T& one : items) item(one);
  }
  template <class First, class Second>
  void item(std::pair<First, Second>& pair) {
    item(pair.first);
    item(pair.second);
  }
  template <class Key, class Value>
  void item(std::map<Key, Value>& items) {
    for (std::size_t left = count(1); left > 0; --left) {
      Key key{};
      item(key);
      item(items[key]);
    }
  }
  template <class T>
  requires requires(T& value, ArchiveReader& archive) { transfer(archive, value); }
  void item(T& value) { transfer(*this, value); }
  template <class... Items>
  void operator()(Items&... items) {
    (item(items), ...);
  }

 private:
  /// Of things of at least so many bytes each; 0 where so many cannot follow.
  std::size_t count(std::size_t least_bytes) {
    std::uint64_t number = 0;
    item(number);
    if (number <= left_.size() / least_bytes) return static_cast<std::size_t>(number);
    sound_ = false;
    return 0;
  }
  void take(void* to, std::size_t size) {
    sound_ = sound_ && size <= left_.size();
    if (!sound_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
  Store* store_;
  bool sound_ = true;
};

}  // namespace vef::merge
