// SPDX-License-Identifier: Apache-2.0
// How an event becomes bytes and back. Encoder and decoder walk the same lists of fields (visit_fields,
// code_completion, code_lists), so what is written is what is read. docs/rank-log.md is the specification in
// words.
//
// An event is cut in four columns, because alike bytes side by side compress and mixed ones do not:
//   kHeads    which shape the event has, and whether anything differs from the last event of that shape: a
//             loop repeats itself here number for number;
//   kFields   new shapes, and what differs; nothing in most events;
//   kClasses  for each time t the exponent of t+1 (0..64), one byte each;
//   kBits     the bits of t+1 below its leading one.
// A shape is (kind, call, call site, communicator, peer, receive peer, window); its slot remembers the last
// values of everything else. All state begins anew with each chunk. Times are in ticks. Plain functions on
// memory that the caller owns; nothing here allocates, throws or calls the system. Not thread safe.
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

/// Adds the lowest `count` <= 56 bits of `value` at position `bit` of `to`; higher ones must be 0. What lies
/// behind is overwritten with zeros, so that the next call may add to it: 8 bytes from there must be
/// writable.
VEF_INLINE void add_bits(std::uint8_t* to, std::uint64_t& bit, std::uint64_t value, unsigned count) {
  std::uint8_t* at = to + bit / 8;
  const std::uint64_t word = *at | value << bit % 8;
  std::memcpy(at, &word, 8);
  bit += count;
}

inline constexpr std::uint32_t kSlots = 512;  // slot 0 is always empty: number 0 announces a new shape
inline constexpr std::uint32_t kPosted = 512;
inline constexpr std::uint32_t kKinds = 128;

/// Bytes of kFields that one event without lists, or one item of a list, can take at most (rounded up). The
/// other columns are looked at once in kEventsPerMark events, each of which takes 2 bytes of heads, 2 classes
/// and 16 bytes of bits at most; the last store spills over by 8 bytes.
inline constexpr std::size_t kFieldsMargin = 256;
/// Events that repeat others take one byte of it at most, and are not asked for room: kFields is looked at
/// with the other columns.
inline constexpr std::size_t kRepeatsMargin = kEventsPerMark;
inline constexpr std::size_t kHeadsMargin = kEventsPerMark * 2 + 8;
inline constexpr std::size_t kClassesMargin = kEventsPerMark * 2 + 8;
inline constexpr std::size_t kBitsMargin = kEventsPerMark * 16 + 16;

struct Slot {
  std::uint64_t call_key = 0;   // kind | call << 8 | site << 32
  std::uint64_t place_key = 0;  // comm | peer << 32
  std::uint64_t bytes = 0;
  std::uint64_t request_mask = 0;   // all ones where events of this shape have a request; see Predicted
  std::uint64_t sequence_mask = 0;  // likewise
  std::int32_t tag = 0;
  std::uint32_t completions = 0;

  EventKind kind() const { return static_cast<EventKind>(call_key & 0xff); }
  std::int32_t peer() const { return static_cast<std::int32_t>(place_key >> 32); }

  // From here on only for kinds that are kMiddle or kWide.
  std::uint64_t far_key = 0;  // recv_peer | window << 32
  std::uint64_t recv_bytes = 0;
  std::uint64_t message = 0;
  std::int32_t recv_tag = 0;
  std::uint32_t requests = 0;
  std::uint32_t sizes = 0;
  // From here on only for kinds that are kWide.
  std::uint32_t members = 0;
  std::uint32_t remote_members = 0;
  std::uint32_t new_comm = 0;
  std::uint32_t comm_flags = 0;
  std::uint32_t in_neighbours = 0;
  std::uint32_t out_neighbours = 0;
  std::uint32_t text = 0;
  Polls polls;
};

/// How long the lists of an event are.
struct ListSizes {
  std::uint32_t completions = 0;
  std::uint32_t requests = 0;
  std::uint32_t sizes = 0;
  std::uint32_t members = 0;
  std::uint32_t remote_members = 0;
  std::uint32_t in_neighbours = 0;
  std::uint32_t out_neighbours = 0;
  std::uint32_t text = 0;
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
  Completion last_received;      // the last receive of a kComplete that was not in `posted`

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

/// A set of kinds below 64.
class KindSet {
 public:
  template <class... Kinds>
  explicit constexpr KindSet(Kinds... kinds) : bits_((0 | ... | bit(kinds))) {}
  constexpr bool has(EventKind kind) const {
    return static_cast<unsigned>(kind) < 64 && (bits_ >> (static_cast<unsigned>(kind) % 64) & 1) != 0;
  }

