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
    if (value < 0x80) [[likely]] {
      *heads++ = static_cast<std::uint8_t>(value);
      return;
    }
    const auto both = static_cast<std::uint16_t>((value & 0x7f) | 0x80 | value >> 7 << 8);
    std::memcpy(heads, &both, 2);
    heads += 2;
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

/// What else tells two slots of one shape apart: a loop that alternates between messages of two sizes has a
/// slot for either, and repeats itself number for number.
struct Variant {
  std::uint64_t bytes;
  std::int32_t tag;
  std::uint32_t completions;
  // Where the kind has them, else 0.
  std::uint64_t recv_bytes = 0;
  std::int32_t recv_tag = 0;
  std::uint32_t sizes = 0;

  template <bool kFar>
  VEF_INLINE bool is(const Slot& slot) const {
    return slot.bytes == bytes && slot.tag == tag && slot.completions == completions &&
           (!kFar || (slot.recv_bytes == recv_bytes && slot.recv_tag == recv_tag && slot.sizes == sizes));
  }
  std::uint64_t hash() const {
    const std::uint64_t rest = pair_key(static_cast<std::uint32_t>(recv_tag), sizes) + recv_bytes;
    return (bytes + pair_key(static_cast<std::uint32_t>(tag), completions + 1) * 0xe7037ed1a0b428db) *
               0x8ebc6af09c88c6e3 +
           rest * 0x589965cc75374cc3;
  }
};

/// Finds the slot of an event: of its shape, of its variant, or of what the caller knows it by. The hash
/// tables hold slot numbers that may be stale (the slot given to another shape since); comparing finds out.
struct ShapeIndex {
  static constexpr unsigned kSetBits = 9;
  static constexpr unsigned kVariants = 64;  // of a shape; what differs more often than that repeats nothing
  std::uint64_t sets[1u << kSetBits];        // four slot numbers each, the youngest in the lowest 16 bits
  std::uint8_t variants[1u << kSetBits];     // of the shape with this hash
  std::uint16_t follower[kSlots + 1];  // the slot of the event after the last one of this slot: loops repeat
  std::uint16_t by_memo[kSlots];       // by the memo's hash
  std::uint32_t last;                  // slot; kClosed: no event may follow, and find() finds none
  static constexpr std::uint32_t kClosed = kSlots;
  EventMemo memos[kSlots];  // what the caller knows the event by that the slot predicts

  void reset() {
    std::memset(sets, 0, sizeof sets);
    std::memset(variants, 0, sizeof variants);
    std::memset(follower, 0, sizeof follower);
    std::memset(by_memo, 0, sizeof by_memo);
    last = 0;
  }

  static VEF_INLINE std::uint64_t hash_of(const ShapeKeys& keys) {
    return (keys.call + (keys.place + keys.far * 0xa0761d6478bd642f) * 0xd6e8feb86659fd93) * kCheckFactor;
  }
  static VEF_INLINE std::size_t set_of(std::uint64_t hash) { return hash >> (64 - kSetBits); }

  static VEF_INLINE std::size_t place_of(const EventMemo& memo) {
    const std::uint64_t(&word)[5] = memo.words;
    return ((word[0] + word[3] + (word[1] + word[2] + word[4] * 0xd6e8feb86659fd93) * 0xa0761d6478bd642f) *
            kCheckFactor) >>
           (64 - kSetBits);
  }
  static_assert(kSlots == 1u << kSetBits);

  static VEF_INLINE bool are_same(const EventMemo& a, const EventMemo& b) {
    return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2]) |
            (a.words[3] ^ b.words[3]) | (a.words[4] ^ b.words[4])) == 0;
  }

  void note(const EventMemo& memo) {
    memos[last] = memo;
    by_memo[place_of(memo)] = static_cast<std::uint16_t>(last);
  }
  void forget_memo(std::uint32_t slot) { std::end(memos[slot].words)[-1] = 0; }

  /// The slot of the memo; 0, which has none: not known. Expects it to be that of the event at hand.
  VEF_INLINE std::uint32_t find(const EventMemo& memo) {
    const std::uint32_t number = follower[last];
    if (are_same(memo, memos[number])) [[likely]] {
      if (number == 0) __builtin_unreachable();  // no memo is like that of the empty slot
      return number;
    }
    const std::uint64_t(&word)[5] = memo.words;
    return look_up(word[0], word[1], word[2], word[3], word[4]);
  }
  /// The same of a memo with no more than its last word.
  VEF_INLINE std::uint32_t find(std::uint64_t last_word) {
    const std::uint32_t number = follower[last];
    return last_word == memos[number].words[4] ? number : look_up(0, 0, 0, 0, last_word);
  }
  /// Not the memo itself: so that only here it must lie in memory.
  __attribute__((noinline)) std::uint32_t look_up(std::uint64_t word_0, std::uint64_t word_1,
                                                  std::uint64_t word_2, std::uint64_t word_3,
                                                  std::uint64_t word_4) {
    if (last == kClosed) return 0;
    const EventMemo memo{{word_0, word_1, word_2, word_3, word_4}};
    const std::uint32_t number = by_memo[place_of(memo)];
    if (!are_same(memo, memos[number])) return 0;
    follower[last] = static_cast<std::uint16_t>(number);
    return number;
  }

  /// `far` is looked at where the kind has it: elsewhere it is 0 in the event and in the slot.
  template <bool kFar>
  static VEF_INLINE bool is(const Slot& slot, const ShapeKeys& keys) {
    return slot.call_key == keys.call && slot.place_key == keys.place && (!kFar || slot.far_key == keys.far);
  }

  /// A slot of the shape, and of the variant if that is given; 0: there is none.
  template <bool kFar>
  std::uint32_t look_up(const Context& context, const ShapeKeys& keys, const Variant* variant) const {
    const std::uint64_t hash = hash_of(keys) + (variant != nullptr ? variant->hash() : 0);
    for (std::uint64_t set = sets[set_of(hash)]; set != 0; set >>= 16) {
      const std::uint32_t number = set & 0xffff;
      const Slot& slot = context.slots[number];
      if (is<kFar>(slot, keys) && (variant == nullptr || variant->is<kFar>(slot))) return number;
    }
    return 0;
  }

  void insert(std::uint64_t hash, std::uint32_t slot) {
    std::uint64_t& set = sets[set_of(hash)];
    set = set << 16 | slot;
  }

  /// Whether the shape gets one more slot. Half of them are kept for other shapes.
  bool may_vary(const Context& context, const ShapeKeys& keys) {
    std::uint8_t& count = variants[set_of(hash_of(keys))];
    if (count == kVariants || context.used_slots > kSlots / 2) return false;
    ++count;
    return true;
  }

  /// The event at hand has this slot.
  VEF_INLINE void go_to(std::uint32_t slot) {
    follower[last] = static_cast<std::uint16_t>(slot);
    last = slot;
  }
};

