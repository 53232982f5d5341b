// SPDX-License-Identifier: Apache-2.0
// Makes VEF records of what tasks do one after another: every record depends on what its task did last, and
// its time is the computing since then. What a receive took may be told later than what the task does after
// it; the records of the task wait so long. Tasks may come in any order; what one does in its order.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::neighbours {

class RecordBuilder {
 public:
  explicit RecordBuilder(formats::TaskId tasks) : tasks_(static_cast<std::size_t>(tasks)) {}

  /// Computing of a task.
  void add_time(formats::TaskId task, std::uint64_t units);

  /// `line`: where in the input; it comes back with the record.
  void send(formats::TaskId task, formats::TaskId peer, std::uint64_t id, std::uint64_t bytes,
            std::uint64_t line);
  /// Sizes and operation are those of `part`.
  void collective(formats::TaskId task, formats::Record part, std::uint64_t line);
  /// A non-blocking one: its end is what the task waits for later, if it does.
  void enter_collective(formats::TaskId task, formats::Record part, std::uint64_t line);
  void leave_collective(formats::TaskId task, std::uint64_t id, std::uint64_t line);
  /// The end of a task.
  void mark(formats::TaskId task, std::uint64_t line);
  /// Waits for message `id`.
  void receive(formats::TaskId task, std::uint64_t id, std::uint64_t line);

  /// Waits for a message that settle() will name by what this returns.
  std::uint64_t receive_later(formats::TaskId task, std::uint64_t line);
  void settle(std::uint64_t pending, std::uint64_t id);
  /// What is not settled waits for nothing: what follows depends on what was before. Returns how many.
  std::uint64_t give_up_all();

  /// Where ids of messages and marks come from.
  std::uint64_t& next_id() { return next_id_; }

  /// Records that are ready.
  struct Ready {
    formats::Record record;
    std::uint64_t line = 0;
  };
  std::deque<Ready>& ready() { return ready_; }

 private:
  struct Last {
    formats::DepKind kind = formats::DepKind::kIndependent;
    std::uint64_t id = 0;
    std::uint64_t pending = 0;  // 0: `id` is known
  };
  struct Held {
    Ready ready;
    std::uint64_t pending = 0;
  };
  struct Task {
    Last last;
    std::uint64_t since = 0;  // computing
    std::deque<Held> held;    // the first has an open dependency
    std::uint64_t first_held = 0;
  };
  struct Pending {
    formats::TaskId task = 0;
    Last before;
    std::uint64_t after = 0;             // the open one whose `before` is this one
    std::vector<std::uint64_t> records;  // numbers of held records that depend on it
  };

  Task& at(formats::TaskId task) { return tasks_[static_cast<std::size_t>(task)]; }
  void emit(formats::TaskId task, formats::Record record, std::uint64_t line);
  void did(Task& task, formats::DepKind kind, std::uint64_t id, std::uint64_t pending = 0);
  void replace(std::uint64_t pending, Last with);

  std::vector<Task> tasks_;
  std::deque<Ready> ready_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::uint64_t next_pending_ = 1;
  std::uint64_t next_id_ = 0;
};

}  // namespace vef::neighbours
