// SPDX-License-Identifier: Apache-2.0
// The state of the recorder: one Process, one Thread for each thread that calls MPI. A wrapper asks
// outermost(); if that says true it calls a recipe, which takes the times and logs at most a few events
// (call.h).
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
#include "hidden.h"
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

  // To a run of failed polls.
  void add_poll(std::uint64_t start, std::uint64_t end, std::uint64_t poll_gap_ticks) {
    const std::uint64_t gap = start > last_end ? start - last_end : 0;
    (gap <= poll_gap_ticks ? polls.short_gaps : polls.long_gaps) += gap;
    ++polls.count;
    polls.inside += end - start;
    last_end = end;
  }

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
  // Nothing out of the ordinary: one thread records all calls, without call sites, and nothing waits for the
  // next event to be settled. Then a call that is as the log expects it is logged by repeat().
  std::atomic<bool> plain{false};
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
VEF_HIDDEN extern Process process;

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
VEF_HIDDEN extern thread_local constinit ThreadLocal local [[gnu::tls_model("initial-exec")]];

bool first_call();    // starts the recorder; whether it records
bool enter_thread();  // gives this thread a log; whether it has one

inline void be_not_plain() { process.plain.store(false, std::memory_order_relaxed); }

/// Before a communicator or a type is freed.
inline void forget_handles() {
  process.generation.fetch_add(1, std::memory_order_relaxed);
  be_not_plain();
}

/// Stops recording for good; the logs are still to be closed.
void stop();

/// The call site of the call at hand; `describe(self, event)` logs what defines it if it is new.
std::uint32_t find_call_site(void (*describe)(void* self, const RankEvent& event), void* self);

/// Clears what this thread knows of handles: they have been freed since, and may be others now.
void clear_handles();

inline void check_handles() {
  if (local.generation != process.generation.load(std::memory_order_relaxed)) [[unlikely]]
    clear_handles();
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
  if (process.plain.load(std::memory_order_relaxed) && local.thread != nullptr) [[likely]]
    return true;  // and nobody asks for the caller
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
