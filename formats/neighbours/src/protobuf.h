// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers (protobuf.dev, "Encoding"), as far as small fixed schemas need it.
//
// A message is a row of fields: a varint with the field's number and its wire type in the low three bits,
// then the value. What a reader does not know it skips. Views are into the scanned bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "little_endian.h"

namespace vef::neighbours {

enum class ProtoWire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// Takes a varint off the front of `bytes`. False: it does not end there, or has more than 64 bits.
inline bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  constexpr std::size_t kMostBytes = 10;
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kMostBytes; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (i == kMostBytes - 1 && byte > 1) return false;
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// A field: `number` and `wire`, then `value` (numbers, in their raw bits) or `bytes`.
struct ProtoField {
  std::uint64_t number = 0;
  ProtoWire wire = ProtoWire::kVarint;
  std::uint64_t value = 0;
  std::string_view bytes;
};

/// Walks through the fields of a message.
class ProtoScanner {
 public:
  explicit ProtoScanner(std::string_view message) : rest_(message) {}

  /// False: the end, or damage.
  bool next(ProtoField& field) {
    std::uint64_t key = 0;
    if (rest_.empty()) return false;
    if (!take_varint(rest_, key) || key >> 3 == 0) return fail();
    field.number = key >> 3;
    field.wire = static_cast<ProtoWire>(key & 7);
    switch (field.wire) {
      case ProtoWire::kVarint:
        return take_varint(rest_, field.value) || fail();
      case ProtoWire::kFixed64:
        return fixed<std::uint64_t>(field) || fail();
      case ProtoWire::kFixed32:
        return fixed<std::uint32_t>(field) || fail();
      case ProtoWire::kBytes: {
        std::uint64_t size = 0;
        if (!take_varint(rest_, size) || size > rest_.size()) return fail();
        field.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
    }
    return fail();
  }

  bool is_damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    rest_ = {};
    return false;
  }

  template <class T>
  bool fixed(ProtoField& field) {
    if (rest_.size() < sizeof(T)) return false;
    std::size_t at = 0;
    field.value = take_little<T>(rest_, at);
    rest_.remove_prefix(at);
    return true;
  }

  std::string_view rest_;
  bool damaged_ = false;
};

inline void put_proto_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  put_varint(out, std::uint64_t{field} << 3 | static_cast<std::uint64_t>(ProtoWire::kVarint));
  put_varint(out, value);
}

inline void put_proto_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_varint(out, std::uint64_t{field} << 3 | static_cast<std::uint64_t>(ProtoWire::kBytes));
  put_varint(out, bytes.size());
  out += bytes;
}

}  // namespace vef::neighbours
