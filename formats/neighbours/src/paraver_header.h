// SPDX-License-Identifier: Apache-2.0
// The header of a Paraver trace.
#pragma once

#include <unordered_map>
#include <vector>

#include "text_scanner.h"
#include "vef/formats/trace.h"

namespace vef::neighbours::paraver {

struct Header {
  formats::TaskId tasks = 0;
  std::uint64_t nanoseconds = 1;  // in the unit of its times
  /// Members by the numbers of communicators.
  std::unordered_map<std::uint64_t, std::vector<formats::TaskId>> comms;
};

/// Reads the first line and those of the communicators; `lines` stands at the first line behind them then, if
/// `more`.
Result<Header> read_header(LineReader& lines, bool& more);

/// Reads numbers that colons divide; more than `highest` of them is a fault.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }
  /// False: no number stands there.
  bool next(std::uint64_t& value) {
    std::size_t size = 0;
    value = 0;
    while (size < text_.size() && is_digit(text_[size])) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(text_[size] - '0'), &value))
        return false;
      ++size;
    }
    if (size == 0 || (size < text_.size() && text_[size] != ':')) return false;
    text_.remove_prefix(std::min(size + 1, text_.size()));
    return true;
  }

 private:
  std::string_view text_;
};

}  // namespace vef::neighbours::paraver
