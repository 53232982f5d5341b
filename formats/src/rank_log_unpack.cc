// SPDX-License-Identifier: Apache-2.0
#include "rank_log_unpack.h"

#include <algorithm>
#include <cstring>

namespace vef::formats::rank_log {
namespace {

/// Takes a varint of at most four bytes off the front.
bool take_varint(Bytes& from, std::uint32_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 28; shift += 7) {
    if (from.size == 0) return false;
    const std::uint32_t next = *from.data++;
    --from.size;
    value |= (next & 0x7f) << shift;
    if (next < 0x80) return true;
  }
  return false;
}

}  // namespace

bool unfold(const std::uint8_t* data, std::size_t from_size, std::uint8_t* to, std::size_t size) {
  Bytes from{data, from_size};
  std::size_t done = 0;
  while (done < size) {
    std::uint32_t literals, distance, length;
    if (!take_varint(from, literals) || literals > from.size || literals > size - done) return false;
    std::memcpy(to + done, from.data, literals);
    from = {from.data + literals, from.size - literals};
    done += literals;
    if (done == size) break;
    if (!take_varint(from, distance) || !take_varint(from, length)) return false;
    if (distance == 0 || distance > done || length == 0 || length > size - done) return false;
    // Byte for byte: the repetition may overlap what it repeats.
    for (const std::size_t end = done + length; done < end; ++done) to[done] = to[done - distance];
  }
  return from.size == 0;
}

// ---- times

namespace {

class BitReader {
 public:
  explicit BitReader(Bytes from) : from_(from), end_(8 * std::uint64_t{from.size}) {}

  /// `count` <= 63. What lies behind the end reads as zeros, and sound() tells.
  VEF_INLINE std::uint64_t read(unsigned count) {
    if (count <= 56) [[likely]]
      return read_short(count);
    const std::uint64_t low = read_short(32);
    return low | read_short(count - 32) << 32;
  }
  bool sound() const { return bit_ <= end_; }

 private:
  VEF_INLINE std::uint64_t read_short(unsigned count) {
    const std::uint64_t at = bit_ / 8;
    std::uint64_t word = 0;
    if (at + 8 <= from_.size) [[likely]]
      std::memcpy(&word, from_.data + at, 8);
    else if (at < from_.size)
      std::memcpy(&word, from_.data + at, from_.size - at);
    const std::uint64_t value = word >> bit_ % 8 & ~(~std::uint64_t{0} << count);
    bit_ += count;
    return value;
  }

  Bytes from_;
  std::uint64_t bit_ = 0;
  std::uint64_t end_;
};

class BitWriter {
 public:
  BitWriter(std::uint8_t* to, std::size_t size) : to_(to), end_(8 * std::uint64_t{size}) {
    if (size != 0) *to = 0;
  }

  /// `count` <= 63; higher bits of `value` are 0. False: no room.
  VEF_INLINE bool write(std::uint64_t value, unsigned count) {
    if (bit_ + count > end_) return false;
    if (count <= 56) [[likely]] {
      write_short(value, count);
    } else {
      write_short(value & 0xffffffff, 32);
      write_short(value >> 32, count - 32);
    }
    return true;
  }
  /// Whether the last byte has been begun.
  bool full() const { return (bit_ + 7) / 8 == end_ / 8; }

 private:
  VEF_INLINE void write_short(std::uint64_t value, unsigned count) { add_bits(to_, bit_, value, count); }

  std::uint8_t* to_;
  std::uint64_t bit_ = 0;
  std::uint64_t end_;
};

}  // namespace

bool TimeUnpacker::read_table(Bytes& from, Table& table) {
  std::uint32_t head;
  if (!take_varint(from, head) || head >> 2 > kSymbols || (head & 3) > kFineBits) return false;
  table.fine_bits = head & 3;
  table.symbols.clear();
  table.starts.clear();
  std::uint32_t next = 0;
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i < head >> 2; ++i) {
    std::uint32_t skipped, frequency;
    if (!take_varint(from, skipped) || !take_varint(from, frequency)) return false;
    const std::uint32_t symbol = next + skipped;
    if (symbol >= 65u << table.fine_bits || frequency == 0 || frequency > kFrequencySum - start) return false;
    table.symbols.push_back(static_cast<std::uint16_t>(symbol));
    table.starts.push_back(static_cast<std::uint16_t>(start));
    start += frequency;
    next = symbol + 1;
  }
  if (start != (table.symbols.empty() ? 0 : kFrequencySum)) return false;
  table.starts.push_back(static_cast<std::uint16_t>(start));
  std::size_t index = 0;
  for (std::uint32_t i = 0; i < std::size(table.first); ++i) {
    while (index + 1 < table.symbols.size() && table.starts[index + 1] <= 16 * i) ++index;
    table.first[i] = static_cast<std::uint16_t>(index);
  }
  return true;
}

