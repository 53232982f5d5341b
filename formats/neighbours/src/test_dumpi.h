// SPDX-License-Identifier: Apache-2.0
// Files of DUMPI for the tests, put together from the layouts of sst-dumpi (commit a4c8bf5, dumpi/common):
// numbers of functions and arguments stand in the tests, none come from the reader's table.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace vef::neighbours::testing {

inline std::string big(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}
inline std::string i32(std::int64_t value) { return big(static_cast<std::uint64_t>(value), 4); }
inline std::string u16(std::uint64_t value) { return big(value, 2); }
inline std::string u8(std::uint64_t value) { return big(value, 1); }
inline std::string u64(std::uint64_t value) { return big(value, 8); }
inline std::string ints(std::initializer_list<std::int64_t> values) {
  std::string text = big(values.size(), 4);
  for (const std::int64_t value : values) text += i32(value);
  return text;
}
inline std::string handles(std::initializer_list<std::uint64_t> values) {
  std::string text = big(values.size(), 4);
  for (const std::uint64_t value : values) text += u16(value);
  return text;
}
inline std::string chars(std::string_view text) { return big(text.size(), 4) + std::string(text); }
inline std::string no_status() { return big(0, 4); }
/// bytes, source, cancelled, error, tag
inline std::string status(std::int64_t source, std::int64_t tag, bool cancelled = false) {
  return i32(77) + i32(source) + u8(cancelled ? 1 : 0) + u8(0) + i32(tag);
}
inline std::string one_status(std::int64_t source, std::int64_t tag, bool cancelled = false) {
  return big(1, 4) + status(source, tag, cancelled);
}

inline constexpr std::uint64_t kInt = 9;
inline constexpr std::uint64_t kByte = 5;
inline constexpr std::uint64_t kWorld = 2;

/// count, datatype, peer, tag, communicator
inline std::string message(std::int64_t count, std::int64_t peer, std::int64_t tag,
                           std::uint64_t type = kByte, std::uint64_t comm = kWorld) {
  return i32(count) + u16(type) + i32(peer) + i32(tag) + u16(comm);
}

/// The calls of a rank. Each takes 1 us, and begins `gap` nanoseconds after the one before.
class DumpiRank {
 public:
  DumpiRank& call(int function, const std::string& arguments, std::uint64_t gap = 0,
                  std::uint64_t thread = 0) {
    now_ += gap;
    stream_ += u16(static_cast<std::uint64_t>(function)) + u8(0x4b) + u16(thread) + time(now_);
    now_ += 1000;
    stream_ += time(now_) + arguments;
    return *this;
  }
  /// As `mask` says, the rest of the call being given.
  DumpiRank& raw(int function, int mask, const std::string& rest) {
    stream_ += u16(static_cast<std::uint64_t>(function)) + u8(static_cast<std::uint64_t>(mask)) + rest;
    return *this;
  }
  DumpiRank& init() { return call(124, ints({})); }
  DumpiRank& finalize(std::uint64_t gap = 0) { return call(125, "", gap); }

  std::string file(const std::vector<std::uint32_t>& sizes = {}, const std::string& version = "1.0.0") const {
    constexpr std::size_t kStream = 8;
    std::string bytes = "\xff\xaa\xdd\x44UMPI" + big(0, 4) + big(100, 4) + stream_ + u16(293);
    const std::size_t header = bytes.size();
    for (const char c : version) {
      if (c != '.') bytes += u8(static_cast<std::uint64_t>(c - '0'));
    }
    bytes += u64(1) + u16(1) + "h" + u16(1) + "u" + ints({}) + ints({});
    const std::size_t footer = bytes.size();
    bytes += u64(0xf007fee7) + std::string(std::size_t{2} * 291 * 4, '\0');
    const std::size_t keys = bytes.size();
    bytes += big(0, 4);
    const std::size_t table = bytes.size();
    bytes += big(sizes.size(), 4);
    for (const std::uint32_t size : sizes) bytes += big(size, 4);
    return bytes + "\xff\xaa\xdd\x44UMPI" + u64(sizes.empty() ? 0 : table) + u64(0) + u64(0) + u64(header) +
           u64(kStream) + u64(footer) + u64(keys);
  }

 private:
  static std::string time(std::uint64_t nanoseconds) {
    return u16(nanoseconds / 1'000'000'000) + big(nanoseconds % 1'000'000'000, 4);
  }

  std::uint64_t now_ = 5'000'000;
  std::string stream_;
};

}  // namespace vef::neighbours::testing