/// The next slot becomes one of this shape, which is told as differences to the last one of its kind.
inline std::uint32_t encode_new_slot(FieldsWriter& io, Context& context, const ShapeKeys& keys) {
  const auto kind = static_cast<unsigned>(keys.call & 0xff);
  const Slot base = context.slots[context.last_slot[kind % kKinds]];
  const std::uint32_t number = context.take_slot();
  Slot& slot = context.slots[number];
  slot = base;
  slot.call_key = keys.call;
  slot.place_key = keys.place;
  slot.far_key = keys.far;
  context.last_slot[kind % kKinds] = static_cast<std::uint16_t>(number);
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
  return number;
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

template <Breadth kBreadth, class Event>
VEF_INLINE bool is_predicted(const Context& context, Slot& slot, const Event& event, const ListSizes& sizes) {
  Predicted predicted(context, slot);
  std::uint64_t differs = 0;
  visit_fields(kBreadth, slot, predicted, event, sizes,
               [&](auto& old, const auto& now) { differs |= widen(old) ^ widen(now); });
  return differs == 0;
}

template <bool kFar, class Event>
Variant variant_of(const Event& event, const ListSizes& sizes) {
  Variant variant{event.bytes, event.tag, sizes.completions};
  if constexpr (kFar) {
    variant.recv_bytes = event.recv_bytes;
    variant.recv_tag = event.recv_tag;
    variant.sizes = sizes.sizes;
  }
  return variant;
}

/// An event that is not the one that came after the last one before. Its position in kFields, and its head.
struct EncodedFields {
  std::uint8_t* at;
  std::uint32_t head;
};
template <Breadth kBreadth, class Event>
__attribute__((noinline)) EncodedFields encode_surprise(FieldsWriter io, Context& context, ShapeIndex& index,
                                                        const ShapeKeys& keys, const Event& event) {
  constexpr bool kFar = kBreadth != Breadth::kNarrow;
  const ListSizes sizes = sizes_of(event);
  const Variant variant = variant_of<kFar>(event, sizes);
  const std::uint64_t hash = ShapeIndex::hash_of(keys);
  std::uint32_t number = index.look_up<kFar>(context, keys, &variant);
  if (number == 0) {
    number = index.look_up<kFar>(context, keys, nullptr);
    const bool is_new = number == 0;
    if (is_new || (kBreadth != Breadth::kWide && index.may_vary(context, keys))) {
      number = encode_new_slot(io, context, keys);
      if (is_new) index.insert(hash, number);
      index.insert(hash + variant.hash(), number);
      index.go_to(number);
      index.forget_memo(number);
      return {encode_differences<kBreadth>(io, context, context.slots[number], event), 0};
    }
    index.insert(hash + variant.hash(), number);
  }
  index.go_to(number);
  Slot& slot = context.slots[number];
  if (is_predicted<kBreadth>(context, slot, event, sizes)) return {io.at, number << 1};
  index.forget_memo(number);
  return {encode_differences<kBreadth>(io, context, slot, event), number << 1 | 1};
}

/// Shape and fields; returns the head. Nothing but it is written where the event is what its slot predicts.
template <Breadth kBreadth, class Event>
VEF_INLINE std::uint32_t encode_fields(FieldsWriter& io, Context& context, ShapeIndex& index,
                                       const Event& event) {
  constexpr bool kFar = kBreadth != Breadth::kNarrow;
  ShapeKeys keys{call_key(event.kind, event.call, event.site), place_key(event.comm, event.peer), 0};
  if constexpr (kFar) keys.far = far_key(event.recv_peer, event.window);
  const std::uint32_t number = index.follower[index.last];  // 0, the empty slot, is like no shape
  Slot& slot = context.slots[number];
  if (ShapeIndex::is<kFar>(slot, keys) && is_predicted<kBreadth>(context, slot, event, sizes_of(event)))
      [[likely]] {
    index.last = number;
    return number << 1;
  }
  const EncodedFields done = encode_surprise<kBreadth>(io, context, index, keys, event);
  io.at = done.at;
  return done.head;
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
