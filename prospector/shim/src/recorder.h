// SPDX-License-Identifier: Apache-2.0
// The state of the recorder: one Process, one Thread for each thread that calls MPI. A wrapper asks
// outermost(); if that says true it makes a Call, which takes the times, and logs at most a few events
// through it.
//
// The recorder starts at the first MPI call and stops after MPI_Finalize has returned, when a log cannot be
// written, or in a forked child; stopped, the wrappers only forward.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "capture.h"
#include "clock.h"
#include "communicators.h"
#include "grow_buffer.h"
#include "mpi_library.h"
#include "requests.h"
#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log_writer.h"
#include "windows.h"

namespace vef::shim {

using formats::EventKind;
using formats::MpiCall;
using formats::NarrowEvent;
using formats::RankEvent;

/// `Event` may be NarrowEvent where that suffices for the kind: it is filled in and logged in less time.
template <class Event = RankEvent>
inline Event event_of(EventKind kind, MpiCall call = MpiCall::kNone) {
  Event event;
  event.kind = kind;
  event.call = static_cast<std::uint16_t>(call);
  return event;
}

/// What one thread records. Kept until the end of the process; a new thread takes over that of one that has
/// ended.
struct Thread {
  formats::RankLogWriter* log = nullptr;
  std::uint64_t last_end = 0;   // ticks at the end of the last event
  formats::Polls polls;         // failed polls that are not yet logged
  std::uint64_t polls_gap = 0;  // before the first of them
  MpiCall polls_call = MpiCall::kNone;
  std::uint64_t left_out_calls = 0;  // by VEF_CALLS, since the last event
  std::uint64_t left_out_gap = 0;    // before and between them
  std::uint64_t left_out_time = 0;   // inside them
  std::uint64_t pauses_seen = 0;     // of Process::pauses
  std::int32_t number = 0;
  std::atomic<bool> in_use{true};
  Thread* next = nullptr;

  // Scratch of the call at hand.
  GrowBuffer<formats::Completion> completions;
  GrowBuffer<std::uint64_t> numbers;
  GrowBuffer<std::uint64_t> handles;
  GrowBuffer<Operation> taken;
  GrowBuffer<MPI_Status> statuses;
  MemberFinder members;
};

enum class Mode : int { kUnstarted, kRecording, kPassive };

struct Process {
  std::atomic<Mode> mode{Mode::kUnstarted};
  RequestTable requests;
  RequestTable messages;
  CommunicatorTable communicators;
  WindowTable windows;
  std::atomic<std::uint64_t> generation{1};  // of handles; counts what was freed
  std::atomic<std::uint64_t> next_operation{1};
  std::atomic<std::uint64_t> next_sequence{1};
  std::atomic<std::int32_t> thread_count{0};
  std::uint64_t poll_gap_ticks = 0;
  bool records_sites = false;  // VEF_CALL_SITES
  unsigned calls = settings::kAllCalls;
  const char* regions = nullptr;               // VEF_REGIONS
  std::atomic<std::uint32_t> open_regions{0};  // of these

  // MPI sessions that are open, and one more between MPI_Init and MPI_Finalize: recording ends with the last.
  std::atomic<int> open_instances{0};

  // MPI_Pcontrol. `pauses` counts the changes: odd while recording is off.
  std::atomic<std::uint64_t> pauses{0};
  std::atomic<std::uint64_t> off_since{0};
  std::atomic<std::uint64_t> on_since{0};
  bool is_off() const { return (pauses.load(std::memory_order_relaxed) & 1) != 0; }
};
extern Process process;

struct ThreadLocal {
  unsigned depth = 0;
  Thread* thread = nullptr;
  const void* caller = nullptr;  // where the call at hand returns to; null: not known

