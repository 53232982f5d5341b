// SPDX-License-Identifier: Apache-2.0
// How an event becomes bytes and back. Encoder and decoder walk the same lists of fields (visit_narrow,
// visit_wide, code_completion, code_lists), so what is written is what is read. docs/rank-log.md is the
// specification in words.
//
// An event is cut in three columns, because alike bytes side by side compress and mixed ones do not:
//   kFields   which shape the event has and what differs from the last event of that shape: a loop repeats
//   itself
//             here byte for byte, so zstd folds it to nearly nothing;
//   kClasses  the bit length of each time (0..64), one byte each;
//   kBits     the bits of each time below the leading one, packed: noise, stored as it is.
// A shape is (kind, call, communicator, peer, receive peer); its slot remembers the last values of everything
// else. All state begins anew with each chunk. Times are in ticks. Plain functions on memory that the caller
// owns; nothing here allocates, throws or calls the system. Not thread safe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "rank_log_format.h"
#include "vef/formats/rank_log.h"

#define VEF_INLINE inline __attribute__((always_inline))

namespace vef::formats::rank_log {

inline constexpr std::uint32_t kSlots = 512;  // slot 0 is always empty: number 0 announces a new shape
inline constexpr std::uint32_t kPosted = 512;
inline constexpr std::uint32_t kKinds = 64;

/// Bytes of kFields that one event without lists, or one item of a list, can take at most (rounded up), of
/// kClasses that one event can take, and of kBits including the spill of an 8-byte store.
inline constexpr std::size_t kFieldsMargin = 256;
inline constexpr std::size_t kClassesMargin = 8;
inline constexpr std::size_t kBitsMargin = 64;

struct Slot {
  std::uint64_t call_key = 0;  // kind | call << 8 | comm << 32
  std::uint64_t peer_key = 0;  // peer | recv_peer << 32
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;
  std::uint64_t sequence = 0;
  std::int32_t tag = 0;
  std::uint32_t completions = 0;
  // From here on only for kinds with wide().
  std::uint64_t recv_bytes = 0;
  std::uint64_t message = 0;
  std::int32_t recv_tag = 0;
  std::uint32_t requests = 0;
  std::uint32_t sizes = 0;
  std::uint32_t members = 0;
  std::uint32_t remote_members = 0;
  std::uint32_t new_comm = 0;
  std::uint32_t comm_flags = 0;
};

/// How long the lists of an event are.
struct ListSizes {
  std::uint32_t completions = 0;
  std::uint32_t requests = 0;
  std::uint32_t sizes = 0;
  std::uint32_t members = 0;
  std::uint32_t remote_members = 0;
};

struct Posted {
  std::uint64_t request = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
};

/// What both sides remember within a chunk.
struct Context {
  Slot slots[kSlots];
  Posted posted[kPosted];           // receives, by request number modulo kPosted
  std::uint16_t last_slot[kKinds];  // of that kind; 0: none
  std::uint32_t next_slot;          // the next to be given away; wraps to 1
  std::uint32_t used_slots;         // slots 1..used_slots-1 have been given away
  std::uint64_t next_request;       // one more than the last request of an event
  std::uint64_t next_sequence;
  std::uint64_t next_completed;  // one more than the last request in a kComplete
  Completion last_received;

  void reset() {
    slots[0] = Slot{};
    std::memset(static_cast<void*>(posted), 0, sizeof posted);
    std::memset(last_slot, 0, sizeof last_slot);
    next_slot = used_slots = 1;
    next_request = next_sequence = next_completed = 1;
    last_received = Completion{};
  }

