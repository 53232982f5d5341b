// SPDX-License-Identifier: Apache-2.0
// Recipes of the collective operations: blocking, non-blocking, persistent.
#pragma once

#include <mpi.h>

#include "collectives.h"
#include "recorder.h"

namespace vef::shim {

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
    process.requests.push(to_key(*request), {.number = event.request, .kind = OperationKind::kPlain});
    measure(arguments, call.communicator(arguments.comm), call.thread(), event);
    call.log(event, true);
  }
  return result;
}

/// Each MPI_Start of the request begins one.
template <class Real>
int collective_init(MpiCall number, const CollectiveArguments& arguments, MPI_Request* request, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on()) {
    RankEvent event = event_of(EventKind::kCollectiveInit);
    event.request = new_operation();
    process.requests.push(
        to_key(*request),
        {.number = event.request, .kind = OperationKind::kPlain, .persistent = true, .active = false});
    measure(arguments, call.communicator(arguments.comm), call.thread(), event);
    call.log(event, true);
  }
  return result;
}

}  // namespace vef::shim
