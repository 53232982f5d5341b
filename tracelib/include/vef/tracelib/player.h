// SPDX-License-Identifier: Apache-2.0
// Executes traces for any network simulator. The player hands out messages when they are due, is told of
// their arrival, and releases what depends on them; it knows no network. Host loop:
//
//     Player player(std::move(traces), config);
//     while (!player.done() && now != kNever) {
//       while (auto m = player.next(now)) network.inject(*m, now);
//       now = network.run_until(player.next_time(), on_delivered);
//     }
//     if (!player.done()) return player.stuck();  // who waits for what
//
// on_delivered calls player.delivered(id, time); run_until returns kNever when the network is empty and
// nothing is due.
//
// Times are picoseconds of simulated time. Deterministic: the order of what is handed out depends on the
// trace, the mapping and the times of arrival only. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/tracelib/collectives.h"

namespace vef::tracelib {

using NodeId = std::int32_t;

struct Message {
  std::uint64_t id = 0;  // the player's own, unique among the messages that are under way; small (an index)
  NodeId src_node = 0;
  NodeId dst_node = 0;  // may equal src_node
  std::int32_t trace = 0;
  formats::TaskId src_task = 0;
  formats::TaskId dst_task = 0;
  std::uint64_t bytes = 0;
  Picoseconds time = 0;  // when it became due: its generation, from which the flow completion time counts
  std::int8_t op = -1;   // formats::CollectiveOp it is part of; -1: point-to-point
};

/// One trace and how it runs.
struct PlayedTrace {
  std::shared_ptr<const formats::Trace> trace;  // must have passed formats::validate
  std::vector<NodeId> mapping;                  // task -> node; empty: task i on node i
  double compute_scale = 1.0;                   // multiplies every `time`
  Picoseconds start = 0;
};

struct PlayerConfig {
  Expansion expansion = Expansion::kN;
};

/// What a task waits for; for error messages.
struct Waiting {
  std::int32_t trace = 0;
  formats::TaskId task = 0;
  std::uint64_t line = 0;  // the record that cannot fire (0 if the trace is not from a file)
  std::string what;        // "record 12 waits for message 7 from task 3, which was never sent"
};

struct PlayerCounts {
  std::uint64_t records = 0;   // fired
  std::uint64_t messages = 0;  // handed out, point-to-point
  std::uint64_t message_bytes = 0;
  std::uint64_t collective_messages = 0;
  std::uint64_t collective_bytes = 0;
  std::uint64_t delivered = 0;
};

/// What a task did up to its last record: it computed (the delays of its records) or waited for what they
/// depend on, and nothing else. The two add up to `end`, counted from the start of the trace.
struct TaskTimes {
  Picoseconds computing = 0;
  Picoseconds waiting = 0;
  Picoseconds end = 0;
};

class Player {
 public:
  Player(std::vector<PlayedTrace> traces, const PlayerConfig& config);
  ~Player();
  Player(Player&&) noexcept;
  Player& operator=(Player&&) noexcept;

  /// A message that is due at or before `now`, or nothing. It counts as sent when it is handed out. `now`
  /// must not decrease.
  std::optional<Message> next(Picoseconds now);

  /// The last byte of message `id` has reached its node at `time` (not before it was handed out).
  void delivered(std::uint64_t id, Picoseconds time);

  /// When next() has something to hand out or to do without any further arrival; kNever if it waits for
  /// arrivals.
  Picoseconds next_time() const;

  /// Every record has fired, every collective is finished and every message has arrived.
  bool done() const;

  /// Time at which the last record fired or the last message arrived.
  Picoseconds last_time() const;

  const PlayerCounts& counts() const;

  /// By task. Empty for VEF and VEF2, in which a task has no order and so may do several things at a time.
  std::vector<TaskTimes> task_times(std::size_t trace) const;

  /// The tasks that are not finished and what each waits for (at most `limit`).
  std::vector<Waiting> stuck(std::size_t limit = 20) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vef::tracelib