 private:
  static constexpr std::uint64_t bit(EventKind kind) {
    return std::uint64_t{1} << static_cast<unsigned>(kind);
  }
  std::uint64_t bits_;
};

/// How much an event of a kind may have: what NarrowEvent has; also what visit_middle() names; everything.
enum class Breadth : std::uint8_t { kNarrow, kMiddle, kWide };

VEF_INLINE Breadth breadth_of(EventKind kind) {
  constexpr KindSet kNarrow(
      EventKind::kInit, EventKind::kFinalize, EventKind::kAbort, EventKind::kSend, EventKind::kIsend,
      EventKind::kRecv, EventKind::kIrecv, EventKind::kSendInit, EventKind::kRecvInit, EventKind::kComplete,
      EventKind::kRequestFree, EventKind::kCancel, EventKind::kProbe, EventKind::kMprobe, EventKind::kMrecv,
      EventKind::kPsendInit, EventKind::kPrecvInit, EventKind::kPready, EventKind::kPause);
  constexpr KindSet kMiddle(EventKind::kStart, EventKind::kImrecv, EventKind::kSendrecv,
                            EventKind::kCollective, EventKind::kIcollective, EventKind::kCollectiveInit,
                            EventKind::kWinFree, EventKind::kRma);
  if (kNarrow.has(kind)) return Breadth::kNarrow;
  return kMiddle.has(kind) ? Breadth::kMiddle : Breadth::kWide;
}

inline bool known_kind(std::uint8_t kind) {
  constexpr struct {
    std::uint8_t first, last;
  } kRanges[] = {{1, 3}, {10, 27}, {30, 32}, {40, 42}, {50, 51}, {60, 63}, {70, 70}, {80, 83}};
  for (const auto& range : kRanges)
    if (kind >= range.first && kind <= range.last) return true;
  return false;
}

VEF_INLINE std::uint64_t call_key(EventKind kind, std::uint16_t call, std::uint32_t site) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(call) << 8 |
         static_cast<std::uint64_t>(site) << 32;
}
VEF_INLINE std::uint64_t pair_key(std::uint32_t low, std::uint32_t high) {
  return low | static_cast<std::uint64_t>(high) << 32;
}
VEF_INLINE std::uint64_t place_key(std::uint32_t comm, std::int32_t peer) {
  return pair_key(comm, static_cast<std::uint32_t>(peer));
}
VEF_INLINE std::uint64_t far_key(std::int32_t recv_peer, std::uint32_t window) {
  return pair_key(static_cast<std::uint32_t>(recv_peer), window);
}

/// The shape, taken apart.
struct Shape {
  std::uint16_t call = 0;
  std::uint32_t comm = 0;
  std::int32_t peer = 0;
  std::int32_t recv_peer = 0;
  std::uint32_t window = 0;
  std::uint32_t site = 0;

  Shape() = default;
  explicit Shape(const Slot& slot)
      : call(static_cast<std::uint16_t>(slot.call_key >> 8)),
        comm(static_cast<std::uint32_t>(slot.place_key)),
        peer(static_cast<std::int32_t>(slot.place_key >> 32)),
        recv_peer(static_cast<std::int32_t>(slot.far_key)),
        window(static_cast<std::uint32_t>(slot.far_key >> 32)),
        site(static_cast<std::uint32_t>(slot.call_key >> 32)) {}
};

/// `visit(the base's field, the shape's field)`, in the order in which a new shape is told.
template <class Now, class Visit>
inline void visit_shape(const Shape& base, Now& now, Visit&& visit) {
  visit(base.call, now.call);
  visit(base.comm, now.comm);
  visit(base.peer, now.peer);
  visit(base.recv_peer, now.recv_peer);
  visit(base.window, now.window);
  visit(base.site, now.site);
}
inline constexpr unsigned kShapeFields = 6;

// ---- numbers

VEF_INLINE std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63);
}
VEF_INLINE std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

/// A head: a varint of one or two bytes. What a third byte would be needed for is no slot's number.
VEF_INLINE std::uint32_t take_head(const std::uint8_t*& at) {
  const std::uint32_t low = *at++;
  if (low < 0x80) [[likely]]
    return low;
  return (low & 0x7f) | static_cast<std::uint32_t>(*at++) << 7;
}

/// Sign extension of the signed fields, so that -1 and 1 are neighbours.
template <class T>
VEF_INLINE std::uint64_t widen(T value) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else
    return static_cast<std::uint64_t>(value);
}

/// Numbers that count up over the whole chunk: what an event of this shape is expected to have.
struct Predicted {
  std::uint64_t request;
  std::uint64_t sequence;

  VEF_INLINE Predicted(const Context& context, const Slot& slot)
      : request(context.next_request & slot.request_mask),
        sequence(context.next_sequence & slot.sequence_mask) {}

