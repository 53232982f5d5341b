// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

namespace vef::shim {
namespace {

/// MPICH 4.0 leaves the status of MPI_Isendrecv unwritten; then what was asked for is all that is known.
formats::Completion received_of_pair(const Operation& operation, const MPI_Status& status) {
  formats::Completion found = received(status, operation.from_null, operation.number + 1);
  const bool any_source = operation.source == formats::kAnySource;
  const bool any_tag = operation.tag == formats::kAnyTag;
  const bool plausible = (any_source ? found.source >= 0 : found.source == operation.source) &&
                         (any_tag ? found.tag >= 0 : found.tag == operation.tag) &&
                         found.bytes <= operation.room;
  if (plausible || operation.from_null) return found;
  found.source = any_source ? formats::kUndefined : operation.source;
  found.tag = any_tag ? formats::kUndefined : operation.tag;
  found.bytes = operation.room;
  return found;
}

}  // namespace

Pending::Pending(Thread& thread, int count, const MPI_Request* requests) : thread_(thread) {
  const auto wanted = static_cast<std::size_t>(count > 0 ? count : 0);
  taken_out_ = threads_are_concurrent;
  // A pair (MPI_Isendrecv) has two completions.
  if (wanted == 0 || !thread.handles.reserve(wanted) || !thread.completions.reserve(2 * wanted) ||
      (taken_out_ && !thread.taken.reserve(wanted)))
    return;
  count_ = wanted;
  for (std::size_t i = 0; i < wanted; ++i) thread.handles[i] = to_key(requests[i]);
  if (!taken_out_) return;
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!process.requests.pop(thread.handles[i], thread.taken[i])) thread.taken[i].number = 0;
  }
}

Pending::~Pending() {
  if (!taken_out_) return;
  for (std::size_t i = count_; i-- > 0;) {
    if (thread_.taken[i].number != 0) process.requests.push(thread_.handles[i], thread_.taken[i], true);
  }
}

void Pending::complete_other(std::size_t index, const MPI_Status& status, Outcome outcome, bool is_gone) {
  bool known = false;
  if (!taken_out_) {
    known = process.requests.update(thread_.handles[index], [&](Operation& operation) {
      return finish(operation, status, outcome, is_gone);
    });
  } else if (thread_.taken[index].number != 0) {
    known = true;
    if (finish(thread_.taken[index], status, outcome, is_gone)) thread_.taken[index].number = 0;
  }
  if (!known && thread_.handles[index] != to_key(mpi.request_null)) waited_ = true;
}

std::uint64_t Pending::start(int i, MPI_Request now) {
  const auto index = static_cast<std::size_t>(i);
  if (i < 0 || index >= count_) return 0;
  const std::uint64_t handle = to_key(now);
  std::uint64_t number = 0;
  const auto begin = [&](Operation& operation) {
    operation.active = !process.is_off();
    if (operation.active) number = operation.number;
    return false;
  };
  if (taken_out_) {
    begin(thread_.taken[index]);
    thread_.handles[index] = handle;
    return number;
  }
  Operation moved;
  if (handle != thread_.handles[index] && process.requests.pop(thread_.handles[index], moved))
    process.requests.push(handle, moved);
  process.requests.update(handle, begin);
  return number;
}

void Pending::log(Call& call) {
  if (completed_ == 0) {
    if (waited_) call.log_time();
    return;
  }
  NarrowEvent event = event_of<NarrowEvent>(EventKind::kComplete);
  event.completions = {thread_.completions.data(), completed_};
  // See repeats_completion().
  if (completed_ == 1) return call.log(event, false, memo_of(call.number()));
  call.log(event);
}

/// Notes the completion; returns whether the operation leaves the table.
bool Pending::finish(Operation& operation, const MPI_Status& status, Outcome outcome, bool is_gone) {
  const bool leaves = is_gone || (!operation.persistent && outcome != Outcome::kKept);
  if (!operation.active) return leaves;  // inactive, or told of before by MPI_Request_get_status
  operation.active = false;
  if (outcome != Outcome::kFailed) note(operation, status, outcome);
  operation.cancelled = false;
  return leaves;
}

void Pending::note(const Operation& operation, const MPI_Status& status, Outcome outcome) {
  int cancelled = 0;
  // Only a cancelled operation's status may be asked for this: the libraries write nothing for a completed
  // send.
  if (operation.cancelled) pmpi.test_cancelled(&status, &cancelled);
  switch (operation.kind) {
    case OperationKind::kSend:
    case OperationKind::kPlain:
      add({.request = operation.number, .cancelled = cancelled != 0});
      break;
    case OperationKind::kReceive:
      if (cancelled != 0) {
        add({.request = operation.number, .is_receive = true, .cancelled = true});
      } else if (outcome == Outcome::kTruncated) {
        add(truncated(status, operation.source, operation.tag, operation.room, operation.number));
      } else {
        add(received(status, operation.from_null, operation.number));
      }
      break;
    case OperationKind::kPartitionedReceive:
      add({.request = operation.number,
           .source = operation.source,
           .tag = operation.tag,
           .bytes = operation.room,
           .is_receive = true,
           .cancelled = cancelled != 0});
      break;
    case OperationKind::kSendReceive:
      add({.request = operation.number});
      add(outcome == Outcome::kTruncated
              ? truncated(status, operation.source, operation.tag, operation.room, operation.number + 1)
              : received_of_pair(operation, status));
      break;
    case OperationKind::kCommDup:
      open_communicator(operation);
      add({.request = operation.number});
      break;
    case OperationKind::kMessage:
      break;
  }
}

void Pending::open_communicator(const Operation& operation) {
  process.communicators.enter(*reinterpret_cast<MPI_Comm*>(operation.room),
                              static_cast<std::uint32_t>(operation.source));
}

ReadableStatuses::ReadableStatuses(Thread& thread, int count, MPI_Status* given) : statuses_(given) {
  if (given != MPI_STATUSES_IGNORE || count <= 0) return;
  if (thread.statuses.reserve(static_cast<std::size_t>(count))) statuses_ = thread.statuses.data();
}

}  // namespace vef::shim
