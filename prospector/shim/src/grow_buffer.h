// SPDX-License-Identifier: Apache-2.0
// A plain array that grows and never throws. For trivially copyable elements; memory from malloc; kept until
// the end of the process. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace vef::shim {

template <class T>
class GrowBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for `count` elements; their old contents stay. False where there is no memory.
  bool reserve(std::size_t count) {
    if (count <= capacity_) [[likely]]
      return true;
    std::size_t wanted = capacity_ < 64 ? 64 : capacity_ * 2;
    if (wanted < count) wanted = count;
    if (wanted > static_cast<std::size_t>(-1) / 2 / sizeof(T)) return false;
    void* grown = std::realloc(static_cast<void*>(data_), wanted * sizeof(T));
    if (grown == nullptr) return false;
    data_ = static_cast<T*>(grown);
    capacity_ = wanted;
    return true;
  }

  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace vef::shim
