// SPDX-License-Identifier: Apache-2.0
// What the generated wrappers do, one function template for each recipe of formats/mpi/functions.tbl. `real`
// calls the library's function; the recipe takes the times around it, and logs what the call meant if it
// succeeded. The completion calls are in completion.h.
#pragma once

#include <mpi.h>

#include "collectives.h"
#include "recorder.h"

namespace vef::shim {

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

inline RankEvent posted_event(Call& call, EventKind kind, const Posted& posted) {
  RankEvent event = event_of(kind);
  event.comm = call.communicator_number(posted.comm);
  event.peer = canonical_rank(posted.peer);
  event.tag = canonical_tag(posted.tag);
  event.bytes = posted.bytes();
  return event;
}

template <class Real>
int guard(Real real) {
  if (local.depth != 0 || !first_call()) return real();
  const DepthGuard depth;
  return real();
}

/// Not recorded; but the handle may be given to another type.
template <class Real>
int type_free(Real real) {
  forget_handles();
  return guard(real);
}

template <class Real>
int init(MpiCall number, Real real) {
  if (local.depth != 0 || !first_call()) return real();
  const std::uint64_t start = ticks();
  int result = MPI_SUCCESS;
  {
    const DepthGuard depth;
    result = real();
    if (result == MPI_SUCCESS) compare_clocks(false);
  }
  const std::uint64_t end = ticks();
  const int saved = errno;
  if (result == MPI_SUCCESS) begin_capture(number, start, end);
  errno = saved;
  return result;
}

/// Not guarded by depth: callbacks on MPI_COMM_SELF run inside MPI_Finalize and may communicate
/// (MPI 4.0, 11.2.4).
template <class Real>
int finalize(Real real) {
  if (local.depth != 0) return real();
  const bool records = first_call();
  const std::uint64_t start = ticks();
  compare_clocks(true);
  if (!records) return real();
  const int result = real();
  const std::uint64_t end = ticks();
  const int saved = errno;
  end_capture(start, end, result == MPI_SUCCESS);
  errno = saved;
  return result;
}

template <class Real>
int abort(MpiCall number, int code, Real real) {
  if (!outermost()) return real();
  const DepthGuard depth;
  {
    Call call(number);
    call.end();
    RankEvent event = event_of(EventKind::kAbort);
    event.tag = code;
    call.log(event);
  }
  return real();
}

template <class Real>
int pcontrol(int level, Real real) {
  if (outermost() && (level == 0 || level == 1)) set_recording(level == 1);
  return real();
}

template <class Real>
int send(MpiCall number, const Posted& posted, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    RankEvent event = posted_event(call, EventKind::kSend, posted);
    call.log(event, true);
  }
  return result;
}

/// Logs a call that asked for a message and has the status of the one that came.
inline void log_answered(Call& call, EventKind kind, const Posted& wanted, ReadableStatus& status) {
  RankEvent event = posted_event(call, kind, wanted);
  const formats::Completion completion = received(status.get(), wanted.peer == MPI_PROC_NULL);
  event.completions = {&completion, 1};
  call.log(event, true);
}

template <class Real>
int wait_for_message(MpiCall number, EventKind kind, const Posted& wanted, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) log_answered(call, kind, wanted, status);
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
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    RankEvent event = posted_event(call, EventKind::kSendrecv, sent);
    event.recv_peer = canonical_rank(wanted.peer);
    event.recv_tag = canonical_tag(wanted.tag);
    event.recv_bytes = wanted.bytes();
    const formats::Completion completion = received(status.get(), wanted.peer == MPI_PROC_NULL);
    event.completions = {&completion, 1};
    call.log(event, true);
  }
  return result;
}

/// isend, irecv, send_init and recv_init: `operation` says which.
template <class Real>
int post(MpiCall number, EventKind kind, Operation operation, const Posted& posted, MPI_Request* request,
         Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    operation.number = new_operation();
    operation.from_null = posted.peer == MPI_PROC_NULL;
    process.requests.push(to_key(*request), operation);
    RankEvent event = posted_event(call, kind, posted);
    event.request = operation.number;
    call.log(event, true);
  }
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
    RankEvent send_event = posted_event(call, EventKind::kIsend, sent);
    send_event.request = first;
    call.log(send_event, true);
    RankEvent receive_event = posted_event(call, EventKind::kIrecv, wanted);
    receive_event.request = first + 1;
    call.log(receive_event, true);
  }
  return result;
}

template <class Real>
int probe(MpiCall number, const Posted& wanted, MPI_Status* given, Real real) {
  return wait_for_message(number, EventKind::kProbe, wanted, given, real);
}

template <class Real>
int iprobe(MpiCall number, const Posted& wanted, const int* flag, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result != MPI_SUCCESS) return result;
  if (*flag == 0) {
    call.poll();
  } else if (call.posting_is_on()) {
    log_answered(call, EventKind::kProbe, wanted, status);
  }
  return result;
}

