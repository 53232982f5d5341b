// SPDX-License-Identifier: Apache-2.0
// The writing half of rank_log_codec.h. Inlined into RankLogWriter::append.
#pragma once

#include "rank_log_codec.h"

namespace vef::formats::rank_log {

/// Write position in kFields. The limit lies one margin before the end. A copy is handed to what is not
/// inlined, so that the one of append() stays in registers.
struct FieldsWriter {
  static constexpr bool kReads = false;

  std::uint8_t* at;
  const std::uint8_t* limit;

  bool room() const { return at <= limit; }

  VEF_INLINE void byte(std::uint8_t value) { *at++ = value; }

  VEF_INLINE void varint(std::uint64_t value) {
    while (value >= 0x80) {
      *at++ = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<std::uint8_t>(value);
  }

  template <class T, class Base>
  VEF_INLINE void delta(bool differs, const T& value, const Base& base) {
    if (differs) varint(zigzag(widen(value) - widen(base)));
  }
};

/// Write positions in the three columns.
struct Encoder {
  FieldsWriter fields;
  std::uint8_t* classes;
  std::uint8_t* bits;
  std::uint64_t bit;  // position in `bits`

  /// The lowest `count` <= 56 bits of `value`; higher ones must be 0. What lies behind is overwritten with
  /// zeros, so that the next call may add to it.
  VEF_INLINE void put_bits(std::uint64_t value, unsigned count) {
    std::uint8_t* at = bits + bit / 8;
    const std::uint64_t word = *at | value << bit % 8;
    std::memcpy(at, &word, 8);
    bit += count;
  }

  VEF_INLINE void put_classes(unsigned first, unsigned second) {
    const auto both = static_cast<std::uint16_t>(first | second << 8);
    std::memcpy(classes, &both, 2);
    classes += 2;
  }

  VEF_INLINE void times(std::uint64_t first, std::uint64_t second) {
    if ((first | second) >= std::uint64_t{1} << 28) [[unlikely]]
      return put_long_times(first, second);
    const auto first_class = static_cast<unsigned>(63 ^ __builtin_clzll(first + 1));
    const auto second_class = static_cast<unsigned>(63 ^ __builtin_clzll(second + 1));
    put_classes(first_class, second_class);
    // (first + 1) without its leading one, and above it (second + 1) without its own: the former's leading
    // one is what `second` lacks to second + 1.
    const std::uint64_t both = (second << first_class) + first + 1;
    put_bits(both ^ std::uint64_t{1} << (first_class + second_class), first_class + second_class);
  }

  __attribute__((noinline)) static std::uint64_t put_long(std::uint8_t* bits, std::uint64_t bit,
                                                          std::uint64_t time, unsigned& exponent) {
    Encoder io{{nullptr, nullptr}, nullptr, bits, bit};
    exponent = static_cast<unsigned>(std::bit_width(time + 1)) - 1;
    if (time + 1 == 0) exponent = 64;  // and no bits
    if (exponent == 64) return bit;
    const std::uint64_t low = (time + 1) ^ std::uint64_t{1} << exponent;
    const unsigned count = exponent < 32 ? exponent : 32;
    io.put_bits(low & 0xffffffff, count);
    io.put_bits(low >> 32, exponent - count);
    return io.bit;
  }

  VEF_INLINE void put_long_times(std::uint64_t first, std::uint64_t second) {
    unsigned first_class, second_class;
    bit = put_long(bits, bit, first, first_class);
    bit = put_long(bits, bit, second, second_class);
    put_classes(first_class, second_class);
  }
};

struct ShapeKeys {
  std::uint64_t call;
  std::uint64_t place;
  std::uint64_t far;
};

/// Finds the slot of a shape: 512 sets of four slot numbers, the youngest in the lowest 16 bits. A number may
/// be stale (its slot given to another shape since); the comparison of keys finds out.
struct ShapeIndex {
  static constexpr unsigned kSetBits = 9;
  std::uint64_t sets[1u << kSetBits];

  void reset() { std::memset(sets, 0, sizeof sets); }

  static VEF_INLINE std::size_t set_of(const ShapeKeys& keys) {
    return ((keys.call + (keys.place + keys.far * 0xa0761d6478bd642f) * 0xd6e8feb86659fd93) *
            0x9e3779b97f4a7c15) >>
           (64 - kSetBits);
  }

  /// `far` is looked at where the kind is wide(): elsewhere it is 0 in the event and in the slot.
  template <bool kWide>
  VEF_INLINE std::uint32_t find(const Context& context, const ShapeKeys& keys) const {
    for (std::uint64_t set = sets[set_of(keys)]; set != 0; set >>= 16) {
      const std::uint32_t number = set & 0xffff;
      const Slot& slot = context.slots[number];
      if (slot.call_key == keys.call && slot.place_key == keys.place && (!kWide || slot.far_key == keys.far))
        return number;
    }
    return 0;
  }

