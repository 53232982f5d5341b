// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "player_impl.h"

namespace vef::tracelib {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

TraceRun::TraceRun(PlayedTrace played_trace) : played(std::move(played_trace)), index(*played.trace) {
  const std::size_t records = played.trace->records.size();
  sent.assign(records, -1);
  finished.assign(records, -1);
  if (!index.ordered()) fired.assign(records, false);
  tasks.resize(static_cast<std::size_t>(played.trace->header.tasks));
  for (TaskState& task : tasks) task.last_fire = played.start;
  active_of_instance.assign(index.instances(), kNoRecord);
}

Picoseconds TraceRun::delay(const Record& record) const {
  // validate() has checked that time * clock fits.
  const auto picos = static_cast<Picoseconds>(record.time * played.trace->header.clock);
  if (played.compute_scale == 1.0) return picos;
  const long double scaled = static_cast<long double>(picos) * static_cast<long double>(played.compute_scale);
  return scaled >= static_cast<long double>(kNever) ? kNever : static_cast<Picoseconds>(std::llround(scaled));
}

Player::Impl::Impl(std::vector<PlayedTrace> traces, const PlayerConfig& config) : config_(config) {
  runs_.reserve(traces.size());
  for (PlayedTrace& trace : traces) runs_.emplace_back(std::move(trace));
  for (std::uint32_t t = 0; t < runs_.size(); ++t) start_trace(t);
}

void Player::Impl::start_trace(std::uint32_t t) {
  TraceRun& run = runs_[t];
  records_left_ += run.played.trace->records.size();
  if (run.index.ordered()) {
    for (formats::TaskId task = 0; task < run.played.trace->header.tasks; ++task) schedule_next_of(t, task);
    return;
  }
  const auto& records = run.played.trace->records;
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (records[i].dep == DepKind::kIndependent) schedule_unordered(t, i, run.played.start);
  }
}

/// Time of the event that `record` depends on; -1: it has not happened yet.
Picoseconds Player::Impl::event_time(const TraceRun& run, std::uint32_t record) const {
  const DepKind kind = run.record(record).dep;
  if (kind == DepKind::kIndependent) return run.played.start;
  const std::uint32_t on = run.index.dependency(record);
  return kind == DepKind::kSend ? run.sent[on] : run.finished[on];
}

void Player::Impl::push_due(std::uint32_t t, std::uint32_t record, Picoseconds time) {
  due_.push({time, t, record});
}

void Player::Impl::schedule_unordered(std::uint32_t t, std::uint32_t record, Picoseconds event) {
  push_due(t, record, saturating_add(event, runs_[t].delay(runs_[t].record(record))));
}

/// Ordered traces: t(k+1) = max(t(k), event) + time; dep 0: max(t(k), T0 + time).
void Player::Impl::schedule_next_of(std::uint32_t t, formats::TaskId task) {
  TraceRun& run = runs_[t];
  TaskState& state = run.tasks[task];
  const auto records = run.index.records_of(task);
  if (state.blocked == kNoRecord) {
    if (state.next == records.size()) return;
    state.blocked = records[state.next++];
  }
  const std::uint32_t record = state.blocked;
  const Picoseconds event = event_time(run, record);
  if (event < 0) return;
  state.blocked = kNoRecord;
  const Picoseconds delay = run.delay(run.record(record));
  if (run.record(record).dep == DepKind::kIndependent) {
    push_due(t, record, std::max(state.last_fire, saturating_add(event, delay)));
    return;
  }
  const Picoseconds begin = std::max(state.last_fire, event);
  state.waited = saturating_add(state.waited, begin - state.last_fire);
  push_due(t, record, saturating_add(begin, delay));
}

void Player::Impl::on_event(std::uint32_t t, std::uint32_t record, DepKind kind, Picoseconds time) {
  TraceRun& run = runs_[t];
  if (!run.index.ordered()) {
    for (std::uint32_t dependent : run.index.dependents(record)) {
      if (run.record(dependent).dep == kind) schedule_unordered(t, dependent, time);
    }
    return;
  }
  if (kind == DepKind::kReceive) {
    for (const std::uint32_t answer : run.index.dependents(record)) schedule_unordered(t, answer, time);
  }
  // Only the task at which the event happens can wait for it, and it waits for one event at a time.
  const Record& r = run.record(record);
  const formats::TaskId task = kind == DepKind::kReceive ? r.peer : r.task;
  const std::uint32_t waiting = run.tasks[task].blocked;
  if (waiting != kNoRecord && run.index.dependency(waiting) == record && run.record(waiting).dep == kind) {
    schedule_next_of(t, task);
  }
}

std::uint32_t Player::Impl::new_flight() {
  if (free_flights_.empty()) {
    flights_.emplace_back();
    free_flights_.push_back(static_cast<std::uint32_t>(flights_.size() - 1));
  }
  const std::uint32_t id = free_flights_.back();
  free_flights_.pop_back();
  flights_[id] = {};
  flights_[id].used = true;
  ++in_flight_;
  return id;
}

