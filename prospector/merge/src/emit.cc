// SPDX-License-Identifier: Apache-2.0
#include "emit.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <tuple>

namespace vef::merge {

namespace {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;

constexpr std::uint64_t kNoId = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kProgressStep = 1 << 15;

/// Where a G record group comes first in the trace.
struct Place {
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  TaskId rank = 0;
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::uint64_t position = 0;  // in the task

  bool is_set() const { return start != std::numeric_limits<std::int64_t>::max(); }
  bool operator<(const Place& other) const {
    return std::tie(start, rank, position) < std::tie(other.start, other.rank, other.position);
  }
};

/// Counts the records of some of the ranks.
class Planner {
 public:
  explicit Planner(const Model& model) : places_(model.collectives.groups) {}

  void add(const PendingRecord& record, const Place& place) {
    if (record.kind == RecordKind::kCollective) {
      ++plan_.header.collective_records;
      add(record.number, place);
      return;
    }
    if (record.kind == RecordKind::kMessage) {
      plan_.answers += record.answer ? 1 : 0;
      ++plan_.messages;
      plan_.message_bytes += record.send_bytes;
    } else {
      ++plan_.marks;
    }
    any_send_ = any_send_ || record.dep == DepKind::kSend;
    only_send_ = only_send_ && (record.dep == DepKind::kSend || record.dep == DepKind::kIndependent);
  }

  void add(const Planner& other) {
    plan_.header.collective_records += other.plan_.header.collective_records;
    plan_.answers += other.plan_.answers;
    plan_.messages += other.plan_.messages;
    plan_.message_bytes += other.plan_.message_bytes;
    plan_.marks += other.plan_.marks;
    any_send_ = any_send_ || other.any_send_;
    only_send_ = only_send_ && other.only_send_;
    for (std::size_t group = 0; group < places_.size(); ++group) add(group, other.places_[group]);
  }

  EmitPlan finish() {
    plan_.header.messages = plan_.messages + plan_.marks;
    plan_.header.collectives = places_.size();
    plan_.header.only_send_deps = any_send_ && only_send_;
    for (const Place& place : places_) {
      if (place.is_set()) ++plan_.collectives_by_op[static_cast<int>(place.op)];
    }
    std::vector<std::uint64_t> order(places_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::uint64_t a, std::uint64_t b) { return places_[a] < places_[b]; });
    plan_.group_ids.resize(order.size());
    for (std::uint64_t id = 0; id < order.size(); ++id) plan_.group_ids[order[id]] = id;
    return std::move(plan_);
  }

 private:
  void add(std::uint64_t group, const Place& place) { places_[group] = std::min(places_[group], place); }

