// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace vef::analyzer {

void append_varint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

std::string pack_matrix(const TrafficMatrix& matrix) {
  std::string out;
  const auto side = static_cast<std::size_t>(matrix.side);
  for (std::size_t row = 0; row < side; ++row) {
    const std::uint64_t* messages = matrix.messages.data() + row * side;
    const std::uint64_t* bytes = matrix.bytes.data() + row * side;
    append_varint(side - static_cast<std::size_t>(std::count(messages, messages + side, 0U)), out);
    std::size_t next_column = 0;
    for (std::size_t column = 0; column < side; ++column) {
      if (messages[column] == 0) continue;
      append_varint(column - next_column, out);
      append_varint(messages[column], out);
      append_varint(bytes[column], out);
      next_column = column + 1;
    }
  }
  return out;
}

Result<std::string> gzip(const std::string& data) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemoryLevel = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return Error{ErrorKind::kSystem, "compressing the report's data: out of memory"};
  }
  std::string out;
  char buffer[1 << 16];
  std::size_t consumed = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    // zlib counts in unsigned int: longer data goes in pieces.
    const std::size_t piece =
        std::min<std::size_t>(data.size() - consumed, std::numeric_limits<uInt>::max() / 2);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data() + consumed));
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = deflate(&stream, consumed + piece == data.size() ? Z_FINISH : Z_NO_FLUSH);
    consumed += piece - stream.avail_in;
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return Error{ErrorKind::kSystem, "compressing the report's data failed"};
  return out;
}

std::string base64(const std::string& data) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t length = std::min<std::size_t>(3, data.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < length ? static_cast<unsigned char>(data[i + j]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit) {
      out.push_back(digit <= length ? kDigits[group >> (18 - 6 * digit) & 0x3f] : '=');
    }
  }
  return out;
}

}  // namespace vef::analyzer
