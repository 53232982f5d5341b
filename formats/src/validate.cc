// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/validate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "validate_internal.h"

namespace vef::formats {

namespace {

constexpr std::uint64_t kMaxPicoseconds = std::numeric_limits<std::int64_t>::max();

std::string message_name(std::uint64_t id) { return "message " + std::to_string(id); }

std::string task_name(TaskId task) { return "task " + std::to_string(task); }

/// "message 7", "mark 7", "G7 of task 3".
std::string record_name(const Record& record) {
  switch (record.kind) {
    case RecordKind::kMessage:
      return message_name(record.id);
    case RecordKind::kMark:
      return "mark " + std::to_string(record.id);
    case RecordKind::kCollective:
      break;
  }
  return "G" + std::to_string(record.id) + " of " + task_name(record.task);
}

/// What is wrong with a SEND or RECEIVE dependency on the message at hand; empty if nothing.
std::string message_dependency_fault(const Record& record, const Record& target) {
  const std::string dependency = record_name(record) + " depends on ";
  if (target.kind == RecordKind::kMark) {
    return dependency + record_name(target) + ", a mark of " + task_name(target.task) +
           "; expected a message";
  }
  if (record.dep == DepKind::kSend && target.task != record.task) {
    return dependency + "the sending of " + record_name(target) + " by " + task_name(target.task) +
           "; expected a message sent by " + task_name(record.task);
  }
  if (record.dep == DepKind::kReceive && target.peer != record.task) {
    return dependency + "receiving " + record_name(target) + ", addressed to " + task_name(target.peer) +
           "; expected a message to " + task_name(record.task);
  }
  return "";
}

class DependencyCheck {
 public:
  DependencyCheck(const Trace& trace, FaultList& faults) : trace_(trace), faults_(faults) {}

  void run(const MessageIndex& messages, const CollectiveIndex& collectives) {
    for (std::size_t i = 0; i < trace_.records.size(); ++i) {
      if (!faults_.wants(i)) continue;
      const Record& record = trace_.records[i];
      const bool point_to_point = record.kind != RecordKind::kCollective;
      if (trace_.header.only_send_deps && point_to_point && record.dep > DepKind::kSend) {
        faults_.add(i, record_name(record) +
                           (record.dep == DepKind::kReceive ? " depends on receiving a message"
                                                            : " depends on a collective") +
                           "; expected SEND dependencies only, as the header says");
      }
      if (record.dep == DepKind::kCollective) {
        check_collective(i, record, collectives);
      } else if (record.dep != DepKind::kIndependent) {
        check_message(i, record, messages);
      }
    }
  }

 private:
  void check_message(std::size_t i, const Record& record, const MessageIndex& messages) {
    if (record.kind != RecordKind::kCollective && record.dep_id == record.id) {
      faults_.add(i, record_name(record) + " depends on itself; expected another message");
      return;
    }
    const auto target = messages.find(record.dep_id);
    std::string fault = target ? message_dependency_fault(record, trace_.records[*target])
                               : record_name(record) + " depends on " + message_name(record.dep_id) +
                                     ", which does not exist; expected the id of a message";
    if (!fault.empty()) faults_.add(i, std::move(fault));
  }

  void check_collective(std::size_t i, const Record& record, const CollectiveIndex& collectives) {
    const std::string target = "G" + std::to_string(record.dep_id);
    if (record.kind == RecordKind::kCollective && record.dep_id == record.id) {
      faults_.add(i, record_name(record) + " depends on itself; expected another collective");
    } else if (!collectives.takes_part(record.dep_id, record.task)) {
      faults_.add(i, record_name(record) + " depends on " + target +
                         (collectives.exists(record.dep_id)
                              ? ", in which " + task_name(record.task) +
                                    " takes no part; expected a collective of " + task_name(record.task)
                              : ", which does not exist; expected the number of a collective"));
    }
  }

  const Trace& trace_;
  FaultList& faults_;
};

/// Times in picoseconds must fit into 63 bits, and so must a task's times along its program order: an
/// independent record comes no earlier than its absolute time, the others add theirs. Old files know no
/// program order.
void check_times(const Trace& trace, FaultList& faults) {
  const std::uint64_t clock = std::max<std::uint64_t>(trace.header.clock, 1);
  const std::uint64_t highest = kMaxPicoseconds / clock;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(std::max(trace.header.tasks, 0)), 0);
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    std::uint64_t& sum = sums[static_cast<std::size_t>(record.task)];
    if (record.time > highest) {
      faults.add(i, "time " + std::to_string(record.time) + " of " + record_name(record) +
                        "; expected at most " + std::to_string(highest) +
                        " (its picoseconds must fit into 63 bits)");
    } else if (record.answer) {
      // Outside the program order.
    } else if (record.dep == DepKind::kIndependent) {
      sum = std::max(sum, record.time);
    } else if (sum <= highest && has_program_order(trace.header.version)) {
      sum += record.time;  // two values of at most 63 bits
      if (sum > highest) {
        faults.add(i, "the times of " + task_name(record.task) + " sum up to " + std::to_string(sum) +
                          " at " + record_name(record) + "; expected at most " + std::to_string(highest) +
                          " (their picoseconds must fit into 63 bits)");
      }
    }
  }
}

}  // namespace

