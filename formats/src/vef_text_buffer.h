// SPDX-License-Identifier: Apache-2.0
// The text of a trace as a window that moves over it. Two ways to read: token by token (header and
// communicator lines, which may be longer than the window), then window by window of whole lines (records).
// Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.h"
#include "vef/base/result.h"

namespace vef::formats {

/// Characters that stand between fields.
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// `text` in quotes for a message: at most 24 characters, what is not printable ASCII as \xNN.
std::string quoted(std::string_view text);

/// Digits only, the whole of `text`, at most `highest`.
bool parse_number(std::string_view text, std::uint64_t highest, std::uint64_t& value);

class VefTextBuffer {
 public:
  explicit VefTextBuffer(std::unique_ptr<ByteSource> source);

  const ByteSource& source() const { return *source_; }

  /// True: the next field of the line. False: the line has ended (its end is consumed) or the text has. A
  /// field longer than 64 characters is cut there and closed by '~', so that it is no number.
  Result<bool> next_field(std::string& field);
  /// True where no character is left.
  Result<bool> at_end();

  enum class Fill { kLines, kEnd, kLineTooLong };
  /// Makes [cursor(), lines_end()) hold at least one whole line, LF included. The last line is given an LF if
  /// it has none. A line must fit into the window.
  Result<Fill> fill_lines();
  const char* cursor() const { return cursor_; }
  const char* lines_end() const { return lines_end_; }
  /// `position` is in [cursor(), lines_end()].
  void advance_to(const char* position) { cursor_ = position; }

  static constexpr std::size_t kWindowBytes = 256 * 1024;

 private:
  /// Moves what is left to the front and reads more behind it; false: nothing came.
  Result<bool> read_more();

  std::unique_ptr<ByteSource> source_;
  std::vector<char> window_;
  const char* cursor_;
  const char* lines_end_;
  char* data_end_;
  bool ended_ = false;
};

}  // namespace vef::formats