  // The last communicator and the last type that were asked for. Valid while the generation is that of the
  // process: handles are given again after MPI_Comm_free and MPI_Type_free.
  std::uint64_t generation = 0;
  MPI_Comm comm{};
  std::uint32_t comm_number = formats::kCommNull;
  MPI_Datatype type{};
  std::uint64_t type_size = 0;
};
// The recorder is loaded at start-up, so its thread-local block is part of the static one.
extern thread_local constinit ThreadLocal local [[gnu::tls_model("initial-exec")]];

bool first_call();    // starts the recorder; whether it records
bool enter_thread();  // gives this thread a log; whether it has one

/// Before a communicator or a type is freed.
inline void forget_handles() { process.generation.fetch_add(1, std::memory_order_relaxed); }

/// Clears the caches of this thread if a handle has been freed since they were filled.
inline void check_handles() {
  const std::uint64_t now = process.generation.load(std::memory_order_relaxed);
  if (local.generation == now) [[likely]]
    return;
  local.generation = now;
  local.comm_number = formats::kCommNull;
  local.type_size = 0;
}

/// count elements of `type`, in bytes.
template <class Count>
[[gnu::always_inline]] inline std::uint64_t bytes_of(Count count, MPI_Datatype type) {
  if (count <= 0) return 0;
  check_handles();
  if (local.type_size == 0 || local.type != type) {
    local.type_size = size_of(type);
    local.type = type;
  }
  return static_cast<std::uint64_t>(count) * local.type_size;
}

/// Whether the call at hand is the program's own (not the library's inside another call) and is to be
/// recorded. Always part of the exported function, whose return address it notes.
[[gnu::always_inline]] inline bool outermost() {
  if (local.depth != 0) [[unlikely]]
    return false;
  if (process.mode.load(std::memory_order_relaxed) != Mode::kRecording && !first_call()) [[unlikely]]
    return false;
  local.caller = __builtin_return_address(0);
  return local.thread != nullptr || enter_thread();
}

/// Holds off recording of what the library calls itself.
class DepthGuard {
 public:
  DepthGuard() { ++local.depth; }
  ~DepthGuard() { --local.depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
};

/// One outermost call: its times and its events. Between constructor and end() lies the library's work.
class Call {
 public:
  explicit Call(MpiCall call) : call_(call), thread_(*local.thread) {
    if (process.thread_count.load(std::memory_order_relaxed) > 1) [[unlikely]]
      sequence_ = process.next_sequence.fetch_add(1, std::memory_order_relaxed);
    start_ = ticks();
  }
  void end() {
    end_ = ticks();
    errno_ = errno;
  }
  ~Call() { errno = errno_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Thread& thread() { return thread_; }

  /// Whether this call, which posts something or is collective, is logged (MPI_Pcontrol, VEF_CALLS).
  bool posting_is_on() {
    return !process.is_off() && (process.calls == settings::kAllCalls || is_selected());
  }

  /// Logs the event, with the call's number, times and, where asked, its sequence number. Several events of
  /// one call share its time: the first has it.
  [[gnu::always_inline]] void log(NarrowEvent& event, bool posting = false) { log_any(event, posting); }
  void log(RankEvent& event, bool posting = false);

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
  std::uint32_t call_site();
  void append(const NarrowEvent& event);
  void append(const RankEvent& event);
  template <class Event>
  [[gnu::always_inline]] void log_any(Event& event, bool posting);
  void appended(formats::AppendResult result);
  void after_append(formats::AppendResult result);
  void stop_writing();
  void log_turnover();

  MpiCall call_;
  Thread& thread_;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t sequence_ = 0;
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
inline void Call::log_any(Event& event, bool posting) {
  if (thread_.polls.count != 0 || thread_.left_out_calls != 0 ||
      thread_.pauses_seen != process.pauses.load(std::memory_order_relaxed)) [[unlikely]]
    settle();
  // Calls that were recorded inside this one (callbacks of MPI_Finalize) have ended after its start.
  const std::uint64_t begin = start_ > thread_.last_end ? start_ : thread_.last_end;
  const std::uint64_t end = end_ > begin ? end_ : begin;
  event.call = static_cast<std::uint16_t>(call_);
  event.gap = begin - thread_.last_end;
  event.duration = end - begin;
  event.sequence = posting ? sequence_ : 0;
  if (process.records_sites && local.caller != nullptr) [[unlikely]]
    event.site = call_site();
  thread_.last_end = end;
  append(event);
  if (turned_over_) [[unlikely]]
    log_turnover();
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

/// Within MPI_Init after the library's own, and within MPI_Finalize before it: compares the hosts' clocks,
/// where that was asked for.
void compare_clocks(bool at_finalize);

/// MPI_Init or MPI_Session_init has returned: opens the capture, and logs the call.
void begin_capture(MpiCall call, std::uint64_t start, std::uint64_t end);

/// Logs a line for the person who merges.
void add_note(Thread& thread, const char* text);

/// MPI_Finalize, or the MPI_Session_finalize of the last session, has returned.
void end_capture(MpiCall call, std::uint64_t start, std::uint64_t end, bool complete);

/// MPI_Pcontrol.
void set_recording(bool on);

}  // namespace vef::shim
