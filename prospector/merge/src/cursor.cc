// SPDX-License-Identifier: Apache-2.0
#include "cursor.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vef::merge {

using formats::DepKind;
using formats::RecordKind;

ThreadCursor::ThreadCursor(const Model& model, const RankData& rank, std::size_t thread)
    : model_(model),
      rank_(rank),
      ops_(rank.threads[thread]),
      begin_(thread < rank.thread_begins.size() ? rank.thread_begins[thread] : rank.init_end),
      previous_start_(rank.init_end) {
  last_.end = rank.init_end;
  last_before_ = last_;
}

void ThreadCursor::begin_after(const Last& last) {
  if (last.end <= begin_) last_ = last;
  if (begin_ > last_.end) carry_ = static_cast<std::uint64_t>(begin_ - last_.end);
}

PendingRecord* ThreadCursor::peek() {
  while (batch_at_ == batch_.size()) {
    if (at_ == ops_.size()) return nullptr;
    batch_.clear();
    batch_at_ = 0;
    last_before_ = last_;
    const Op& op = ops_[at_++];
    expand(op);
    previous_start_ = op.start;
  }
  return &batch_[batch_at_];
}

/// The delay of the operation's first record. A record that depends on nothing is timed from the start of the
/// trace.
std::uint64_t ThreadCursor::take_time(const Op& op) {
  const std::uint64_t time = op.time + std::exchange(carry_, 0);
  total_ += time;
  return last_.kind == DepKind::kIndependent ? total_ : time;
}

/// The delay of a record that follows the one before it at once.
std::uint64_t ThreadCursor::no_time() const { return last_.kind == DepKind::kIndependent ? total_ : 0; }

PendingRecord& ThreadCursor::push(const Op& op, RecordKind kind, std::uint64_t time) {
  PendingRecord record;
  record.start = op.start;
  record.previous = batch_.empty() ? previous_start_ : batch_.back().start;
  record.end = op.end;
  record.time = time;
  record.kind = kind;
  record.peer = rank_.rank;
  record.dep = last_.kind;
  record.dep_number = last_.number;
  batch_.push_back(record);
  return batch_.back();
}

void ThreadCursor::expand(const Op& op) {
  switch (op.kind) {
    case OpKind::kSend:
      expand_send(op);
      break;
    case OpKind::kComplete:
      expand_complete(op);
      break;
    case OpKind::kCollective:
      expand_collective(op, true);
      break;
    case OpKind::kStartCollective:
      expand_collective(op, false);
      break;
    case OpKind::kAccess:
      expand_access(op);
      break;
    case OpKind::kSync:
      expand_sync(op);
      break;
    case OpKind::kFinalize:
      push(op, RecordKind::kMark, take_time(op));
      break;
    case OpKind::kUnrecorded:
      break;
  }
}

void ThreadCursor::expand_send(const Op& op) {
  const Send& send = rank_.sends[op.first];
  if ((send.flags & Send::kCancelled) != 0) {
    carry_ += op.time;
    return;
  }
  PendingRecord& record = push(op, RecordKind::kMessage, take_time(op));
  record.number = model_.messages.first[static_cast<std::size_t>(rank_.rank)] + op.first;
  record.peer = send.peer;
  record.send_bytes = send.bytes;
  set_last(DepKind::kSend, record.number, op.end);
}

/// Adds what a completed thing brings; `bare`: it brings nothing that can be named, but the call waited for
/// it.
void ThreadCursor::collect(Thing thing, bool& bare) {
  if ((thing & kAnswerBit) != 0) {
    if (rank_.accesses[thing & kThingIndex].target == kStranger) return;
    completed_.push_back({DepKind::kReceive, answer_number(thing & kThingIndex), 0});
    reserved_.push_back(completed_.back().number);
    return;
  }
  if ((thing & kPartBit) == 0) {
    const Receive& receive = rank_.receives[thing];
    if (receive.state == ReceiveState::kCancelled) return;  // of another world
    if (receive.message == kNoMessage) {
      bare = true;
      return;
    }
    completed_.push_back({DepKind::kReceive, receive.message, 0});
    reserved_.push_back(receive.message);
    return;
  }
  lower(rank_, rank_.parts[thing & kThingIndex], model_.collectives, model_.comms, steps_);
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kGroup) completed_.push_back({DepKind::kCollective, step.number, 0});
    if (step.kind != Step::Kind::kReceive) continue;
    completed_.push_back({DepKind::kReceive, step.number, 0});
    reserved_.push_back(step.number);
  }
}

void ThreadCursor::expand_complete(const Op& op) {
  completed_.clear();
  reserved_.clear();
  bool bare = false;
  for (std::uint32_t i = 0; i < op.count; ++i) collect(rank_.things[op.first + i], bare);
  if (completed_.empty() && !bare) {
    carry_ += op.time;
    return;
  }
  push(op, RecordKind::kMark, take_time(op)).reserves = true;
  for (std::size_t i = 0; i < completed_.size(); ++i) {
    if (i > 0) push(op, RecordKind::kMark, no_time()).start = op.end;
    set_last(completed_[i].kind, completed_[i].number, op.end);
  }
  last_.end = op.end;
}

