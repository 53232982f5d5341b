// SPDX-License-Identifier: Apache-2.0
// Text formats line by line: a reader of lines from plain, gzip or zstd files, and a scanner within a line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "byte_file.h"
#include "byte_source.h"
#include "vef/base/result.h"
#include "vef_text_buffer.h"

namespace vef::neighbours {

class LineReader {
 public:
  static Result<std::unique_ptr<LineReader>> open(const std::string& path) {
    auto source = formats::ByteSource::open(path);
    if (!source) return source.error();
    return std::unique_ptr<LineReader>(new LineReader(std::move(*source)));
  }

  /// True: line() and text() are those of the next line, without its end. A last line may lack an end.
  Result<bool> next() {
    if (buffer_.cursor() == buffer_.lines_end()) {
      const auto filled = buffer_.fill_lines();
      if (!filled) return filled.error();
      if (*filled == formats::VefTextBuffer::Fill::kEnd) return false;
      ++line_;
      if (*filled == formats::VefTextBuffer::Fill::kLineTooLong) {
        return fault("longer than " + std::to_string(formats::VefTextBuffer::kWindowBytes) +
                     " bytes; expected a shorter line");
      }
    } else {
      ++line_;
    }
    const char* end = buffer_.cursor();
    while (*end != '\n') ++end;
    text_ = {buffer_.cursor(), static_cast<std::size_t>(end - buffer_.cursor())};
    buffer_.advance_to(end + 1);
    return true;
  }

  std::string_view text() const { return text_; }
  std::uint64_t line() const { return line_; }
  Error fault(const std::string& message) const { return input_error(path(), line_, message); }
  const std::string& path() const { return buffer_.source().file().path(); }
  std::uint64_t bytes_read() const { return buffer_.source().file().offset(); }
  std::uint64_t bytes_total() const { return buffer_.source().file().size(); }

 private:
  explicit LineReader(std::unique_ptr<formats::ByteSource> source) : buffer_(std::move(source)) {}

  formats::VefTextBuffer buffer_;
  std::string_view text_;
  std::uint64_t line_ = 0;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace vef::neighbours