  /// After an event that differed from its slot.
  static void learn(Slot& slot, const NarrowEvent& event) {
    slot.request_mask = event.request != 0 ? ~std::uint64_t{0} : 0;
    slot.sequence_mask = event.sequence != 0 ? ~std::uint64_t{0} : 0;
  }
};

// ---- the lists of fields: their order is the order in the file, and of the bits of the mask

/// `visit(slot's field, event's field)` for the fields that every kind may have.
template <class Event, class Lists, class Visit>
VEF_INLINE void visit_narrow(Slot& slot, Predicted& predicted, Event& event, Lists& lists, Visit&& visit) {
  visit(slot.tag, event.tag);
  visit(slot.bytes, event.bytes);
  visit(predicted.request, event.request);
  visit(slot.completions, lists.completions);
  visit(predicted.sequence, event.sequence);
}

template <class Event, class Lists, class Visit>
VEF_INLINE void visit_middle(Slot& slot, Event& event, Lists& lists, Visit&& visit) {
  visit(slot.recv_bytes, event.recv_bytes);
  visit(slot.recv_tag, event.recv_tag);
  visit(slot.requests, lists.requests);
  visit(slot.sizes, lists.sizes);
  visit(slot.message, event.message);
}

template <class Event, class Lists, class Visit>
VEF_INLINE void visit_wide(Slot& slot, Event& event, Lists& lists, Visit&& visit) {
  visit(slot.new_comm, event.new_comm);
  visit(slot.comm_flags, event.comm_flags);
  visit(slot.members, lists.members);
  visit(slot.remote_members, lists.remote_members);
  visit(slot.in_neighbours, lists.in_neighbours);
  visit(slot.out_neighbours, lists.out_neighbours);
  visit(slot.text, lists.text);
  visit(slot.polls.count, event.polls.count);
  visit(slot.polls.inside, event.polls.inside);
  visit(slot.polls.short_gaps, event.polls.short_gaps);
  visit(slot.polls.long_gaps, event.polls.long_gaps);
}

template <class Event>
inline constexpr bool kHasAll = std::is_base_of_v<RankEvent, std::remove_const_t<Event>>;

template <class Event, class Lists, class Visit>
VEF_INLINE void visit_fields(Breadth breadth, Slot& slot, Predicted& predicted, Event& event, Lists& lists,
                             Visit&& visit) {
  visit_narrow(slot, predicted, event, lists, visit);
  if constexpr (kHasAll<Event>) {
    if (breadth != Breadth::kNarrow) visit_middle(slot, event, lists, visit);
    if (breadth == Breadth::kWide) visit_wide(slot, event, lists, visit);
  }
}

/// After an event with a request: what later ones, and its completion, are predicted from.
VEF_INLINE void remember_request(Context& context, EventKind kind, std::uint64_t request, std::uint64_t bytes,
                                 std::int32_t peer, std::int32_t tag) {
  constexpr KindSet kPostsReceive(EventKind::kIrecv, EventKind::kRecvInit, EventKind::kImrecv,
                                  EventKind::kPrecvInit);
  // Those that name a request made before.
  constexpr KindSet kUsesRequest(EventKind::kRequestFree, EventKind::kCancel, EventKind::kMrecv,
                                 EventKind::kPready);
  if (!kUsesRequest.has(kind)) context.next_request = request + 1;
  if (kPostsReceive.has(kind)) context.posted[request % kPosted] = {request, bytes, peer, tag};
}

