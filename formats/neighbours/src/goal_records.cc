// SPDX-License-Identifier: Apache-2.0
// From a GOAL schedule to VEF records. Each rank becomes a task that does its operations in the order of an
// ideal execution (goal_run.h):
//
// - a send is a message; calculations since the task's last record are the time of the next one
// - what waits for a receive is preceded by a mark, at which the task begins to wait, and depends on the
//   message then; a receive that nothing waits for is nothing
// - a calculation on another processor than 0 that waits for nothing but such calculations is a clock: what
//   waits for it is preceded by a mark with an absolute time
// - the end of a rank is a mark
#include "goal_records.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "goal_run.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

class GoalRecords final : public RecordSource {
 public:
  GoalRecords(GoalRun run, std::uint64_t bytes, Losses& losses)
      : run_(std::move(run)), bytes_(bytes), losses_(losses), tasks_(run_.ranks()) {
    for (std::uint32_t rank = 0; rank < run_.ranks(); ++rank) {
      tasks_[rank].is_clock.assign(run_.ops(rank), false);
      tasks_[rank].awaited.assign(run_.ops(rank), false);
      for (std::uint32_t op = 0; op < run_.ops(rank); ++op) count_losses(run_.op(rank, op));
    }
  }

  Result<bool> next(Record& record) override {
    while (ready_.empty()) {
      GoalRun::Step step;
      const auto more = run_.next(step);
      if (!more) return more.error();
      if (!*more) {
        losses_.add("sends are kept that no receive takes", "the network carries them all the same",
                    run_.sends_left());
        return false;
      }
      if (step.rank_is_done) {
        emit_mark(step.rank);
      } else {
        begin(step.rank, step.op);
      }
    }
    record = ready_.front().record;
    line_ = ready_.front().line;
    ready_.pop_front();
    return true;
  }

  std::uint64_t line() const override { return line_; }
  formats::Communicators communicators() const override {
    return world_only(static_cast<formats::TaskId>(run_.ranks()));
  }
  std::uint64_t bytes_total() const override { return bytes_; }
  std::uint64_t bytes_read() const override {
    const std::uint64_t done = run_.total() - run_.left();
    return run_.total() == 0 ? bytes_ : bytes_ / run_.total() * done;
  }

 private:
  struct Task {
    DepKind last = DepKind::kIndependent;  // what the next record's time counts from
    std::uint64_t last_id = 0;
    std::uint64_t since = 0;     // computing since then
    std::uint64_t absolute = 0;  // while nothing has happened: the time of the last mark
    std::vector<bool> is_clock;  // by operation
    std::vector<bool> awaited;   // receives that a mark has waited for
  };
  struct Ready {
    Record record;
    std::uint64_t line = 0;
  };

  void count_losses(const GoalOp& op) {
    losses_.add("tags are not kept", "a VEF message is known by its id",
                op.kind == GoalKind::kSend && op.tag != 0);
    losses_.add("network interfaces are not kept", "a VEF task has one", op.nic != 0);
    losses_.add("receives take what an ideal network brings them first",
                "they name no source or no tag, and VEF names the message",
                op.kind == GoalKind::kRecv && (op.peer == kGoalAny || op.tag == kGoalAny));
  }

  void begin(std::uint32_t rank, std::uint32_t index) {
    const GoalOp& op = run_.op(rank, index);
    line_of_step_ = op.line;
    Task& task = tasks_[rank];
    if (op.kind == GoalKind::kCalc && op.cpu != 0 && waits_for_clocks_only(rank, index)) {
      task.is_clock[index] = true;
      return;
    }
    losses_.add("operations on further processors are done in one order with the others",
                "a VEF task does one thing at a time", op.cpu != 0);
    run_.for_each_need(rank, index, [&](std::uint32_t needs, bool start) {
      if (start) return;
      if (task.is_clock[needs]) {
        await_time(rank, static_cast<std::uint64_t>(run_.end_of(rank, needs)));
      } else if (run_.op(rank, needs).kind == GoalKind::kRecv && !task.awaited[needs]) {
        task.awaited[needs] = true;
        emit_mark(rank);
        task.last = DepKind::kReceive;
        task.last_id = run_.message(rank, needs);
      }
    });
    if (op.kind == GoalKind::kCalc) {
      saturating_add_to(task.since, op.size);
      return;
    }
    Record message;
    message.task = static_cast<formats::TaskId>(rank);
    message.peer = static_cast<formats::TaskId>(op.peer);
    message.send_bytes = op.size;
    const std::uint64_t id = emit(rank, message);
    run_.set_message(rank, index, id);
    task.last = DepKind::kSend;
    task.last_id = id;
  }

  bool waits_for_clocks_only(std::uint32_t rank, std::uint32_t index) const {
    bool only = true;
    run_.for_each_need(rank, index, [&](std::uint32_t needs, bool) { only &= tasks_[rank].is_clock[needs]; });
    return only;
  }

  void await_time(std::uint32_t rank, std::uint64_t time) {
    Task& task = tasks_[rank];
    if (time <= task.absolute) return;
    if (task.since != 0) emit_mark(rank);
    if (time <= task.absolute) return;
    Record record = mark(rank);
    record.dep = DepKind::kIndependent;
    record.time = time;
    record.id = next_id_++;
    ready_.push_back({record, line_of_step_});
    task.absolute = time;
  }

  static Record mark(std::uint32_t rank) {
    Record record;
    record.kind = RecordKind::kMark;
    record.task = record.peer = static_cast<formats::TaskId>(rank);
    return record;
  }

  void emit_mark(std::uint32_t rank) { emit(rank, mark(rank)); }

  /// Gives the record its id, its dependency and its time; returns the id.
  std::uint64_t emit(std::uint32_t rank, Record record) {
    Task& task = tasks_[rank];
    record.id = next_id_++;
    record.dep = task.last;
    record.dep_id = task.last_id;
    record.time = std::exchange(task.since, 0);
    if (task.last == DepKind::kIndependent) {
      saturating_add_to(task.absolute, record.time);
      record.time = task.absolute;
    }
    ready_.push_back({record, line_of_step_});
    return record.id;
  }

  GoalRun run_;
  std::uint64_t bytes_;
  Losses& losses_;
  std::vector<Task> tasks_;
  std::deque<Ready> ready_;
  std::uint64_t next_id_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t line_of_step_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_goal_records(std::unique_ptr<GoalInput> input,
                                                        const std::string& path, Losses& losses) {
  auto run = GoalRun::load(*input, path);
  if (!run) return run.error();
  return std::unique_ptr<RecordSource>(new GoalRecords(std::move(*run), input->bytes_total(), losses));
}

}  // namespace vef::neighbours