void ThreadCursor::expand_access(const Op& op) {
  const Access& access = rank_.accesses[op.first];
  if (access.target == kStranger) {
    carry_ += op.time;
    return;
  }
  const std::uint64_t answer = answer_number(op.first);
  PendingRecord& record = push(op, RecordKind::kMessage, take_time(op));
  record.number = answer - 1;
  record.peer = access.target;
  record.send_bytes = access.bytes;
  if (access.answered) {
    PendingRecord& back = push(op, RecordKind::kMessage, 0);
    back.answer = true;
    back.source = access.target;
    back.number = answer;
    back.send_bytes = access.recv_bytes;
    back.dep = DepKind::kReceive;
    back.dep_number = answer - 1;
  }
  set_last(DepKind::kSend, answer - 1, op.end);
}

void ThreadCursor::expand_sync(const Op& op) {
  const Sync& sync = rank_.syncs[op.first];
  steps_.clear();
  if (sync.part != kNoIndex) {
    lower(rank_, rank_.parts[sync.part], model_.collectives, model_.comms, steps_);
  }
  std::vector<Step> before;
  if (sync.kind == Sync::Kind::kPost || sync.kind == Sync::Kind::kComplete) {
    const std::uint64_t first = model_.one_sided.first_peer[static_cast<std::size_t>(rank_.rank)];
    for (std::uint32_t p = sync.first_peer; p < sync.first_peer + sync.peers; ++p) {
      if (rank_.peers[p] != kStranger)
        before.push_back({Step::Kind::kSend, {}, 0, rank_.peers[p], first + p, 0, 0});
    }
  }
  for (std::uint64_t i = sync.first_awaited; i < sync.first_awaited + sync.awaited; ++i) {
    before.push_back({Step::Kind::kReceive, {}, 0, 0, rank_.awaited[i], 0, 0});
  }
  steps_.insert(steps_.begin(), before.begin(), before.end());
  expand_steps(op, true);
}

void ThreadCursor::expand_collective(const Op& op, bool blocking) {
  lower(rank_, rank_.parts[op.first], model_.collectives, model_.comms, steps_);
  expand_steps(op, blocking);
}

void ThreadCursor::expand_steps(const Op& op, bool blocking) {
  reserved_.clear();
  completed_.clear();
  const auto records_now = [&](const Step& one) { return blocking || one.kind != Step::Kind::kReceive; };
  const bool any = std::any_of(steps_.begin(), steps_.end(), records_now);
  if (!any) {
    carry_ += op.time;
    return;
  }
  std::uint64_t time = take_time(op);
  bool first = true;
  for (const Step& one : steps_) {
    if (!records_now(one)) continue;
    step(op, one, first ? time : no_time(), blocking);
    if (!first && blocking) batch_.back().start = op.end;
    first = false;
  }
  last_.end = op.end;
}

void ThreadCursor::step(const Op& op, const Step& step, std::uint64_t time, bool blocking) {
  DepKind kind = DepKind::kCollective;
  if (step.kind == Step::Kind::kGroup) {
    PendingRecord& record = push(op, RecordKind::kCollective, time);
    record.number = step.number;
    record.comm = step.comm;
    record.op = step.op;
    record.send_bytes = step.send_bytes;
    record.recv_bytes = step.recv_bytes;
  } else if (step.kind == Step::Kind::kSend) {
    PendingRecord& record = push(op, RecordKind::kMessage, time);
    record.number = step.number;
    record.peer = step.peer;
    record.send_bytes = step.send_bytes;
    kind = DepKind::kSend;
  } else {
    push(op, RecordKind::kMark, time).reserves = reserved_.empty();
    reserved_.push_back(step.number);
    kind = DepKind::kReceive;
  }
  if (blocking) set_last(kind, step.number, op.end);
}

TaskCursor::TaskCursor(const Model& model, const RankData& rank)
    : previous_start_(std::numeric_limits<std::int64_t>::min()) {
  threads_.reserve(rank.threads.size());
  for (std::size_t i = 0; i < rank.threads.size(); ++i) threads_.emplace_back(model, rank, i);
}

void TaskCursor::advance() {
  threads_[chosen_].advance();
  previous_ = chosen_;
  previous_start_ = record_->start;
  record_ = nullptr;
}

/// Lets the threads begin whose first operation comes before `earliest`; they continue after what the first
/// thread had done by then.
bool TaskCursor::begin_threads(const PendingRecord* earliest) {
  bool any = false;
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    ThreadCursor& thread = threads_[i];
    if (!thread.waits_to_begin() || (earliest != nullptr && thread.begin_time() >= earliest->start)) continue;
    thread.begin_after(threads_[0].last_before());
    any = thread.peek() != nullptr || any;
  }
  return any;
}

void TaskCursor::choose() {
  if (threads_.size() == 1) {
    record_ = threads_[0].peek();
    if (record_ != nullptr && record_->start < previous_start_) record_->start = previous_start_;
    return;
  }
  do {
    record_ = nullptr;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (i > 0 && threads_[i].waits_to_begin()) continue;
      PendingRecord* record = threads_[i].peek();
      if (record == nullptr || (record_ != nullptr && record->start >= record_->start)) continue;
      record_ = record;
      chosen_ = i;
    }
  } while (begin_threads(record_));
  if (record_ == nullptr) return;
  if (record_->start < previous_start_) record_->start = previous_start_;
  // After a record of another thread only the time since that is left to wait.
  if (chosen_ != previous_ && record_->dep != DepKind::kIndependent) {
    record_->time = std::min(record_->time, static_cast<std::uint64_t>(record_->start - previous_start_));
  }
}

}  // namespace vef::merge
