// SPDX-License-Identifier: Apache-2.0
// Recipes of probes, and of the receives of messages that a probe has found.
#pragma once

#include <mpi.h>

#include "point_to_point.h"

namespace vef::shim {

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
    log_answered(call, number, EventKind::kProbe, wanted, result, status.get());
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
    NarrowEvent event = posted_event(call, EventKind::kMprobe, wanted);
    event.request = found;
    const formats::Completion completion = received(status.get(), from_null);
    process.messages.push(to_key(*message), {.number = found,
                                             .source = completion.source,
                                             .tag = completion.tag,
                                             .kind = OperationKind::kMessage,
                                             .from_null = from_null});
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
  if (known && (result == MPI_SUCCESS || is_truncation(result))) {
    RankEvent event = event_of(EventKind::kMrecv);
    event.request = found.number;
    event.bytes = found.from_null ? 0 : bytes_of(count, type);
    const formats::Completion completion =
        result == MPI_SUCCESS ? received(status.get(), found.from_null)
                              : truncated(status.get(), found.source, found.tag, event.bytes);
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
    event.message = found.number;
    event.bytes = found.from_null ? 0 : bytes_of(count, type);
    event.request = track(*request, {.room = event.bytes,
                                     .source = found.source,
                                     .tag = found.tag,
                                     .kind = OperationKind::kReceive,
                                     .from_null = found.from_null});
    call.log(event, true);
  }
  return result;
}

}  // namespace vef::shim
