// SPDX-License-Identifier: Apache-2.0
// Why a trace cannot go on, in words.
#include <algorithm>

#include "player_impl.h"

namespace vef::tracelib {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

std::string Player::Impl::name_of(const TraceRun& run, std::uint32_t record) const {
  const Record& r = run.record(record);
  const bool collective = r.kind == RecordKind::kCollective;
  std::string name = (collective ? "G" : "record ") + std::to_string(r.id);
  if (!run.played.trace->lines.empty())
    name += " (line " + std::to_string(run.played.trace->lines[record]) + ")";
  return name;
}

std::string Player::Impl::name_with_task(const TraceRun& run, std::uint32_t record) const {
  return name_of(run, record) + " of task " + std::to_string(run.record(record).task);
}

/// The record that would have to fire before `record` can, with the reason; kNoRecord if nothing more is
/// known.
std::uint32_t Player::Impl::blocker(std::uint32_t t, std::uint32_t record, std::string* why) const {
  const TraceRun& run = runs_[t];
  const Record& r = run.record(record);
  const std::uint32_t on = run.index.dependency(record);
  if (r.dep == DepKind::kIndependent || on == kNoRecord) {
    *why = "its time lies beyond the largest simulated time";
    return kNoRecord;
  }
  if (r.dep != DepKind::kCollective) {
    const bool sent = run.sent[on] >= 0;
    *why = (r.dep == DepKind::kSend ? "it waits for the sending of " : "it waits for the arrival of ") +
           name_of(run, on) +
           (sent ? ", which is under way"
                 : ", which task " + std::to_string(run.record(on).task) + " has not sent");
    return sent ? kNoRecord : on;
  }
  const CollectiveInstance& instance = run.index.instance(run.index.instance_of(on));
  for (std::uint32_t peer : run.index.participants(instance)) {
    const Record& part = run.record(peer);
    const std::uint32_t slot = run.active_of_instance[run.index.instance_of(on)];
    const std::int32_t rank = run.index.comm_rank(instance.comm, part.task);
    const bool entered =
        run.finished[peer] >= 0 || (slot != kNoRecord && active_[slot].part_of_rank[rank] != kNoRecord &&
                                    parts_[active_[slot].part_of_rank[rank]].entered);
    if (!entered) {
      *why = "it waits for collective G" + std::to_string(part.id) + ", which task " +
             std::to_string(part.task) + " has not entered: " + name_with_task(run, peer);
      return peer;
    }
  }
  *why = "it waits for collective G" + std::to_string(run.record(on).id) + ", whose messages are under way";
  return kNoRecord;
}

std::vector<Waiting> Player::Impl::stuck(std::size_t limit) const {
  std::vector<Waiting> all;
  for (auto due = due_; !due.empty() && due.top().time == kNever && all.size() < limit; due.pop()) {
    const TraceRun& run = runs_[due.top().trace];
    const Record& r = run.record(due.top().record);
    const auto& lines = run.played.trace->lines;
    all.push_back(
        {static_cast<std::int32_t>(due.top().trace), r.task, lines.empty() ? 0 : lines[due.top().record],
         name_with_task(run, due.top().record) +
             " would fire later than simulated time can say; expected at most 2^63 - 2 ps (106 days)"});
  }
  for (std::uint32_t t = 0; t < runs_.size(); ++t) {
    const TraceRun& run = runs_[t];
    // The record at which a task (ordered) or a record's own dependency (unordered) stands.
    const auto stands_at = [&](std::uint32_t record) {
      if (!run.index.ordered() || run.record(record).answer) return record;
      const std::uint32_t blocked = run.tasks[run.record(record).task].blocked;
      return blocked;
    };
    std::vector<std::uint32_t> waiting;
    if (run.index.ordered()) {
      for (const TaskState& task : run.tasks) {
        if (task.blocked != kNoRecord) waiting.push_back(task.blocked);
      }
      const auto& records = run.played.trace->records;
      for (std::uint32_t i = 0; i < records.size(); ++i) {
        if (records[i].answer && run.sent[i] < 0) waiting.push_back(i);
      }
    } else {
      for (std::uint32_t i = 0; i < run.fired.size(); ++i) {
        if (!run.fired[i]) waiting.push_back(i);
      }
    }
    for (std::uint32_t first : waiting) {
      if (all.size() == limit) return all;
      Waiting w;
      w.trace = static_cast<std::int32_t>(t);
      w.task = run.record(first).task;
      w.line = run.played.trace->lines.empty() ? 0 : run.played.trace->lines[first];
      std::uint32_t next = blocker(t, first, &w.what);
      w.what = name_with_task(run, first) + " cannot fire: " + w.what;
      // Follow who waits for whom; coming back to the start is a cycle.
      std::string ignored;
      std::size_t steps = 1;
      for (; next != kNoRecord && steps <= waiting.size(); ++steps) {
        next = stands_at(next);
        if (next == kNoRecord || next == first) break;
        next = blocker(t, next, &ignored);
      }
      if (next == first) w.what += "; the dependencies form a cycle of " + std::to_string(steps) + " records";
      all.push_back(std::move(w));
    }
  }
  return all;
}

}  // namespace vef::tracelib
