// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "call.h"
#include "call_sites.h"
#include "clock_sync.h"
#include "message.h"
#include "options.h"
#include "unseen_calls.h"
#include "world.h"

namespace vef::shim {

Process process;
bool threads_are_concurrent = false;
thread_local constinit ThreadLocal local;

namespace {

// What only this file touches; guarded by `state_lock` where threads may meet.
SpinLock state_lock;
Capture capture;
CallSites call_sites;
ClockSync clock_sync;
settings::Settings options;
formats::ClockSample start_sample;
Thread* threads = nullptr;
pthread_key_t thread_end_key;
bool capture_is_open = false;
bool begin_was_seen = false;

formats::RankLogWriter* first_log = nullptr;
std::size_t buffer_left = 0;  // of VEF_BUFFER

constexpr std::size_t kLeastBuffer = 1U << 20;  // of the first thread
constexpr std::size_t kLaterShare = 8;          // of what is left, one in so many for the next thread

class StateGuard {
 public:
  StateGuard() { state_lock.lock(); }
  ~StateGuard() { state_lock.unlock(); }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;
};

/// In a forked child: the logs belong to the parent.
void leave_to_parent() {
  stop();
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    if (thread->log != nullptr) thread->log->abandon();
    thread->log = nullptr;
  }
}

void thread_has_ended(void* value) {
  static_cast<Thread*>(value)->in_use.store(false, std::memory_order_release);
}

void start() {
  switch (load_mpi_library()) {
    case LibraryState::kReady:
      break;
    case LibraryState::kOtherFamily:
      say_once("this recorder is for %s, but the program runs with '%.100s': nothing is recorded",
               kFamily[0] == 'o' ? "Open MPI" : "MPICH", library_version);
      return stop();
    case LibraryState::kMissing:
      say_once("MPI was called, but no MPI library was found in the program: nothing is recorded");
      return stop();
  }
  options = read_settings();
  start_clock(options.time_resolution_ns);
  start_sample = sample_clock();
  if (!process.requests.start() || !process.messages.start() ||
      pthread_key_create(&thread_end_key, thread_has_ended) != 0 ||
      pthread_atfork(nullptr, nullptr, leave_to_parent) != 0) {
    say_once("no memory for the recorder: nothing is recorded");
    return stop();
  }
  process.mode.store(Mode::kRecording, std::memory_order_release);
}

/// Ticks per nanosecond, from the start of the recorder until now; waits until that is long enough to tell.
double tick_rate() {
  formats::ClockSample now = sample_clock();
  while (now.monotonic_ns - start_sample.monotonic_ns < 200'000) now = sample_clock();
  return static_cast<double>(now.ticks - start_sample.ticks) /
         static_cast<double>(now.monotonic_ns - start_sample.monotonic_ns);
}

/// The part of VEF_BUFFER for a thread that comes now. Where there may be others the first one leaves them
/// half.
std::size_t take_buffer(bool is_first) {
  std::size_t size = std::max(buffer_left / kLaterShare, formats::RankLogOptions::kLeastSharing);
  if (is_first) {
    buffer_left = size = static_cast<std::size_t>(options.buffer_bytes);
    if (threads_are_concurrent) size = std::max(size / 2, kLeastBuffer);
  }
  buffer_left -= std::min(buffer_left, size);
  return size;
}

formats::RankLogWriter* create_log(std::int32_t number) {
  formats::RankLogOptions log;
  log.directory = capture.logs();
  log.rank = world.rank;
  log.world_size = world.size;
  log.thread = number;
  log.packs_with = first_log;
  log.buffer_bytes = take_buffer(first_log == nullptr);
  log.host = capture.host();
  log.program = capture.program();
  log.mpi_library = library_version;
  log.job = capture.job();
  log.level = static_cast<int>(options.level);
  log.ticks_are_ns = ticks_are_ns;
  log.start = start_sample;
  char error[512] = "";
  formats::RankLogWriter* writer = formats::RankLogWriter::create(log, error, sizeof error);
  if (writer == nullptr) say("rank %d: recording stops: %s", world.rank, error);
  if (first_log == nullptr) first_log = writer;
  if (writer != nullptr && writer->note()[0] != '\0') say("rank %d: %s", world.rank, writer->note());
  return writer;
}

Thread* new_thread() {
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    bool free = false;
    if (thread->in_use.compare_exchange_strong(free, true, std::memory_order_acquire)) return thread;
  }
  void* memory = std::calloc(1, sizeof(Thread));
  if (memory == nullptr) return nullptr;
  auto* thread = new (memory) Thread;
  thread->number = process.thread_count.load(std::memory_order_relaxed);
  thread->last_end = start_sample.ticks;
  const bool room = thread->completions.reserve(64) && thread->numbers.reserve(64) &&
                    thread->handles.reserve(64) && thread->taken.reserve(64) && thread->statuses.reserve(64);
  thread->log = room ? create_log(thread->number) : nullptr;
  if (thread->log == nullptr) {
    std::free(memory);
    return nullptr;
  }
  thread->next = threads;
  threads = thread;
  be_not_plain();
  process.thread_count.fetch_add(1, std::memory_order_relaxed);
  return thread;
}

/// The directory, the tables, capture.json. The state lock is held. False: recording is not possible.
bool open_capture() {
  if (!find_world()) {
    say_once("MPI was called, but not its initialisation: nothing is recorded");
    return false;
  }
  if (!settings::in_ranks(options.ranks, world.rank)) return false;
  threads_are_concurrent = world_has_concurrent_threads();
  if (!process.communicators.start()) return false;
  if (is_initialized()) process.communicators.enter_predefined();
  try_statuses();
  process.poll_gap_ticks = static_cast<std::uint64_t>(static_cast<double>(options.poll_gap_ns) *
                                                      (ticks_are_ns ? 1.0 : tick_rate()));
  if (!capture.open(options, world.rank, world.size)) {
    say_once("rank %d: nothing is recorded: %s", world.rank, capture.error());
    return false;
  }
  if (options.call_site_depth != 0 && !call_sites.start(static_cast<std::size_t>(options.call_site_depth))) {
    say_once("call sites are not recorded: %s", call_sites.error());
  }
  process.records_sites = call_sites.on();
  process.calls = options.calls;
  process.regions = options.regions;
  if (!options.starts_on || options.regions != nullptr) set_recording(false);
  if (!capture.write_description(start_sample, nullptr, clock_sync)) {
    say("rank %d: %s/capture.json cannot be written", world.rank, capture.directory());
  }
  return true;
}

void report(const char* text) {
  say_once("%s", text);
  add_note(*local.thread, text);
}

/// Which calls of the program the recorder cannot see.
void report_unseen_calls() {
  static char text[4096];
  if (find_unknown_calls(text, sizeof text)) report(text);
  if (!begin_was_seen) {
    report(
        "MPI was initialised by a call that passed by the recorder (dlopen, dlsym); calls made so are not "
        "recorded");
  }
}

/// Gives this thread a log; the first one opens the capture.
bool open_thread(bool& is_first) {
  const DepthGuard guard;
  const StateGuard state;
  is_first = !capture_is_open;
  if (is_first) capture_is_open = open_capture();
  Thread* thread = capture_is_open ? new_thread() : nullptr;
  if (thread == nullptr) {
    stop();
    return false;
  }
  local.thread = thread;
  pthread_setspecific(thread_end_key, thread);
  return true;
}

/// The process exits without MPI_Finalize. What was recorded lies in the open chunks; the logs only say how
/// it ended, and stay open for threads that are still in MPI. No lock: its holder may never run again.
[[gnu::destructor]] void note_exit() {
  if (process.mode.load(std::memory_order_relaxed) != Mode::kRecording) return;
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    if (thread->log != nullptr) thread->log->note_exit();
  }
}

}  // namespace

