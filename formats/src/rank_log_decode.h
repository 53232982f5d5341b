// SPDX-License-Identifier: Apache-2.0
// The reading half of rank_log_codec.h. Believes nothing: slot numbers, counts, bit lengths and positions are
// checked, and memory is taken only for lists whose bytes are there.
#pragma once

#include <vector>

#include "rank_log_codec.h"

namespace vef::formats::rank_log {

/// Readable bytes that must follow each column given to the decoder.
inline constexpr std::size_t kColumnPadding = 512;
// An event reads at most so much behind the point where it is checked: 300 bytes of fields, 2 heads,
// 2 classes, 16 bytes of bits.
static_assert(kColumnPadding >= kFieldsMargin);

/// A column in memory, kColumnPadding readable bytes behind `size`.
struct ColumnView {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

/// Read positions in the columns.
struct Decoder {
  static constexpr bool kReads = true;

  const std::uint8_t* heads = nullptr;
  const std::uint8_t* heads_end = nullptr;
  const std::uint8_t* fields = nullptr;
  const std::uint8_t* fields_end = nullptr;
  const std::uint8_t* classes = nullptr;
  const std::uint8_t* classes_end = nullptr;
  const std::uint8_t* bits = nullptr;
  std::uint64_t bit = 0;  // position in `bits`
  std::uint64_t bit_end = 0;
  bool bad = false;

  Decoder() = default;
  explicit Decoder(const ColumnView (&columns)[kColumns])
      : heads(columns[kHeads].data),
        heads_end(heads + columns[kHeads].size),
        fields(columns[kFields].data),
        fields_end(fields + columns[kFields].size),
        classes(columns[kClasses].data),
        classes_end(classes + columns[kClasses].size),
        bits(columns[kBits].data),
        bit_end(8 * static_cast<std::uint64_t>(columns[kBits].size)) {}

  bool room() const { return fields < fields_end; }
  bool sound() const {
    return !bad && heads <= heads_end && fields <= fields_end && classes <= classes_end && bit <= bit_end;
  }

  VEF_INLINE void byte(std::uint8_t& value) { value = *fields++; }

  VEF_INLINE std::uint64_t varint() {
    std::uint64_t value = *fields++;
    if (value < 0x80) [[likely]]
      return value;
    value &= 0x7f;
    for (unsigned shift = 7; shift < 64; shift += 7) {
      const std::uint64_t next = *fields++;
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    bad = true;  // longer than 10 bytes
    return value;
  }

  template <class T, class Base>
  VEF_INLINE void delta(bool differs, T& value, const Base& base) {
    value = static_cast<T>(differs ? widen(base) + unzigzag(varint()) : widen(base));
  }

  /// `count` <= 56
  VEF_INLINE std::uint64_t get_bits(unsigned count) {
    std::uint64_t word;
    std::memcpy(&word, bits + bit / 8, 8);
    const std::uint64_t value = word >> bit % 8 & ~(~std::uint64_t{0} << count);
    bit += count;
    return value;
  }

  std::uint64_t get_long(unsigned count) {
    const unsigned low = count < 32 ? count : 32;
    const std::uint64_t value = get_bits(low);
    return value | get_bits(count - low) << 32;
  }

  VEF_INLINE void times(std::uint64_t& first, std::uint64_t& second) {
    const unsigned first_class = *classes++;
    const unsigned second_class = *classes++;
    if (bit > bit_end || first_class > 64 || second_class > 64) [[unlikely]] {
      bad = true;
      first = second = 0;
      return;
    }
    if (first_class + second_class <= 56) [[likely]] {
      const std::uint64_t both = get_bits(first_class + second_class);
      first = (both & ~(~std::uint64_t{0} << first_class)) + (std::uint64_t{1} << first_class) - 1;
      second = (both >> first_class) + (std::uint64_t{1} << second_class) - 1;
    } else {
      first = get_long_time(first_class);
      second = get_long_time(second_class);
    }
  }

  std::uint64_t get_long_time(unsigned exponent) {
    if (exponent == 64) return ~std::uint64_t{0};
    return get_long(exponent) + (std::uint64_t{1} << exponent) - 1;
  }
};

/// Memory for the lists of the event at hand.
struct EventLists {
  std::vector<Completion> completions;
  std::vector<std::uint64_t> requests;
  std::vector<std::uint64_t> sizes;
  std::vector<RankRun> members;
  std::vector<RankRun> remote_members;
  std::vector<std::int32_t> in_neighbours;
  std::vector<std::int32_t> out_neighbours;
  std::vector<std::uint8_t> text;

