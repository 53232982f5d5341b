// SPDX-License-Identifier: Apache-2.0
// Wait, Test and their relatives: which operations a call has completed. The handles are copied before the
// library overwrites them. Under MPI_THREAD_MULTIPLE the operations also leave the table before the call,
// because the library may give a completed request's handle to another thread before this one is back; what
// was not completed returns.
#pragma once

#include <mpi.h>

#include "point_to_point.h"

namespace vef::shim {

enum class Outcome : std::uint8_t {
  kDone,
  kKept,       // the request is still the program's (MPI_Request_get_status)
  kTruncated,  // MPI_ERR_TRUNCATE: a receive took its message all the same
  kFailed,
};

/// The requests of one call that completes or starts them.
class Pending {
 public:
  /// Copies `count` handles into the thread's scratch. Without memory for it, nothing will be found
  /// completed.
  Pending(Thread& thread, int count, const MPI_Request* requests);
  /// Puts back what was not completed.
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Request i has ended with `status`. `is_gone`: also a persistent request is no more.
  void complete(int i, const MPI_Status& status, Outcome outcome = Outcome::kDone, bool is_gone = false) {
    const auto index = static_cast<std::size_t>(i);
    if (i < 0 || index >= count_) return;
    if (taken_out_ || outcome != Outcome::kDone) return complete_other(index, status, outcome, is_gone);
    const std::size_t place = process.requests.find_plain(thread_.handles[index]);
    if (place == RequestTable::kNone) return complete_other(index, status, outcome, is_gone);
    const Operation& operation = process.requests.at(place);
    if (operation.kind == OperationKind::kSend) {
      add({.request = operation.number});
    } else {
      add(received(status, false, operation.number));
    }
    process.requests.take(place);
  }
  /// Persistent request i was started, and its handle is `now`; returns its number, 0: it is not recorded.
  std::uint64_t start(int i, MPI_Request now);
  /// Logs what was completed; the time alone if the call waited for something that is not recorded.
  void log(Call& call);

 private:
  // What is not a plain operation that has ended as it should.
  void complete_other(std::size_t index, const MPI_Status& status, Outcome outcome, bool is_gone);
  bool finish(Operation& operation, const MPI_Status& status, Outcome outcome, bool is_gone);
  void note(const Operation& operation, const MPI_Status& status, Outcome outcome);
  void add(const formats::Completion& completion) { thread_.completions[completed_++] = completion; }
  void open_communicator(const Operation& operation);

  Thread& thread_;
  std::size_t count_ = 0;
  std::size_t completed_ = 0;
  bool taken_out_ = false;
  bool waited_ = false;  // for an operation that is not recorded
};

/// The program's statuses, or own ones where it ignores them.
class ReadableStatuses {
 public:
  ReadableStatuses(Thread& thread, int count, MPI_Status* given);
  operator MPI_Status*() { return statuses_; }  // NOLINT: implicit by design
  /// False: the program ignores them and there was no memory for own ones.
  bool readable() const { return statuses_ != MPI_STATUSES_IGNORE; }
  const MPI_Status& operator[](int i) const { return statuses_[i]; }

