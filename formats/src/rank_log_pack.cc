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

constexpr std::uint32_t kLeastGroup = 64;  // events: fewer do not pay for a table
constexpr std::uint32_t kFewEvents = 32;   // no model at all

struct Time {
  unsigned exponent;
  std::uint64_t mantissa;  // its `exponent` bits below the leading one of t + 1

  /// By exponent and the two bits below.
  unsigned cell() const {
    const std::uint64_t top = exponent >= kFineBits
                                  ? (exponent == 64 ? 0 : mantissa >> (exponent - kFineBits))
                                  : mantissa << (kFineBits - exponent);
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

/// log2(value) in 1/256.
std::uint64_t log2_in_256ths(std::uint32_t value) {
  const auto whole = static_cast<unsigned>(std::bit_width(value)) - 1;
  std::uint64_t fraction = static_cast<std::uint64_t>(value) << (31 - whole);  // 1.0 is 2^31
  std::uint64_t result = whole;
  for (int i = 0; i < 8; ++i) {
    fraction = fraction * fraction >> 31;
    const std::uint64_t bit = fraction >> 32;
    fraction >>= bit;
    result = result << 1 | bit;
  }
  return result;
}

/// Bits (in 1/256) that the times of a context take if so many bits below the leading one are modelled, the
/// table included.
std::uint64_t cost(const std::uint32_t* cells, unsigned fine_bits, std::uint32_t total) {
  constexpr std::uint64_t kTableEntry = 16 * 256;
  const unsigned step = 1u << (kFineBits - fine_bits);
  const std::uint64_t log_total = log2_in_256ths(total);
  std::uint64_t sum = 0;
  for (unsigned cell = 0; cell < kSymbols; cell += step) {
    std::uint32_t count = 0;
    for (unsigned i = 0; i < step; ++i) count += cells[cell + i];
    if (count == 0) continue;
    sum += kTableEntry + count * (log_total - log2_in_256ths(count) +
                                  std::uint64_t{256} * low_bits(cell >> kFineBits, fine_bits));
  }
  return sum;
}

/// Adds up the counts that make one symbol.
void merge_cells(std::uint32_t* cells, unsigned fine_bits) {
  const unsigned shift = kFineBits - fine_bits;
  if (shift == 0) return;
  for (unsigned cell = 0; cell < kSymbols; ++cell) {
    const std::uint32_t count = cells[cell];
    cells[cell] = 0;
    cells[cell >> shift] += count;
  }
}

/// Counts become frequencies that add up to kFrequencySum, none of them 0 that was not.
void normalise(std::uint32_t* cells, std::uint32_t total) {
  std::uint32_t sum = 0;
  for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
    if (cells[symbol] == 0) continue;
    const auto share = static_cast<std::uint32_t>(std::uint64_t{cells[symbol]} * kFrequencySum / total);
    cells[symbol] = share != 0 ? share : 1;
    sum += cells[symbol];
  }
  while (sum != kFrequencySum) {
    unsigned largest = 0;
    for (unsigned symbol = 1; symbol < kSymbols; ++symbol)
      if (cells[symbol] > cells[largest]) largest = symbol;
    const std::uint32_t spare = cells[largest] - 1;
    const std::uint32_t too_much = sum > kFrequencySum ? sum - kFrequencySum : 0;
    const std::uint32_t taken = too_much < (spare + 1) / 2 ? too_much : (spare + 1) / 2;
    const std::uint32_t given = sum < kFrequencySum ? kFrequencySum - sum : 0;
    cells[largest] += given - taken;
    sum += given - taken;
  }
}

/// The places of the symbols among kFrequencySum, into the upper halves of the cells.
void place_symbols(std::uint32_t* cells) {
  std::uint32_t start = 0;
  for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
    const std::uint32_t frequency = cells[symbol];
    cells[symbol] = frequency | start << 16;
    start += frequency;
  }
}

/// Collects the bits that are stored as they are.
class LowBits {
 public:
  explicit LowBits(std::uint8_t* to) : to_(to) { *to = 0; }

