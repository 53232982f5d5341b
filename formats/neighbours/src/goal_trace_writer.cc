// SPDX-License-Identifier: Apache-2.0
// From VEF records to a GOAL schedule.
//
// The time of a record becomes a calculation that waits for the record before it and for the event it depends
// on; a message then a send. That a message counts as sent when it is handed over is `irequires`. A receive
// waits for nothing: it is posted from the start, so that no send ever waits for its receiver, as VEF has it.
// Processor 0 computes; 1 is a clock, for records with absolute times; 2 is the network interface, which
// sends answers. Tags are numbers in order, so that each receive takes its own message. Collectives are
// expanded.
#include "goal_trace_writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "computing_time.h"
#include "expanded.h"
#include "goal_graph.h"
#include "open_collectives.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

constexpr std::uint8_t kClockCpu = 1;
constexpr std::uint8_t kInterfaceCpu = 2;

class GoalTraceWriter final : public formats::TraceWriter {
 public:
  GoalTraceWriter(std::string path, const formats::TraceReader& trace, const Options& options, Losses& losses,
                  std::unique_ptr<GoalOutput> output)
      : path_(std::move(path)),
        header_(trace.header()),
        communicators_(trace.communicators()),
        expand_(options.expand),
        losses_(losses),
        output_(std::move(output)),
        graph_(path_, communicators_.front().size()),
        tasks_(communicators_.front().size()),
        collectives_(communicators_) {}

  Status write(const Record& record) override {
    const auto time = to_nanoseconds(record.time, header_.clock, "GOAL has no smaller unit", losses_);
    if (!time) return named(time.error());
    if (record.kind == RecordKind::kCollective) return write_collective(record, *time);
    if (record.answer) {
      write_answer(record, *time);
    } else if (record.kind == RecordKind::kMark) {
      (void)advance(record, *time, false);
    } else {
      write_message(record, *time);
    }
    return graph_.status();
  }

