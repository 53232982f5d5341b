// SPDX-License-Identifier: Apache-2.0
// One outermost call, from its two times to the event in the log. What a recipe does:
//
//   CallTimes around the library's work; repeats() where the call may be as the log expects it, which costs
//   least; else a Call, which settles what has gathered before and logs the event in full.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "rank_log_repeat.h"
#include "recorder.h"

namespace vef::shim {

/// `Event` may be NarrowEvent where that suffices for the kind: it is filled in and logged in less time.
template <class Event = RankEvent>
inline Event event_of(EventKind kind, MpiCall call = MpiCall::kNone) {
  Event event;
  event.kind = kind;
  event.call = static_cast<std::uint16_t>(call);
  return event;
}

/// When a call began and ended; once several threads call MPI, also its place among the calls of all.
struct CallTimes {
  std::uint64_t sequence = 0;
  std::uint64_t start;
  std::uint64_t end;

  /// Between these two lies the library's work.
  [[gnu::always_inline]] void begin() {
    if (process.thread_count.load(std::memory_order_relaxed) > 1) [[unlikely]]
      sequence = process.next_sequence.fetch_add(1, std::memory_order_relaxed);
    start = ticks();
  }
  [[gnu::always_inline]] void stop() { end = ticks(); }
};

/// Where a call lies behind the last event of its thread. Never before its end, whatever the clock shows.
struct Interval {
  std::uint64_t gap;
  std::uint64_t duration;
  std::uint64_t end;

