// SPDX-License-Identifier: Apache-2.0
// What must hold between the records of one collective: the same operation and communicator, every task of
// the communicator once, and sizes that agree with the operation (docs/vef3.md, "Sizes of collectives", and
// docs/vef4.md).
#include <algorithm>
#include <tuple>

#include "validate_internal.h"
#include "vef/base/units.h"

namespace vef::formats {

namespace {

std::string name(const Record& record) {
  return "G" + std::to_string(record.id) + " (" + std::string(collective_name(record.op)) + ")";
}

std::string sizes(const Record& record) {
  return "send size " + std::to_string(record.send_bytes) + " and receive size " +
         std::to_string(record.recv_bytes) + " of task " + std::to_string(record.task);
}

bool is_rooted(CollectiveOp op) {
  return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce || op == CollectiveOp::kGather ||
         op == CollectiveOp::kScatter;
}

/// The root is the task that sends (broadcast, scatter) or receives (reduce, gather).
bool is_root(const Record& record) {
  const bool sends = record.op == CollectiveOp::kBroadcast || record.op == CollectiveOp::kScatter;
  return sends ? record.send_bytes != 0 : record.recv_bytes != 0;
}

/// What is wrong with the sizes of an operation without a root, given the first record's; null if nothing.
const char* unrooted_fault(const Record& record, const Record& first) {
  switch (record.op) {
    case CollectiveOp::kAllreduce:
      if (record.send_bytes != record.recv_bytes) return "equal sizes";
      if (record.send_bytes != first.send_bytes) return "the same sizes in all tasks";
      return nullptr;
    case CollectiveOp::kAllgather:
      if (record.recv_bytes < record.send_bytes) return "a receive size that includes the task's own part";
      if (record.recv_bytes != first.recv_bytes) return "the same receive size in all tasks";
      return nullptr;
    case CollectiveOp::kBarrier:
      return record.send_bytes != 0 || record.recv_bytes != 0 ? "0 and 0" : nullptr;
    case CollectiveOp::kAlltoall:
      if (record.recv_bytes > 1) return "receive size 0 (basic form) or 1 (vectorial form)";
      if (record.recv_bytes != first.recv_bytes) return "the same form in all tasks";
      return nullptr;
    case CollectiveOp::kReduceScatter:
      if (record.recv_bytes > record.send_bytes) return "a send size that includes the task's own part";
      if (record.send_bytes != first.send_bytes) return "the same send size in all tasks";
      return nullptr;
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      if (record.send_bytes != record.recv_bytes) return "equal sizes";
      if (record.send_bytes != first.send_bytes) return "the same sizes in all tasks";
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

CollectiveIndex::CollectiveIndex(const Trace& trace) : trace_(trace), members_(trace.communicators.size()) {
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (record.kind == RecordKind::kCollective) entries_.push_back({record.id, record.task, i});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.id, a.task, a.index) < std::tie(b.id, b.task, b.index);
  });
  for (std::size_t comm = 0; comm < members_.size(); ++comm) {
    const std::vector<TaskId>& members = trace.communicators[comm];
    if (std::is_sorted(members.begin(), members.end())) continue;
    members_[comm] = members;
    std::sort(members_[comm].begin(), members_[comm].end());
  }
}

bool CollectiveIndex::exists(std::uint64_t id) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), id,
                       [](const Entry& entry, std::uint64_t wanted) { return entry.id < wanted; });
  return found != entries_.end() && found->id == id;
}

bool CollectiveIndex::takes_part(std::uint64_t id, TaskId task) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), std::pair(id, task),
                                      [](const Entry& entry, const std::pair<std::uint64_t, TaskId>& wanted) {
                                        return std::pair(entry.id, entry.task) < wanted;
                                      });
  return found != entries_.end() && found->id == id && found->task == task;
}

bool CollectiveIndex::is_member(CommId comm, TaskId task) const {
  const auto index = static_cast<std::size_t>(comm);
  const std::vector<TaskId>& members =
      members_[index].empty() ? trace_.communicators[index] : members_[index];
  return std::binary_search(members.begin(), members.end(), task);
}

void CollectiveIndex::check(FaultList& faults) const {
  for (auto begin = entries_.begin(); begin != entries_.end();) {
    const auto end =
        std::find_if(begin, entries_.end(), [&](const Entry& entry) { return entry.id != begin->id; });
    check_group(begin, end, faults);
    begin = end;
  }
}

