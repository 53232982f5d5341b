// SPDX-License-Identifier: Apache-2.0
#include "rank_log_pack.h"

#include <bit>
#include <cstring>

namespace vef::formats::rank_log {
namespace {

std::uint64_t load(const std::uint8_t* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

/// How many bytes are the same at `a` and `b`, not looking behind `end`.
std::size_t common(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* end) {
  const std::uint8_t* const begin = b;
  while (end - b >= 8) {
    if (const std::uint64_t differs = load(a) ^ load(b))
      return static_cast<std::size_t>(b - begin) + static_cast<std::size_t>(std::countr_zero(differs)) / 8;
    a += 8;
    b += 8;
  }
  while (b < end && *a == *b) ++a, ++b;
  return static_cast<std::size_t>(b - begin);
}

constexpr std::size_t kLeastMatch = 16;

}  // namespace

// ---- repetitions

std::uint32_t Folder::find(const std::uint8_t* from, std::uint32_t at) {
  const std::uint64_t hash = load(from + at) * 0x9e3779b97f4a7c15;
  std::uint32_t& entry = index_[hash >> (64 - kIndexBits)];
  const std::uint32_t found = entry;
  entry = at + 1;
  return found;
}

std::size_t Folder::fold(const std::uint8_t* from, std::size_t size, std::uint8_t* to) {
  std::memset(index_, 0, sizeof index_);
  const std::uint8_t* const end = from + size;
  const std::uint8_t* const begin_out = to;
  std::size_t literals = 0;  // where those that are not yet written begin
  for (std::size_t at = 0; at + 8 <= size;) {
    std::size_t before = find(from, static_cast<std::uint32_t>(at));
    std::size_t length = before != 0 ? common(from + --before, from + at, end) : 0;
    if (length < kLeastMatch) {
      at += 1 + (at - literals) / 64;  // faster where nothing repeats
      continue;
    }
    const std::size_t distance = at - before;
    for (; before > 0 && at > literals && from[before - 1] == from[at - 1]; --at, --before) ++length;
    to = put_varint(to, at - literals);
    std::memcpy(to, from + literals, at - literals);
    to = put_varint(to + (at - literals), distance);
    to = put_varint(to, length);
    at += length;
    literals = at;
  }
  if (literals != size) {
    to = put_varint(to, size - literals);
    std::memcpy(to, from + literals, size - literals);
    to += size - literals;
  }
  return static_cast<std::size_t>(to - begin_out);
}

// ---- times

namespace {

constexpr std::uint32_t kFewEvents = 32;  // no model has learnt anything

struct Time {
  unsigned exponent;
  std::uint64_t mantissa;  // its `exponent` bits below the leading one of t + 1

  /// Exponent and the two bits below the leading one.
  unsigned cls() const {
    const std::uint64_t top =
        exponent >= kFineBits ? mantissa >> (exponent - kFineBits) : mantissa << (kFineBits - exponent);
    return exponent << kFineBits | static_cast<unsigned>(top);
  }
};

/// Reads the times of the open columns, in order.
class TimeWalk {
 public:
  explicit TimeWalk(const TimeColumns& from) : classes_(from.classes), bits_(from.bits) {}

  VEF_INLINE void next(Time& gap, Time& duration) {
    gap.exponent = classes_[0];
    duration.exponent = classes_[1];
    classes_ += 2;
    if (gap.exponent + duration.exponent <= 56) [[likely]] {
      const std::uint64_t both = read(gap.exponent + duration.exponent);
      gap.mantissa = both & ~(~std::uint64_t{0} << gap.exponent);
      duration.mantissa = both >> gap.exponent;
      return;
    }
    gap.mantissa = read_long(gap.exponent);
    duration.mantissa = read_long(duration.exponent);
  }

 private:
  VEF_INLINE std::uint64_t read(unsigned count) {  // <= 56
    const std::uint64_t value = load(bits_ + bit_ / 8) >> bit_ % 8 & ~(~std::uint64_t{0} << count);
    bit_ += count;
    return value;
  }
  std::uint64_t read_long(unsigned count) {
    if (count == 64) return 0;
    const unsigned low = count < 32 ? count : 32;
    const std::uint64_t value = read(low);
    return value | read(count - low) << 32;
  }

  const std::uint8_t* classes_;
  const std::uint8_t* bits_;
  std::uint64_t bit_ = 0;
};

/// Writes the bits of the classes that are left open, most significant first.
class RangeEncoder {
 public:
  explicit RangeEncoder(std::uint8_t* to) : to_(to) {}

