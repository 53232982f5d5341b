// SPDX-License-Identifier: Apache-2.0
#include "ideal_clock.h"

#include <algorithm>
#include <utility>

#include "collective_flow.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;

Status need_order(const std::string& path, const formats::TraceReader& trace) {
  if (formats::has_program_order(trace.header().version)) return {};
  return input_error(path, 0,
                     std::string(formats::magic_of(trace.header().version)) +
                         " traces have no order within a task; expected VEF3 or VEF4");
}

IdealClock::IdealClock(const formats::TraceReader& trace, std::function<void(const Fired&)> on_fired)
    : communicators_(trace.communicators()),
      on_fired_(std::move(on_fired)),
      tasks_(communicators_.front().size()) {}

Status IdealClock::add(const Record& record) {
  if (record.answer) {
    if (!fire(record)) waiting_answers_[record.dep_id].push_back(record);
  } else {
    tasks_[static_cast<std::size_t>(record.task)].queue.push_back(record);
    if (tasks_[static_cast<std::size_t>(record.task)].queue.size() == 1) wake(record.task);
  }
  while (status_ && !(awake_.empty() && due_answers_.empty())) {
    if (!due_answers_.empty()) {
      const Record answer = due_answers_.back();
      due_answers_.pop_back();
      (void)fire(answer);
    } else {
      const TaskId task = awake_.back();
      awake_.pop_back();
      run(task);
    }
  }
  return status_;
}

void IdealClock::run(TaskId index) {
  Task& task = tasks_[static_cast<std::size_t>(index)];
  while (!task.queue.empty() && status_) {
    const Record record = task.queue.front();
    if (!fire(record)) {
      if (record.dep == DepKind::kReceive && task.waits_for != record.dep_id) {
        task.waits_for = record.dep_id;
        waiting_[record.dep_id].push_back(index);
      }
      return;
    }
    task.waits_for.reset();
    task.queue.pop_front();
  }
}

std::optional<std::uint64_t> IdealClock::event_of(const Record& record, Record& cause) {
  if (record.dep == DepKind::kCollective) {
    const auto operation = operations_.find(record.dep_id);
    if (operation == operations_.end()) return std::nullopt;
    const auto part = operation->second.parts.find(record.task);
    if (part == operation->second.parts.end()) return std::nullopt;
    cause = part->second.record;
    return part->second.end;
  }
  const auto found = sent_.find(record.dep_id);
  if (found == sent_.end()) return std::nullopt;
  const Sent& message = found->second;
  cause.kind = RecordKind::kMessage;
  cause.id = record.dep_id;
  cause.task = message.task;
  cause.peer = record.task;
  cause.send_bytes = message.bytes;
  return message.time;
}

bool IdealClock::fire(const Record& record) {
  std::uint64_t& task_time = tasks_[static_cast<std::size_t>(record.task)].time;
  Fired fired{record, task_time, task_time, 0, {}};
  if (record.dep == DepKind::kIndependent) {
    fired.time = std::max(task_time, record.time);
  } else {
    const auto event = event_of(record, fired.cause);
    if (!event) return false;
    if (record.answer) fired.ready = fired.event = *event;
    fired.event = std::max(fired.event, *event);
    fired.time = fired.event;
    saturating_add_to(fired.time, record.time);
  }
  if (!record.answer) task_time = fired.time;
  on_fired_(fired);
  if (record.kind == RecordKind::kMessage) send(record, fired.time);
  if (record.kind == RecordKind::kCollective) enter(record, fired.time);
  return true;
}

void IdealClock::send(const Record& record, std::uint64_t time) {
  sent_[record.id] = {time, record.send_bytes, record.task};
  if (const auto found = waiting_.find(record.id); found != waiting_.end()) {
    for (const TaskId task : found->second) wake(task);
    waiting_.erase(found);
  }
  if (const auto found = waiting_answers_.find(record.id); found != waiting_answers_.end()) {
    due_answers_.insert(due_answers_.end(), found->second.begin(), found->second.end());
    waiting_answers_.erase(found);
  }
}

void IdealClock::enter(const Record& record, std::uint64_t time) {
  const auto [entry, is_new] = operations_.try_emplace(record.id);
  Operation& operation = entry->second;
  if (is_new) operation.missing = communicators_[static_cast<std::size_t>(record.comm)].size();
  const auto [part, is_first] = operation.parts.try_emplace(record.task, Part{record, time, {}});
  if (operation.missing == 0 || !is_first) {
    status_ = Error{ErrorKind::kInput,
                    "G" + std::to_string(record.id) + " has a part too many; `vef check` says more"};
    return;
  }
  --operation.missing;
  operation.last_entry = std::max(operation.last_entry, time);
  const bool is_root = flow_of(record.op) == Flow::kFromRoot && record.send_bytes != 0;
  if (is_root) operation.root_entry = time;
  if (!is_root && operation.missing != 0) return settle(operation, part->second);
  for (auto& [task, other] : operation.parts) settle(operation, other);
}

/// Finds the end of a part if it is known by now.
void IdealClock::settle(const Operation& operation, Part& part) {
  if (part.end) return;
  const bool receives = part.record.recv_bytes != 0;
  const bool all_are_in = operation.missing == 0;
  switch (flow_of(part.record.op)) {
    case Flow::kToAll:
      if (all_are_in) part.end = operation.last_entry;
      break;
    case Flow::kFromRoot:
      if (!receives || all_are_in) part.end = part.entry;
      if (operation.root_entry) part.end = std::max(part.entry, *operation.root_entry);
      break;
    case Flow::kToRoot:
      if (!receives) part.end = part.entry;
      if (receives && all_are_in) part.end = operation.last_entry;
      break;
  }
  if (part.end) wake(part.record.task);
}

Status IdealClock::finish() const {
  if (!status_) return status_;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].queue.empty()) continue;
    return Error{ErrorKind::kInput,
                 "task " + std::to_string(i) + " waits for what never happens; `vef check` says more"};
  }
  if (!waiting_answers_.empty())
    return Error{ErrorKind::kInput, "an answer waits for message " +
                                        std::to_string(waiting_answers_.begin()->first) +
                                        ", which is never sent; `vef check` says more"};
  return {};
}

}  // namespace vef::neighbours