  std::uint32_t take_slot() {
    const std::uint32_t slot = next_slot;
    next_slot = slot + 1 == kSlots ? 1 : slot + 1;
    if (used_slots < kSlots) ++used_slots;
    return slot;
  }
};

constexpr std::uint64_t kind_bit(EventKind kind) { return std::uint64_t{1} << static_cast<unsigned>(kind); }

/// The kinds whose events have more than bytes, tag, request, sequence and completions.
VEF_INLINE bool wide(EventKind kind) {
  constexpr std::uint64_t kNarrow =
      kind_bit(EventKind::kInit) | kind_bit(EventKind::kFinalize) | kind_bit(EventKind::kAbort) |
      kind_bit(EventKind::kSend) | kind_bit(EventKind::kIsend) | kind_bit(EventKind::kRecv) |
      kind_bit(EventKind::kIrecv) | kind_bit(EventKind::kSendInit) | kind_bit(EventKind::kRecvInit) |
      kind_bit(EventKind::kComplete) | kind_bit(EventKind::kRequestFree) | kind_bit(EventKind::kCancel) |
      kind_bit(EventKind::kProbe) | kind_bit(EventKind::kMprobe) | kind_bit(EventKind::kMrecv) |
      kind_bit(EventKind::kPolls) | kind_bit(EventKind::kPause);
  return (kNarrow >> (static_cast<unsigned>(kind) % kKinds) & 1) == 0;
}

inline bool known_kind(std::uint8_t kind) {
  return (kind >= 1 && kind <= 3) || (kind >= 10 && kind <= 24) || kind == 30 || kind == 31 ||
         (kind >= 40 && kind <= 42) || kind == 50 || kind == 51;
}

VEF_INLINE std::uint64_t call_key(EventKind kind, std::uint16_t call, std::uint32_t comm) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(call) << 8 |
         static_cast<std::uint64_t>(comm) << 32;
}
VEF_INLINE std::uint64_t peer_key(std::int32_t peer, std::int32_t recv_peer) {
  return static_cast<std::uint32_t>(peer) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(recv_peer))
                                                << 32;
}

// ---- the lists of fields: their order is the order in the file, and of the bits of the mask

/// `visit(slot's field, event's field)` for the fields that every kind may have.
template <class Event, class Lists, class Visit>
VEF_INLINE void visit_narrow(Slot& slot, Event& event, Lists& lists, Visit&& visit) {
  visit(slot.tag, event.tag);
  visit(slot.bytes, event.bytes);
  visit(slot.request, event.request);
  visit(slot.completions, lists.completions);
  visit(slot.sequence, event.sequence);
}

template <class Event, class Lists, class Visit>
VEF_INLINE void visit_wide(Slot& slot, Event& event, Lists& lists, Visit&& visit) {
  visit(slot.recv_bytes, event.recv_bytes);
  visit(slot.recv_tag, event.recv_tag);
  visit(slot.requests, lists.requests);
  visit(slot.sizes, lists.sizes);
  visit(slot.message, event.message);
  visit(slot.new_comm, event.new_comm);
  visit(slot.comm_flags, event.comm_flags);
  visit(slot.members, lists.members);
  visit(slot.remote_members, lists.remote_members);
}

template <class Event, class Lists, class Visit>
VEF_INLINE void visit_fields(bool is_wide, Slot& slot, Event& event, Lists& lists, Visit&& visit) {
  visit_narrow(slot, event, lists, visit);
  if (is_wide) visit_wide(slot, event, lists, visit);
}

/// Puts the expected request and sequence number into the slot: the next one where the shape has any, else 0.
VEF_INLINE void predict_numbers(const Context& context, Slot& slot) {
  slot.request = slot.request != 0 ? context.next_request : 0;
  slot.sequence = slot.sequence != 0 ? context.next_sequence : 0;
}

/// After an event: what later ones are predicted from.
VEF_INLINE void remember(Context& context, const RankEvent& event) {
  if (event.request != 0) {
    context.next_request = event.request + 1;
    if (event.kind == EventKind::kIrecv || event.kind == EventKind::kRecvInit ||
        event.kind == EventKind::kImrecv)
      context.posted[event.request % kPosted] = {event.request, event.bytes, event.peer, event.tag};
  }
  if (event.sequence != 0) context.next_sequence = event.sequence + 1;
}

// ---- completions

enum CompletionBits : std::uint8_t {
  kReceive = 1,
  kCancelled = 2,
  kOtherRequest = 4,  // differs from the prediction, and follows; and so on
  kOtherSource = 8,
  kOtherTag = 16,
  kOtherBytes = 32,
};

VEF_INLINE std::uint64_t predict_request(const Context& context, EventKind kind) {
  return kind == EventKind::kComplete ? context.next_completed : 0;
}

/// What a completion is expected to say, given what is known of it by then.
VEF_INLINE Completion predict_completion(const Context& context, const RankEvent& event,
                                         std::uint64_t request, bool is_receive) {
  if (!is_receive) return Completion{};
  Completion expected;
  if (event.kind == EventKind::kSendrecv) {
    expected.source = event.recv_peer, expected.tag = event.recv_tag, expected.bytes = event.recv_bytes;
  } else if (event.kind != EventKind::kComplete) {
    expected.source = event.peer, expected.tag = event.tag, expected.bytes = event.bytes;
  } else {
    const Posted& posted = context.posted[request % kPosted];
    if (posted.request != request) return context.last_received;
    expected.source = posted.peer, expected.tag = posted.tag, expected.bytes = posted.bytes;
  }
  return expected;
}