bool TimeUnpacker::read_tables(Bytes& from) {
  std::uint32_t groups;
  if (!take_varint(from, groups) || groups == 0 || groups > kMaxGroups) return false;
  std::fill(std::begin(group_of_), std::end(group_of_), std::uint8_t{0});
  for (std::uint32_t group = 1; group < groups; ++group) {
    std::uint32_t slot;
    if (!take_varint(from, slot) || slot >= kSlots) return false;
    group_of_[slot] = static_cast<std::uint8_t>(group);
  }
  tables_.resize(2 * groups);
  return std::all_of(tables_.begin(), tables_.end(), [&](Table& table) { return read_table(from, table); });
}

bool TimeUnpacker::read_blocks(Bytes from, Bytes bits, const UnpackedTimes& to) {
  HeadWalk heads(to.heads.data);
  const std::uint8_t* const heads_end = to.heads.data + to.heads.size;
  BitReader low(bits);
  BitWriter out(to.bits, to.bits_size);
  std::uint32_t states[2] = {};
  // One time: its class, and its bits.
  const auto decode = [&](std::uint32_t& state, const Table& table, std::uint8_t& exponent) {
    if (table.symbols.empty()) return false;
    const std::uint32_t place = state & (kFrequencySum - 1);
    std::size_t index = table.first[place / 16];
    while (table.starts[index + 1] <= place) ++index;
    const std::uint32_t start = table.starts[index];
    state = (table.starts[index + 1] - start) * (state >> kFrequencyBits) + place - start;
    if (state < kLeastState) {
      if (from.size < 2) return false;
      state = state << 16 | from.data[0] | static_cast<std::uint32_t>(from.data[1]) << 8;
      from = {from.data + 2, from.size - 2};
    }
    const std::uint32_t symbol = table.symbols[index];
    exponent = static_cast<std::uint8_t>(symbol >> table.fine_bits);
    if (exponent == 64) return true;
    const unsigned top = top_bits(exponent, table.fine_bits);
    const unsigned rest = low_bits(exponent, table.fine_bits);
    const std::uint64_t top_value = (symbol & ((1u << table.fine_bits) - 1)) >> (table.fine_bits - top);
    return out.write(low.read(rest) | top_value << rest, exponent);
  };
  for (std::uint32_t i = 0; i < to.events; ++i) {
    if (i % kBlockEvents == 0) {
      if (from.size < sizeof states) return false;
      std::memcpy(states, from.data, sizeof states);
      from = {from.data + sizeof states, from.size - sizeof states};
    }
    if (heads.at() >= heads_end) return false;
    const std::uint32_t slot = heads.next_slot();
    if (slot >= kSlots) return false;
    const Table* tables = &tables_[2 * group_of_[slot]];
    if (!decode(states[0], tables[0], to.classes[2 * std::size_t{i}])) return false;
    if (!decode(states[1], tables[1], to.classes[2 * std::size_t{i} + 1])) return false;
  }
  return from.size == 0 && low.sound() && out.full();
}

bool TimeUnpacker::unpack(Bytes classes, Bytes bits, const UnpackedTimes& to) {
  if (classes.size == 0) return false;
  const auto coding = static_cast<TimesCoding>(classes.data[0]);
  classes = {classes.data + 1, classes.size - 1};
  if (coding == TimesCoding::kPlain) {
    if (classes.size != 2 * std::size_t{to.events} || bits.size != to.bits_size) return false;
    if (classes.size != 0) std::memcpy(to.classes, classes.data, classes.size);
    if (bits.size != 0) std::memcpy(to.bits, bits.data, bits.size);
    return true;
  }
  return coding == TimesCoding::kModelled && read_tables(classes) && read_blocks(classes, bits, to);
}

}  // namespace vef::formats::rank_log
