// SPDX-License-Identifier: Apache-2.0
// The messages of Chakra's files, in and out.
#include <bit>
#include <cmath>
#include <limits>

#include "byte_file.h"
#include "chakra.h"
#include "protobuf.h"

namespace vef::neighbours {

namespace {

// Fields of Node.
enum NodeField : std::uint32_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlNeeds = 4,
  kDataNeeds = 5,
  kDurationMicros = 7,
  kInputs = 8,
  kAttribute = 10,
};
constexpr std::uint32_t kAttributeName = 1;
constexpr std::uint32_t kStringValue = 29;
constexpr std::uint32_t kInputValues = 1;

constexpr auto kMostWhole = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

ChakraNumber whole(std::uint64_t value) { return {true, value <= kMostWhole, value}; }

ChakraNumber real(double value) {
  constexpr double kMost = 9.2e18;
  const bool is_whole = value >= 0 && value < kMost;
  return {true, is_whole, is_whole ? static_cast<std::uint64_t>(value) : 0};
}

/// Numbers are taken in any type: writers differ. A negative one is one beyond 2^63 - 1 in its raw bits.
ChakraNumber number_of(const ProtoField& field) {
  switch (field.number) {
    case 3:
      return real(std::bit_cast<double>(field.value));
    case 5:
      return real(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value))));
    case 15:
    case 17:  // zigzag: the sign is the lowest bit
      return {true, (field.value & 1) == 0, field.value >> 1};
    case 23:
      return {true, field.value <= std::numeric_limits<std::int32_t>::max(), field.value};
    case 7:
    case 9:
    case 11:
    case 13:
    case 19:
    case 21:
    case 25:
    case 27:
      return whole(field.value);
    default:
      return {};
  }
}

bool parse_attribute(std::string_view message, ChakraNode& node) {
  ProtoScanner fields(message);
  ProtoField field;
  std::string_view name;
  std::string_view text;
  ChakraNumber number;
  while (fields.next(field)) {
    if (field.number == kAttributeName) {
      name = field.bytes;
    } else if (field.number == kStringValue) {
      text = field.bytes;
    } else if (field.wire != ProtoWire::kBytes) {
      number = number_of(field);
    }
  }
  if (name == "is_cpu_op") node.is_cpu = number.value != 0;
  if (name == "pg_name") node.group = text;
  if (!number.is_there) return !fields.is_damaged();
  if (name == kChakraNanos) node.nanos = number;
  if (name == "num_ops") node.operations = number;
  if (name == "comm_type") node.comm_type = number;
  if (name == "comm_size") node.comm_size = number;
  if (name == "comm_src") node.source = number;
  if (name == "comm_dst") node.destination = number;
  if (name == "comm_tag") node.tag = number;
  if (name == kChakraRoot) node.root = number;
  return !fields.is_damaged();
}

bool parse_needs(const ProtoField& field, std::vector<std::uint64_t>& needs) {
  if (field.wire == ProtoWire::kVarint) {
    needs.push_back(field.value);
    return true;
  }
  for (std::string_view rest = field.bytes; !rest.empty();) {
    std::uint64_t id = 0;
    if (!take_varint(rest, id)) return false;
    needs.push_back(id);
  }
  return field.wire == ProtoWire::kBytes;
}

/// Whether the field has the type that the schema gives it.
bool has_wire(const ProtoField& field) {
  switch (field.number) {
    case kId:
    case kType:
    case kDurationMicros:
      return field.wire == ProtoWire::kVarint;
    case kName:
    case kInputs:
    case kAttribute:
      return field.wire == ProtoWire::kBytes;
    default:
      return true;
  }
}

}  // namespace

void ChakraNode::clear() {
  std::vector<std::uint64_t> kept = std::move(needs);
  kept.clear();
  *this = {};
  needs = std::move(kept);
}

bool parse_chakra_node(std::string_view message, ChakraNode& node) {
  node.clear();
  ProtoScanner fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (!has_wire(field)) return false;
    bool sound = true;
    if (field.number == kId) node.id = field.value;
    if (field.number == kType) node.type = field.value;
    if (field.number == kDurationMicros) node.duration_micros = field.value;
    if (field.number == kControlNeeds || field.number == kDataNeeds) sound = parse_needs(field, node.needs);
    if (field.number == kAttribute) sound = parse_attribute(field.bytes, node);
    if (field.number == kInputs) {
      ProtoScanner inputs(field.bytes);
      ProtoField input;
      while (inputs.next(input)) {
        if (input.number == kInputValues) node.input_values = input.bytes;
      }
      sound = !inputs.is_damaged();
    }
    if (!sound) return false;
  }
  return !fields.is_damaged();
}