/// One completion, either way. `Item` is Completion, const for the encoder.
template <class Io, class Item>
VEF_INLINE void code_completion(Io& io, Context& context, const RankEvent& event, Item& item) {
  const std::uint64_t request = predict_request(context, event.kind);
  Completion expected;
  std::uint8_t bits = 0;
  if constexpr (!Io::kReads) {
    expected = predict_completion(context, event, item.request, item.is_receive);
    bits = static_cast<std::uint8_t>(
        (item.is_receive ? kReceive : 0) | (item.cancelled ? kCancelled : 0) |
        (item.request != request ? kOtherRequest : 0) | (item.source != expected.source ? kOtherSource : 0) |
        (item.tag != expected.tag ? kOtherTag : 0) | (item.bytes != expected.bytes ? kOtherBytes : 0));
  }
  io.byte(bits);
  io.delta(bits & kOtherRequest, item.request, request);
  if constexpr (Io::kReads) {
    item.is_receive = (bits & kReceive) != 0;
    item.cancelled = (bits & kCancelled) != 0;
    expected = predict_completion(context, event, item.request, item.is_receive);
  }
  io.delta(bits & kOtherSource, item.source, expected.source);
  io.delta(bits & kOtherTag, item.tag, expected.tag);
  io.delta(bits & kOtherBytes, item.bytes, expected.bytes);
  if (event.kind == EventKind::kComplete) context.next_completed = item.request + 1;
  if (item.is_receive) context.last_received = item;
}

// ---- the other lists; each item is a difference to the one before

template <class Io, class Item>
inline bool code_numbers(Io& io, Item* items, std::size_t count) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!io.room()) return false;
    io.delta(true, items[i], before);
    before = items[i];
  }
  return true;
}

template <class Io, class Run>
inline bool code_runs(Io& io, Run* runs, std::size_t count) {
  std::int32_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!io.room()) return false;
    io.delta(true, runs[i].first, before);
    io.delta(true, runs[i].stride, 1);
    io.delta(true, runs[i].count, 0u);
    before = runs[i].first;
  }
  return true;
}

/// The lists of an event, in this order. `Lists` names where the items are: see ListPointers.
template <class Io, class Lists>
inline bool code_wide_lists(Io& io, const ListSizes& sizes, Lists& lists) {
  return code_numbers(io, lists.requests, sizes.requests) && code_numbers(io, lists.sizes, sizes.sizes) &&
         code_runs(io, lists.members, sizes.members) &&
         code_runs(io, lists.remote_members, sizes.remote_members);
}

template <class Io, class Lists>
VEF_INLINE bool code_completions(Io& io, Context& context, const RankEvent& event, const ListSizes& sizes,
                                 Lists& lists) {
  for (std::size_t i = 0; i < sizes.completions; ++i) {
    if (!io.room()) return false;
    code_completion(io, context, event, lists.completions[i]);
  }
  return true;
}

/// The times of an event, in this order.
template <class Io, class Event>
VEF_INLINE void code_times(Io& io, Event& event) {
  io.times(event.gap, event.duration);
  if (event.kind == EventKind::kPolls) {
    io.times(event.polls.count, event.polls.inside);
    io.times(event.polls.short_gaps, event.polls.long_gaps);
  }
}

/// The check value after an event whose kFields are the `count` bytes at `fields`; 8 bytes there must be
/// readable.
VEF_INLINE std::uint64_t check_event(std::uint64_t check, const std::uint8_t* fields, std::size_t count,
                                     const RankEvent& event) {
  std::uint64_t word;
  for (; count > 8; fields += 8, count -= 8) {
    std::memcpy(&word, fields, 8);
    check = check_step(check, word);
  }
  std::memcpy(&word, fields, 8);
  check = check_step(check, word & ~std::uint64_t{0} >> (64 - 8 * count));
  check = check_step(check, event.gap ^ std::rotl(event.duration, 32));
  if (event.kind == EventKind::kPolls) [[unlikely]] {
    check = check_step(check, event.polls.count ^ std::rotl(event.polls.inside, 32));
    check = check_step(check, event.polls.short_gaps ^ std::rotl(event.polls.long_gaps, 32));
  }
  return check;
}

// ---- numbers

VEF_INLINE std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63);
}
VEF_INLINE std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

/// Sign extension of the signed fields, so that -1 and 1 are neighbours.
template <class T>
VEF_INLINE std::uint64_t widen(T value) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else
    return static_cast<std::uint64_t>(value);
}

}  // namespace vef::formats::rank_log
