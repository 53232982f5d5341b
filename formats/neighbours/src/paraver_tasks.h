// SPDX-License-Identifier: Apache-2.0
// What the lines of a Paraver trace do, as VEF records.
#pragma once

#include <deque>
#include <queue>
#include <unordered_map>
#include <vector>

#include "collective_calls.h"
#include "message_matcher.h"
#include "paraver.h"
#include "paraver_header.h"
#include "record_builder.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours::paraver {

class Tasks {
 public:
  Tasks(Header header, Losses& losses);

  /// A line of events or of a message, after its kind and the colon. Faults have no file's name.
  Status events(std::string_view text, std::uint64_t line);
  Status message(std::string_view text, std::uint64_t line);
  Status finish();

  std::deque<RecordBuilder::Ready>& ready() { return builder_.ready(); }
  const formats::Communicators& communicators() const { return calls_.used(); }

 private:
  struct Arrival {
    std::uint64_t time = 0;
    std::uint64_t message = 0;
    bool operator>(const Arrival& other) const {
      return time != other.time ? time > other.time : message > other.message;
    }
  };
  struct Task {
    std::uint64_t depth = 0;     // calls that are open; several threads may be in MPI
    std::uint64_t last_end = 0;  // of a call
    std::uint64_t thread = 0;
    bool ended = false;                          // in MPI_Finalize, or behind it
    const CollectiveCall* collective = nullptr;  // that is open, with what is said of it
    std::uint64_t send_bytes = 0;
    std::uint64_t recv_bytes = 0;
    std::uint64_t comm = 0;
    bool has_comm = false;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  };
  /// Where a line is: task, thread and time.
  struct Place {
    formats::TaskId task = 0;
    std::uint64_t thread = 0;
    std::uint64_t time = 0;
  };

  bool take_place(Numbers& numbers, Place& place, Status& status) const;
  Status check_order(std::uint64_t time);
  void begin(const Place& place, std::uint64_t type, std::uint64_t value, std::uint64_t line);
  Status end(const Place& place, std::uint64_t line);
  Status collective(formats::TaskId task, std::uint64_t line);
  void scan(formats::TaskId task, std::int64_t comm, const std::vector<formats::TaskId>& members,
            std::uint64_t bytes, std::uint64_t line);
  Task& at(formats::TaskId task) { return tasks_[static_cast<std::size_t>(task)]; }

  Header header_;  // a communicator without members is the world
  Losses& losses_;
  std::vector<Task> tasks_;
  std::vector<formats::TaskId> world_;
  RecordBuilder builder_;
  CollectiveCalls calls_;
  MessageMatcher scans_;
  std::uint64_t now_ = 0;
};

}  // namespace vef::neighbours::paraver
