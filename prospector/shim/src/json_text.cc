// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <cstdio>
#include <cstring>

namespace vef::shim {

namespace {

/// Bytes of the UTF-8 sequence that begins here; 0: none does.
std::size_t utf8_sequence(const char* text, std::size_t length) {
  const auto lead = static_cast<unsigned char>(*text);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                                                         : 0;
  if (size > length) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

void JsonText::put(char c) {
  if (length_ < size_) buffer_[length_++] = c;
}

void JsonText::put(const char* plain) {
  for (; *plain != '\0'; ++plain) put(*plain);
}

void JsonText::put_string(const char* value, std::size_t length) {
  put('"');
  for (std::size_t i = 0; i < length && length_ + kReserve < size_; ++i) {
    const auto c = static_cast<unsigned char>(value[i]);
    const std::size_t sequence = utf8_sequence(value + i, length - i);
    if (c == '"' || c == '\\') {
      put('\\');
      put(value[i]);
    } else if (c < 0x20 || c == 0x7f || sequence == 0) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", sequence == 0 ? 0xfffdU : c);
      put(escaped);
    } else {
      for (std::size_t k = 0; k < sequence; ++k) put(value[i + k]);
      i += sequence - 1;
    }
  }
  put('"');
}

void JsonText::start_entry() {
  put(first_ ? "\n  " : ",\n  ");
  first_ = false;
}

void JsonText::put_key(const char* key) {
  start_entry();
  put('"');
  put(key);
  put("\": ");
}

void JsonText::close() { put("\n}\n"); }

void JsonText::open_object(const char* key) {
  put_key(key);
  put('{');
  first_ = true;
}

void JsonText::open_element() {
  start_entry();
  put('{');
  first_ = true;
}

void JsonText::open_array(const char* key) {
  put_key(key);
  put('[');
  first_ = true;
}

void JsonText::close_array() {
  put(']');
  first_ = false;
}

void JsonText::close_object() {
  put('}');
  first_ = false;
}

void JsonText::text(const char* key, const char* value) {
  put_key(key);
  put_string(value, std::strlen(value));
}

void JsonText::text(const char* key, std::size_t key_length, const char* value) {
  start_entry();
  put_string(key, key_length);
  put(": ");
  put_string(value, std::strlen(value));
}

void JsonText::number(const char* key, std::uint64_t value) {
  put_key(key);
  char digits[24];
  std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(value));
  put(digits);
}

void JsonText::signed_number(const char* key, std::int64_t value) {
  put_key(key);
  char digits[24];
  std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value));
  put(digits);
}

void JsonText::boolean(const char* key, bool value) {
  put_key(key);
  put(value ? "true" : "false");
}

void JsonText::command_line(const char* key) {
  put_key(key);
  put('[');
  static char arguments[32768];
  std::FILE* file = std::fopen("/proc/self/cmdline", "re");
  const std::size_t length = file != nullptr ? std::fread(arguments, 1, sizeof arguments, file) : 0;
  if (file != nullptr) std::fclose(file);
  for (std::size_t begin = 0; begin < length;) {
    const std::size_t size = strnlen(arguments + begin, length - begin);
    if (begin != 0) put(", ");
    put_string(arguments + begin, size);
    begin += size + 1;
  }
  put(']');
}

}  // namespace vef::shim
