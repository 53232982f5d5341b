// SPDX-License-Identifier: Apache-2.0
#include "trace_tail.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "byte_file.h"
#include "little_endian.h"

namespace vef::formats {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kFrameMagic = 0x184D2A56;
constexpr std::string_view kSignature = "VEFINDX1";
constexpr std::size_t kFrameHeadBytes = 8;
constexpr std::size_t kPayloadHeadBytes = 16;
constexpr std::size_t kEntryBytes = 32;
constexpr std::size_t kEndBytes = 16;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string encode_metadata(const Metadata& metadata) {
  Json object = Json::object();
  for (const auto& [key, value] : metadata) {
    if (!object.contains(key)) {
      object[key] = value;
    } else if (Json& present = object[key]; present.is_array()) {
      present.push_back(value);
    } else {
      present = Json::array({present, value});
    }
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A text, or a number or boolean as its text. False: neither.
bool append_value(const std::string& key, const Json& value, Metadata& metadata) {
  if (value.is_string()) {
    metadata.emplace_back(key, value.get<std::string>());
  } else if (value.is_primitive()) {
    metadata.emplace_back(key, value.dump());
  } else {
    return false;
  }
  return true;
}

bool decode_metadata(std::string_view text, Metadata& metadata) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return false;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_array()) {
      if (!append_value(key, value, metadata)) return false;
      continue;
    }
    for (const Json& element : value) {
      if (!append_value(key, element, metadata)) return false;
    }
  }
  return true;
}

bool decode_payload(std::string_view payload, TraceTail& tail) {
  const std::size_t body = payload.size() - kEndBytes;
  if (payload.substr(0, kSignature.size()) != kSignature) return false;
  if (checksum(payload.substr(0, body)) != get_number(payload, body, 4)) return false;
  const std::uint64_t frames = get_number(payload, 8, 4);
  const std::uint64_t metadata_bytes = get_number(payload, 12, 4);
  if (kPayloadHeadBytes + frames * kEntryBytes + metadata_bytes != body) return false;
  tail.frames.resize(frames);
  std::size_t at = kPayloadHeadBytes;
  for (TracePart& entry : tail.frames) {
    entry = {get_number(payload, at, 8), get_number(payload, at + 8, 8), get_number(payload, at + 16, 8),
             get_number(payload, at + 24, 8)};
    at += kEntryBytes;
  }
  return decode_metadata(payload.substr(at, metadata_bytes), tail.metadata);
}

}  // namespace

bool starts_tail(std::string_view bytes) {
  return bytes.size() >= 4 && get_number(bytes, 0, 4) == kFrameMagic;
}

Result<std::string> encode_tail(const TraceTail& tail) {
  const std::string metadata = encode_metadata(tail.metadata);
  const std::uint64_t size =
      kPayloadHeadBytes + tail.frames.size() * kEntryBytes + metadata.size() + kEndBytes;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorKind::kInput,
                 "index and metadata of " + std::to_string(size) + " bytes; expected below 4 GiB"};
  }
  std::string payload(kSignature);
  payload.reserve(size);
  put_number(payload, tail.frames.size(), 4);
  put_number(payload, metadata.size(), 4);
  for (const TracePart& entry : tail.frames) {
    for (const std::uint64_t value : {entry.offset, entry.first_line, entry.earliest, entry.latest}) {
      put_number(payload, value, 8);
    }
  }
  payload += metadata;
  put_number(payload, checksum(payload), 4);
  put_number(payload, size, 4);
  payload += kSignature;

  std::string frame;
  frame.reserve(kFrameHeadBytes + payload.size());
  put_number(frame, kFrameMagic, 4);
  put_number(frame, size, 4);
  return frame + payload;
}

Result<TraceTail> read_tail(const InputFile& file) {
  constexpr std::size_t kLeast = kPayloadHeadBytes + kEndBytes;
  if (file.size() < kFrameHeadBytes + kLeast) return TraceTail{};
  const auto end = file.read_at(file.size() - kEndBytes, kEndBytes);
  if (!end) return end.error();
  if (std::string_view(*end).substr(8) != kSignature) return TraceTail{};

  const auto size = static_cast<std::size_t>(get_number(*end, 4, 4));
  const Error damaged = input_error(file.path(), 0, "the index and metadata at the file's end are damaged");
  if (size < kLeast || size + kFrameHeadBytes > file.size()) return damaged;
  const auto frame = file.read_at(file.size() - size - kFrameHeadBytes, size + kFrameHeadBytes);
  if (!frame) return frame.error();
  if (get_number(*frame, 0, 4) != kFrameMagic || get_number(*frame, 4, 4) != size) return damaged;
  TraceTail tail;
  tail.offset = file.size() - size - kFrameHeadBytes;
  if (!decode_payload(std::string_view(*frame).substr(kFrameHeadBytes), tail)) return damaged;
  return tail;
}

}  // namespace vef::formats