 private:
  MPI_Status* statuses_;
};

/// After a call that returned an error for `request`; Open MPI 4.1 frees also a persistent one then.
inline void settle_error(Pending& pending, int i, int error, const MPI_Status& status, MPI_Request request) {
  const bool is_gone = request == mpi.request_null;
  if (is_truncation(error)) {
    pending.complete(i, status, Outcome::kTruncated, is_gone);
  } else if (is_gone) {
    pending.complete(i, status, Outcome::kFailed, is_gone);
  }
}

inline void settle_single(Pending& pending, int result, const MPI_Status& status, MPI_Request request) {
  if (result == MPI_SUCCESS) {
    pending.complete(0, status);
  } else {
    settle_error(pending, 0, result, status, request);
  }
}

/// complete_one() where another thread may be given the request's handle while this one is in the library.
template <class Real>
int complete_one_among_threads(MpiCall number, MPI_Request* request, const int* flag, MPI_Status* given,
                               Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Pending pending(*local.thread, 1, request);
  Call call(number);
  const int result = real(status);
  call.end();
  if (flag != nullptr && result == MPI_SUCCESS && *flag == 0) {
    call.poll();
    return result;
  }
  settle_single(pending, result, status.get(), *request);
  pending.log(call);
  return result;
}

/// After a call that returned MPI_ERR_IN_STATUS or success, sorts out request i.
inline void settle_one(Pending& pending, int i, int result, const MPI_Status& status, MPI_Request request) {
  if (result == MPI_SUCCESS || status.MPI_ERROR == MPI_SUCCESS) {
    pending.complete(i, status);
  } else if (status.MPI_ERROR != MPI_ERR_PENDING) {
    settle_error(pending, i, status.MPI_ERROR, status, request);
  }
}

/// What a call that completes one request is known by.
[[gnu::always_inline]] inline formats::EventMemo memo_of(MpiCall number) {
  return {{0, 0, 0, 0, static_cast<std::uint64_t>(number)}};
}

/// Logs the end of one request where it ended as the log expected. False: nothing was logged or changed.
[[gnu::always_inline]] inline bool repeats_completion(MpiCall number, std::uint64_t handle,
                                                      const CallTimes& times, const MPI_Status& status) {
  const std::size_t place = process.requests.find_plain(handle);
  if (place == RequestTable::kNone) return false;
  const Operation& operation = process.requests.at(place);
  const bool is_receive = operation.kind == OperationKind::kReceive;
  const auto find = [&](auto& chunk) VEF_INLINED -> std::uint32_t {
    const auto word = memo_of(number).words[4];
    if (!is_receive) return chunk.find_send_end(word, operation.number);
    // A status without a source is left to received().
    if (status.MPI_SOURCE < 0) return 0;
    return chunk.find_receive_end(word, operation.number, status.MPI_SOURCE, status.MPI_TAG,
                                  bytes_received(status));
  };
  const auto then = [&](auto& chunk, std::uint32_t) VEF_INLINED {
    chunk.completed(operation.number);
    process.requests.take(place);
  };
  return repeats(times, find, is_receive ? formats::rank_log::kReceive : 0, then);
}

/// After a call for one request, `original` before it, that completed or failed.
[[gnu::noinline]] inline void log_completion(MpiCall number, MPI_Request original, MPI_Request now,
                                             int result, const MPI_Status& status, const CallTimes& times) {
  Pending pending(*local.thread, 1, &original);
  Call call(number, times);
  settle_single(pending, result, status, now);
  pending.log(call);
}

/// Wait, and Test where `flag` is not null.
template <class Real>
int complete_one(MpiCall number, MPI_Request* request, const int* flag, MPI_Status* given, Real real) {
  if (threads_are_concurrent) [[unlikely]]
    return complete_one_among_threads(number, request, flag, given, real);
  const DepthGuard depth;
  ReadableStatus status(given);
  const MPI_Request original = *request;
  CallTimes times;
  times.begin();
  const int result = real(status);
  times.stop();
  if (flag != nullptr && result == MPI_SUCCESS && *flag == 0) {
    poll(number, times);
  } else if (result != MPI_SUCCESS || !repeats_completion(number, to_key(original), times, status.get())) {
    log_completion(number, original, *request, result, status.get(), times);
  }
  return result;
}

template <class Real>
int wait(MpiCall number, MPI_Request* request, MPI_Status* given, Real real) {
  return complete_one(number, request, nullptr, given, real);
}

template <class Real>
int test(MpiCall number, MPI_Request* request, const int* flag, MPI_Status* given, Real real) {
  return complete_one(number, request, flag, given, real);
}

/// A request that is found complete is logged as completed here; the later Wait or Test then adds nothing.
template <class Real>
int request_get_status(MpiCall number, MPI_Request request, const int* flag, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Pending pending(*local.thread, 1, &request);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result == MPI_SUCCESS && *flag != 0) {
    pending.complete(0, status.get(), Outcome::kKept);
    pending.log(call);
  } else if (result == MPI_SUCCESS) {
    call.poll();
  }
  return result;
}