void stop() {
  process.mode.store(Mode::kPassive, std::memory_order_relaxed);
  be_not_plain();
}

void clear_handles() {
  local.generation = process.generation.load(std::memory_order_relaxed);
  local.comm_number = formats::kCommNull;
  local.type_size = 0;
  if (local.thread->log != nullptr) local.thread->log->forget_memos();
}

std::uint32_t find_call_site(void (*describe)(void* self, const RankEvent& event), void* self) {
  return call_sites.find(local.caller, describe, self);
}

bool first_call() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const int saved = errno;
  pthread_once(&once, start);
  errno = saved;
  return process.mode.load(std::memory_order_acquire) == Mode::kRecording;
}

bool enter_thread() {
  const int saved = errno;
  bool is_first = false;
  const bool ready = open_thread(is_first);
  if (ready && is_first) report_unseen_calls();
  errno = saved;
  return ready;
}

void compare_clocks(bool at_finalize) {
  if (options.clock_sync == settings::ClockSync::kOff) return;
  const DepthGuard guard;
  if (at_finalize) {
    if (options.clock_sync == settings::ClockSync::kBoth) clock_sync.at_finalize();
    return;
  }
  // Rank 0 keeps the result.
  if (!settings::in_ranks(options.ranks, 0)) {
    return say_once("the clocks are not compared: rank 0, which does that, is not to be recorded");
  }
  std::int32_t rank = 0;
  std::int32_t size = 0;
  if (pmpi.comm_rank(mpi.comm_world, &rank) == MPI_SUCCESS &&
      pmpi.comm_size(mpi.comm_world, &size) == MPI_SUCCESS) {
    clock_sync.at_init(rank, size);
  }
}

void begin_capture(MpiCall call, std::uint64_t start, std::uint64_t end) {
  begin_was_seen = true;
  bool is_first = false;
  if (!open_thread(is_first)) return;
  Thread& thread = *local.thread;
  RankEvent event = event_of(EventKind::kInit, call);
  event.gap = start - start_sample.ticks;
  event.duration = end - start;
  thread.last_end = end;
  if (thread.log->append(event) == formats::AppendResult::kStopped) return stop();
  thread.log->sample_clock(sample_clock());
  report_unseen_calls();
}

void end_capture(MpiCall number, std::uint64_t start, std::uint64_t end, bool complete) {
  if (local.thread != nullptr && process.mode.load(std::memory_order_relaxed) == Mode::kRecording) {
    Call call(number);
    RankEvent event = event_of(EventKind::kFinalize);
    local.caller = nullptr;
    call.log_between(event, start, end);
  }
  stop();
  const StateGuard state;
  if (!capture_is_open) return;
  capture_is_open = false;
  const formats::ClockSample sample = sample_clock();
  bool whole = complete;
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    if (thread->log == nullptr) continue;
    thread->log->sample_clock(sample);
    if (!thread->log->close(complete)) {
      whole = false;
      say("rank %d: the log of thread %d could not be completed", world.rank, thread->number);
    }
    thread->log = nullptr;
  }
  if (whole && !capture.write_description(start_sample, &sample, clock_sync)) {
    say("rank %d: %s/capture.json cannot be written", world.rank, capture.directory());
  }
}

void add_note(Thread& thread, const char* text) {
  RankEvent event = event_of(EventKind::kNote);
  event.text = text;
  if (thread.log->append(event) == formats::AppendResult::kStopped) stop();
}

void set_recording(bool on) {
  if (on == !process.is_off()) return;
  (on ? process.on_since : process.off_since).store(ticks(), std::memory_order_relaxed);
  process.pauses.fetch_add(1, std::memory_order_release);
  be_not_plain();
}

}  // namespace vef::shim
