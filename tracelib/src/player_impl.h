// SPDX-License-Identifier: Apache-2.0
// The state of a Player: per trace what has happened to each record, per task where it stands, and the parts
// in collectives and the messages that are under way.
#pragma once

#include <queue>
#include <vector>

#include "peer_balance.h"
#include "prepared_call.h"
#include "trace_index.h"
#include "vef/tracelib/player.h"

namespace vef::tracelib {

/// What the player has to hand out next, first in, first out.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  const T& front() const { return items_[head_]; }
  void push(const T& item) { items_.push_back(item); }
  T pop() {
    const T item = items_[head_++];
    if (head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= kCompactAt && 2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return item;
  }

 private:
  static constexpr std::size_t kCompactAt = 4096;
  std::vector<T> items_;
  std::size_t head_ = 0;
};

/// One task's part in one collective operation, from the first arrival or its entry to its end.
struct Participation {
  std::uint32_t active = 0;  // index of the ActiveInstance
  std::int32_t rank = 0;     // in the communicator
  bool entered = false;
  std::uint32_t round = 0;
  std::uint32_t pending = 0;  // sends not handed out + receives not arrived, of the current round
  Schedule schedule;
  PeerBalance balance;  // below zero: the current round waits for that many
};

/// One operation while any of its parts runs.
struct ActiveInstance {
  std::uint32_t trace = 0;
  std::uint32_t instance = 0;
  const formats::TaskId* members = nullptr;  // of the communicator, by rank
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::vector<std::uint32_t> part_of_rank;  // index of the Participation; kNoRecord: none yet
  std::vector<std::uint64_t> send_bytes, recv_bytes;
  PreparedCall call;  // refers to the two vectors
  std::uint32_t finished = 0;
};

struct TaskState {
  std::uint32_t next = 0;             // how many of its records have fired or are scheduled or blocked
  std::uint32_t blocked = kNoRecord;  // the record that waits for an event
  Picoseconds last_fire = 0;          // t(k)
  Picoseconds waited = 0;             // of that time
};

struct TraceRun {
  TraceRun(PlayedTrace played_trace);

  PlayedTrace played;
  TraceIndex index;
  std::vector<Picoseconds> sent;      // per record: when its message was handed out; -1: not yet
  std::vector<Picoseconds> finished;  // per record: message arrived, part in the collective done; -1: not yet
  std::vector<bool> fired;  // unordered traces only need it for stuck(), ordered ones know it from TaskState
  std::vector<TaskState> tasks;
  std::vector<std::uint32_t> active_of_instance;  // index into Impl::active_; kNoRecord: not running

  const formats::Record& record(std::uint32_t i) const { return played.trace->records[i]; }
  NodeId node(formats::TaskId task) const { return played.mapping.empty() ? task : played.mapping[task]; }
  Picoseconds delay(const formats::Record& record) const;
};

class Player::Impl {
 public:
  Impl(std::vector<PlayedTrace> traces, const PlayerConfig& config);

  std::optional<Message> next(Picoseconds now);
  void delivered(std::uint64_t id, Picoseconds time);
  Picoseconds next_time() const;
  bool done() const { return records_left_ == 0 && in_flight_ == 0 && parts_running_ == 0; }
  Picoseconds last_time() const { return last_time_; }
  const PlayerCounts& counts() const { return counts_; }
  std::vector<TaskTimes> task_times(std::size_t trace) const;
  std::vector<Waiting> stuck(std::size_t limit) const;

 private:
  struct Due {  // a record that fires at `time`; ties by trace, then file order
    Picoseconds time;
    std::uint32_t trace;
    std::uint32_t record;
    bool operator>(const Due& o) const {
      if (time != o.time) return time > o.time;
      return trace != o.trace ? trace > o.trace : record > o.record;
    }
  };
  struct CollectiveSend {
    std::uint32_t part;
    std::uint32_t step;
    Picoseconds time;
  };
  struct InFlight {
    std::uint32_t trace = 0;
    std::uint32_t record = kNoRecord;  // point-to-point
    std::uint32_t active = kNoRecord;  // part of a collective: index of the ActiveInstance
    std::int32_t src_rank = 0, dst_rank = 0;
    bool used = false;
  };

  void start_trace(std::uint32_t t);
  void schedule_next_of(std::uint32_t t, formats::TaskId task);
  void schedule_unordered(std::uint32_t t, std::uint32_t record, Picoseconds event);
  Picoseconds event_time(const TraceRun& run, std::uint32_t record) const;
  void push_due(std::uint32_t t, std::uint32_t record, Picoseconds time);
  std::optional<Message> fire(const Due& due, Picoseconds now);
  Message hand_out(std::uint32_t t, std::uint32_t record, Picoseconds due);
  Message hand_out(const CollectiveSend& send, Picoseconds now);
  void on_event(std::uint32_t t, std::uint32_t record, formats::DepKind kind, Picoseconds time);
  std::uint32_t new_flight();

  // Collectives (player_collectives.cc).
  void enter_collective(std::uint32_t t, std::uint32_t record, Picoseconds time);
  void collective_arrival(const InFlight& flight, Picoseconds time);
  std::uint32_t part(std::uint32_t active, std::int32_t rank);
  std::uint32_t activate(std::uint32_t t, std::uint32_t instance);
  void run_rounds(std::uint32_t part, Picoseconds time);
  void start_round(Participation& p, std::uint32_t part, Picoseconds time);
  void finish_part(std::uint32_t part, Picoseconds time);

  // stuck() (player_stuck.cc).
  std::string name_of(const TraceRun& run, std::uint32_t record) const;
  std::string name_with_task(const TraceRun& run, std::uint32_t record) const;
  std::uint32_t blocker(std::uint32_t t, std::uint32_t record, std::string* why) const;

  PlayerConfig config_;
  std::vector<TraceRun> runs_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  Fifo<CollectiveSend> sends_;
  std::vector<InFlight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::vector<Participation> parts_;
  std::vector<std::uint32_t> free_parts_;
  std::vector<ActiveInstance> active_;
  std::vector<std::uint32_t> free_active_;
  std::uint64_t records_left_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t parts_running_ = 0;
  Picoseconds last_time_ = 0;
  PlayerCounts counts_;
};

}  // namespace vef::tracelib