/// Waitall, and Testall where `flag` is not null.
template <class Real>
int complete_all(MpiCall number, int n, MPI_Request* requests, const int* flag, MPI_Status* given,
                 Real real) {
  const DepthGuard depth;
  ReadableStatuses statuses(*local.thread, n, given);
  Pending pending(*local.thread, n, requests);
  Call call(number);
  const int result = real(statuses);
  call.end();
  if (result == MPI_SUCCESS && flag != nullptr && *flag == 0) {
    call.poll();
    return result;
  }
  if ((result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) && statuses.readable()) {
    for (int i = 0; i < n; ++i) settle_one(pending, i, result, statuses[i], requests[i]);
    pending.log(call);
  }
  return result;
}

/// Waitany, and Testany where `flag` is not null.
template <class Real>
int complete_any(MpiCall number, int n, MPI_Request* requests, const int* index, const int* flag,
                 MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Pending pending(*local.thread, n, requests);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result == MPI_SUCCESS && flag != nullptr && *flag == 0) {
    call.poll();
  } else if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) {
    pending.complete(*index, status.get());
    pending.log(call);
  } else if (is_truncation(result) && *index >= 0 && *index < n) {
    settle_error(pending, *index, result, status.get(), requests[*index]);
    pending.log(call);
  } else if (result != MPI_SUCCESS) {
    for (int i = 0; i < n; ++i) {
      if (requests[i] == mpi.request_null) pending.complete(i, status.get(), Outcome::kFailed, true);
    }
  }
  return result;
}

/// Waitsome and Testsome. The statuses are those of the completed ones only, in the order of the indices.
template <class Real>
int complete_some(MpiCall number, int n, MPI_Request* requests, const int* outcount, const int* indices,
                  MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatuses statuses(*local.thread, n, given);
  Pending pending(*local.thread, n, requests);
  Call call(number);
  const int result = real(statuses);
  call.end();
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return result;
  if (*outcount == 0) {
    call.poll();
  } else if (*outcount != MPI_UNDEFINED && statuses.readable()) {
    for (int k = 0; k < *outcount; ++k)
      settle_one(pending, indices[k], result, statuses[k], requests[indices[k]]);
    pending.log(call);
  }
  return result;
}

/// Start, and Startall. The handles may change: Open MPI starts a copy of a buffered send whose last message
/// is still on its way.
template <class Real>
int start_all(MpiCall number, int n, const MPI_Request* requests, Real real) {
  const DepthGuard depth;
  Pending pending(*local.thread, n, requests);
  Call call(number);
  const int result = real();
  call.end();
  if (result != MPI_SUCCESS || n <= 0 || !call.thread().numbers.reserve(static_cast<std::size_t>(n)))
    return result;
  std::size_t started = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t begun = pending.start(i, requests[i]);
    if (begun != 0) call.thread().numbers[started++] = begun;
  }
  if (started == 0) return result;
  RankEvent event = event_of(EventKind::kStart);
  event.requests = {call.thread().numbers.data(), started};
  call.log(event, true);
  return result;
}

template <class Real>
int request_free(MpiCall number, MPI_Request* request, Real real) {
  const DepthGuard depth;
  const std::uint64_t handle = to_key(*request);
  Operation operation;
  const bool known = process.requests.pop(handle, operation);
  Call call(number);
  const int result = real();
  call.end();
  if (known && result != MPI_SUCCESS) process.requests.push(handle, operation, true);
  if (known && result == MPI_SUCCESS && operation.active) {
    // A pair (MPI_Isendrecv) has two numbers.
    const std::uint64_t last = operation.number + (operation.kind == OperationKind::kSendReceive ? 1 : 0);
    for (std::uint64_t freed = operation.number; freed <= last; ++freed) {
      RankEvent event = event_of(EventKind::kRequestFree);
      event.request = freed;
      call.log(event);
    }
  }
  return result;
}

template <class Real>
int cancel(MpiCall number, MPI_Request* request, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result != MPI_SUCCESS) return result;
  std::uint64_t cancelled = 0;
  process.requests.update(to_key(*request), [&](Operation& operation) {
    operation.cancelled = true;
    if (operation.active) cancelled = operation.number;
    return false;
  });
  if (cancelled != 0) {
    RankEvent event = event_of(EventKind::kCancel);
    event.request = cancelled;
    call.log(event);
  }
  return result;
}

}  // namespace vef::shim