  VEF_INLINE void put(const Time& time, unsigned fine_bits) {
    const unsigned count = low_bits(time.exponent, fine_bits);
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

/// The slots with the most events become groups of their own.
void TimePacker::choose_groups(const TimeColumns& from) {
  std::uint32_t counts[kSlots] = {};
  HeadWalk heads(from.heads);
  for (std::uint32_t i = 0; i < from.events; ++i) ++counts[heads.next_slot()];
  std::memset(group_of_, 0, sizeof group_of_);
  for (groups_ = 1; groups_ < kMaxGroups; ++groups_) {
    std::uint32_t most = 0;
    for (std::uint32_t slot = 1; slot < kSlots; ++slot)
      if (counts[slot] > counts[most]) most = slot;
    if (counts[most] < kLeastGroup) break;
    counts[most] = 0;
    group_of_[most] = static_cast<std::uint8_t>(groups_);
    group_slot_[groups_] = most;
  }
}

void TimePacker::count_symbols(const TimeColumns& from) {
  std::memset(cells_, 0, 2 * groups_ * sizeof cells_[0]);
  HeadWalk heads(from.heads);
  TimeWalk times(from);
  Time gap, duration;
  for (std::uint32_t i = 0; i < from.events; ++i) {
    times.next(gap, duration);
    const std::uint32_t group = group_of_[heads.next_slot()];
    ++cells_[2 * group][gap.cell()];
    ++cells_[2 * group + 1][duration.cell()];
  }
}

/// Groups and tables; the cells are then ready for coding. False: no room.
bool TimePacker::write_tables(std::uint8_t*& at, const std::uint8_t* end) {
  constexpr std::ptrdiff_t kMostBytes = 8 + 4 * static_cast<std::ptrdiff_t>(kSymbols);
  if (end - at < kMostBytes) return false;
  at = put_varint(at, groups_);
  for (std::uint32_t group = 1; group < groups_; ++group) at = put_varint(at, group_slot_[group]);
  for (std::uint32_t context = 0; context < 2 * groups_; ++context) {
    if (end - at < kMostBytes) return false;
    std::uint32_t* cells = cells_[context];
    std::uint32_t total = 0;
    for (const std::uint32_t count : cells_[context]) total += count;
    unsigned fine_bits = 0;
    if (total != 0) {
      for (unsigned more = 1; more <= kFineBits; ++more)
        if (cost(cells, more, total) < cost(cells, fine_bits, total)) fine_bits = more;
      merge_cells(cells, fine_bits);
      normalise(cells, total);
    }
    fine_bits_[context] = static_cast<std::uint8_t>(fine_bits);
    std::uint32_t used = 0;
    for (const std::uint32_t frequency : cells_[context]) used += frequency != 0;
    at = put_varint(at, used << 2 | fine_bits);
    unsigned next = 0;
    for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
      if (cells[symbol] == 0) continue;
      at = put_varint(at, symbol - next);
      at = put_varint(at, cells[symbol]);
      next = symbol + 1;
    }
    place_symbols(cells);
  }
  return true;
}

/// Codes symbols_ from the last to the first, so that they are decoded in order. Gaps and durations have a
/// state each, which lets the processor work on both at a time.
std::uint8_t* TimePacker::write_block(std::uint32_t events, std::uint8_t* at) {
  std::uint16_t* const end = words_ + 2 * kBlockEvents;
  std::uint16_t* word = end;
  const auto encode = [&word](std::uint32_t state, std::uint32_t cell) {
    const std::uint32_t frequency = cell & 0xffff;
    if (state >= std::uint64_t{frequency} << (32 - kFrequencyBits)) {
      *--word = static_cast<std::uint16_t>(state);
      state >>= 16;
    }
    return (state / frequency << kFrequencyBits) + state % frequency + (cell >> 16);
  };
  std::uint32_t states[2] = {kLeastState, kLeastState};
  for (std::uint32_t i = events; i-- > 0;) {
    states[1] = encode(states[1], symbols_[2 * i + 1]);
    states[0] = encode(states[0], symbols_[2 * i]);
  }
  std::memcpy(at, states, sizeof states);
  const std::size_t size = static_cast<std::size_t>(end - word) * sizeof *word;
  std::memcpy(at + sizeof states, word, size);
  return at + sizeof states + size;
}

bool TimePacker::write_blocks(const TimeColumns& from, PackedTimes& to, std::uint8_t* at) {
  const std::uint8_t* const end = to.classes + to.classes_room;
  HeadWalk heads(from.heads);
  TimeWalk times(from);
  LowBits low(to.bits);
  Time gap, duration;
  for (std::uint32_t done = 0; done < from.events;) {
    const std::uint32_t count = from.events - done < kBlockEvents ? from.events - done : kBlockEvents;
    for (std::uint32_t i = 0; i < count; ++i) {
      times.next(gap, duration);
      const std::uint32_t context = 2u * group_of_[heads.next_slot()];
      const unsigned gap_bits = fine_bits_[context];
      const unsigned duration_bits = fine_bits_[context + 1];
      symbols_[2 * i] = cells_[context][gap.cell() >> (kFineBits - gap_bits)];
      symbols_[2 * i + 1] = cells_[context + 1][duration.cell() >> (kFineBits - duration_bits)];
      low.put(gap, gap_bits);
      low.put(duration, duration_bits);
    }
    constexpr std::ptrdiff_t kMostBytes = 2 * sizeof(std::uint32_t) + sizeof words_;
    if (end - at < kMostBytes) return false;
    at = write_block(count, at);
    done += count;
  }
  to.classes_size = static_cast<std::size_t>(at - to.classes);
  to.bits_size = low.size();
  return true;
}

void TimePacker::pack(const TimeColumns& from, PackedTimes& to) {
  if (from.events >= kFewEvents) {
    choose_groups(from);
    count_symbols(from);
    std::uint8_t* at = to.classes;
    *at++ = static_cast<std::uint8_t>(TimesCoding::kModelled);
    const std::size_t plain = 2 * std::size_t{from.events} + 1 + from.bits_size;
    if (write_tables(at, to.classes + to.classes_room) && write_blocks(from, to, at) &&
        to.classes_size + to.bits_size < plain)
      return;
  }
  to.classes[0] = static_cast<std::uint8_t>(TimesCoding::kPlain);
  if (from.events != 0) std::memcpy(to.classes + 1, from.classes, 2 * std::size_t{from.events});
  to.classes_size = 2 * std::size_t{from.events} + 1;
  if (from.bits_size != 0) std::memcpy(to.bits, from.bits, from.bits_size);
  to.bits_size = from.bits_size;
}

}  // namespace vef::formats::rank_log
