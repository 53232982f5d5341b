// SPDX-License-Identifier: Apache-2.0
// Executes a GOAL schedule on an ideal network (no latency, no overhead, infinite bandwidth). What comes of
// it is an order of all operations in which none waits for a later one, and which receive takes which send. A
// VEF task does one thing after another, so it needs such an order; it exists only for the schedule as a
// whole, which is why that is held in memory (about 60 bytes per operation and 20 per dependency).
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "goal.h"
#include "vef/base/units.h"

namespace vef::neighbours {

class GoalRun {
 public:
  /// Reads the whole of `input`; `path` is for messages.
  static Result<GoalRun> load(GoalInput& input, std::string path);

  /// What happens next: an operation of a rank begins (not of receives), or its last one has ended.
  struct Step {
    std::uint32_t rank = 0;
    std::uint32_t op = 0;
    bool rank_is_done = false;
  };
  /// False: all is done. Between two calls the caller looks at the step, which has no effect yet; for a send
  /// it calls set_message().
  Result<bool> next(Step& step);

  std::uint64_t total() const { return total_; }  // operations
  std::uint64_t left() const { return left_; }    // those that have not ended
  std::uint32_t ops(std::uint32_t rank) const { return static_cast<std::uint32_t>(ranks_[rank].ops.size()); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }
  const GoalOp& op(std::uint32_t rank, std::uint32_t op) const { return ranks_[rank].ops[op]; }
  /// What `op` waits for, and whether that is the begin of it.
  template <class F>
  void for_each_need(std::uint32_t rank, std::uint32_t op, F&& call) const {
    const Rank& r = ranks_[rank];
    for (std::uint32_t i = r.first_need[op]; i < r.first_need[op + 1]; ++i)
      call(r.edges[i].needs, r.edges[i].start);
  }
  /// The message of a send that has begun or of a receive that has ended.
  void set_message(std::uint32_t rank, std::uint32_t op, std::uint64_t id) { ranks_[rank].message[op] = id; }
  std::uint64_t message(std::uint32_t rank, std::uint32_t op) const { return ranks_[rank].message[op]; }
  /// When a calculation ends; 0 before it has begun.
  Picoseconds end_of(std::uint32_t rank, std::uint32_t op) const { return ranks_[rank].end[op]; }

  const GoalExtras& extras() const { return extras_; }
  const GoalCollective& collective(std::uint32_t rank, std::uint32_t op) const {
    return extras_.collectives[ranks_[rank].ops[op].peer];
  }

  /// Sends that no receive took, after the end.
  std::uint64_t sends_left() const { return sends_left_; }

 private:
  struct Rank {
    std::vector<GoalOp> ops;
    std::vector<GoalEdge> edges;  // by the operation that waits
    std::vector<std::uint32_t> first_need;
    std::vector<std::uint32_t> dependents;  // indices into edges, by what is waited for
    std::vector<std::uint32_t> first_dependent;
    std::vector<std::uint32_t> waits;  // by operation: for how many it still waits
    std::vector<std::uint64_t> message;
    std::vector<Picoseconds> end;
    std::vector<Picoseconds> cpu_free;
    std::uint32_t left = 0;      // operations that have not ended
    bool has_wildcards = false;  // receives from any source or with any tag
  };
  struct Event {
    Picoseconds time = 0;
    std::uint32_t rank = 0;
    std::uint32_t op = 0;
    bool ends = false;
    bool operator>(const Event& o) const {
      if (time != o.time) return time > o.time;
      if (rank != o.rank) return rank > o.rank;
      return op != o.op ? op > o.op : ends > o.ends;
    }
  };
  struct Channel {
    std::uint32_t destination = 0;
    std::uint32_t source = 0;
    std::uint32_t tag = 0;
    bool operator==(const Channel&) const = default;
  };
  struct ChannelHash {
    std::size_t operator()(const Channel& channel) const;
  };
  /// A receive that waits for its message, or a message (of `id`) that waits for its receive.
  struct Waiting {
    Channel channel;
    std::uint64_t order = 0;
    std::uint64_t id = 0;
    std::uint32_t op = 0;
  };
  /// Of one channel; those before `head` are gone. Either receives or messages.
  struct Queue {
    std::vector<Waiting> items;
    std::size_t head = 0;
    bool of_receives = false;
  };

  /// Members of a collective that have entered it and cannot leave yet.
  struct Meeting {
    std::uint32_t missing = 0;  // members that have not entered
    bool root_is_in = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  // rank, operation
  };

  explicit GoalRun(std::string path) : path_(std::move(path)) {}
  Status take_rank(GoalRank& rank);
  void start();
  void apply(const Event& event);
  void release(std::uint32_t rank, std::uint32_t op, bool start, Picoseconds time);
  void make_ready(std::uint32_t rank, std::uint32_t op, Picoseconds time);
  void end(std::uint32_t rank, std::uint32_t op, Picoseconds time);
  void post(std::uint32_t rank, std::uint32_t op, Picoseconds time);
  void arrive(std::uint32_t source, std::uint32_t op, Picoseconds time);
  void receive(std::uint32_t rank, std::uint32_t op, std::uint64_t id, Picoseconds time);
  void enter(std::uint32_t rank, std::uint32_t op, Picoseconds time);
  Waiting pop(std::unordered_map<Channel, Queue, ChannelHash>::iterator queue);
  void push(const Waiting& waiting, bool is_receive);
  Error stuck() const;
  Error describe(std::uint32_t rank, std::uint32_t op, const std::string& what) const;

  std::string path_;
  std::vector<Rank> ranks_;
  GoalExtras extras_;
  std::vector<Meeting> meetings_;  // by collective
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::uint32_t> done_ranks_;  // not yet told
  Event pending_;                          // told, but without its effects yet
  bool has_pending_ = false;
  std::unordered_map<Channel, Queue, ChannelHash> queues_;
  std::vector<std::vector<Waiting>> wild_receives_;  // by destination, in order
  std::vector<std::vector<Waiting>> unexpected_;     // the same of messages, where there are wildcards
  std::uint64_t order_ = 0;
  std::uint64_t sends_left_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace vef::neighbours
