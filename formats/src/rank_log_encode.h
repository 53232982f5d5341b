// SPDX-License-Identifier: Apache-2.0
// The writing half of rank_log_codec.h. Inlined into RankLogWriter::append().
#pragma once

#include <iterator>

#include "rank_log_codec.h"
#include "vef/formats/rank_log_writer.h"

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

/// What put_times() tells in kClasses and kBits at once.
VEF_INLINE bool are_short(std::uint64_t first, std::uint64_t second) {
  return (first | second) < std::uint64_t{1} << 28;
}

/// Write positions in the columns, but for kClasses: an event takes two bytes of it, at `classes`.
struct Encoder {
  FieldsWriter fields;
  std::uint8_t* heads;
  std::uint8_t* bits;
  std::uint64_t bit;  // position in `bits`

  VEF_INLINE void put_bits(std::uint64_t value, unsigned count) { add_bits(bits, bit, value, count); }

  /// A varint below 2^14.
  VEF_INLINE void head(std::uint32_t value) {
    const bool two = value >= 0x80;
    const auto both = static_cast<std::uint16_t>(two ? (value & 0x7f) | 0x80 | value >> 7 << 8 : value);
    std::memcpy(heads, &both, 2);
    heads += 1 + two;
  }

  static VEF_INLINE void put_classes(std::uint8_t* classes, unsigned first, unsigned second) {
    const auto both = static_cast<std::uint16_t>(first | second << 8);
    std::memcpy(classes, &both, 2);
  }

  VEF_INLINE void put_times(std::uint8_t* classes, std::uint64_t first, std::uint64_t second) {
    if (!are_short(first, second)) [[unlikely]]
      return put_long_times(classes, first, second);
    put_short_times(classes, first, second);
  }