  /// The value has the places from `start` to `end` of 2^kShareBits.
  VEF_INLINE void put(std::uint32_t start, std::uint32_t end) {
    range_ >>= kShareBits;
    const std::uint64_t added = start * range_;
    low_ += added;
    if (low_ < added) carry();
    range_ *= end - start;
    if (range_ >> 32 != 0) return;
    put_word(static_cast<std::uint32_t>(low_ >> 32));
    low_ <<= 32;
    range_ <<= 32;
  }
  std::uint8_t* finish() {
    put_word(static_cast<std::uint32_t>(low_ >> 32));
    put_word(static_cast<std::uint32_t>(low_));
    return to_;
  }
  const std::uint8_t* at() const { return to_; }

 private:
  void put_word(std::uint32_t word) {
    word = __builtin_bswap32(word);
    std::memcpy(to_, &word, sizeof word);
    to_ += sizeof word;
  }
  // Never runs beyond the first byte: the whole is less than 1.
  void carry() const {
    for (std::uint8_t* at = to_ - 1; ++*at == 0; --at) {
    }
  }

  std::uint64_t low_ = 0;
  std::uint64_t range_ = ~std::uint64_t{0};
  std::uint8_t* to_;
};

/// Stores the bits of times that are not modelled.
class LowBits {
 public:
  explicit LowBits(std::uint8_t* to) : to_(to) { *to = 0; }

  VEF_INLINE void put(const Time& time) {
    const unsigned count = low_bits(time.exponent);
    const std::uint64_t value = time.mantissa & ~(~std::uint64_t{0} << count);
    if (count > 56) [[unlikely]] {
      add(value & 0xffffffff, 32);
      return add(value >> 32, count - 32);
    }
    add(value, count);
  }
  std::size_t size() const { return static_cast<std::size_t>((bit_ + 7) / 8); }

 private:
  VEF_INLINE void add(std::uint64_t value, unsigned count) { add_bits(to_, bit_, value, count); }

  std::uint8_t* to_;
  std::uint64_t bit_ = 0;
};

}  // namespace

/// False: no room, or a time that has no class.
bool TimePacker::pack_modelled(const TimeColumns& from, PackedTimes& to) {
  models_.reset();
  // An event takes four halves of up to kShareBits bits.
  constexpr std::ptrdiff_t kMostBytes = 4 * kShareBits / 8 + kCoderBytes;
  const std::uint8_t* const end = to.classes + to.classes_room;
  HeadWalk heads(from.heads);
  TimeWalk times(from);
  LowBits low(to.bits);
  RangeEncoder coder(to.classes + 1);
  const auto encode = [&](std::uint32_t context, const Time& time) {
    const unsigned both = time.cls();
    const unsigned halves[2] = {both / kHalves, both % kHalves};
    HalfModel& upper = models_.upper(context);
    HalfModel& lower = models_.lower(context, halves[0]);
    coder.put(upper.start(halves[0]), upper.end(halves[0]));
    upper.learn(halves[0]);
    coder.put(lower.start(halves[1]), lower.end(halves[1]));
    lower.learn(halves[1]);
    low.put(time);
  };
  Time gap, duration;
  for (std::uint32_t i = 0; i < from.events; ++i) {
    times.next(gap, duration);
    if (gap.exponent > kMostExponent || duration.exponent > kMostExponent || end - coder.at() < kMostBytes)
      return false;
    const std::uint32_t slot = heads.next_slot();
    encode(models_.gap_context(slot), gap);
    models_.note_gap(gap.exponent);
    encode(models_.duration_context(slot), duration);
    models_.note_duration(duration.exponent);
  }
  to.classes[0] = static_cast<std::uint8_t>(TimesCoding::kModelled);
  to.classes_size = static_cast<std::size_t>(coder.finish() - to.classes);
  to.bits_size = low.size();
  return true;
}

void TimePacker::pack(const TimeColumns& from, PackedTimes& to) {
  const std::size_t plain = 2 * std::size_t{from.events} + 1 + from.bits_size;
  if (from.events >= kFewEvents && pack_modelled(from, to) && to.classes_size + to.bits_size < plain) return;
  to.classes[0] = static_cast<std::uint8_t>(TimesCoding::kPlain);
  if (from.events != 0) std::memcpy(to.classes + 1, from.classes, 2 * std::size_t{from.events});
  to.classes_size = 2 * std::size_t{from.events} + 1;
  if (from.bits_size != 0) std::memcpy(to.bits, from.bits, from.bits_size);
  to.bits_size = from.bits_size;
}

}  // namespace vef::formats::rank_log
