// SPDX-License-Identifier: Apache-2.0
#include "vef/base/text.h"

#include <cstddef>

namespace vef {

namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none, or with a control
/// character (C0, DEL, C1).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  unsigned code = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return too_long || surrogate || code > 0x10ffff || code < 0xa0 ? 0 : size;
}

}  // namespace

void append_hex_byte(std::string& out, unsigned char byte) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) {
      append_hex_byte(result, static_cast<unsigned char>(text.front()));
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string shell_word(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@%=,-";
  std::string word = name.starts_with('-') ? "./" : "";
  if (!name.empty() && name.find_first_not_of(kPlain) == std::string_view::npos) return word.append(name);
  word += '\'';
  for (const char c : name) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + '\'';
}

}  // namespace vef