  VEF_INLINE void put_short_times(std::uint8_t* classes, std::uint64_t first, std::uint64_t second) {
    const auto first_class = static_cast<unsigned>(63 ^ __builtin_clzll(first + 1));
    const auto second_class = static_cast<unsigned>(63 ^ __builtin_clzll(second + 1));
    put_classes(classes, first_class, second_class);
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

  VEF_INLINE void put_long_times(std::uint8_t* classes, std::uint64_t first, std::uint64_t second) {
    unsigned first_class, second_class;
    bit = put_long(bits, bit, first, first_class);
    bit = put_long(bits, bit, second, second_class);
    put_classes(classes, first_class, second_class);
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
  std::uint16_t follower[kSlots];  // the slot of the event after the last one of this slot: loops repeat
  std::uint32_t last;              // slot
  EventMemo memos[kSlots];         // what the caller knows the event by that the slot predicts

  void reset() {
    std::memset(sets, 0, sizeof sets);
    std::memset(follower, 0, sizeof follower);
    last = 0;
  }

  static VEF_INLINE std::size_t set_of(const ShapeKeys& keys) {
    return ((keys.call + (keys.place + keys.far * 0xa0761d6478bd642f) * 0xd6e8feb86659fd93) *
            0x9e3779b97f4a7c15) >>
           (64 - kSetBits);
  }

  void forget_memo(std::uint32_t slot) { std::end(memos[slot].words)[-1] = 0; }

  /// The slot of the event that is expected next, if that is the one of the memo, else 0. Slot 0
  /// has no memo.
  VEF_INLINE std::uint32_t expect(const EventMemo& memo) const {
    const std::uint32_t number = follower[last];
    const std::uint64_t(&known)[5] = memos[number].words;
    const std::uint64_t differs = (memo.words[0] ^ known[0]) | (memo.words[1] ^ known[1]) |
                                  (memo.words[2] ^ known[2]) | (memo.words[3] ^ known[3]) |
                                  (memo.words[4] ^ known[4]);
    return differs == 0 ? number : 0;
  }

  /// `far` is looked at where the kind has it: elsewhere it is 0 in the event and in the slot.
  template <bool kFar>
  static VEF_INLINE bool is(const Slot& slot, const ShapeKeys& keys) {
    return slot.call_key == keys.call && slot.place_key == keys.place && (!kFar || slot.far_key == keys.far);
  }

  /// 0: there is none.
  template <bool kFar>
  VEF_INLINE std::uint32_t find(const Context& context, const ShapeKeys& keys) {
    std::uint32_t number = follower[last];  // 0, the empty slot, is like no shape
    if (!is<kFar>(context.slots[number], keys)) [[unlikely]] {
      number = look_up<kFar>(context, keys);
      follower[last] = static_cast<std::uint16_t>(number);
    }
    last = number;
    return number;
  }

  template <bool kFar>
  __attribute__((noinline)) std::uint32_t look_up(const Context& context, const ShapeKeys& keys) const {
    for (std::uint64_t set = sets[set_of(keys)]; set != 0; set >>= 16) {
      const std::uint32_t number = set & 0xffff;
      if (is<kFar>(context.slots[number], keys)) return number;
    }
    return 0;
  }

  void insert(const ShapeKeys& keys, std::uint32_t slot) {
    std::uint64_t& set = sets[set_of(keys)];
    set = set << 16 | slot;
    last = slot;
  }
};

/// A shape that has no slot: it takes the next one, and is told as differences to the last shape of its kind.
__attribute__((noinline)) inline std::uint8_t* encode_new_slot(FieldsWriter io, Context& context,
                                                               ShapeIndex& index, const ShapeKeys& keys) {
  const auto kind = static_cast<unsigned>(keys.call & 0xff);
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
  io.byte(static_cast<std::uint8_t>(kind));
  io.byte(static_cast<std::uint8_t>(differs));
  visit_shape(before, now, [&](const auto& old, const auto& value) { io.delta(old != value, value, old); });
  return io.at;
}

template <class Event>
VEF_INLINE ListSizes sizes_of(const Event& event) {
  ListSizes sizes;
  sizes.completions = static_cast<std::uint32_t>(event.completions.size());
  if constexpr (kHasAll<Event>) {
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
template <Breadth kBreadth, class Event>
__attribute__((noinline)) std::uint8_t* encode_differences(FieldsWriter io, const Context& context,
                                                           Slot& slot, const Event& event) {
  const ListSizes lists = sizes_of(event);
  Predicted predicted(context, slot);
  std::uint64_t mask = 0, bit = 1;
  visit_fields(kBreadth, slot, predicted, event, lists, [&](auto& old, const auto& now) {
    if (old != now) mask |= bit;
    bit <<= 1;
  });
  io.varint(mask);
  bit = 1;
  visit_fields(kBreadth, slot, predicted, event, lists, [&](auto& old, const auto& now) {
    io.delta(mask & bit, now, old);
    old = now;
    bit <<= 1;
  });
  Predicted::learn(slot, event);
  return io.at;
}

/// Null: they do not fit.
template <class Event>
__attribute__((noinline)) std::uint8_t* encode_completions(FieldsWriter io, Context& context,
                                                           const Event& event) {
  return code_completions(io, context, event, event.completions.data(), event.completions.size()) ? io.at
                                                                                                  : nullptr;
}

/// The lists that no kNarrow kind has. Null: they do not fit.
__attribute__((noinline)) inline std::uint8_t* encode_other_lists(FieldsWriter io, const RankEvent& event) {
  const ListSizes sizes = sizes_of(event);
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
  return code_other_lists(io, sizes, lists) ? io.at : nullptr;
}

/// Shape and fields; returns the head. Nothing but it is written where the event is what its slot predicts.
template <Breadth kBreadth, class Event>
VEF_INLINE std::uint32_t encode_fields(FieldsWriter& io, Context& context, ShapeIndex& index,
                                       const Event& event) {
  constexpr bool kFar = kBreadth != Breadth::kNarrow;
  const ListSizes sizes = sizes_of(event);
  ShapeKeys keys{call_key(event.kind, event.call, event.site), place_key(event.comm, event.peer), 0};
  if constexpr (kFar) keys.far = far_key(event.recv_peer, event.window);
  const std::uint32_t number = index.find<kFar>(context, keys);
  if (number == 0) [[unlikely]] {
    io.at = encode_new_slot(io, context, index, keys);
    Slot& fresh = context.slots[context.last_slot[static_cast<unsigned>(event.kind) % kKinds]];
    io.at = encode_differences<kBreadth>(io, context, fresh, event);
    index.forget_memo(index.last);
    return 0;
  }
  Slot& slot = context.slots[number];
  Predicted predicted(context, slot);
  std::uint64_t differs = 0;
  visit_fields(kBreadth, slot, predicted, event, sizes,
               [&](auto& old, const auto& now) { differs |= widen(old) ^ widen(now); });
  if (differs == 0) [[likely]]
    return number << 1;
  io.at = encode_differences<kBreadth>(io, context, slot, event);
  index.forget_memo(number);
  return number << 1 | 1;
}

/// Encodes one event of a kind of this breadth, all but its times and its head, which is returned. It does
/// not fit: kNoRoom; then the positions and the context are spoilt, and the chunk must end with the event
/// before.
inline constexpr std::uint32_t kNoRoom = ~std::uint32_t{0};
template <Breadth kBreadth, class Event>
VEF_INLINE std::uint32_t encode_event(FieldsWriter& io, Context& context, ShapeIndex& index,
                                      const Event& event) {
  if (!io.room()) return kNoRoom;
  const std::uint32_t head = encode_fields<kBreadth>(io, context, index, event);
  remember(context, event);
  if (!event.completions.empty()) {
    io.at = encode_completions(io, context, event);
    if (io.at == nullptr) return kNoRoom;
  }
  if constexpr (kBreadth != Breadth::kNarrow) {
    if ((event.requests.size() | event.sizes.size() | event.members.size() | event.remote_members.size() |
         event.in_neighbours.size() | event.out_neighbours.size() | event.text.size()) != 0) {
      io.at = encode_other_lists(io, event);
      if (io.at == nullptr) return kNoRoom;
    }
  }
  return head;
}

}  // namespace vef::formats::rank_log
