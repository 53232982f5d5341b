// SPDX-License-Identifier: Apache-2.0
// Writes one JSON object into a buffer of fixed size; strings that do not fit are cut.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::shim {

class JsonText {
 public:
  JsonText(char* buffer, std::size_t size) : buffer_(buffer), size_(size) {}

  void open() { put('{'); }
  void close();
  void open_object(const char* key);
  void open_element();  // an object in an array
  void close_object();
  void open_array(const char* key);
  void close_array();
  void text(const char* key, const char* value);
  void text(const char* key, std::size_t key_length, const char* value);
  void number(const char* key, std::uint64_t value);
  void signed_number(const char* key, std::int64_t value);
  void boolean(const char* key, bool value);
  /// The arguments of this process, as an array of strings (at most the first 32 KiB of them).
  void command_line(const char* key);

  std::size_t length() const { return length_; }

 private:
  void put(char c);
  void put(const char* plain);
  void put_string(const char* value, std::size_t length);
  void put_key(const char* key);
  void start_entry();

  static constexpr std::size_t kReserve = 1024;  // what strings leave free for the rest of the object

  char* buffer_;
  std::size_t size_;
  std::size_t length_ = 0;
  bool first_ = true;
};

}  // namespace vef::shim