  void insert(const ShapeKeys& keys, std::uint32_t slot) {
    std::uint64_t& set = sets[set_of(keys)];
    set = set << 16 | slot;
  }
};

/// A shape that has no slot: it takes the next one, and is told as differences to the last shape of its kind.
__attribute__((noinline)) inline std::uint8_t* encode_new_slot(FieldsWriter io, Context& context,
                                                               ShapeIndex& index, const RankEvent& event,
                                                               const ShapeKeys& keys) {
  const auto kind = static_cast<unsigned>(event.kind);
  const Slot base = context.slots[context.last_slot[kind % kKinds]];
  const std::uint32_t number = context.take_slot();
  Slot& slot = context.slots[number];
  slot = base;
  slot.call_key = keys.call;
  slot.place_key = keys.place;
  slot.far_key = keys.far;
  context.last_slot[kind % kKinds] = static_cast<std::uint16_t>(number);
  index.insert(keys, number);
  const Shape before(base);
  const Shape now(slot);
  unsigned differs = 0;
  unsigned bit = 1;
  visit_shape(before, now, [&](const auto& old, const auto& value) {
    if (old != value) differs |= bit;
    bit <<= 1;
  });
  io.byte(0);
  io.byte(static_cast<std::uint8_t>(event.kind));
  io.byte(static_cast<std::uint8_t>(differs));
  visit_shape(before, now, [&](const auto& old, const auto& value) { io.delta(old != value, value, old); });
  return io.at;
}

template <bool kWide>
VEF_INLINE ListSizes sizes_of(const RankEvent& event) {
  ListSizes sizes;
  sizes.completions = static_cast<std::uint32_t>(event.completions.size());
  if (kWide) {
    sizes.requests = static_cast<std::uint32_t>(event.requests.size());
    sizes.sizes = static_cast<std::uint32_t>(event.sizes.size());
    sizes.members = static_cast<std::uint32_t>(event.members.size());
    sizes.remote_members = static_cast<std::uint32_t>(event.remote_members.size());
    sizes.in_neighbours = static_cast<std::uint32_t>(event.in_neighbours.size());
    sizes.out_neighbours = static_cast<std::uint32_t>(event.out_neighbours.size());
    sizes.text = static_cast<std::uint32_t>(event.text.size());
  }
  return sizes;
}

/// The mask of the fields that differ from the slot, then the differences; the slot takes the new values.
template <bool kWide>
__attribute__((noinline)) std::uint8_t* encode_differences(FieldsWriter io, const Context& context,
                                                           Slot& slot, const RankEvent& event) {
  const ListSizes lists = sizes_of<kWide>(event);
  Predicted predicted(context, slot);
  std::uint64_t mask = 0, bit = 1;
  visit_fields(kWide, slot, predicted, event, lists, [&](auto& old, const auto& now) {
    if (old != now) mask |= bit;
    bit <<= 1;
  });
  io.varint(mask);
  bit = 1;
  visit_fields(kWide, slot, predicted, event, lists, [&](auto& old, const auto& now) {
    io.delta(mask & bit, now, old);
    old = now;
    bit <<= 1;
  });
  Predicted::learn(slot, event);
  return io.at;
}

/// Null: they do not fit.
__attribute__((noinline)) inline std::uint8_t* encode_completions(FieldsWriter io, Context& context,
                                                                  const RankEvent& event) {
  return code_completions(io, context, event, event.completions.data(), event.completions.size()) ? io.at
                                                                                                  : nullptr;
}

/// The lists that only kinds with wide() have. Null: they do not fit.
__attribute__((noinline)) inline std::uint8_t* encode_wide_lists(FieldsWriter io, const RankEvent& event) {
  const ListSizes sizes = sizes_of<true>(event);
  struct {
    const std::uint64_t* requests;
    const std::uint64_t* sizes;
    const RankRun* members;
    const RankRun* remote_members;
    const std::int32_t* in_neighbours;
    const std::int32_t* out_neighbours;
    const std::uint8_t* text;
  } lists{event.requests.data(),
          event.sizes.data(),
          event.members.data(),
          event.remote_members.data(),
          event.in_neighbours.data(),
          event.out_neighbours.data(),
          reinterpret_cast<const std::uint8_t*>(event.text.data())};
  return code_wide_lists(io, sizes, lists) ? io.at : nullptr;
}

/// Shape and fields: one byte where the event is what its slot predicts.
template <bool kWide>
VEF_INLINE void encode_fields(FieldsWriter& io, Context& context, ShapeIndex& index, const RankEvent& event) {
  const ListSizes sizes = sizes_of<kWide>(event);
  const ShapeKeys keys{call_key(event.kind, event.call, event.site), place_key(event.comm, event.peer),
                       kWide ? far_key(event.recv_peer, event.window) : 0};
  const std::uint32_t number = index.find<kWide>(context, keys);
  if (number == 0) [[unlikely]] {
    io.at = encode_new_slot(io, context, index, event, keys);
    Slot& fresh = context.slots[context.last_slot[static_cast<unsigned>(event.kind) % kKinds]];
    io.at = encode_differences<kWide>(io, context, fresh, event);
    return;
  }
  Slot& slot = context.slots[number];
  Predicted predicted(context, slot);
  std::uint64_t differs = 0;
  visit_fields(kWide, slot, predicted, event, sizes,
               [&](auto& old, const auto& now) { differs |= widen(old) ^ widen(now); });
  io.varint(number << 1 | (differs != 0));
  if (differs != 0) io.at = encode_differences<kWide>(io, context, slot, event);
}

/// Encodes one event, whose kind is wide() or not as kWide says. False: it does not fit; then the positions
/// and the context are spoilt, and the chunk must end with the event before.
template <bool kWide>
VEF_INLINE bool encode_event(Encoder& io, Context& context, ShapeIndex& index, const RankEvent& event) {
  if (!io.fields.room()) return false;
  encode_fields<kWide>(io.fields, context, index, event);
  remember(context, event);
  if (!event.completions.empty()) {
    io.fields.at = encode_completions(io.fields, context, event);
    if (io.fields.at == nullptr) return false;
  }
  if (kWide &&
      (event.requests.size() | event.sizes.size() | event.members.size() | event.remote_members.size() |
       event.in_neighbours.size() | event.out_neighbours.size() | event.text.size()) != 0) {
    io.fields.at = encode_wide_lists(io.fields, event);
    if (io.fields.at == nullptr) return false;
  }
  code_times(io, event, kWide);
  return true;
}

}  // namespace vef::formats::rank_log
