// SPDX-License-Identifier: Apache-2.0
// The units of the project. Simulated time is an integer number of picoseconds, sizes are bytes, rates are
// bits per second; text forms are for people and for configuration files.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "vef/base/result.h"

namespace vef {

using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Picoseconds kPicosPerNano = 1'000;
inline constexpr Picoseconds kPicosPerSecond = 1'000'000'000'000;

/// Time to put `bytes` on a link of `bits_per_second`: ceil(8 * bytes * 10^12 / rate) ps. The rate must be >
/// 0; saturates at kNever.
Picoseconds serialisation_time(std::uint64_t bytes, std::uint64_t bits_per_second);

/// a + b, or kNever where that does not fit. Both must be >= 0.
inline Picoseconds saturating_add(Picoseconds a, Picoseconds b) { return a > kNever - b ? kNever : a + b; }

/// sum += value, or the largest number where that does not fit: byte counts of a hostile trace must not wrap.
inline void saturating_add_to(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

/// a * b, or the largest number where that does not fit.
inline std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

// Parsers of configuration values; an error says what was found and which units exist.
Result<Picoseconds> parse_time(std::string_view text);     // "350ns" "1.5us" "2ms" "1s" "10ps"
Result<std::uint64_t> parse_bytes(std::string_view text);  // "4096" "4096B" "128KiB" "1MiB" "9.6kB"
Result<std::uint64_t> parse_rate(std::string_view text);   // "400Gbps" "100 Gb/s" "25e9bps": bits per second

std::string format_time(Picoseconds time);               // "13.4 ms", four significant digits
std::string format_bytes(std::uint64_t bytes);           // "9.4 MiB"
std::string format_count(std::uint64_t count);           // "1,234,567"
std::string format_rate(std::uint64_t bits_per_second);  // "400 Gb/s"

}  // namespace vef