bool check_ranges(const Trace& trace, std::size_t index, FaultList& faults) {
  const Record& record = trace.records[index];
  const auto is_task = [&](TaskId task) { return task >= 0 && task < trace.header.tasks; };
  const bool collective = record.kind == RecordKind::kCollective;
  const bool in_range = is_task(record.task) && (collective || is_task(record.peer));
  if (!in_range) {
    faults.add(index, record_name(record) + " from " + task_name(record.task) + " to " +
                          task_name(record.peer) + "; expected tasks 0 to " +
                          std::to_string(trace.header.tasks - 1));
  }
  if (!collective) return in_range;
  if (record.comm < 0 || static_cast<std::size_t>(record.comm) >= trace.communicators.size() ||
      static_cast<int>(record.op) >= collective_ops(trace.header.version)) {
    faults.add(index, record_name(record) + " on communicator C" + std::to_string(record.comm) +
                          " with operation " + std::to_string(static_cast<int>(record.op)) +
                          "; expected a communicator of the header and an operation 0 to " +
                          std::to_string(collective_ops(trace.header.version) - 1));
    return false;
  }
  return in_range;
}

bool FaultList::before(const Entry& a, const Entry& b) {
  return std::pair(a.fault.line, a.order) < std::pair(b.fault.line, b.order);
}

bool FaultList::wants(std::size_t index) const {
  return heap_.size() < limit_ || (limit_ > 0 && line_of(index) < heap_.front().fault.line);
}

void FaultList::add(std::size_t index, std::string message) {
  if (!wants(index)) return;
  if (heap_.size() == limit_) {
    std::pop_heap(heap_.begin(), heap_.end(), before);
    heap_.pop_back();
  }
  heap_.push_back({{line_of(index), std::move(message)}, found_++});
  std::push_heap(heap_.begin(), heap_.end(), before);
}

std::vector<TraceFault> FaultList::take_sorted() {
  std::sort(heap_.begin(), heap_.end(), before);
  std::vector<TraceFault> faults;
  faults.reserve(heap_.size());
  for (Entry& entry : heap_) faults.push_back(std::move(entry.fault));
  heap_.clear();
  return faults;
}

MessageIndex::MessageIndex(const Trace& trace, FaultList& faults) {
  std::uint64_t count = 0;
  std::uint64_t highest = 0;
  for (const Record& record : trace.records) {
    if (record.kind == RecordKind::kCollective) continue;
    ++count;
    highest = std::max(highest, record.id);
  }
  if (highest / 2 <= count) {
    table_.assign(count == 0 ? 0 : highest + 1, kNone);
    fill_table(trace, faults);
  } else {
    sorted_.reserve(count);
    fill_sorted(trace, faults);
  }
}

void MessageIndex::fill_table(const Trace& trace, FaultList& faults) {
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (record.kind == RecordKind::kCollective) continue;
    std::size_t& slot = table_[record.id];
    if (slot == kNone) {
      slot = i;
    } else if (faults.wants(i)) {
      faults.add(i, record_name(record) + " has the id of the record on line " +
                        std::to_string(faults.line_of(slot)) + "; expected ids that occur once");
    }
  }
}

void MessageIndex::fill_sorted(const Trace& trace, FaultList& faults) {
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    if (trace.records[i].kind != RecordKind::kCollective) sorted_.push_back({trace.records[i].id, i});
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.id, a.index) < std::pair(b.id, b.index);
  });
  std::size_t first = 0;
  for (std::size_t k = 1; k < sorted_.size(); ++k) {
    if (sorted_[k].id != sorted_[first].id) {
      first = k;
    } else if (const std::size_t i = sorted_[k].index; faults.wants(i)) {
      faults.add(i, record_name(trace.records[i]) + " has the id of the record on line " +
                        std::to_string(faults.line_of(sorted_[first].index)) +
                        "; expected ids that occur once");
    }
  }
}

std::optional<std::size_t> MessageIndex::find(std::uint64_t id) const {
  if (id < table_.size()) return table_[id] == kNone ? std::nullopt : std::optional(table_[id]);
  const auto found =
      std::lower_bound(sorted_.begin(), sorted_.end(), id,
                       [](const Entry& entry, std::uint64_t wanted) { return entry.id < wanted; });
  if (found == sorted_.end() || found->id != id) return std::nullopt;
  return found->index;
}

std::vector<TraceFault> validate(const Trace& trace, std::size_t limit) {
  FaultList faults(trace, limit);
  bool in_range = true;
  for (std::size_t i = 0; i < trace.records.size(); ++i)
    in_range = check_ranges(trace, i, faults) && in_range;
  // With tasks that do not exist the rest would be guesswork; the reader lets none pass.
  if (!in_range) return faults.take_sorted();
  check_times(trace, faults);
  const MessageIndex messages(trace, faults);
  const CollectiveIndex collectives(trace);
  collectives.check(faults);
  DependencyCheck(trace, faults).run(messages, collectives);
  return faults.take_sorted();
}

}  // namespace vef::formats
