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
  std::uint64_t pending;  // the bits that do not fill a byte yet
  std::uint32_t pending_bits;
  const std::uint8_t* classes_limit;
  const std::uint8_t* bits_limit;

  bool room() const { return fields.room() && classes <= classes_limit && bits <= bits_limit; }

  /// The lowest `count` <= 56 bits of `value`; higher ones must be 0.
  VEF_INLINE void put_bits(std::uint64_t value, unsigned count) {
    pending |= value << pending_bits;
    std::memcpy(bits, &pending, 8);
    pending_bits += count;
    bits += pending_bits / 8;
    pending >>= pending_bits & ~7u;
    pending_bits %= 8;
  }

  VEF_INLINE void times(std::uint64_t first, std::uint64_t second) {
    const unsigned first_length = static_cast<unsigned>(std::bit_width(first));
    const unsigned second_length = static_cast<unsigned>(std::bit_width(second));
    *classes++ = static_cast<std::uint8_t>(first_length);
    *classes++ = static_cast<std::uint8_t>(second_length);
    const unsigned first_bits = first_length - (first != 0);
    const unsigned second_bits = second_length - (second != 0);
    const std::uint64_t low_first = first & ~(~std::uint64_t{0} << first_bits);
    const std::uint64_t low_second = second & ~(~std::uint64_t{0} << second_bits);
    if (first_bits + second_bits <= 56) [[likely]] {
      put_bits(low_first | low_second << first_bits, first_bits + second_bits);
    } else {
      put_long(low_first, first_bits);
      put_long(low_second, second_bits);
    }
  }

  void put_long(std::uint64_t value, unsigned count) {
    const unsigned low = count < 32 ? count : 32;
    put_bits(value & 0xffffffff, low);
    put_bits(value >> 32, count - low);
  }
};

/// Finds the slot of a shape: 512 sets of four slot numbers, the youngest in the lowest 16 bits. A number may
/// be stale (its slot given to another shape since); the comparison of keys finds out.
struct ShapeIndex {
  static constexpr unsigned kSetBits = 9;
  std::uint64_t sets[1u << kSetBits];

  void reset() { std::memset(sets, 0, sizeof sets); }