void CollectiveIndex::check_group(Group begin, Group end, FaultList& faults) const {
  const std::size_t first_index =
      std::min_element(begin, end, [](const Entry& a, const Entry& b) { return a.index < b.index; })->index;
  const Record& first = trace_.records[first_index];
  bool alike = true;
  for (auto entry = begin; entry != end; ++entry) {
    const Record& record = trace_.records[entry->index];
    if (record.op != first.op) {
      faults.add(entry->index, name(record) + " of task " + std::to_string(record.task) + "; expected " +
                                   std::string(collective_name(first.op)) + " as on line " +
                                   std::to_string(faults.line_of(first_index)));
      alike = false;
    }
    if (record.comm != first.comm) {
      faults.add(entry->index, name(record) + " of task " + std::to_string(record.task) +
                                   " on communicator C" + std::to_string(record.comm) + "; expected C" +
                                   std::to_string(first.comm) + " as on line " +
                                   std::to_string(faults.line_of(first_index)));
      alike = false;
    }
  }
  // Where the records disagree, who misses or what the sizes mean cannot be said.
  if (!alike) return;
  check_members(begin, end, first, first_index, faults);
  check_sizes(begin, end, first, first_index, faults);
}

void CollectiveIndex::check_members(Group begin, Group end, const Record& first, std::size_t first_index,
                                    FaultList& faults) const {
  const std::string comm = "C" + std::to_string(first.comm);
  std::size_t tasks = 0;  // members that take part
  for (auto entry = begin; entry != end; ++entry) {
    if (!is_member(first.comm, entry->task)) {
      faults.add(entry->index, name(first) + " of task " + std::to_string(entry->task) +
                                   ", which is outside communicator " + comm + "; expected tasks of " + comm);
    } else if (entry != begin && std::prev(entry)->task == entry->task) {
      faults.add(entry->index, "task " + std::to_string(entry->task) + " a second time in " + name(first) +
                                   "; expected each task once");
    } else {
      ++tasks;
    }
  }
  const std::vector<TaskId>& members = trace_.communicators[static_cast<std::size_t>(first.comm)];
  if (tasks == members.size() || !faults.wants(first_index)) return;
  const auto missing =
      std::find_if(members.begin(), members.end(), [&](TaskId task) { return !takes_part(first.id, task); });
  faults.add(first_index, name(first) + " misses task " + std::to_string(*missing) + "; expected all " +
                              std::to_string(members.size()) + " tasks of communicator " + comm + ", found " +
                              std::to_string(tasks));
}

void CollectiveIndex::check_sizes(Group begin, Group end, const Record& first, std::size_t first_index,
                                  FaultList& faults) const {
  if (is_rooted(first.op)) {
    check_roots(begin, end, first, first_index, faults);
    return;
  }
  bool agree = true;
  for (auto entry = begin; entry != end; ++entry) {
    const Record& record = trace_.records[entry->index];
    if (const char* expected = unrooted_fault(record, first); expected != nullptr) {
      faults.add(entry->index, name(record) + ": " + sizes(record) + "; expected " + expected);
      agree = false;
    }
  }
  if (first.op == CollectiveOp::kReduceScatter && agree) check_parts(begin, end, first, first_index, faults);
}

/// The parts of a reduce-scatter make up what each task gives.
void CollectiveIndex::check_parts(Group begin, Group end, const Record& first, std::size_t first_index,
                                  FaultList& faults) const {
  std::uint64_t sum = 0;
  for (auto entry = begin; entry != end; ++entry)
    saturating_add_to(sum, trace_.records[entry->index].recv_bytes);
  if (sum == first.send_bytes) return;
  faults.add(first_index, name(first) + ": the receive sizes sum up to " + std::to_string(sum) +
                              "; expected the send size, " + std::to_string(first.send_bytes));
}

void CollectiveIndex::check_roots(Group begin, Group end, const Record& first, std::size_t first_index,
                                  FaultList& faults) const {
  std::size_t root_index = trace_.records.size();
  bool moves_data = false;
  for (auto entry = begin; entry != end; ++entry) {
    const Record& record = trace_.records[entry->index];
    moves_data = moves_data || record.send_bytes != 0 || record.recv_bytes != 0;
    if (is_root(record)) root_index = std::min(root_index, entry->index);
  }
  if (!moves_data) return;
  if (root_index == trace_.records.size()) {
    const bool sends = first.op == CollectiveOp::kBroadcast || first.op == CollectiveOp::kScatter;
    faults.add(first_index, name(first) + ": no task has a " + (sends ? "send" : "receive") +
                                " size, but data move; expected one root");
    return;
  }
  const Record& root = trace_.records[root_index];
  for (auto entry = begin; entry != end; ++entry) {
    const Record& record = trace_.records[entry->index];
    if (!is_root(record) || entry->index == root_index) continue;
    faults.add(entry->index, name(record) + ": " + sizes(record) + " make it a second root beside task " +
                                 std::to_string(root.task) + "; expected one root");
  }
  // The root's own part is in both of its sizes in a gather and a scatter only.
  const bool one_way = root.op == CollectiveOp::kBroadcast || root.op == CollectiveOp::kReduce;
  if (one_way && root.send_bytes != 0 && root.recv_bytes != 0) {
    faults.add(root_index, name(root) + ": " + sizes(root) + ", the root; expected one of them to be 0");
  }
}

}  // namespace vef::formats