/// After an event: what later ones are predicted from.
VEF_INLINE void remember(Context& context, const NarrowEvent& event) {
  if (event.request != 0)
    remember_request(context, event.kind, event.request, event.bytes, event.peer, event.tag);
  if (event.sequence != 0) [[unlikely]]
    context.next_sequence = event.sequence + 1;
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

/// What a completion is expected to say, given what is known of it by then.
struct ExpectedCompletion {
  std::uint64_t bytes = 0;
  std::int32_t source = kUndefined;
  std::int32_t tag = kUndefined;
  bool unknown = false;  // a receive that was not seen posted

  template <class Event>
  VEF_INLINE ExpectedCompletion(const Context& context, const Event& event, bool by_request,
                                std::uint64_t request, bool is_receive) {
    if (!is_receive) return;
    if (by_request) {
      const Posted& posted = context.posted[request % kPosted];
      unknown = posted.request != request;
      source = unknown ? context.last_received.source : posted.peer;
      tag = unknown ? context.last_received.tag : posted.tag;
      bytes = unknown ? context.last_received.bytes : posted.bytes;
    } else {
      source = event.peer;
      tag = event.tag;
      bytes = event.bytes;
      if constexpr (kHasAll<Event>) {
        if (event.kind != EventKind::kSendrecv) return;
        source = event.recv_peer;
        tag = event.recv_tag;
        bytes = event.recv_bytes;
      }
    }
  }
};

/// One completion, either way; `request` is the expected one. `Item` is Completion, const for the encoder.
template <class Io, class Event, class Item>
VEF_INLINE void code_completion(Io& io, Context& context, const Event& event, bool by_request,
                                std::uint64_t request, Item& item) {
  std::uint8_t bits = 0;
  if constexpr (Io::kReads) {
    io.byte(bits);
    io.delta(bits & kOtherRequest, item.request, request);
    item.is_receive = (bits & kReceive) != 0;
    item.cancelled = (bits & kCancelled) != 0;
  }
  const ExpectedCompletion expected(context, event, by_request, item.request, item.is_receive);
  if constexpr (!Io::kReads) {
    bits = static_cast<std::uint8_t>(item.is_receive * kReceive | item.cancelled * kCancelled);
    if (((item.request ^ request) | (item.bytes ^ expected.bytes) |
         static_cast<std::uint32_t>((item.source ^ expected.source) | (item.tag ^ expected.tag))) != 0)
        [[unlikely]] {
      bits = static_cast<std::uint8_t>(bits | (item.request != request ? kOtherRequest : 0) |
                                       (item.source != expected.source ? kOtherSource : 0) |
                                       (item.tag != expected.tag ? kOtherTag : 0) |
                                       (item.bytes != expected.bytes ? kOtherBytes : 0));
    }
    io.byte(bits);
    if (bits >= kOtherRequest) io.delta(bits & kOtherRequest, item.request, request);
  }
  if (Io::kReads || bits >= kOtherRequest) {
    io.delta(bits & kOtherSource, item.source, expected.source);
    io.delta(bits & kOtherTag, item.tag, expected.tag);
    io.delta(bits & kOtherBytes, item.bytes, expected.bytes);
  }
  if (expected.unknown) [[unlikely]]
    context.last_received = item;
}

/// The completions of an event. A Waitall that went as predicted costs one byte each.
template <class Io, class Event, class Item>
VEF_INLINE bool code_completions(Io& io, Context& context, const Event& event, Item* items,
                                 std::size_t count) {
  if (event.kind != EventKind::kComplete) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!io.room()) return false;
      code_completion(io, context, event, false, 0, items[i]);
    }
    return true;
  }
  std::uint64_t next = context.next_completed;
  for (std::size_t i = 0; i < count; ++i) {
    if (!io.room()) return false;
    code_completion(io, context, event, true, next, items[i]);
    next = items[i].request + 1;
  }
  context.next_completed = next;
  return true;
}

// ---- the other lists; each item is a difference to the one before

template <class Io, class Item>
inline bool code_numbers(Io& io, Item* items, std::size_t count) {
  std::remove_const_t<Item> before = 0;
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

/// Bytes as they are.
template <class Io, class Byte>
inline bool code_text(Io& io, Byte* text, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!io.room()) return false;
    io.byte(text[i]);
  }
  return true;
}

/// The lists of an event, in this order. `Lists` names where the items are: see ListPointers.
template <class Io, class Lists>
inline bool code_other_lists(Io& io, const ListSizes& sizes, Lists& lists) {
  return code_numbers(io, lists.requests, sizes.requests) && code_numbers(io, lists.sizes, sizes.sizes) &&
         code_runs(io, lists.members, sizes.members) &&
         code_runs(io, lists.remote_members, sizes.remote_members) &&
         code_numbers(io, lists.in_neighbours, sizes.in_neighbours) &&
         code_numbers(io, lists.out_neighbours, sizes.out_neighbours) &&
         code_text(io, lists.text, sizes.text);
}

VEF_INLINE std::uint64_t check_times(std::uint64_t check, std::uint64_t gap, std::uint64_t duration) {
  return check_step(check, gap ^ std::rotl(duration, 32));
}

/// The check value after an event whose kFields are the `count` bytes at `fields`; the bytes of a last word
/// that do not belong to the event must be readable.
VEF_INLINE std::uint64_t check_event(std::uint64_t check, std::uint64_t head, const std::uint8_t* fields,
                                     std::size_t count, std::uint64_t gap, std::uint64_t duration) {
  check = check_step(check, head);
  if (count != 0) [[unlikely]] {
    std::uint64_t word;
    for (; count > 8; fields += 8, count -= 8) {
      std::memcpy(&word, fields, 8);
      check = check_step(check, word);
    }
    std::memcpy(&word, fields, 8);
    check = check_step(check, word & ~std::uint64_t{0} >> (64 - 8 * count));
  }
  return check_times(check, gap, duration);
}

}  // namespace vef::formats::rank_log