Message Player::Impl::hand_out(std::uint32_t t, std::uint32_t record, Picoseconds due) {
  const TraceRun& run = runs_[t];
  const Record& r = run.record(record);
  const std::uint32_t id = new_flight();
  flights_[id].trace = t;
  flights_[id].record = record;
  ++counts_.messages;
  saturating_add_to(counts_.message_bytes, r.send_bytes);
  return {id,     run.node(r.task), run.node(r.peer), static_cast<std::int32_t>(t),
          r.task, r.peer,           r.send_bytes,     due,
          -1};
}

Message Player::Impl::hand_out(const CollectiveSend& send, Picoseconds now) {
  Participation& p = parts_[send.part];
  const ActiveInstance& active = active_[p.active];
  const TraceRun& run = runs_[active.trace];
  const Step step = p.schedule.steps[send.step];
  const std::uint32_t id = new_flight();
  InFlight& flight = flights_[id];
  flight.trace = active.trace;
  flight.active = p.active;
  flight.src_rank = p.rank;
  flight.dst_rank = step.peer;
  ++counts_.collective_messages;
  saturating_add_to(counts_.collective_bytes, step.bytes);
  const formats::TaskId src = active.members[p.rank], dst = active.members[step.peer];
  Message message{id,  run.node(src), run.node(dst), static_cast<std::int32_t>(active.trace), src,
                  dst, step.bytes,    send.time,     static_cast<std::int8_t>(active.op)};
  if (--p.pending == 0) {
    ++p.round;
    run_rounds(send.part, now);
  }
  return message;
}

std::optional<Message> Player::Impl::fire(const Due& due, Picoseconds now) {
  TraceRun& run = runs_[due.trace];
  const Record& r = run.record(due.record);
  --records_left_;
  ++counts_.records;
  last_time_ = std::max(last_time_, due.time);
  if (!r.answer) run.tasks[r.task].last_fire = due.time;
  if (!run.index.ordered()) run.fired[due.record] = true;
  std::optional<Message> message;
  if (r.kind == RecordKind::kMessage) {
    message = hand_out(due.trace, due.record, due.time);
    run.sent[due.record] = now;
    if (!run.index.ordered()) on_event(due.trace, due.record, DepKind::kSend, now);
  } else if (r.kind == RecordKind::kCollective) {
    enter_collective(due.trace, due.record, due.time);
  }
  if (run.index.ordered() && !r.answer) schedule_next_of(due.trace, r.task);
  return message;
}

std::optional<Message> Player::Impl::next(Picoseconds now) {
  while (true) {
    if (!sends_.empty()) {
      return hand_out(sends_.pop(), now);
    }
    if (due_.empty() || due_.top().time > now || due_.top().time == kNever) return std::nullopt;
    const Due due = due_.top();
    due_.pop();
    if (std::optional<Message> message = fire(due, now)) return message;
  }
}

void Player::Impl::delivered(std::uint64_t id, Picoseconds time) {
  if (id >= flights_.size() || !flights_[id].used) return;  // the host reported an arrival twice
  const InFlight flight = flights_[id];
  flights_[id].used = false;
  free_flights_.push_back(static_cast<std::uint32_t>(id));
  --in_flight_;
  ++counts_.delivered;
  last_time_ = std::max(last_time_, time);
  if (flight.record == kNoRecord) {
    collective_arrival(flight, time);
    return;
  }
  runs_[flight.trace].finished[flight.record] = time;
  on_event(flight.trace, flight.record, DepKind::kReceive, time);
}

std::vector<TaskTimes> Player::Impl::task_times(std::size_t trace) const {
  const TraceRun& run = runs_[trace];
  std::vector<TaskTimes> times;
  if (!run.index.ordered()) return times;
  for (const TaskState& task : run.tasks) {
    const Picoseconds end = task.last_fire - run.played.start;
    times.push_back({end - task.waited, task.waited, end});
  }
  return times;
}

Picoseconds Player::Impl::next_time() const {
  if (!sends_.empty()) return sends_.front().time;
  return due_.empty() ? kNever : due_.top().time;
}

Player::Player(std::vector<PlayedTrace> traces, const PlayerConfig& config)
    : impl_(std::make_unique<Impl>(std::move(traces), config)) {}
Player::~Player() = default;
Player::Player(Player&&) noexcept = default;
Player& Player::operator=(Player&&) noexcept = default;

std::optional<Message> Player::next(Picoseconds now) { return impl_->next(now); }
void Player::delivered(std::uint64_t id, Picoseconds time) { impl_->delivered(id, time); }
Picoseconds Player::next_time() const { return impl_->next_time(); }
bool Player::done() const { return impl_->done(); }
Picoseconds Player::last_time() const { return impl_->last_time(); }
const PlayerCounts& Player::counts() const { return impl_->counts(); }
std::vector<TaskTimes> Player::task_times(std::size_t trace) const { return impl_->task_times(trace); }
std::vector<Waiting> Player::stuck(std::size_t limit) const { return impl_->stuck(limit); }

}  // namespace vef::tracelib
