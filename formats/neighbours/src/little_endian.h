// SPDX-License-Identifier: Apache-2.0
// Packed little-endian numbers, as binary formats of x86 programs have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vef::neighbours {

template <class T>
void put_little(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
}

/// `bytes` holds at least sizeof(T) more at `offset`, which moves on.
template <class T>
T take_little(std::string_view bytes, std::size_t& offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  offset += sizeof(T);
  return static_cast<T>(value);
}

}  // namespace vef::neighbours
