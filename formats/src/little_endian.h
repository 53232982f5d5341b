// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes, least significant first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vef::formats {

inline void put_number(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

inline std::uint64_t get_number(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

}  // namespace vef::formats