  /// False: there cannot be so many, because each item takes at least one byte of `available`.
  bool resize(const ListSizes& wanted, std::size_t available) {
    const std::uint64_t total = std::uint64_t{wanted.completions} + wanted.requests + wanted.sizes +
                                wanted.members + wanted.remote_members + wanted.in_neighbours +
                                wanted.out_neighbours + wanted.text;
    if (total > available) return false;
    completions.resize(wanted.completions);
    requests.resize(wanted.requests);
    sizes.resize(wanted.sizes);
    members.resize(wanted.members);
    remote_members.resize(wanted.remote_members);
    in_neighbours.resize(wanted.in_neighbours);
    out_neighbours.resize(wanted.out_neighbours);
    text.resize(wanted.text);
    return true;
  }
};

inline std::uint32_t decode_new_slot(Decoder& io, Context& context) {
  const std::uint8_t kind = *io.fields++;
  const std::uint8_t differs = *io.fields++;
  if (!known_kind(kind) || differs >> kShapeFields != 0) {
    io.bad = true;
    return 0;
  }
  const Slot base = context.slots[context.last_slot[kind % kKinds]];
  Shape shape;
  unsigned bit = 1;
  visit_shape(Shape(base), shape, [&](const auto& old, auto& value) {
    io.delta((differs & bit) != 0, value, old);
    bit <<= 1;
  });
  const std::uint32_t number = context.take_slot();
  Slot& slot = context.slots[number];
  slot = base;
  slot.call_key = call_key(static_cast<EventKind>(kind), shape.call, shape.site);
  slot.place_key = place_key(shape.comm, shape.peer);
  slot.far_key = far_key(shape.recv_peer, shape.window);
  context.last_slot[kind % kKinds] = static_cast<std::uint16_t>(number);
  return number;
}

VEF_INLINE bool decode_lists(Decoder& io, Context& context, RankEvent& event, const ListSizes& sizes,
                             EventLists& lists) {
  if (io.fields > io.fields_end || !lists.resize(sizes, static_cast<std::size_t>(io.fields_end - io.fields)))
    return false;
  if (!code_completions(io, context, event, lists.completions.data(), sizes.completions)) return false;
  event.completions = lists.completions;
  if (breadth_of(event.kind) == Breadth::kNarrow) return true;
  struct {
    std::uint64_t* requests;
    std::uint64_t* sizes;
    RankRun* members;
    RankRun* remote_members;
    std::int32_t* in_neighbours;
    std::int32_t* out_neighbours;
    std::uint8_t* text;
  } pointers{lists.requests.data(),      lists.sizes.data(),
             lists.members.data(),       lists.remote_members.data(),
             lists.in_neighbours.data(), lists.out_neighbours.data(),
             lists.text.data()};
  if (!code_other_lists(io, sizes, pointers)) return false;
  event.requests = lists.requests;
  event.sizes = lists.sizes;
  event.members = lists.members;
  event.remote_members = lists.remote_members;
  event.in_neighbours = lists.in_neighbours;
  event.out_neighbours = lists.out_neighbours;
  event.text = {reinterpret_cast<const char*>(lists.text.data()), lists.text.size()};
  return true;
}

/// Decodes one event; its spans point into `lists`. False: the columns are damaged from here on.
VEF_INLINE bool decode_event(Decoder& io, Context& context, RankEvent& event, EventLists& lists) {
  if (io.heads >= io.heads_end) return false;
  const std::uint32_t head = take_head(io.heads);
  std::uint32_t number = head >> 1;
  bool differs = (head & 1) != 0;
  if (number == 0) [[unlikely]] {
    if (differs || !io.room()) return false;
    number = decode_new_slot(io, context);
    differs = true;
  }
  if (number == 0 || number >= context.used_slots || io.fields > io.fields_end) return false;
  Slot& slot = context.slots[number];
  Predicted predicted(context, slot);
  event = RankEvent{};
  event.kind = static_cast<EventKind>(slot.call_key & 0xff);
  const Shape shape(slot);
  event.call = shape.call;
  event.comm = shape.comm;
  event.peer = shape.peer;
  event.recv_peer = shape.recv_peer;
  event.window = shape.window;
  event.site = shape.site;
  const Breadth breadth = breadth_of(event.kind);
  ListSizes sizes;
  if (differs) {
    std::uint64_t mask = io.varint();
    visit_fields(breadth, slot, predicted, event, sizes, [&](auto& old, auto&) {
      io.delta(mask & 1, old, old);
      mask >>= 1;
    });
    if (mask != 0) return false;
  }
  visit_fields(breadth, slot, predicted, event, sizes, [](const auto& old, auto& now) {
    now = static_cast<std::remove_reference_t<decltype(now)>>(old);
  });
  if (differs) Predicted::learn(slot, event);
  remember(context, event);
  const std::uint32_t any = sizes.completions | sizes.requests | sizes.sizes | sizes.members |
                            sizes.remote_members | sizes.in_neighbours | sizes.out_neighbours | sizes.text;
  if (any != 0 && !decode_lists(io, context, event, sizes, lists)) return false;
  io.times(event.gap, event.duration);
  return io.sound();
}

}  // namespace vef::formats::rank_log
