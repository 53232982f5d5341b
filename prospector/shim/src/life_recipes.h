// SPDX-License-Identifier: Apache-2.0
// Recipes of the calls that begin and end MPI, that steer the recorder, and of those of which only the time
// counts.
#pragma once

#include <mpi.h>

#include "call.h"
#include "control.h"
#include "world.h"

namespace vef::shim {

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

/// MPI has been initialised, by MPI_Init or a session; recording begins with the first of them.
inline void begin_instance(MpiCall number, std::uint64_t start, std::uint64_t end) {
  const int saved = errno;
  if (process.open_instances.fetch_add(1, std::memory_order_relaxed) == 0) {
    begin_capture(number, start, end);
  } else if (local.thread != nullptr || enter_thread()) {
    if (is_initialized()) process.communicators.enter_predefined();
    Call call(number);
    RankEvent event = event_of(EventKind::kComplete);
    call.log_between(event, start, end);
  }
  errno = saved;
}

inline void end_instance(MpiCall number, std::uint64_t start, std::uint64_t end, bool complete) {
  const int saved = errno;
  if (process.open_instances.fetch_sub(1, std::memory_order_relaxed) <= 1) {
    end_capture(number, start, end, complete);
  } else if (local.thread != nullptr) {
    Call call(number);
    RankEvent event = event_of(EventKind::kComplete);
    call.log_between(event, start, end);
  }
  errno = saved;
}

template <class Real>
int init(MpiCall number, Real real) {
  if (local.depth != 0 || !first_call()) return real();
  const std::uint64_t start = ticks();
  int result = MPI_SUCCESS;
  {
    const DepthGuard depth;
    result = real();
    if (result == MPI_SUCCESS && number != MpiCall::kSessionInit) compare_clocks(false);
  }
  const std::uint64_t end = ticks();
  if (result == MPI_SUCCESS) begin_instance(number, start, end);
  return result;
}

#if MPI_VERSION >= 4
template <class Real>
int session_init(MpiCall number, const MPI_Session* session, Real real) {
  return init(number, [&] {
    const int result = real();
    if (result == MPI_SUCCESS) set_session(*session);
    return result;
  });
}
#endif

/// Not guarded by depth: callbacks on MPI_COMM_SELF run inside MPI_Finalize and may communicate
/// (MPI 4.0, 11.2.4). Also for MPI_Session_finalize.
template <class Real>
int finalize(MpiCall number, Real real) {
  if (local.depth != 0) return real();
  const bool records = first_call();
  const std::uint64_t start = ticks();
  if (number == MpiCall::kFinalize) compare_clocks(true);
  if (!records) return real();
  const int result = real();
  end_instance(number, start, ticks(), result == MPI_SUCCESS);
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
int pcontrol(int level, const char* name, Real real) {
  if (outermost()) {
    const DepthGuard depth;
    control(level, name);
  }
  return real();
}

/// Only the time is recorded: the call waits for others, or may, but moves no data of the program.
template <class Real>
int timed(MpiCall number, Real real) {
  const DepthGuard depth;
  Call call(number);
  const int result = real();
  call.end();
  call.log_time();
  return result;
}

}  // namespace vef::shim
