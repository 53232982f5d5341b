// SPDX-License-Identifier: Apache-2.0
// Recipes of one-sided communication.
#pragma once

#include <mpi.h>

#include "call.h"
#include "windows.h"

namespace vef::shim {

template <class Real>
int win_create(MpiCall number, MPI_Aint size, MPI_Comm comm, const MPI_Win* created, Real real) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kWinCreate);
    event.comm = call.communicator(comm).number;
    event.window = process.windows.enter(*created, event.comm);
    event.bytes = size > 0 ? static_cast<std::uint64_t>(size) : 0;
    call.log(event, true);
  });
}

template <class Real>
int win_free(MpiCall number, const MPI_Win* win, Real real) {
  const DepthGuard depth;
  // Out of the table before the library can give the handle to another thread.
  const MPI_Win handle = *win;
  Window removed;
  const bool known = process.windows.remove(handle, removed);
  Call call(number);
  const int result = real();
  call.end();
  if (!known) return result;
  if (result == MPI_SUCCESS) {
    RankEvent event = event_of(EventKind::kWinFree);
    event.comm = removed.comm;
    event.window = removed.number;
    call.log(event, true);
  } else {
    process.windows.restore(handle, removed);
  }
  return result;
}

/// An event on a window; false: the window's creation was not seen.
inline bool window_event(EventKind kind, MPI_Win win, int target, RankEvent& event) {
  Window window;
  if (!process.windows.find(win, window)) return false;
  event = event_of(kind);
  event.comm = window.comm;
  event.window = window.number;
  event.peer = target == MPI_UNDEFINED ? formats::kUndefined : canonical_rank(target);
  return true;
}

/// Put, Get, ...; `request` of Rput, ..., else null.
template <class Real>
int rma(MpiCall number, const RmaArguments& arguments, const MPI_Request* request, Real real) {
  return post_then(number, real, [&](Call& call) {
    RankEvent event;
    if (!window_event(EventKind::kRma, arguments.win, arguments.target, event)) return;
    measure(arguments, event);
    if (request != nullptr) event.request = track(*request, {.kind = OperationKind::kPlain});
    call.log(event, true);
  });
}

/// `group`: that of Post and Start, else null.
inline void log_sync(Call& call, MPI_Win win, int target, const MPI_Group* group = nullptr) {
  RankEvent event;
  if (!window_event(EventKind::kRmaSync, win, target, event)) return;
  if (group != nullptr) event.members = call.thread().members.describe_group(*group);
  call.log(event, true);
}

/// `target`: MPI_UNDEFINED where all are meant.
template <class Real>
int win_sync(MpiCall number, MPI_Win win, int target, Real real) {
  return post_then(number, real, [&](Call& call) { log_sync(call, win, target); });
}

/// Post and Start.
template <class Real>
int win_sync_group(MpiCall number, MPI_Win win, MPI_Group group, Real real) {
  return post_then(number, real, [&](Call& call) { log_sync(call, win, MPI_UNDEFINED, &group); });
}

template <class Real>
int win_test(MpiCall number, MPI_Win win, const int* flag, Real real) {
  return call_then(number, real, [&](Call& call) {
    if (*flag == 0) {
      call.poll();
    } else if (call.posting_is_on()) {
      log_sync(call, win, MPI_UNDEFINED);
    }
  });
}

}  // namespace vef::shim