  [[gnu::always_inline]] Interval(const CallTimes& times, const Thread& thread) {
    const std::uint64_t begin = times.start > thread.last_end ? times.start : thread.last_end;
    end = times.end > begin ? times.end : begin;
    gap = begin - thread.last_end;
    duration = end - begin;
  }
};

/// One outermost call: its times and its events.
class Call {
 public:
  /// Before the library's work, which end() ends.
  explicit Call(MpiCall call) : call_(call), thread_(*local.thread) { times_.begin(); }
  /// After it.
  Call(MpiCall call, const CallTimes& times)
      : call_(call), thread_(*local.thread), times_(times), errno_(errno) {}
  void end() {
    times_.stop();
    errno_ = errno;
  }
  ~Call() { errno = errno_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Thread& thread() { return thread_; }
  MpiCall number() const { return call_; }

  /// Whether this call, which posts something or is collective, is logged (MPI_Pcontrol, VEF_CALLS).
  bool posting_is_on() {
    return !process.is_off() && (process.calls == settings::kAllCalls || is_selected());
  }

  /// Logs the event, with the call's number, times and, where asked, its sequence number. Several events of
  /// one call share its time: the first has it.
  [[gnu::always_inline]] void log(NarrowEvent& event, bool posting = false) {
    log_any(event, posting, nullptr);
  }
  void log(RankEvent& event, bool posting = false);

  /// The only event of this call, which the memo stands for: see repeats().
  [[gnu::always_inline]] void log(NarrowEvent& event, bool posting, const formats::EventMemo& memo) {
    log_any(event, posting, &memo);
  }
  void log(RankEvent& event, bool posting, const formats::EventMemo& memo);

  /// The same for a call whose times were taken elsewhere.
  void log_between(RankEvent& event, std::uint64_t start, std::uint64_t end);

  /// Logs nothing but the time inside the call, unless recording is off.
  void log_time();

  /// Counts a failed Test or Iprobe.
  void poll();

  /// Seals the open chunk of this thread's log.
  void flush();

  /// The communicator; one that has not been seen is described to the log first.
  Communicator communicator(MPI_Comm comm);

  std::uint32_t communicator_number(MPI_Comm comm) {
    check_handles();
    if (local.comm_number == formats::kCommNull || local.comm != comm) {
      local.comm_number = communicator(comm).number;
      local.comm = comm;
    }
    return local.comm_number;
  }

 private:
  bool is_selected();
  void settle();
  void settle_gathered();
  std::uint32_t call_site();
  void append(const NarrowEvent& event);
  void append(const RankEvent& event);
  template <class Event>
  [[gnu::always_inline]] void log_any(Event& event, bool posting, const formats::EventMemo* memo);
  void become_plain();
  void appended(formats::AppendResult result);
  void after_append(formats::AppendResult result);
  void stop_writing();
  void log_turnover();

  MpiCall call_;
  Thread& thread_;
  CallTimes times_;
  int errno_ = 0;
  bool turned_over_ = false;
};

inline void Call::appended(formats::AppendResult result) {
  if (result != formats::AppendResult::kOk) [[unlikely]]
    after_append(result);
}

inline void Call::append(const NarrowEvent& event) {
  if (thread_.log != nullptr) appended(thread_.log->append_narrow(event));
}

inline void Call::append(const RankEvent& event) {
  if (thread_.log != nullptr) appended(thread_.log->append(event));
}

template <class Event>
inline void Call::log_any(Event& event, bool posting, const formats::EventMemo* memo) {
  if (times_.sequence != 0 || !process.plain.load(std::memory_order_relaxed)) [[unlikely]]
    settle();
  // Calls that were recorded inside this one (callbacks of MPI_Finalize) have ended after its start.
  const Interval interval(times_, thread_);
  event.call = static_cast<std::uint16_t>(call_);
  event.gap = interval.gap;
  event.duration = interval.duration;
  event.sequence = posting ? times_.sequence : 0;
  if (process.records_sites && local.caller != nullptr) [[unlikely]]
    event.site = call_site();
  thread_.last_end = interval.end;
  append(event);
  if (memo != nullptr && times_.sequence == 0 && process.plain.load(std::memory_order_relaxed))
    thread_.log->note(*memo);
  if (turned_over_) [[unlikely]]
    log_turnover();
}

/// A lambda that is always part of its caller: what it captures then need not lie in memory.
#define VEF_INLINED __attribute__((always_inline))

/// Logs the call by what the log knows it by, where nothing is out of the ordinary: `find(chunk)` asks one of
/// ChunkWriter's find functions for its slot. False: it is to be logged in full. `completion`: of
/// ChunkWriter's repeat(). `then(chunk, slot)` is called once it is logged.
template <class Find, class Then>
[[gnu::always_inline]] inline bool repeats(const CallTimes& times, Find find,
                                           std::optional<std::uint8_t> completion, Then then) {
  // With one thread, as there was before if there is now, a call has no sequence number.
  if (!process.plain.load(std::memory_order_relaxed)) [[unlikely]]
    return false;
  Thread& thread = *local.thread;
  formats::rank_log::ChunkWriter& chunk = thread.log->open_chunk();
  const std::uint32_t slot = find(chunk);
  if (slot == 0) [[unlikely]]
    return false;
  const Interval interval(times, thread);
  if (!chunk.repeat(slot, interval.gap, interval.duration, completion)) [[unlikely]]
    return false;
  thread.last_end = interval.end;
  then(chunk, slot);
  return true;
}
template <class Find>
[[gnu::always_inline]] inline bool repeats(const CallTimes& times, Find find,
                                           std::optional<std::uint8_t> completion = {}) {
  return repeats(times, find, completion, [](auto&, std::uint32_t) {});
}

/// Counts a failed Test or Iprobe; the second and later ones of a run at once.
inline void poll(MpiCall number, const CallTimes& times) {
  Thread& thread = *local.thread;
  if (thread.polls.count == 0 || process.is_off()) {
    Call(number, times).poll();
  } else {
    thread.add_poll(times.start, times.end, process.poll_gap_ticks);
  }
}

inline std::uint64_t new_operation(std::uint64_t count = 1) {
  return process.next_operation.fetch_add(count, std::memory_order_relaxed);
}

/// The program may complete `operation` through the handle from now on. Its number.
inline std::uint64_t track(MPI_Request handle, Operation operation) {
  operation.number = new_operation();
  process.requests.push(to_key(handle), operation);
  return operation.number;
}

/// An outermost call; where it succeeds, `then` takes the Call and logs what it meant.
template <class Real, class Then>
int call_then(MpiCall number, Real real, Then then) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS) then(call);
  return result;
}

/// The same of a call that posts something or is collective: only where these are logged now.
template <class Real, class Then>
int post_then(MpiCall number, Real real, Then then) {
  return call_then(number, real, [&](Call& call) {
    if (call.posting_is_on()) then(call);
  });
}

}  // namespace vef::shim
