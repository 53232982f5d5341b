// SPDX-License-Identifier: Apache-2.0
// Stage 4a: the records of one task, one after the other, by the rules of the trace: a message or a part in a
// collective depends on what the task did last; a completing call is a mark at its entry, then one mark of
// time 0 for each completed thing but the last, on which the next record depends.
//
// A cursor holds the records of one operation at a time; it may be made again for a second pass. It refers to
// the model, which must outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives.h"
#include "communicators.h"
#include "match.h"
#include "model.h"
#include "one_sided.h"
#include "vef/formats/trace.h"

namespace vef::merge {

/// All that the cursors read.
struct Model {
  const std::vector<RankData>& ranks;
  const CommTable& comms;
  const CollectiveTable& collectives;
  const MessageNumbers& messages;
  const OneSidedNumbers& one_sided;
};

/// A record before ids are known: `number` and `dep_number` are those of the message or of the G record
/// group.
struct PendingRecord {
  std::int64_t start = 0;     // on the host's clock
  std::int64_t previous = 0;  // start of what the task did before: of two records with the same start, the
                              // one whose task went on to it earlier comes first
  std::int64_t end = 0;       // of what later records depend on through this one; for the oracle of the tests
  std::uint64_t time = 0;
  std::uint64_t number = 0;  // unused for marks
  std::uint64_t dep_number = 0;
  std::uint64_t send_bytes = 0;
  std::uint64_t recv_bytes = 0;
  std::uint32_t comm = 0;
  formats::TaskId peer = 0;
  formats::RecordKind kind = formats::RecordKind::kMessage;
  formats::DepKind dep = formats::DepKind::kIndependent;
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  bool answer = false;  // a message from `source` by itself, outside the order of the task
  formats::TaskId source = 0;
  bool reserves = false;  // a mark: the messages of TaskCursor::reserved() get their ids before it
};

/// The records of one thread.
class ThreadCursor {
 public:
  ThreadCursor(const Model& model, const RankData& rank, std::size_t thread);

  /// The next record, or null at the end. Valid until advance().
  PendingRecord* peek();
  void advance() { ++batch_at_; }
  const std::vector<std::uint64_t>& reserved() const { return reserved_; }

  /// What the next operation depends on.
  struct Last {
    formats::DepKind kind = formats::DepKind::kIndependent;
    std::uint64_t number = 0;
    std::int64_t end = 0;
  };
  /// What the operation of the record completes, if it is a wait.
  const std::vector<Last>& completed() const { return completed_; }
  /// What it was before the operation that peek() shows.
  const Last& last_before() const { return last_before_; }
  /// Whether a first operation is there that peek() has not shown yet, and when it starts.
  bool waits_to_begin() const { return at_ == 0 && !ops_.empty(); }
  std::int64_t begin_time() const { return begin_; }
  /// For a thread that waits to begin: it was computing since `last`, or since the rank's zero.
  void begin_after(const Last& last);

 private:
  void expand(const Op& op);
  void expand_send(const Op& op);
  void expand_complete(const Op& op);
  void expand_access(const Op& op);
  void expand_sync(const Op& op);
  /// The records of `steps_`; those that wait for a message only if the call is blocking.
  void expand_steps(const Op& op, bool blocking);
  std::uint64_t answer_number(std::uint32_t access) const {
    return model_.one_sided.first_access[static_cast<std::size_t>(rank_.rank)] + 2 * std::uint64_t{access} +
           1;
  }
  void expand_collective(const Op& op, bool blocking);
  std::uint64_t take_time(const Op& op);
  std::uint64_t no_time() const;
  PendingRecord& push(const Op& op, formats::RecordKind kind, std::uint64_t time);
  void set_last(formats::DepKind kind, std::uint64_t number, std::int64_t end) {
    last_ = {kind, number, end};
  }
  void step(const Op& op, const Step& step, std::uint64_t time, bool blocking);
  void collect(Thing thing, bool& bare);

  const Model& model_;
  const RankData& rank_;
  const Column<Op>& ops_;
  std::int64_t begin_;  // of the thread's first call
  std::size_t at_ = 0;
  Last last_;
  Last last_before_;
  std::int64_t previous_start_;
  std::uint64_t carry_ = 0;  // computing before operations that left no record
  std::uint64_t total_ = 0;  // all the computing so far, for records that depend on nothing
  std::vector<PendingRecord> batch_;
  std::size_t batch_at_ = 0;
  std::vector<std::uint64_t> reserved_;
  std::vector<Last> completed_;
  std::vector<Step> steps_;
};

/// The records of one task. VEF3 knows no threads: those of several are put in the order of their starts,
/// each keeps the dependency of its own thread, and the times become what is left after the record before.
class TaskCursor {
 public:
  TaskCursor(const Model& model, const RankData& rank);

  /// The next record, or null at the end. Valid until advance().
  const PendingRecord* peek() {
    if (record_ == nullptr) choose();
    return record_;
  }
  void advance();
  const std::vector<std::uint64_t>& reserved() const { return threads_[chosen_].reserved(); }
  const std::vector<ThreadCursor::Last>& completed() const { return threads_[chosen_].completed(); }

 private:
  void choose();
  bool begin_threads(const PendingRecord* earliest);

  std::vector<ThreadCursor> threads_;
  PendingRecord* record_ = nullptr;  // of the chosen thread; null: not chosen yet
  std::size_t chosen_ = 0;
  std::size_t previous_ = 0;  // thread of the record before
  std::int64_t previous_start_;
};

}  // namespace vef::merge
