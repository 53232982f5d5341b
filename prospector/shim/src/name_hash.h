// SPDX-License-Identifier: Apache-2.0
// A short stand-in for a name that all ranks compute alike: FNV-1a, 64 bits.
#pragma once

#include <cstdint>

namespace vef::shim {

inline std::uint64_t name_hash(const char* name) {
  std::uint64_t value = 14695981039346656037ULL;
  for (; *name != '\0'; ++name) value = (value ^ static_cast<unsigned char>(*name)) * 1099511628211ULL;
  return value;
}

}  // namespace vef::shim
