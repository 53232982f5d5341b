// SPDX-License-Identifier: Apache-2.0
// Recipes of sends and receives, and what they share with those of probes, files and partitioned
// communication.
#pragma once

#include <mpi.h>

#include "call.h"

namespace vef::shim {

/// Two words in one.
inline std::uint64_t pair_of(int low, int high) {
  return static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32;
}

/// One side of a point-to-point call.
struct Posted {
  MPI_Comm comm;
  int peer;
  int tag;
  MPI_Count count;
  MPI_Datatype type;

  std::uint64_t bytes() const { return peer == MPI_PROC_NULL ? 0 : bytes_of(count, type); }
};

/// A status that can be read after the call: the program's, or an own one where the program ignores it.
class ReadableStatus {
 public:
  explicit ReadableStatus(MPI_Status* given) : status_(given == MPI_STATUS_IGNORE ? &own_ : given) {}
  operator MPI_Status*() { return status_; }  // NOLINT: implicit by design
  const MPI_Status& get() const { return *status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

/// What a receive or probe found; `from_null`: it was asked for MPI_PROC_NULL, and its status differs by
/// library.
inline formats::Completion received(const MPI_Status& status, bool from_null, std::uint64_t request = 0) {
  formats::Completion completion{.request = request, .is_receive = true};
  if (from_null) {
    completion.source = formats::kProcNull;
    completion.tag = formats::kAnyTag;
    return completion;
  }
  completion.source = canonical_rank(status.MPI_SOURCE);
  completion.tag = status.MPI_TAG;
  completion.bytes = bytes_received(status);
  return completion;
}

/// Whether a call ended in MPI_ERR_TRUNCATE: then the message was taken, and its end is lost.
inline bool is_truncation(int result) {
  if (result == MPI_SUCCESS) [[likely]]
    return false;
  int error_class = MPI_ERR_UNKNOWN;
  pmpi.error_class(result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

/// What a truncated receive took: all the room there was. Its status is trusted only for what was not asked
/// for.
inline formats::Completion truncated(const MPI_Status& status, std::int32_t source, std::int32_t tag,
                                     std::uint64_t room, std::uint64_t request = 0) {
  formats::Completion completion{
      .request = request, .source = source, .tag = tag, .bytes = room, .is_receive = true};
  if (source == formats::kAnySource)
    completion.source = status.MPI_SOURCE >= 0 ? status.MPI_SOURCE : formats::kUndefined;
  if (tag == formats::kAnyTag) completion.tag = status.MPI_TAG >= 0 ? status.MPI_TAG : formats::kUndefined;
  return completion;
}

/// What came for `wanted`, when the call returned `result`.
inline formats::Completion answer(int result, const Posted& wanted, const MPI_Status& status) {
  if (result == MPI_SUCCESS) [[likely]]
    return received(status, wanted.peer == MPI_PROC_NULL);
  return truncated(status, canonical_rank(wanted.peer), canonical_tag(wanted.tag), wanted.bytes());
}

template <class Event = NarrowEvent>
[[gnu::always_inline]] inline Event posted_event(Call& call, EventKind kind, const Posted& posted) {
  Event event = event_of<Event>(kind);
  event.comm = call.communicator_number(posted.comm);
  event.peer = canonical_rank(posted.peer);
  event.tag = canonical_tag(posted.tag);
  event.bytes = posted.bytes();
  return event;
}

/// What the arguments say, and the log knows the call by.
[[gnu::always_inline]] inline formats::EventMemo memo_of(MpiCall number, const Posted& posted) {
  return {{to_key(posted.comm), to_key(posted.type), static_cast<std::uint64_t>(posted.count),
           pair_of(posted.peer, posted.tag), static_cast<std::uint64_t>(number)}};
}

/// A call that is not as the log expected it.
[[gnu::noinline]] inline void log_send(MpiCall number, const Posted& posted, const CallTimes& times) {
  Call call(number, times);
  if (!call.posting_is_on()) return;
  NarrowEvent event = posted_event(call, EventKind::kSend, posted);
  call.log(event, true, memo_of(number, posted));
}

template <class Real>
int send(MpiCall number, const Posted& posted, Real real) {
  const DepthGuard depth;
  CallTimes times;
  times.begin();
  const int result = real();
  times.stop();
  if (result != MPI_SUCCESS) [[unlikely]]
    return result;
  if (!repeats(times, [&](auto& chunk) VEF_INLINED { return chunk.find(memo_of(number, posted)); }))
      [[unlikely]]
    log_send(number, posted, times);
  return result;
}

/// Logs a call that asked for a message and has the status of the one that came.
[[gnu::noinline]] inline void log_answered(Call& call, MpiCall number, EventKind kind, const Posted& wanted,
                                           int result, const MPI_Status& status) {
  NarrowEvent event = posted_event(call, kind, wanted);
  const formats::Completion completion = answer(result, wanted, status);
  event.completions = {&completion, 1};
  call.log(event, true, memo_of(number, wanted));
}

/// Whether the message that came is the one that the log expected.
[[gnu::always_inline]] inline bool repeats_answer(MpiCall number, const Posted& wanted,
                                                  const CallTimes& times, const MPI_Status& status) {
  const auto find = [&](auto& chunk) VEF_INLINED -> std::uint32_t {
    // A status without a source (MPI_PROC_NULL) is left to answer().
    if (status.MPI_SOURCE < 0) return 0;
    return chunk.find_receive(memo_of(number, wanted), status.MPI_SOURCE, status.MPI_TAG,
                              bytes_received(status));
  };
  return repeats(times, find, formats::rank_log::kReceive);
}

template <class Real>
int wait_for_message(MpiCall number, EventKind kind, const Posted& wanted, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  CallTimes times;
  times.begin();
  const int result = real(status);
  times.stop();
  if (result == MPI_SUCCESS && repeats_answer(number, wanted, times, status.get())) return result;
  Call call(number, times);
  if ((result == MPI_SUCCESS || is_truncation(result)) && call.posting_is_on())
    log_answered(call, number, kind, wanted, result, status.get());
  return result;
}

template <class Real>
int recv(MpiCall number, const Posted& posted, MPI_Status* given, Real real) {
  return wait_for_message(number, EventKind::kRecv, posted, given, real);
}

template <class Real>
int sendrecv(MpiCall number, const Posted& sent, const Posted& wanted, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Call call(number);
  const int result = real(status);
  call.end();
  if ((result == MPI_SUCCESS || is_truncation(result)) && call.posting_is_on()) {
    RankEvent event = posted_event<RankEvent>(call, EventKind::kSendrecv, sent);
    event.recv_peer = canonical_rank(wanted.peer);
    event.recv_tag = canonical_tag(wanted.tag);
    event.recv_bytes = wanted.bytes();
    const formats::Completion completion = answer(result, wanted, status.get());
    event.completions = {&completion, 1};
    call.log(event, true);
  }
  return result;
}

/// The program may complete what was posted through the handle from now on; of a receive, what it asked for,
/// in the log's words.
[[gnu::always_inline]] inline void track_posted(MPI_Request request, Operation operation, std::int32_t peer,
                                                std::int32_t tag, std::uint64_t bytes) {
  if (operation.kind == OperationKind::kReceive || operation.kind == OperationKind::kPartitionedReceive) {
    operation.from_null = peer == formats::kProcNull;
    operation.source = peer;
    operation.tag = tag;
    operation.room = bytes;
  }
  process.requests.push(to_key(request), operation);
}

/// A call that is not as the log expected it.
[[gnu::noinline]] inline void log_post(MpiCall number, EventKind kind, Operation operation,
                                       const Posted& posted, const CallTimes& times, MPI_Request request) {
  Call call(number, times);
  if (!call.posting_is_on()) return;
  operation.number = new_operation();
  NarrowEvent event = posted_event(call, kind, posted);
  track_posted(request, operation, event.peer, event.tag, event.bytes);
  event.request = operation.number;
  call.log(event, true, memo_of(number, posted));
}

/// isend, irecv, send_init and recv_init: `operation` says which.
template <class Real>
int post(MpiCall number, EventKind kind, Operation operation, const Posted& posted, MPI_Request* request,
         Real real) {
  const DepthGuard depth;
  CallTimes times;
  times.begin();
  const int result = real();
  times.stop();
  if (result != MPI_SUCCESS) [[unlikely]]
    return result;
  operation.number = process.next_operation.load(std::memory_order_relaxed);
  const auto find = [&](auto& chunk)
                        VEF_INLINED { return chunk.find_request(memo_of(number, posted), operation.number); };
  const auto then = [&](auto& chunk, std::uint32_t slot) VEF_INLINED {
    // One thread only: see repeats().
    process.next_operation.store(operation.number + 1, std::memory_order_relaxed);
    const auto& logged = chunk.posted(kind, slot, operation.number);
    track_posted(*request, operation, logged.peer(), logged.tag, logged.bytes);
  };
  if (!repeats(times, find, {}, then)) [[unlikely]]
    log_post(number, kind, operation, posted, times, *request);
  return result;
}

template <class Real>
int isend(MpiCall number, const Posted& posted, MPI_Request* request, Real real) {
  return post(number, EventKind::kIsend, {.kind = OperationKind::kSend}, posted, request, real);
}

template <class Real>
int irecv(MpiCall number, const Posted& posted, MPI_Request* request, Real real) {
  return post(number, EventKind::kIrecv, {.kind = OperationKind::kReceive}, posted, request, real);
}

template <class Real>
int send_init(MpiCall number, const Posted& posted, MPI_Request* request, Real real) {
  return post(number, EventKind::kSendInit,
              {.kind = OperationKind::kSend, .persistent = true, .active = false}, posted, request, real);
}

template <class Real>
int recv_init(MpiCall number, const Posted& posted, MPI_Request* request, Real real) {
  return post(number, EventKind::kRecvInit,
              {.kind = OperationKind::kReceive, .persistent = true, .active = false}, posted, request, real);
}

/// One request for both: logged as a send and a receive that complete together.
template <class Real>
int isendrecv(MpiCall number, const Posted& sent, const Posted& wanted, MPI_Request* request, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    const std::uint64_t first = new_operation(2);
    process.requests.push(to_key(*request), {.number = first,
                                             .room = wanted.bytes(),
                                             .source = canonical_rank(wanted.peer),
                                             .tag = canonical_tag(wanted.tag),
                                             .kind = OperationKind::kSendReceive,
                                             .from_null = wanted.peer == MPI_PROC_NULL});
    NarrowEvent send_event = posted_event(call, EventKind::kIsend, sent);
    send_event.request = first;
    call.log(send_event, true);
    NarrowEvent receive_event = posted_event(call, EventKind::kIrecv, wanted);
    receive_event.request = first + 1;
    call.log(receive_event, true);
  }
  return result;
}

}  // namespace vef::shim
