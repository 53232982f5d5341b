// SPDX-License-Identifier: Apache-2.0
// Recipes of the collective operations: blocking, non-blocking, persistent.
#pragma once

#include <mpi.h>

#include "collectives.h"
#include "recorder.h"

namespace vef::shim {

[[gnu::always_inline]] inline void log_collective(Call& call, EventKind kind,
                                                  const CollectiveArguments& arguments,
                                                  std::uint64_t request) {
  RankEvent event = event_of(kind);
  event.request = request;
  measure(arguments, call.communicator(arguments.comm), call.thread(), event);
  call.log(event, true);
}

template <class Real>
int collective(MpiCall number, const CollectiveArguments& arguments, Real real) {
  return post_then(number, real,
                   [&](Call& call) { log_collective(call, EventKind::kCollective, arguments, 0); });
}

template <class Real>
int icollective(MpiCall number, const CollectiveArguments& arguments, MPI_Request* request, Real real) {
  return post_then(number, real, [&](Call& call) {
    log_collective(call, EventKind::kIcollective, arguments,
                   track(*request, {.kind = OperationKind::kPlain}));
  });
}

/// Each MPI_Start of the request begins one.
template <class Real>
int collective_init(MpiCall number, const CollectiveArguments& arguments, MPI_Request* request, Real real) {
  return post_then(number, real, [&](Call& call) {
    log_collective(call, EventKind::kCollectiveInit, arguments,
                   track(*request, {.kind = OperationKind::kPlain, .persistent = true, .active = false}));
  });
}

}  // namespace vef::shim
