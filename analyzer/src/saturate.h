// SPDX-License-Identifier: Apache-2.0
// Sums and products that stay at the highest value instead of wrapping: sizes in a trace are the user's.
#pragma once

#include <cstdint>
#include <limits>

namespace vef::analyzer {

inline void add_to(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

}  // namespace vef::analyzer