  Status finish() override {
    if (Status status = collectives_.finish(); !status) return named(status.error());
    GoalRank rank;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (Status status = graph_.put_together(i, rank); !status) return status;
      if (Status status = output_->write(rank); !status) return status;
    }
    return output_->finish();
  }

 private:
  static constexpr std::uint32_t kNone = GoalGraph::kNone;
  using Needs = std::vector<std::pair<std::uint32_t, bool>>;  // an operation; whether its begin is enough

  struct Task {
    std::uint32_t last = kNone;  // the operation that stands for the record before
    bool last_starts = false;    // its begin counts
    std::uint64_t last_message = 0;
    std::uint32_t clock = kNone;   // the last calculation of the clock
    std::uint64_t clock_time = 0;  // when it ends
    std::uint64_t absolute = 0;    // the latest absolute time of a record
  };

  Error named(const Error& error) const { return input_error(path_, 0, error.message); }

  static GoalOp calc(std::uint64_t time, std::uint8_t cpu) {
    GoalOp op;
    op.size = time;
    op.cpu = cpu;
    return op;
  }

  std::uint32_t next_tag() { return std::exchange(tag_, (tag_ + 1) % kGoalAny); }

  /// What `op`, the first of the record's operations, waits for.
  void wait(std::uint32_t op, const Record& record, std::uint32_t clock) {
    const auto rank = static_cast<std::size_t>(record.task);
    const Task& task = tasks_[rank];
    const bool ordered = formats::has_program_order(header_.version);
    if (ordered && task.last != kNone) graph_.require(rank, {op, task.last, task.last_starts});
    if (clock != kNone) graph_.require(rank, {op, clock, false});
    const bool known =
        ordered && record.dep == DepKind::kSend && task.last_starts && record.dep_id == task.last_message;
    if (record.dep != DepKind::kIndependent && !known) graph_.require(rank, op, {record.dep, record.dep_id});
  }

  /// The clock's calculation that ends at the record's absolute time, or kNone where the order of the task
  /// says it all.
  std::uint32_t clock_for(const Record& record, std::uint64_t time) {
    const auto rank = static_cast<std::size_t>(record.task);
    Task& task = tasks_[rank];
    if (record.dep != DepKind::kIndependent || task.last == kNone || time <= task.absolute) return kNone;
    task.absolute = time;
    const std::uint32_t clock =
        graph_.add(rank, calc(time - std::exchange(task.clock_time, time), kClockCpu));
    if (task.clock != kNone) graph_.require(rank, {clock, task.clock, false});
    task.clock = clock;
    return clock;
  }

  /// The time of a record that is no answer. Returns the calculation that ends when the record fires; kNone:
  /// it fires when wait() says, unless `always` asks for a calculation.
  std::uint32_t advance(const Record& record, std::uint64_t time, bool always) {
    const auto rank = static_cast<std::size_t>(record.task);
    Task& task = tasks_[rank];
    const bool ordered = formats::has_program_order(header_.version);
    const bool absolute = ordered && record.dep == DepKind::kIndependent && task.last != kNone;
    clock_ = absolute ? clock_for(record, time) : kNone;
    if (absolute) time = 0;
    // A mark that waits for something beside the record before it needs something to stand for it.
    const bool joins =
        record.kind == RecordKind::kMark &&
        (clock_ != kNone || record.dep == DepKind::kReceive || record.dep == DepKind::kCollective);
    if (time == 0 && !always && !joins) return kNone;
    if (time != 0 && !ordered)
      losses_.add("delays of one task are done one after the other",
                  "a processor of GOAL calculates one thing at a time");
    const std::uint32_t op = graph_.add(rank, calc(time, 0));
    wait(op, record, clock_);
    if (task.last == kNone && record.dep == DepKind::kIndependent) task.absolute = time;
    task.last = op;
    task.last_starts = false;
    return op;
  }

  void write_message(const Record& record, std::uint64_t time) {
    const auto rank = static_cast<std::size_t>(record.task);
    const std::uint32_t before = advance(record, time, false);
    const std::uint32_t send = add_message(record, 0);
    if (before != kNone) {
      graph_.require(rank, {send, before, false});
    } else {
      wait(send, record, clock_);
    }
    tasks_[rank].last = send;
    tasks_[rank].last_starts = true;
    tasks_[rank].last_message = record.id;
  }

  std::uint32_t add_message(const Record& record, std::uint8_t cpu) {
    GoalOp send;
    send.kind = GoalKind::kSend;
    send.size = record.send_bytes;
    send.peer = static_cast<std::uint32_t>(record.peer);
    send.tag = next_tag();
    send.cpu = cpu;
    GoalOp recv = send;
    recv.kind = GoalKind::kRecv;
    recv.peer = static_cast<std::uint32_t>(record.task);
    recv.cpu = 0;
    const std::uint32_t op =
        graph_.add(static_cast<std::size_t>(record.task), send, {DepKind::kSend, record.id});
    graph_.add(static_cast<std::size_t>(record.peer), recv, {DepKind::kReceive, record.id});
    return op;
  }

  void write_answer(const Record& record, std::uint64_t time) {
    const auto rank = static_cast<std::size_t>(record.task);
    std::uint32_t before = kNone;
    if (time != 0) {
      before = graph_.add(rank, calc(time, kInterfaceCpu));
      graph_.require(rank, before, {record.dep, record.dep_id});
    }
    const std::uint32_t send = add_message(record, kInterfaceCpu);
    if (before != kNone) {
      graph_.require(rank, {send, before, false});
    } else {
      graph_.require(rank, send, {record.dep, record.dep_id});
    }
  }

  Status write_collective(const Record& record, std::uint64_t time) {
    if (!expand_) return usage_error(path_ + ": GOAL knows no collectives; expected a way to expand them");
    losses_.add("parts in collectives are written as the messages they are made of",
                "GOAL knows no collectives");
    const std::uint32_t entry = advance(record, time, true);
    auto whole = collectives_.add(record, entry);
    if (!whole) return named(whole.error());
    if (*whole) expand(**whole);
    return graph_.status();
  }

  void expand(const OpenCollectives::Whole& whole) {
    const auto& members = communicators_[static_cast<std::size_t>(whole.comm)];
    std::uint32_t most = 0;
    const auto steps = expand_all(whole.call, expand_);
    for (std::size_t i = 0; i < members.size(); ++i) most = std::max(most, add_steps(whole, steps[i], i));
    // Between two ranks the k-th send of the operation meets the k-th receive: tags tell them apart.
    tag_ = static_cast<std::uint32_t>((std::uint64_t{tag_} + most) % kGoalAny);
  }

  /// The operations of one member; returns how many messages in one direction it exchanges with one peer.
  std::uint32_t add_steps(const OpenCollectives::Whole& whole, const std::vector<CollectiveStep>& steps,
                          std::size_t member) {
    const auto& members = communicators_[static_cast<std::size_t>(whole.comm)];
    const auto rank = static_cast<std::size_t>(members[member]);
    const auto entry = static_cast<std::uint32_t>(whole.notes[member]);
    Needs before = {{entry, false}};  // what the sends of a round wait for
    Needs round;
    bool round_sends = false;
    std::uint32_t most = 0;
    std::unordered_map<std::int64_t, std::uint32_t> counts;  // by peer; receives below 0
    for (const CollectiveStep& step : steps) {
      const std::uint32_t k = counts[step.is_send ? step.peer : -1 - std::int64_t{step.peer}]++;
      most = std::max(most, k + 1);
      GoalOp op;
      op.kind = step.is_send ? GoalKind::kSend : GoalKind::kRecv;
      op.size = step.bytes;
      op.peer = static_cast<std::uint32_t>(members[static_cast<std::size_t>(step.peer)]);
      op.tag = static_cast<std::uint32_t>((std::uint64_t{tag_} + k) % kGoalAny);
      if (step.is_send && !round_sends) join(rank, before);
      round_sends |= step.is_send;
      const std::uint32_t node = graph_.add(rank, op);
      if (step.is_send) require_all(rank, node, before);
      round.emplace_back(node, step.is_send);
      if (!step.ends_round) continue;
      // Receives wait for nothing: behind a round without sends the one before it counts, too.
      if (!round_sends) round.insert(round.end(), before.begin(), before.end());
      before = std::exchange(round, {});
      round_sends = false;
    }
    require_all(rank, graph_.add(rank, calc(0, 0), {DepKind::kCollective, whole.id}), before);
    return most;
  }

  /// Many become one, so that many may wait for them.
  void join(std::size_t rank, Needs& needs) {
    if (needs.size() <= 2) return;
    const std::uint32_t all = graph_.add(rank, calc(0, 0));
    require_all(rank, all, needs);
    needs = {{all, false}};
  }

  void require_all(std::size_t rank, std::uint32_t op, const Needs& needs) {
    for (const auto& [node, start] : needs) graph_.require(rank, {op, node, start});
  }

  std::string path_;
  formats::TraceHeader header_;
  formats::Communicators communicators_;
  CollectiveExpander expand_;
  Losses& losses_;
  std::unique_ptr<GoalOutput> output_;
  GoalGraph graph_;
  std::vector<Task> tasks_;
  OpenCollectives collectives_;
  std::uint32_t clock_ = kNone;  // of the record at hand
  std::uint32_t tag_ = 0;
};

}  // namespace

Result<std::unique_ptr<formats::TraceWriter>> create_goal_trace(const std::string& path,
                                                                const formats::TraceReader& trace,
                                                                const Options& options, Losses& losses,
                                                                std::unique_ptr<GoalOutput> output) {
  return std::unique_ptr<formats::TraceWriter>(
      new GoalTraceWriter(path, trace, options, losses, std::move(output)));
}

}  // namespace vef::neighbours
