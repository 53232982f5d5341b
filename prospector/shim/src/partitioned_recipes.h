// SPDX-License-Identifier: Apache-2.0
// Recipes of partitioned communication (MPI 4.0, chapter 4).
#pragma once

#include <mpi.h>

#include "point_to_point.h"

namespace vef::shim {

/// `posted.count` elements in each of `partitions`. A send remembers the size of one, a receive that of all.
template <class Real>
int partitioned_init(MpiCall number, EventKind kind, int partitions, Posted posted, MPI_Request* request,
                     Real real) {
  Operation operation{.kind = OperationKind::kSend, .persistent = true, .active = false};
  operation.room = posted.bytes();
  posted.count *= partitions;
  if (kind == EventKind::kPrecvInit) {
    operation.kind = OperationKind::kPartitionedReceive;
    operation.room = posted.bytes();
  }
  return post(number, kind, operation, posted, request, real);
}

/// `partitions` of them are ready.
template <class Real>
int pready(MpiCall number, int partitions, MPI_Request request, Real real) {
  return post_then(number, real, [&](Call& call) {
    if (partitions <= 0) return;
    RankEvent event = event_of(EventKind::kPready);
    process.requests.update(to_key(request), [&](const Operation& operation) {
      if (operation.active) event.request = operation.number;
      event.bytes = operation.room * static_cast<std::uint64_t>(partitions);
      return false;
    });
    if (event.request != 0) call.log(event, true);
  });
}

template <class Real>
int parrived(MpiCall number, const int* flag, Real real) {
  return call_then(number, real, [&](Call& call) {
    if (*flag == 0) {
      call.poll();
    } else {
      call.log_time();
    }
  });
}

}  // namespace vef::shim
