// SPDX-License-Identifier: Apache-2.0
#include "record_builder.h"

#include <utility>

#include "vef/base/units.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;

void RecordBuilder::add_time(TaskId task, std::uint64_t units) { saturating_add_to(at(task).since, units); }

void RecordBuilder::did(Task& task, DepKind kind, std::uint64_t id, std::uint64_t pending) {
  task.last = {kind, id, pending};
  task.since = 0;
}

void RecordBuilder::emit(TaskId index, Record record, std::uint64_t line) {
  Task& task = at(index);
  record.task = index;
  record.dep = task.last.kind;
  record.dep_id = task.last.id;
  record.time = std::exchange(task.since, 0);
  // Nothing has happened yet that a time could count from: the next counts from the start, too.
  if (task.last.kind == DepKind::kIndependent) task.since = record.time;
  if (task.held.empty() && task.last.pending == 0) {
    ready_.push_back({record, line});
    return;
  }
  if (task.last.pending != 0)
    pending_.at(task.last.pending).records.push_back(task.first_held + task.held.size());
  task.held.push_back({{record, line}, task.last.pending});
}

void RecordBuilder::send(TaskId task, TaskId peer, std::uint64_t id, std::uint64_t bytes,
                         std::uint64_t line) {
  Record message;
  message.peer = peer;
  message.send_bytes = bytes;
  message.id = id;
  emit(task, message, line);
  did(at(task), DepKind::kSend, id);
}

void RecordBuilder::enter_collective(TaskId task, Record part, std::uint64_t line) {
  part.kind = RecordKind::kCollective;
  emit(task, part, line);
}

void RecordBuilder::leave_collective(TaskId task, std::uint64_t id, std::uint64_t line) {
  mark(task, line);
  did(at(task), DepKind::kCollective, id);
}

void RecordBuilder::collective(TaskId task, Record part, std::uint64_t line) {
  enter_collective(task, part, line);
  did(at(task), DepKind::kCollective, part.id);
}

void RecordBuilder::mark(TaskId task, std::uint64_t line) {
  Record mark;
  mark.kind = RecordKind::kMark;
  mark.peer = task;
  mark.id = next_id_++;
  emit(task, mark, line);
}

void RecordBuilder::receive(TaskId task, std::uint64_t id, std::uint64_t line) {
  mark(task, line);
  did(at(task), DepKind::kReceive, id);
}

std::uint64_t RecordBuilder::receive_later(TaskId task, std::uint64_t line) {
  mark(task, line);
  const std::uint64_t pending = next_pending_++;
  const Last& before = at(task).last;
  if (before.pending != 0) pending_.at(before.pending).after = pending;
  pending_.emplace(pending, Pending{task, before, 0, {}});
  did(at(task), DepKind::kReceive, 0, pending);
  return pending;
}

void RecordBuilder::settle(std::uint64_t pending, std::uint64_t id) {
  replace(pending, {DepKind::kReceive, id, 0});
}

std::uint64_t RecordBuilder::give_up_all() {
  std::uint64_t count = 0;
  for (; !pending_.empty(); ++count) {
    const auto& [pending, open] = *pending_.begin();
    replace(pending, open.before);
  }
  return count;
}

void RecordBuilder::replace(std::uint64_t pending, Last with) {
  const auto node = pending_.extract(pending);
  const Pending& what = node.mapped();
  Task& task = at(what.task);
  // What came before may be open itself.
  const auto other = pending_.find(with.pending);
  for (const std::uint64_t number : what.records) {
    Held& held = task.held[number - task.first_held];
    held.ready.record.dep = with.kind;
    held.ready.record.dep_id = with.id;
    held.pending = with.pending;
    if (other != pending_.end()) other->second.records.push_back(number);
  }
  if (task.last.pending == pending) task.last = with;
  if (what.after != 0) pending_.at(what.after).before = with;
  if (other != pending_.end()) other->second.after = what.after;
  while (!task.held.empty() && task.held.front().pending == 0) {
    ready_.push_back(task.held.front().ready);
    task.held.pop_front();
    ++task.first_held;
  }
}

}  // namespace vef::neighbours