bool is_chakra_metadata(std::string_view message) {
  ProtoScanner fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number > 2 || field.wire != ProtoWire::kBytes) return false;
  }
  return !fields.is_damaged();
}

Result<ChakraMessages> ChakraMessages::open(const std::string& path) {
  auto source = formats::ByteSource::open(path);
  if (!source) return source.error();
  return ChakraMessages(path, std::move(*source));
}

std::uint64_t ChakraMessages::bytes_read() const { return source_->file().offset(); }

Error ChakraMessages::fault(const std::string& what) const {
  return input_error(path_, 0, "message " + std::to_string(number_ + 1) + ": " + what);
}

/// Gets `wanted` bytes into the buffer; false: the file ends before. No more memory is taken than the file
/// has shown, but for a block.
Result<bool> ChakraMessages::fill(std::size_t wanted) {
  constexpr std::size_t kBlockBytes = 1 << 16;
  if (buffer_.size() - begin_ >= wanted) return true;
  buffer_.erase(0, begin_);
  begin_ = 0;
  while (buffer_.size() < wanted) {
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kBlockBytes);
    const auto count = source_->read(buffer_.data() + size, kBlockBytes);
    if (!count) return count.error();
    buffer_.resize(size + *count);
    if (*count == 0) return false;
  }
  return true;
}

Result<bool> ChakraMessages::next(std::string_view& message) {
  constexpr std::size_t kMostVarint = 10;
  constexpr std::uint64_t kMostBytes = 64 << 20;
  const auto has_size = fill(kMostVarint);
  if (!has_size) return has_size.error();
  std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.empty()) return false;
  std::uint64_t size = 0;
  const std::size_t before = rest.size();
  if (!take_varint(rest, size)) return fault("has no size; expected a number of at most 10 bytes");
  if (size > kMostBytes)
    return fault(std::to_string(size) + " bytes; expected at most " + std::to_string(kMostBytes));
  begin_ += before - rest.size();
  const auto is_whole = fill(static_cast<std::size_t>(size));
  if (!is_whole) return is_whole.error();
  if (!*is_whole)
    return fault("ends after " + std::to_string(buffer_.size() - begin_) + " of " + std::to_string(size) +
                 " bytes; expected a whole file");
  message = std::string_view(buffer_).substr(begin_, static_cast<std::size_t>(size));
  begin_ += static_cast<std::size_t>(size);
  ++number_;
  return true;
}

void ChakraText::metadata() {
  std::string message;
  put_proto_bytes(message, 1, kChakraVersion);
  put_varint(out_, message.size());
  out_ += message;
}

void ChakraText::begin(ChakraType type, const std::string& name, const std::vector<std::uint64_t>& needs) {
  node_.clear();
  put_proto_number(node_, kId, id_);
  put_proto_bytes(node_, kName, name);
  put_proto_number(node_, kType, static_cast<std::uint64_t>(type));
  if (needs.empty()) return;
  // Both kinds mean the same to us; older feeders look at those of data only.
  std::string packed;
  for (const std::uint64_t need : needs) put_varint(packed, need);
  put_proto_bytes(node_, kDataNeeds, packed);
}

void ChakraText::duration_micros(std::uint64_t micros) {
  if (micros != 0) put_proto_number(node_, kDurationMicros, micros);  // what is not there is 0
}

void ChakraText::input_values(std::string_view values) {
  std::string inputs;
  put_proto_bytes(inputs, kInputValues, values);
  put_proto_bytes(node_, kInputs, inputs);
}

void ChakraText::attribute(std::string_view name, std::string_view text) {
  std::string attribute;
  put_proto_bytes(attribute, kAttributeName, name);
  put_proto_bytes(attribute, kStringValue, text);
  put_proto_bytes(node_, kAttribute, attribute);
}

void ChakraText::number(std::string_view name, std::uint32_t field, std::uint64_t value) {
  std::string attribute;
  put_proto_bytes(attribute, kAttributeName, name);
  put_proto_number(attribute, field, value);
  put_proto_bytes(node_, kAttribute, attribute);
}

std::uint64_t ChakraText::end() {
  put_varint(out_, node_.size());
  out_ += node_;
  return id_++;
}

}  // namespace vef::neighbours
