// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

#include <algorithm>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <exception>
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
  namespace io = boost::iostreams;
  std::string out;
  try {  // Boost reports by exceptions; none leaves this room.
    io::filtering_ostream stream;
    stream.push(io::gzip_compressor(io::gzip_params(io::gzip::best_compression)));
    stream.push(io::back_inserter(out));
    stream.write(data.data(), static_cast<std::streamsize>(data.size()));
    stream.reset();  // writes the gzip trailer
  } catch (const std::exception& e) {
    return Error{ErrorKind::kSystem, std::string("compressing the report's data failed: ") + e.what()};
  }
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
