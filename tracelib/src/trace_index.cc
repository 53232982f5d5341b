// SPDX-License-Identifier: Apache-2.0
#include "trace_index.h"

#include <algorithm>
#include <unordered_map>

#include "vef/tracelib/collectives.h"

namespace vef::tracelib {
namespace {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

/// id -> index for ids that are usually dense from 0.
class IdTable {
 public:
  IdTable(std::uint64_t largest_id, std::size_t count) {
    if (largest_id < 8 * count + 1024) dense_.assign(largest_id + 1, kNoRecord);
  }
  void set(std::uint64_t id, std::uint32_t index) {
    if (dense_.empty()) {
      sparse_[id] = index;
    } else {
      dense_[id] = index;
    }
  }
  std::uint32_t get(std::uint64_t id) const {
    if (!dense_.empty()) return id < dense_.size() ? dense_[id] : kNoRecord;
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? kNoRecord : it->second;
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

/// Ids of all records of (or not of) kind kCollective -> `value(record index)`.
template <class Value>
IdTable make_id_table(const std::vector<Record>& records, bool collectives, Value value) {
  std::uint64_t largest = 0;
  std::size_t count = 0;
  const auto wanted = [&](const Record& r) { return (r.kind == RecordKind::kCollective) == collectives; };
  for (const Record& r : records) {
    if (wanted(r)) largest = std::max(largest, r.id), ++count;
  }
  IdTable table(largest, count);
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (wanted(records[i])) table.set(records[i].id, value(i));
  }
  return table;
}

}  // namespace

TraceIndex::TraceIndex(const formats::Trace& trace)
    : trace_(trace), ordered_(formats::has_program_order(trace.header.version)) {
  index_tasks();
  index_communicators();
  index_collectives();
  index_dependencies();
  if (!ordered_ || answers_) index_dependents();
}

void TraceIndex::index_tasks() {
  const auto& records = trace_.records;
  task_begin_.assign(static_cast<std::size_t>(trace_.header.tasks) + 1, 0);
  std::size_t ordered = 0;
  for (const Record& r : records) {
    if (r.answer) continue;
    ++task_begin_[r.task + 1];
    ++ordered;
  }
  answers_ = ordered < records.size();
  for (std::size_t t = 1; t < task_begin_.size(); ++t) task_begin_[t] += task_begin_[t - 1];
  task_records_.resize(ordered);
  std::vector<std::uint32_t> fill(task_begin_.begin(), task_begin_.end() - 1);
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!records[i].answer) task_records_[fill[records[i].task]++] = i;
  }
}

void TraceIndex::index_communicators() {
  ranks_.resize(trace_.communicators.size());
  for (std::size_t c = 0; c < ranks_.size(); ++c) {
    const auto& members = trace_.communicators[c];
    bool identity = true;
    for (std::size_t i = 0; i < members.size(); ++i)
      identity &= members[i] == static_cast<formats::TaskId>(i);
    if (identity) continue;
    for (std::size_t i = 0; i < members.size(); ++i)
      ranks_[c].emplace_back(members[i], static_cast<std::int32_t>(i));
    std::sort(ranks_[c].begin(), ranks_[c].end());
  }
}

std::int32_t TraceIndex::comm_rank(formats::CommId comm, formats::TaskId task) const {
  const auto& sorted = ranks_[comm];
  if (sorted.empty())
    return task < static_cast<formats::TaskId>(trace_.communicators[comm].size()) ? task : -1;
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), std::pair{task, std::int32_t{0}});
  return it != sorted.end() && it->first == task ? it->second : -1;
}

void TraceIndex::index_collectives() {
  const auto& records = trace_.records;
  const bool any = std::any_of(records.begin(), records.end(),
                               [](const Record& r) { return r.kind == RecordKind::kCollective; });
  if (!any) return;
  instance_of_.assign(records.size(), kNoRecord);
  IdTable first = make_id_table(records, true, [](std::uint32_t) { return kNoRecord; });
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    if (r.kind != RecordKind::kCollective) continue;
    std::uint32_t index = first.get(r.id);
    if (index == kNoRecord) {
      index = static_cast<std::uint32_t>(instances_.size());
      first.set(r.id, index);
      const auto size = static_cast<std::uint32_t>(trace_.communicators[r.comm].size());
      instances_.push_back({r.comm, r.op, 0, begin, size});
      begin += size;
    }
    instance_of_[i] = index;
  }
  participants_.assign(begin, kNoRecord);
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (instance_of_[i] == kNoRecord) continue;
    const CollectiveInstance& instance = instances_[instance_of_[i]];
    participants_[instance.begin + static_cast<std::uint32_t>(comm_rank(instance.comm, records[i].task))] = i;
  }
  std::vector<std::uint64_t> send, recv;
  for (CollectiveInstance& instance : instances_) {
    send.clear(), recv.clear();
    for (std::uint32_t record : participants(instance)) {
      send.push_back(records[record].send_bytes);
      recv.push_back(records[record].recv_bytes);
    }
    instance.root = find_root(instance.op, send, recv);
  }
}

void TraceIndex::index_dependencies() {
  const auto& records = trace_.records;
  const IdTable messages = make_id_table(records, false, [](std::uint32_t i) { return i; });
  const IdTable operations =
      make_id_table(records, true, [this](std::uint32_t i) { return instance_of_[i]; });
  dependency_.assign(records.size(), kNoRecord);
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    if (r.dep == DepKind::kIndependent) continue;
    if (r.dep != DepKind::kCollective) {
      dependency_[i] = messages.get(r.dep_id);
      continue;
    }
    const CollectiveInstance& instance = instances_[operations.get(r.dep_id)];
    dependency_[i] =
        participants_[instance.begin + static_cast<std::uint32_t>(comm_rank(instance.comm, r.task))];
  }
}

void TraceIndex::index_dependents() {
  const auto counts = [this](std::uint32_t i) {
    return dependency_[i] != kNoRecord && (!ordered_ || trace_.records[i].answer);
  };
  dependents_begin_.assign(dependency_.size() + 1, 0);
  for (std::uint32_t i = 0; i < dependency_.size(); ++i) {
    if (counts(i)) ++dependents_begin_[dependency_[i] + 1];
  }
  for (std::size_t i = 1; i < dependents_begin_.size(); ++i) dependents_begin_[i] += dependents_begin_[i - 1];
  dependents_.resize(dependents_begin_.back());
  std::vector<std::uint32_t> fill(dependents_begin_.begin(), dependents_begin_.end() - 1);
  for (std::uint32_t i = 0; i < dependency_.size(); ++i) {
    if (counts(i)) dependents_[fill[dependency_[i]]++] = i;
  }
}

}  // namespace vef::tracelib
