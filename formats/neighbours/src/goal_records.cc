// SPDX-License-Identifier: Apache-2.0
// From a GOAL schedule to VEF records. Each rank becomes a task that does its operations in the order of an
// ideal execution (goal_run.h):
//
// - a send is a message, a part in a collective a record; calculations since the task's last record are the
// time of the next one
// - what waits for a receive is preceded by a mark, at which the task begins to wait, and depends on the
//   message then; a receive that nothing waits for is nothing; collectives likewise, without a mark where the
//   task does nothing in between
// - a calculation on another processor than 0 that waits for nothing but such calculations is a clock: what
//   waits for it is preceded by a mark with an absolute time
// - the end of a rank is a mark
#include "goal_records.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "goal_run.h"
#include "lowering.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

class GoalRecords final : public RecordSource {
 public:
  GoalRecords(GoalRun run, std::uint64_t bytes, Losses& losses)
      : run_(std::move(run)), bytes_(bytes), losses_(losses), tasks_(run_.ranks()) {
    collective_ids_.assign(run_.extras().collectives.size(), kUnknown);
    for (std::uint32_t rank = 0; rank < run_.ranks(); ++rank) {
      tasks_[rank].is_clock.assign(run_.ops(rank), false);
      tasks_[rank].awaited.assign(run_.ops(rank), false);
      tasks_[rank].needs_awaited.assign(run_.ops(rank), false);
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
        finish(step.rank);
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
    if (!run_.extras().communicators.empty()) return run_.extras().communicators;
    return world_only(static_cast<formats::TaskId>(run_.ranks()));
  }
  std::uint64_t bytes_total() const override { return bytes_; }
  std::uint64_t bytes_read() const override {
    const std::uint64_t done = run_.total() - run_.left();
    return run_.total() == 0 ? bytes_ : bytes_ / run_.total() * done;
  }

 private:
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kNoOp = kGoalAny;

  struct Task {
    DepKind last = DepKind::kIndependent;  // what the next record's time counts from
    std::uint64_t last_id = 0;
    std::uint64_t since = 0;          // computing since then
    std::uint64_t absolute = 0;       // while nothing has happened: the time of the last mark
    std::vector<bool> is_clock;       // by operation
    std::vector<bool> awaited;        // receives and collectives that the task has waited for
    std::vector<bool> needs_awaited;  // receives: what they need
    std::uint32_t entered = kNoOp;    // the collective of the last record
  };
  /// What the task is to wait for: an operation, or only what its begin needs.
  struct Await {
    std::uint32_t op = 0;
    bool begin_only = false;
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
    line_of_step_ = run_.extras().files.empty() ? op.line : 0;
    Task& task = tasks_[rank];
    if (run_.extras().has_clocks && op.kind == GoalKind::kCalc && op.cpu != 0 &&
        waits_for_clocks_only(rank, index)) {
      task.is_clock[index] = true;
      return;
    }
    losses_.add("operations on further processors are done in one order with the others",
                "a VEF task does one thing at a time", op.cpu != 0);
    run_.for_each_need(rank, index, [&](std::uint32_t needs, bool start) {
      to_await_.push_back({needs, start});
    });
    await(rank);
    if (op.kind == GoalKind::kCalc) {
      saturating_add_to(task.since, op.size);
      return;
    }
    if (op.kind == GoalKind::kCollective) return enter(rank, index);
    Record message;
    message.task = static_cast<formats::TaskId>(rank);
    message.peer = static_cast<formats::TaskId>(op.peer);
    message.send_bytes = op.size;
    const std::uint64_t id = emit(rank, message);
    run_.set_message(rank, index, id);
    task.last = DepKind::kSend;
    task.last_id = id;
  }

  /// Lets the task wait for what stands in `to_await_`. A receive waits for its own needs before.
  void await(std::uint32_t rank) {
    Task& task = tasks_[rank];
    std::reverse(to_await_.begin(), to_await_.end());
    while (!to_await_.empty()) {
      const Await next = to_await_.back();
      const GoalKind kind = run_.op(rank, next.op).kind;
      if (kind == GoalKind::kRecv && !task.needs_awaited[next.op]) {
        task.needs_awaited[next.op] = true;
        const std::size_t first = to_await_.size();
        run_.for_each_need(rank, next.op, [&](std::uint32_t needs, bool start) {
          to_await_.push_back({needs, start});
        });
        std::reverse(to_await_.begin() + static_cast<std::ptrdiff_t>(first), to_await_.end());
        continue;
      }
      to_await_.pop_back();
      if (next.begin_only) continue;
      if (task.is_clock[next.op]) {
        await_time(rank, static_cast<std::uint64_t>(run_.end_of(rank, next.op)));
      } else if ((kind == GoalKind::kRecv || kind == GoalKind::kCollective) && !task.awaited[next.op]) {
        await_end(rank, next.op);
      }
    }
  }

  void await_end(std::uint32_t rank, std::uint32_t op) {
    Task& task = tasks_[rank];
    const bool is_collective = run_.op(rank, op).kind == GoalKind::kCollective;
    task.awaited[op] = true;
    // What waits for a collective at once is a blocking one, and needs no mark.
    if (!is_collective || task.entered != op || task.since != 0) emit_mark(rank);
    task.last = is_collective ? DepKind::kCollective : DepKind::kReceive;
    task.last_id = run_.message(rank, op);
  }

  /// The end of a rank. What has entered a collective at last leaves it before.
  void finish(std::uint32_t rank) {
    const Task& task = tasks_[rank];
    if (task.entered != kNoOp && task.since == 0) await_end(rank, task.entered);
    emit_mark(rank);
  }

  /// A part in a collective; its `message` is the collective's number.
  void enter(std::uint32_t rank, std::uint32_t index) {
    Task& task = tasks_[rank];
    const GoalCollective& whole = run_.collective(rank, index);
    std::uint64_t& id = collective_ids_[run_.op(rank, index).peer];
    if (id == kUnknown) {
      id = next_collective_;
      next_collective_ += whole.is_reduce_scatter ? 2 : 1;
    }
    Record part;
    part.kind = RecordKind::kCollective;
    part.task = static_cast<formats::TaskId>(rank);
    part.comm = whole.comm;
    part.op = whole.op;
    part.id = id;
    set_sizes(part, whole, run_.op(rank, index).size);
    emit(rank, part);
    if (whole.is_reduce_scatter) {
      losses_.add(kReduceScatterLoss, kNoSuchOperation);
      task.last = DepKind::kCollective;
      task.last_id = part.id++;
      part.op = formats::CollectiveOp::kScatter;
      std::swap(part.send_bytes, part.recv_bytes);
      const std::uint64_t rest = run_.op(rank, index).size % whole.members;
      part.recv_bytes = run_.op(rank, index).size / whole.members + (rank == whole.root ? rest : 0);
      emit(rank, part);
    }
    run_.set_message(rank, index, part.id);
    task.entered = index;
  }

  static void set_sizes(Record& part, const GoalCollective& whole, std::uint64_t own) {
    using formats::CollectiveOp;
    const bool root = static_cast<std::uint32_t>(part.task) == whole.root;
    part.send_bytes = part.recv_bytes = own;
    switch (whole.op) {
      case CollectiveOp::kBroadcast:
        (root ? part.recv_bytes : part.send_bytes) = 0;
        break;
      case CollectiveOp::kReduce:
        (root ? part.send_bytes : part.recv_bytes) = 0;
        break;
      case CollectiveOp::kGather:
        part.recv_bytes = root ? whole.total : 0;
        break;
      case CollectiveOp::kScatter:
        part.send_bytes = root ? whole.total : 0;
        break;
      case CollectiveOp::kAllgather:
        part.recv_bytes = whole.total;
        break;
      case CollectiveOp::kAlltoall: {
        // The same to each, or a total (1).
        const bool to_each = whole.parts_are_equal && own % whole.members == 0;
        if (to_each) part.send_bytes = own / whole.members;
        part.recv_bytes = to_each ? 0 : 1;
        break;
      }
      case CollectiveOp::kAllreduce:
      case CollectiveOp::kBarrier:
      case CollectiveOp::kReduceScatter:  // come as kReduce; nothing read here has scans
      case CollectiveOp::kScan:
      case CollectiveOp::kExscan:
        break;
    }
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
    task.entered = kNoOp;
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
    if (record.kind != RecordKind::kCollective) record.id = next_id_++;
    task.entered = kNoOp;
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
  std::vector<Await> to_await_;
  std::vector<std::uint64_t> collective_ids_;  // by collective
  std::uint64_t next_collective_ = 0;
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
