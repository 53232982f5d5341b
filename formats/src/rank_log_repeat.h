// SPDX-License-Identifier: Apache-2.0
// The half of a RankLogWriter that the recorder inlines: an event that is as the log expects it, from what
// its caller knows it by to the bytes in the open chunk, without filling in or looking at the event. First
// one of the find functions: the slot of the event that `memo` was noted for, if it is known, nothing else
// has changed it since, and what else is told is as expected; else 0. Then repeat(). Where either fails
// nothing was appended, and append() is to be asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rank_log_encode.h"
#include "vef/formats/rank_log_writer.h"

namespace vef::formats::rank_log {

/// What append() touches.
struct ChunkWriter {
  Encoder io;
  std::uint8_t* classes = nullptr;  // where kClasses begins
  std::uint64_t check = 0;
  std::uint64_t now_ticks = 0;  // end of the last event
  std::uint32_t chunk_events = 0;
  OpenHeader* open = nullptr;
  ShapeIndex index;
  Context context;

  VEF_INLINE std::uint32_t find(const EventMemo& memo) { return index.find(memo); }

  /// An event that posts `request`. After repeat(): posted().
  VEF_INLINE std::uint32_t find_request(const EventMemo& memo, std::uint64_t request) {
    return request == context.next_request ? find(memo) : 0;
  }

  /// A receive or probe with one completion: that of a message as it was asked for.
  VEF_INLINE std::uint32_t find_receive(const EventMemo& memo, std::int32_t source, std::int32_t tag,
                                        std::uint64_t bytes) {
    const std::uint32_t number = find(memo);
    const Slot& slot = context.slots[number];
    return source == slot.peer() && tag == slot.tag && bytes == slot.bytes ? number : 0;
  }

  /// A kComplete with one completion, of a send, known by the last word of its memo; the others are 0. After
  /// repeat(): completed().
  VEF_INLINE std::uint32_t find_send_end(std::uint64_t last_word, std::uint64_t request) {
    return request == context.next_completed ? index.find(last_word) : 0;
  }

  /// A kComplete with one completion, of the receive of a message as it was asked for. After repeat():
  /// completed().
  VEF_INLINE std::uint32_t find_receive_end(std::uint64_t last_word, std::uint64_t request,
                                            std::int32_t source, std::int32_t tag, std::uint64_t bytes) {
    const Posted& posted = context.posted[request % kPosted];
    if (posted.request != request || posted.peer != source || posted.tag != tag || posted.bytes != bytes)
      return 0;
    return find_send_end(last_word, request);
  }

  /// Appends the event of the slot that was found. `completion`: kReceive or 0, of an event with one.
  VEF_INLINE bool repeat(std::uint32_t number, std::uint64_t gap, std::uint64_t duration,
                         std::optional<std::uint8_t> completion = {}) {
    if (!are_short(gap, duration)) [[unlikely]]
      return false;
    index.last = number;
    // One position after the other: all at once would not stay in registers.
    std::uint64_t new_check = check_step(check, number << 1);
    if (completion) {
      io.fields.byte(*completion);
      new_check = check_step(new_check, *completion);
    }
    new_check = check_times(new_check, gap, duration);
    io.head(number << 1);
    io.put_short_times(classes_end(), gap, duration);
    commit(new_check, gap + duration);
    return true;
  }

  /// The event of slot `number`, which is of this kind, has posted `request`. What the log has as its peer,
  /// tag and bytes.
  VEF_INLINE const Slot& posted(EventKind kind, std::uint32_t number, std::uint64_t request) {
    const Slot& slot = context.slots[number];
    remember_request(context, kind, request, slot.bytes, slot.peer(), slot.tag);
    return slot;
  }
  VEF_INLINE void completed(std::uint64_t request) { context.next_completed = request + 1; }

  // Member by member: copied as a whole it would live in memory.
  VEF_INLINE Encoder encoder() const { return {{io.fields.at, io.fields.limit}, io.heads, io.bits, io.bit}; }
  VEF_INLINE std::uint8_t* classes_end() const { return classes + std::size_t{2} * chunk_events; }

  /// The event that has been written is in the log from here on; `ticks` from the end of the last one to its
  /// own.
  VEF_INLINE void commit(std::uint64_t new_check, std::uint64_t ticks) {
    check = new_check;
    now_ticks += ticks;
    const std::uint32_t events = ++chunk_events;
    std::atomic_ref<std::uint64_t>(open->commit)
        .store(commit_word(new_check, events), std::memory_order_release);
    if (events % kEventsPerMark == 0) [[unlikely]]
      mark(events);
  }

  /// No further event: the next append() turns the chunk over.
  void close() {
    io.fields.limit = nullptr;
    index.last = ShapeIndex::kClosed;
  }

  /// Once in kEventsPerMark events: notes the check value, and closes the chunk where a column is nearly
  /// full.
  void mark(std::uint32_t events);
};

}  // namespace vef::formats::rank_log