/// Mprobe, and Improbe where `flag` is not null.
template <class Real>
int mprobe(MpiCall number, const Posted& wanted, const int* flag, const MPI_Message* message,
           MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result != MPI_SUCCESS) return result;
  if (flag != nullptr && *flag == 0) {
    call.poll();
  } else if (call.posting_is_on()) {
    const std::uint64_t found = new_operation();
    const bool from_null = wanted.peer == MPI_PROC_NULL;
    process.messages.push(to_key(*message),
                          {.number = found, .kind = OperationKind::kMessage, .from_null = from_null});
    RankEvent event = posted_event(call, EventKind::kMprobe, wanted);
    event.request = found;
    const formats::Completion completion = received(status.get(), from_null);
    event.completions = {&completion, 1};
    call.log(event, true);
  }
  return result;
}

template <class Real>
int mrecv(MpiCall number, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* given,
          Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Operation found;
  const bool known = process.messages.pop(to_key(*message), found);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result == MPI_SUCCESS && known) {
    RankEvent event = event_of(EventKind::kMrecv);
    event.request = found.number;
    event.bytes = found.from_null ? 0 : bytes_of(count, type);
    const formats::Completion completion = received(status.get(), found.from_null);
    event.completions = {&completion, 1};
    call.log(event, true);
  }
  return result;
}

template <class Real>
int imrecv(MpiCall number, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request,
           Real real) {
  const DepthGuard depth;
  Operation found;
  const bool known = process.messages.pop(to_key(*message), found);
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && known) {
    RankEvent event = event_of(EventKind::kImrecv);
    event.request = new_operation();
    event.message = found.number;
    event.bytes = found.from_null ? 0 : bytes_of(count, type);
    process.requests.push(
        to_key(*request),
        {.number = event.request, .kind = OperationKind::kReceive, .from_null = found.from_null});
    call.log(event, true);
  }
  return result;
}

template <class Real>
int collective(MpiCall number, const CollectiveArguments& arguments, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    RankEvent event = event_of(EventKind::kCollective);
    measure(arguments, call.communicator(arguments.comm), call.thread(), event);
    call.log(event, true);
  }
  return result;
}

template <class Real>
int icollective(MpiCall number, const CollectiveArguments& arguments, MPI_Request* request, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    RankEvent event = event_of(EventKind::kIcollective);
    event.request = new_operation();
    process.requests.push(to_key(*request), {.number = event.request, .kind = OperationKind::kCollective});
    measure(arguments, call.communicator(arguments.comm), call.thread(), event);
    call.log(event, true);
  }
  return result;
}

/// Communicator constructors. Logged also while recording is off: later calls refer to them.
template <class Real>
int comm_new(MpiCall number, MPI_Comm parent, const MPI_Comm* created, bool group_only, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result != MPI_SUCCESS) return result;
  RankEvent event = event_of(EventKind::kCommCreate);
  event.comm = call.communicator(parent).number;
  event.comm_flags = group_only ? formats::kCommGroupOnly : 0;
  event.new_comm = formats::kCommNull;
  if (*created != mpi.comm_null) {
    event.new_comm = process.communicators.enter(*created).number;
    const Members members = call.thread().members.describe(*created);
    event.comm_flags = static_cast<std::uint8_t>(event.comm_flags | members.flags);
    event.members = members.local;
    event.remote_members = members.remote;
  }
  call.log(event, true);
  return result;
}

/// The handle is set only at completion, but number and members are known now: those of the parent.
template <class Real>
int comm_idup(MpiCall number, MPI_Comm parent, MPI_Comm* created, MPI_Request* request, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result != MPI_SUCCESS) return result;
  RankEvent event = event_of(EventKind::kCommCreate);
  event.comm = call.communicator(parent).number;
  event.new_comm = process.communicators.reserve_number();
  const Members members = call.thread().members.describe(parent);
  event.comm_flags = members.flags;
  event.members = members.local;
  event.remote_members = members.remote;
  process.requests.push(to_key(*request), {.number = new_operation(),
                                           .target = created,
                                           .comm = event.new_comm,
                                           .kind = OperationKind::kCommDup});
  call.log(event, true);
  return result;
}

template <class Real>
int comm_free(MpiCall number, const MPI_Comm* comm, Real real) {
  const DepthGuard depth;
  // Out of table and caches before the library can give the handle to another thread.
  forget_handles();
  const MPI_Comm handle = *comm;
  Communicator removed;
  const bool known = process.communicators.remove(handle, removed);
  Call call(number);
  const int result = real();
  call.end();
  if (!known) return result;
  if (result == MPI_SUCCESS) {
    RankEvent event = event_of(EventKind::kCommFree);
    event.comm = removed.number;
    call.log(event, true);
  } else {
    process.communicators.restore(handle, removed);
  }
  return result;
}

}  // namespace vef::shim
