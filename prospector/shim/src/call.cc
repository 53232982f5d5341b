// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include "call_class.h"
#include "message.h"
#include "world.h"

namespace vef::shim {

void Call::after_append(formats::AppendResult result) {
  if (result == formats::AppendResult::kTurnedOver) turned_over_ = true;
  if (result == formats::AppendResult::kStopped) stop_writing();
}

void Call::become_plain() {
  const bool plain = process.thread_count.load(std::memory_order_relaxed) == 1 && !process.records_sites &&
                     process.calls == settings::kAllCalls && thread_.log != nullptr &&
                     thread_.polls.count == 0 && (thread_.pauses_seen & 1) == 0 &&
                     thread_.pauses_seen == process.pauses.load(std::memory_order_relaxed) &&
                     local.generation == process.generation.load(std::memory_order_relaxed) &&
                     process.mode.load(std::memory_order_relaxed) == Mode::kRecording;
  if (plain) process.plain.store(true, std::memory_order_relaxed);
}

void Call::settle() {
  settle_gathered();
  become_plain();
}

/// Logs what has gathered since the last event: failed polls, and time for which recording was off.
void Call::settle_gathered() {
  if (thread_.polls.count != 0) {
    RankEvent event = event_of(EventKind::kPolls, thread_.polls_call);
    event.polls = thread_.polls;
    event.gap = thread_.polls_gap;
    event.duration = thread_.polls.inside + thread_.polls.short_gaps + thread_.polls.long_gaps;
    thread_.polls = {};
    append(event);
  }
  if (thread_.left_out_calls != 0) {
    RankEvent event = event_of(EventKind::kPause);
    event.gap = thread_.left_out_gap;
    event.duration = thread_.left_out_time;
    thread_.left_out_calls = thread_.left_out_gap = thread_.left_out_time = 0;
    append(event);
  }
  const std::uint64_t pauses = process.pauses.load(std::memory_order_acquire);
  if (thread_.pauses_seen == pauses) return;
  const bool off = (pauses & 1) != 0;
  const std::uint64_t off_since = process.off_since.load(std::memory_order_relaxed);
  const std::uint64_t begin = off_since > thread_.last_end ? off_since : thread_.last_end;
  const std::uint64_t on_since = process.on_since.load(std::memory_order_relaxed);
  const std::uint64_t until = off || on_since > times_.start ? times_.start : on_since;
  if (!off) thread_.pauses_seen = pauses;  // while off, the pause goes on after this event
  if (until <= begin) return;
  RankEvent event = event_of(EventKind::kPause, MpiCall::kPcontrol);
  event.gap = begin - thread_.last_end;
  event.duration = until - begin;
  thread_.last_end = until;
  append(event);
}

/// Whether VEF_CALLS has the class of this call. Of calls that are left out only the time is kept, that of
/// many in a row as one pause.
bool Call::is_selected() {
  const unsigned own = class_of(call_);
  if (own == 0 || (own & process.calls) != 0) return true;
  if (thread_.polls.count != 0) settle();
  const Interval interval(times_, thread_);
  ++thread_.left_out_calls;
  thread_.left_out_gap += interval.gap;
  thread_.left_out_time += interval.duration;
  thread_.last_end = interval.end;
  return false;
}

/// Describes the site first if it is new.
std::uint32_t Call::call_site() {
  return find_call_site([](void* self, const RankEvent& event) { static_cast<Call*>(self)->append(event); },
                        this);
}

void Call::log_between(RankEvent& event, std::uint64_t start, std::uint64_t end) {
  times_.start = start;
  times_.end = end;
  errno_ = errno;
  log(event);
}

void Call::log(RankEvent& event, bool posting) { log_any(event, posting, nullptr); }

void Call::log(RankEvent& event, bool posting, const formats::EventMemo& memo) {
  log_any(event, posting, &memo);
}

/// The time since the end of this call went into compressing and writing the log.
void Call::log_turnover() {
  turned_over_ = false;
  const std::uint64_t now = ticks();
  if (now <= thread_.last_end) return;
  RankEvent pause = event_of(EventKind::kPause);
  pause.duration = now - thread_.last_end;
  thread_.last_end = now;
  append(pause);
}

void Call::stop_writing() {
  stop();
  say("rank %d: recording stops: %s", world.rank, thread_.log->error());
}

void Call::log_time() {
  if (!posting_is_on()) return;
  RankEvent event = event_of(EventKind::kComplete);
  log(event);
}

void Call::flush() {
  log_time();
  if (thread_.log == nullptr) return;
  const formats::AppendResult result = thread_.log->flush();
  if (result == formats::AppendResult::kTurnedOver) log_turnover();
  if (result == formats::AppendResult::kStopped) stop_writing();
}

void Call::poll() {
  if (process.is_off()) return;
  if (thread_.polls.count != 0) return thread_.add_poll(times_.start, times_.end, process.poll_gap_ticks);
  settle();
  thread_.polls_gap = times_.start > thread_.last_end ? times_.start - thread_.last_end : 0;
  thread_.polls_call = call_;
  thread_.polls.count = 1;
  thread_.polls.inside = times_.end - times_.start;
  thread_.last_end = times_.end;
  be_not_plain();
}

Communicator Call::communicator(MPI_Comm comm) {
  Communicator found;
  if (process.communicators.find(comm, found)) [[likely]]
    return found;
  if (comm == mpi.comm_null) return found;
  found = process.communicators.enter(comm);
  RankEvent event = event_of(EventKind::kCommDefine, call_);
  describe(found, thread_.members.describe(comm), event);
  append(event);
  return found;
}

}  // namespace vef::shim
