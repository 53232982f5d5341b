// SPDX-License-Identifier: Apache-2.0
// Recipes of MPI_File_*: their time is that of input and output; the messages inside the library's file layer
// are not the program's own.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "point_to_point.h"

namespace vef::shim {

/// `bytes`: what was asked for. With `request`, its completion will be seen.
inline void log_io(Call& call, std::uint64_t bytes, const MPI_Request* request) {
  RankEvent event = event_of(EventKind::kIo);
  event.bytes = bytes;
  if (request != nullptr) event.request = track(*request, {.kind = OperationKind::kPlain});
  call.log(event, true);
}

template <class Real>
int io(MpiCall number, MPI_Count count, MPI_Datatype type, const MPI_Request* request, Real real) {
  return post_then(number, real, [&](Call& call) { log_io(call, bytes_of(count, type), request); });
}

/// Where a status tells how much it was: at the end of a file less than was asked for.
template <class Real>
int io_answered(MpiCall number, MPI_Count count, MPI_Datatype type, MPI_Status* given, Real real) {
  const DepthGuard depth;
  ReadableStatus status(given);
  Call call(number);
  const int result = real(status);
  call.end();
  if (result == MPI_SUCCESS && call.posting_is_on())
    log_io(call, std::min(bytes_of(count, type), bytes_received(status.get())), nullptr);
  return result;
}

}  // namespace vef::shim
