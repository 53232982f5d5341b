// SPDX-License-Identifier: Apache-2.0
#include "rank_log_unpack.h"

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

/// Undoes RangeEncoder. What lies behind the end reads as zeros, and finished() tells.
class RangeDecoder {
 public:
  explicit RangeDecoder(Bytes from) : from_(from) {
    take_word();
    take_word();
  }

  VEF_INLINE unsigned take(HalfModel& model) {
    range_ >>= kShareBits;
    constexpr std::uint64_t kLast = (1u << kShareBits) - 1;
    const std::uint64_t place = code_ / range_;  // rounding can put it behind the last
    const unsigned value = model.value_at(static_cast<std::uint16_t>(place < kLast ? place : kLast));
    const std::uint64_t start = model.start(value);
    code_ -= start * range_;
    range_ *= model.end(value) - start;
    model.learn(value);
    if (range_ >> 32 == 0) {
      take_word();
      range_ <<= 32;
    }
    return value;
  }
  bool finished() const { return sound_ && from_.size == 0; }

 private:
  void take_word() {
    std::uint32_t word = 0;
    if (from_.size >= sizeof word) {
      std::memcpy(&word, from_.data, sizeof word);
      from_ = {from_.data + sizeof word, from_.size - sizeof word};
    } else {
      sound_ = false;
    }
    code_ = code_ << 32 | __builtin_bswap32(word);
  }

  Bytes from_;
  std::uint64_t code_ = 0;
  std::uint64_t range_ = ~std::uint64_t{0};
  bool sound_ = true;
};

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

bool TimeUnpacker::unpack_modelled(Bytes from, Bytes bits, const UnpackedTimes& to) {
  models_->reset();
  HeadWalk heads(to.heads.data);
  const std::uint8_t* const heads_end = to.heads.data + to.heads.size;
  RangeDecoder coder(from);
  BitReader low(bits);
  BitWriter out(to.bits, to.bits_size);
  // One time: its class, and its bits.
  const auto decode = [&](std::uint32_t context, std::uint8_t & exponent) __attribute__((always_inline)) {
    const unsigned upper = coder.take(models_->upper(context));
    const unsigned both = upper * kHalves + coder.take(models_->lower(context, upper));
    exponent = static_cast<std::uint8_t>(both >> kFineBits);
    const unsigned rest = low_bits(exponent);
    const unsigned top = exponent - rest;
    const std::uint64_t top_value = (both & ((1u << kFineBits) - 1)) >> (kFineBits - top);
    return out.write(low.read(rest) | top_value << rest, exponent);
  };
  for (std::uint32_t i = 0; i < to.events; ++i) {
    if (heads.at() >= heads_end) return false;
    const std::uint32_t slot = heads.next_slot();
    if (slot >= kSlots) return false;
    std::uint8_t* const exponents = to.classes + 2 * std::size_t{i};
    if (!decode(models_->gap_context(slot), exponents[0])) return false;
    models_->note_gap(exponents[0]);
    if (!decode(models_->duration_context(slot), exponents[1])) return false;
    models_->note_duration(exponents[1]);
  }
  return coder.finished() && low.sound() && out.full();
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
  return coding == TimesCoding::kModelled && unpack_modelled(classes, bits, to);
}

}  // namespace vef::formats::rank_log
