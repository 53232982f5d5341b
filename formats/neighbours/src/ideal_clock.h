// SPDX-License-Identifier: Apache-2.0
// When the records of a VEF3 trace fire on an ideal network (no latency, infinite bandwidth), worked out
// while they stream by. A record that depends on what comes later in the file waits, and with it what its
// task does next; memory follows the number of messages and of parts in collectives.
//
// A collective ends where its data can be: at all of them with the last to enter; from a root with the root
// and oneself; to a root with oneself, at the root with the last.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace_io.h"

namespace vef::neighbours {

/// A fault if the tasks of the trace do things in no order: nothing can be timed then.
Status need_order(const std::string& path, const formats::TraceReader& trace);

class IdealClock {
 public:
  /// A record and its times, in units of the trace's clock.
  struct Fired {
    const formats::Record& record;
    std::uint64_t ready = 0;  // when the record before it of its task had fired
    std::uint64_t event = 0;  // when what it depends on has happened; `ready` where that was before
    std::uint64_t time = 0;   // when it fires
    /// What it depends on: the message, or this task's part in the collective.
    formats::Record cause;
  };

  IdealClock(const formats::TraceReader& trace, std::function<void(const Fired&)> on_fired);

  /// Faults have no file's name.
  Status add(const formats::Record& record);
  /// A fault if records are left that cannot fire.
  Status finish() const;

 private:
  struct Sent {
    std::uint64_t time = 0;
    std::uint64_t bytes = 0;
    formats::TaskId task = 0;
  };
  struct Part {
    formats::Record record;
    std::uint64_t entry = 0;
    std::optional<std::uint64_t> end;
  };
  struct Operation {
    std::size_t missing = 0;
    std::uint64_t last_entry = 0;
    std::optional<std::uint64_t> root_entry;
    std::unordered_map<formats::TaskId, Part> parts;
  };
  struct Task {
    std::uint64_t time = 0;
    std::deque<formats::Record> queue;       // its front waits
    std::optional<std::uint64_t> waits_for;  // the message that it is listed for
  };

  void run(formats::TaskId task);
  bool fire(const formats::Record& record);
  std::optional<std::uint64_t> event_of(const formats::Record& record, formats::Record& cause);
  void send(const formats::Record& record, std::uint64_t time);
  void enter(const formats::Record& record, std::uint64_t time);
  void settle(const Operation& operation, Part& part);
  void wake(formats::TaskId task) { awake_.push_back(task); }

  formats::Communicators communicators_;
  std::function<void(const Fired&)> on_fired_;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, Sent> sent_;  // by message
  std::unordered_map<std::uint64_t, Operation> operations_;
  std::unordered_map<std::uint64_t, std::vector<formats::TaskId>> waiting_;          // by message
  std::unordered_map<std::uint64_t, std::vector<formats::Record>> waiting_answers_;  // by message
  std::vector<formats::TaskId> awake_;
  std::vector<formats::Record> due_answers_;
  Status status_;
};

}  // namespace vef::neighbours
