// SPDX-License-Identifier: Apache-2.0
// The parts of validate(): where faults are gathered, and what is looked up more than once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vef/formats/validate.h"

namespace vef::formats {

/// Keeps the first `limit` faults in line order, whatever the order they are found in.
class FaultList {
 public:
  FaultList(const Trace& trace, std::size_t limit) : trace_(trace), limit_(limit) {}

  /// Line of a record; of a trace that is not from a file, the line it would be written to.
  std::uint64_t line_of(std::size_t index) const {
    return trace_.lines.empty() ? trace_.communicators.size() + 2 + index : trace_.lines[index];
  }
  /// Whether a fault of this record would be kept: spares the message where there are thousands.
  bool wants(std::size_t index) const;
  void add(std::size_t index, std::string message);
  std::vector<TraceFault> take_sorted();

 private:
  struct Entry {
    TraceFault fault;
    std::uint64_t order;
  };
  static bool before(const Entry& a, const Entry& b);

  const Trace& trace_;
  std::size_t limit_;
  std::vector<Entry> heap_;  // the latest on top
  std::uint64_t found_ = 0;
};

/// Record index by message id. Dense ids are looked up in a table, others by bisection.
class MessageIndex {
 public:
  /// Reports duplicate ids to `faults`; the first record of an id counts.
  MessageIndex(const Trace& trace, FaultList& faults);
  std::optional<std::size_t> find(std::uint64_t id) const;

 private:
  struct Entry {
    std::uint64_t id;
    std::size_t index;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void fill_table(const Trace& trace, FaultList& faults);
  void fill_sorted(const Trace& trace, FaultList& faults);

  std::vector<std::size_t> table_;
  std::vector<Entry> sorted_;
};

/// The collective records, by operation and task.
class CollectiveIndex {
 public:
  explicit CollectiveIndex(const Trace& trace);

  bool exists(std::uint64_t id) const;
  bool takes_part(std::uint64_t id, TaskId task) const;
  /// Reports what is wrong with the operations themselves.
  void check(FaultList& faults) const;

 private:
  struct Entry {
    std::uint64_t id;
    TaskId task;
    std::size_t index;
  };
  using Group = std::vector<Entry>::const_iterator;

  bool is_member(CommId comm, TaskId task) const;
  void check_group(Group begin, Group end, FaultList& faults) const;
  void check_members(Group begin, Group end, const Record& first, std::size_t first_index,
                     FaultList& faults) const;
  void check_sizes(Group begin, Group end, const Record& first, std::size_t first_index,
                   FaultList& faults) const;
  void check_parts(Group begin, Group end, const Record& first, std::size_t first_index,
                   FaultList& faults) const;
  void check_roots(Group begin, Group end, const Record& first, std::size_t first_index,
                   FaultList& faults) const;

  const Trace& trace_;
  std::vector<Entry> entries_;                // by (id, task, index)
  std::vector<std::vector<TaskId>> members_;  // sorted; empty where the communicator's own list is
};

/// False where tasks, communicator or operation are outside what the header has (reported), so that nothing
/// may be looked up with them.
bool check_ranges(const Trace& trace, std::size_t index, FaultList& faults);

}  // namespace vef::formats