  EmitPlan plan_;
  std::vector<Place> places_;
  bool any_send_ = false;
  bool only_send_ = true;
};

/// The tasks' cursors as a heap. Of records with the same start the one comes first whose task came to it
/// first: the order of the original mixer, which keeps each task's next call in a queue.
class Merger {
 public:
  Merger(const Model& model, const std::vector<std::int64_t>& zero) : zero_(zero) {
    cursors_.reserve(model.ranks.size());
    for (const RankData& rank : model.ranks) {
      cursors_.emplace_back(model, rank);
      if (const PendingRecord* record = cursors_.back().peek()) {
        heap_.push_back(head(*record, rank.rank));
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  bool done() const { return heap_.empty(); }
  TaskId task() const { return heap_.front().rank; }
  TaskCursor& cursor() { return cursors_[static_cast<std::size_t>(task())]; }

  void advance() {
    TaskCursor& top = cursor();
    top.advance();
    const PendingRecord* record = top.peek();
    if (record == nullptr) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
      return;
    }
    heap_.front() = head(*record, task());
    sift_down();
  }

 private:
  struct Head {
    std::int64_t start = 0;
    std::int64_t previous = 0;
    std::uint64_t entered = 0;  // how-manieth in the heap
    TaskId rank = 0;
  };
  static bool later(const Head& a, const Head& b) {
    return std::tie(a.start, a.previous, a.entered) > std::tie(b.start, b.previous, b.entered);
  }

  Head head(const PendingRecord& record, TaskId rank) {
    const std::int64_t zero = zero_[static_cast<std::size_t>(rank)];
    return {record.start - zero, record.previous - zero, entered_++, rank};
  }

  void sift_down() {
    std::size_t at = 0;
    const Head moved = heap_[0];
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
      if (!later(moved, heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = moved;
  }

  const std::vector<std::int64_t>& zero_;
  std::vector<TaskCursor> cursors_;
  std::vector<Head> heap_;
  std::uint64_t entered_ = 0;
};

/// Turns pending records into records, with ids in the order of processing: a mark that waits for a message
/// whose record has not come yet reserves the message's id first.
class IdGiver {
 public:
  IdGiver(const Model& model, const EmitPlan& plan, Store* store)
      : model_(model), plan_(plan), message_ids_(store) {
    message_ids_.assign(model.collectives.messages, kNoId);
  }

  Record give(TaskId task, const PendingRecord& pending, const std::vector<std::uint64_t>& reserved) {
    Record record;
    record.kind = pending.kind;
    record.dep = pending.dep;
    record.task = pending.answer ? pending.source : task;
    record.answer = pending.answer;
    record.time = pending.time;
    if (pending.dep == DepKind::kCollective) {
      record.dep_id = plan_.group_ids[pending.dep_number];
    } else if (pending.dep != DepKind::kIndependent) {
      record.dep_id = message_id(pending.dep_number);
    }
    if (pending.kind == RecordKind::kCollective) {
      record.id = plan_.group_ids[pending.number];
      record.op = pending.op;
      record.comm = model_.comms[pending.comm].trace_id;
      record.send_bytes = pending.send_bytes;
      record.recv_bytes = pending.recv_bytes;
      return record;
    }
    record.peer = pending.peer;
    if (pending.kind == RecordKind::kMark) {
      if (pending.reserves) {
        for (const std::uint64_t number : reserved) message_id(number);
      }
      record.id = next_++;
    } else {
      record.id = message_id(pending.number);
      record.send_bytes = pending.send_bytes;
    }
    return record;
  }

 private:
  std::uint64_t message_id(std::uint64_t number) {
    if (message_ids_[number] == kNoId) message_ids_[number] = next_++;
    return message_ids_[number];
  }

  const Model& model_;
  const EmitPlan& plan_;
  Column<std::uint64_t> message_ids_;
  std::uint64_t next_ = 0;
};

}  // namespace

EmitPlan plan_records(const Model& model, const std::vector<std::int64_t>& zero, Store* store,
                      Workers& workers) {
  std::vector<Planner> planners(workers.threads(), Planner(model));
  std::atomic<std::size_t> next{0};
  workers.for_each(planners.size(), [&](std::size_t number) {
    Planner& planner = planners[number];
    std::uint64_t seen = 0;
    for (std::size_t r = next++; r < model.ranks.size(); r = next++) {
      TaskCursor cursor(model, model.ranks[r]);
      Place place;
      place.rank = model.ranks[r].rank;
      for (; const PendingRecord* record = cursor.peek(); cursor.advance()) {
        place.start = record->start - zero[r];
        place.op = record->op;
        planner.add(*record, place);
        ++place.position;
        if (store != nullptr && ++seen % Store::kTrimStep == 0) store->trim();
      }
    }
  });
  for (std::size_t i = 1; i < planners.size(); ++i) planners[0].add(planners[i]);
  EmitPlan plan = planners[0].finish();
  plan.header.version = plan.answers > 0 ? formats::TraceVersion::kVef4 : formats::TraceVersion::kVef3;
  plan.header.tasks = static_cast<TaskId>(model.ranks.size());
  return plan;
}

Status write_records(const Model& model, const std::vector<std::int64_t>& zero, const EmitPlan& plan,
                     formats::TraceWriter& writer, Store* store,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const std::uint64_t total = plan.header.messages + plan.header.collective_records;
  std::uint64_t done = 0;
  IdGiver ids(model, plan, store);
  if (store != nullptr && !store->status().ok()) return store->status();
  for (Merger merger(model, zero); !merger.done(); merger.advance()) {
    TaskCursor& cursor = merger.cursor();
    const PendingRecord* pending = cursor.peek();
    if (auto status = writer.write(ids.give(merger.task(), *pending, cursor.reserved())); !status.ok())
      return status;
    if (++done % kProgressStep != 0) continue;
    if (progress) progress(done, total);
    if (store != nullptr) store->trim();
  }
  return {};
}

}  // namespace vef::merge
