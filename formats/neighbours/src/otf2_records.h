// SPDX-License-Identifier: Apache-2.0
// What the MPI events of an OTF2 archive do to the tasks, as VEF records. Events come in the order of their
// times; that decides nothing but the order among the threads of a process.
//
// - computing is the time of a process outside MPI's regions, from the end of MPI_Init on
// - a receive is known by its request when it is posted and by its sender and tag when it is complete: until
//   then it could take any message, and the receives behind it wait (posted_receives.h)
// - a non-blocking collective stands where it was begun; what it is is said where it ends, so that a pass
//   before finds out (Otf2Ends)
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "message_matcher.h"
#include "otf2_definitions.h"
#include "posted_receives.h"
#include "record_builder.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

struct Otf2Collective {
  OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
  OTF2_CommRef comm = 0;
  std::uint32_t root = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// The ends of non-blocking collectives, by task in the order of their begins.
class Otf2Ends {
 public:
  void begin(formats::TaskId task, std::uint64_t request);
  void end(formats::TaskId task, std::uint64_t request, const Otf2Collective& collective);
  /// Of the next begin of a task; nothing if it has no end.
  std::optional<Otf2Collective> take(formats::TaskId task);

 private:
  struct Task {
    std::deque<std::optional<Otf2Collective>> ends;
    std::uint64_t taken = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> open;  // by request: number of the begin
  };
  std::unordered_map<formats::TaskId, Task> tasks_;
};

class Otf2Records {
 public:
  Otf2Records(const Otf2Definitions& definitions, Otf2Ends ends, Losses& losses);

  /// Faults have no file's name.
  Status enter(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region);
  Status leave(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region);
  Status send(OTF2_LocationRef location, OTF2_CommRef comm, std::uint32_t receiver, std::uint32_t tag,
              std::uint64_t bytes);
  Status post_receive(OTF2_LocationRef location, std::uint64_t request);
  /// Without a request: a blocking one.
  Status receive(OTF2_LocationRef location, OTF2_CommRef comm, std::uint32_t sender, std::uint32_t tag,
                 std::optional<std::uint64_t> request);
  Status cancel(OTF2_LocationRef location, std::uint64_t request);
  Status collective(OTF2_LocationRef location, const Otf2Collective& collective);
  Status begin_collective(OTF2_LocationRef location, std::uint64_t request);
  Status end_collective(OTF2_LocationRef location, std::uint64_t request);
  void one_sided() { losses_.add("one-sided accesses are left out", "their completion is not read"); }

  /// After the last event.
  Status finish();

  RecordBuilder& builder() { return builder_; }

 private:
  struct Task {
    PostedReceives receives;
    std::unordered_map<std::uint64_t, std::uint64_t> requests;     // of receives: the posted one
    std::unordered_map<std::uint64_t, std::uint64_t> collectives;  // by request: the operation's id
    std::unordered_map<formats::CommId, std::uint64_t> counts;     // of collectives so far
    int depth = 0;                                                 // regions of MPI it is in
    std::uint64_t last = 0;                                        // nanoseconds: it is outside MPI since
    std::uint64_t latest = 0;                                      // of all events
    bool is_finalized = false;

    explicit Task(PostedReceives::Match match) : receives(std::move(match)) {}
  };

  Result<formats::TaskId> task_of(OTF2_LocationRef location);
  Task& at(formats::TaskId task) { return tasks_[static_cast<std::size_t>(task)]; }
  Result<formats::TaskId> peer(formats::TaskId task, OTF2_CommRef comm, std::uint32_t rank);
  /// The parts of a collective, in order (a reduce-scatter has two).
  Result<std::vector<formats::Record>> parts_of(formats::TaskId task, const Otf2Collective& collective);
  Status scan(formats::TaskId task, const Otf2Comm& comm, const Otf2Collective& collective);
  std::uint64_t next_id(formats::TaskId task, formats::CommId comm);
  void settle(Task& task);

  const Otf2Definitions& definitions_;
  Otf2Ends ends_;
  Losses& losses_;
  MessageMatcher matcher_;
  RecordBuilder builder_;
  std::vector<Task> tasks_;
  std::vector<std::vector<std::uint64_t>> ids_;  // of collectives, by communicator
  std::uint64_t next_collective_ = 0;
};

}  // namespace vef::neighbours
