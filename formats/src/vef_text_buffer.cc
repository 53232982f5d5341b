// SPDX-License-Identifier: Apache-2.0
#include "vef_text_buffer.h"

#include <cstring>
#include <limits>
#include <utility>

#include "byte_file.h"
#include "vef/base/text.h"

namespace vef::formats {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      append_hex_byte(result, byte);
    }
  }
  return result + (text.size() > kLongest ? "...'" : "'");
}

bool parse_number(std::string_view text, std::uint64_t highest, std::uint64_t& value) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (kMax - digit) / 10) return false;
    number = number * 10 + digit;
  }
  value = number;
  return !text.empty() && number <= highest;
}

VefTextBuffer::VefTextBuffer(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), window_(kWindowBytes + 1) {  // one more for the LF a last line may lack
  cursor_ = lines_end_ = data_end_ = window_.data();
}

Result<bool> VefTextBuffer::read_more() {
  if (ended_) return false;
  const auto left = static_cast<std::size_t>(data_end_ - cursor_);
  std::memmove(window_.data(), cursor_, left);
  cursor_ = lines_end_ = window_.data();
  data_end_ = window_.data() + left;
  const auto count = source_->read(data_end_, kWindowBytes - left);
  if (!count) return count.error();
  data_end_ += *count;
  ended_ = *count == 0;
  return !ended_;
}

Result<bool> VefTextBuffer::at_end() {
  if (cursor_ != data_end_) return false;
  const auto more = read_more();
  if (!more) return more.error();
  return !*more;
}

Result<bool> VefTextBuffer::next_field(std::string& field) {
  constexpr std::size_t kLongest = 64;
  field.clear();
  for (;;) {
    const auto end = at_end();
    if (!end) return end.error();
    if (*end) return !field.empty();
    const char c = *cursor_;
    if (c == '\n' && field.empty()) ++cursor_;
    if (c == '\n') return !field.empty();
    ++cursor_;
    if (!is_space(c)) {
      if (field.size() < kLongest) {
        field += c;
      } else if (field.size() == kLongest) {
        field += '~';
      }
    } else if (!field.empty()) {
      return true;
    }
  }
}

Result<VefTextBuffer::Fill> VefTextBuffer::fill_lines() {
  for (;;) {
    const auto length = static_cast<std::size_t>(data_end_ - cursor_);
    if (const void* last = ::memrchr(cursor_, '\n', length); last != nullptr) {
      lines_end_ = static_cast<const char*>(last) + 1;
      return Fill::kLines;
    }
    if (length == kWindowBytes) return Fill::kLineTooLong;
    const auto more = read_more();
    if (!more) return more.error();
    if (*more) continue;
    if (length == 0) return Fill::kEnd;
    *data_end_++ = '\n';
  }
}

}  // namespace vef::formats