  static VEF_INLINE std::size_t set_of(std::uint64_t call, std::uint64_t peers) {
    return ((call + peers * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15) >> (64 - kSetBits);
  }

  VEF_INLINE std::uint32_t find(const Context& context, std::uint64_t call, std::uint64_t peers) const {
    for (std::uint64_t set = sets[set_of(call, peers)]; set != 0; set >>= 16) {
      const std::uint32_t slot = set & 0xffff;
      if (context.slots[slot].call_key == call && context.slots[slot].peer_key == peers) return slot;
    }
    return 0;
  }

  void insert(std::uint64_t call, std::uint64_t peers, std::uint32_t slot) {
    std::uint64_t& set = sets[set_of(call, peers)];
    set = set << 16 | slot;
  }
};

/// A shape that has no slot: it takes the next one, and is told as differences to the last shape of its kind.
__attribute__((noinline)) inline std::uint8_t* encode_new_slot(FieldsWriter io, Context& context,
                                                               ShapeIndex& index, const RankEvent& event,
                                                               std::uint64_t call, std::uint64_t peers) {
  const auto kind = static_cast<unsigned>(event.kind);
  const Slot base = context.slots[context.last_slot[kind % kKinds]];
  const std::uint32_t number = context.take_slot();
  Slot& slot = context.slots[number];
  slot = base;
  slot.call_key = call;
  slot.peer_key = peers;
  context.last_slot[kind % kKinds] = static_cast<std::uint16_t>(number);
  index.insert(call, peers, number);
  const auto base_call = static_cast<std::uint16_t>(base.call_key >> 8);
  const auto base_comm = static_cast<std::uint32_t>(base.call_key >> 32);
  const auto base_peer = static_cast<std::int32_t>(base.peer_key);
  const auto base_recv_peer = static_cast<std::int32_t>(base.peer_key >> 32);
  io.byte(0);
  io.byte(static_cast<std::uint8_t>(event.kind));
  io.byte(static_cast<std::uint8_t>((event.call != base_call) | (event.comm != base_comm) << 1 |
                                    (event.peer != base_peer) << 2 |
                                    (event.recv_peer != base_recv_peer) << 3));
  io.delta(event.call != base_call, event.call, base_call);
  io.delta(event.comm != base_comm, event.comm, base_comm);
  io.delta(event.peer != base_peer, event.peer, base_peer);
  io.delta(event.recv_peer != base_recv_peer, event.recv_peer, base_recv_peer);
  return io.at;
}

/// The mask of the fields that differ from the slot, then the differences; the slot takes the new values.
__attribute__((noinline)) inline std::uint8_t* encode_differences(FieldsWriter io, bool is_wide, Slot& slot,
                                                                  const RankEvent& event,
                                                                  const ListSizes& lists) {
  std::uint64_t mask = 0, bit = 1;
  visit_fields(is_wide, slot, event, lists, [&](auto& old, const auto& now) {
    if (old != now) mask |= bit;
    bit <<= 1;
  });
  io.varint(mask);
  bit = 1;
  visit_fields(is_wide, slot, event, lists, [&](auto& old, const auto& now) {
    io.delta(mask & bit, now, old);
    old = now;
    bit <<= 1;
  });
  return io.at;
}

/// The lists that only kinds with wide() have. Null: they do not fit.
__attribute__((noinline)) inline std::uint8_t* encode_wide_lists(FieldsWriter io, const RankEvent& event,
                                                                 const ListSizes& sizes) {
  struct {
    const std::uint64_t* requests;
    const std::uint64_t* sizes;
    const RankRun* members;
    const RankRun* remote_members;
  } lists{event.requests.data(), event.sizes.data(), event.members.data(), event.remote_members.data()};
  return code_wide_lists(io, sizes, lists) ? io.at : nullptr;
}

VEF_INLINE ListSizes sizes_of(bool is_wide, const RankEvent& event) {
  ListSizes sizes;
  sizes.completions = static_cast<std::uint32_t>(event.completions.size());
  if (is_wide) {
    sizes.requests = static_cast<std::uint32_t>(event.requests.size());
    sizes.sizes = static_cast<std::uint32_t>(event.sizes.size());
    sizes.members = static_cast<std::uint32_t>(event.members.size());
    sizes.remote_members = static_cast<std::uint32_t>(event.remote_members.size());
  }
  return sizes;
}

/// Shape and fields: one byte where the event is what its slot predicts.
VEF_INLINE void encode_fields(FieldsWriter& io, Context& context, ShapeIndex& index, const RankEvent& event,
                              bool is_wide, const ListSizes& sizes) {
  const std::uint64_t call = call_key(event.kind, event.call, event.comm);
  const std::uint64_t peers = peer_key(event.peer, event.recv_peer);
  const std::uint32_t number = index.find(context, call, peers);
  if (number == 0) [[unlikely]] {
    io.at = encode_new_slot(io, context, index, event, call, peers);
    Slot& slot = context.slots[context.last_slot[static_cast<unsigned>(event.kind) % kKinds]];
    predict_numbers(context, slot);
    io.at = encode_differences(io, is_wide, slot, event, sizes);
    return;
  }
  Slot& slot = context.slots[number];
  predict_numbers(context, slot);
  std::uint64_t differs = 0;
  visit_fields(is_wide, slot, event, sizes,
               [&](auto& old, const auto& now) { differs |= widen(old) ^ widen(now); });
  io.varint(number << 1 | (differs != 0));
  if (differs != 0) io.at = encode_differences(io, is_wide, slot, event, sizes);
}

/// Encodes one event. False: it does not fit; then the positions and the context are spoilt, and the chunk
/// must end with the event before.
VEF_INLINE bool encode_event(Encoder& io, Context& context, ShapeIndex& index, const RankEvent& event) {
  if (!io.room()) return false;
  const bool is_wide = wide(event.kind);
  const ListSizes sizes = sizes_of(is_wide, event);
  encode_fields(io.fields, context, index, event, is_wide, sizes);
  remember(context, event);
  if (sizes.completions != 0) {
    struct {
      const Completion* completions;
    } lists{event.completions.data()};
    if (!code_completions(io.fields, context, event, sizes, lists)) return false;
  }
  if (is_wide && (sizes.requests | sizes.sizes | sizes.members | sizes.remote_members) != 0) [[unlikely]] {
    io.fields.at = encode_wide_lists(io.fields, event, sizes);
    if (io.fields.at == nullptr) return false;
  }
  code_times(io, event);
  return true;
}

}  // namespace vef::formats::rank_log
