// SPDX-License-Identifier: Apache-2.0
// Recipes of the collective operations: blocking, non-blocking, persistent.
#pragma once

#include <mpi.h>

#include "call.h"
#include "collectives.h"

namespace vef::shim {

/// Whether memo_of() tells these arguments from all others of the call: not where there are arrays of them.
[[gnu::always_inline]] inline bool have_memo(const CollectiveArguments& a) {
  return !a.scounts && !a.rcounts && static_cast<std::uint64_t>(a.count | a.scount | a.rcount) >> 32 == 0;
}

/// A function has `count` and `type`, or those of what is sent and received.
[[gnu::always_inline]] inline formats::EventMemo memo_of(MpiCall number, const CollectiveArguments& a) {
  const std::uint64_t in_place = static_cast<std::uint64_t>(a.sbuf == MPI_IN_PLACE) << 16 |
                                 static_cast<std::uint64_t>(a.rbuf == MPI_IN_PLACE) << 17;
  return {{to_key(a.comm), to_key(a.type) | to_key(a.stype), to_key(a.rtype),
           static_cast<std::uint64_t>(a.count | a.scount | a.rcount << 32),
           static_cast<std::uint64_t>(number) | in_place |
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(a.root)) << 32}};
}

/// A call that is not as the log expected it.
[[gnu::noinline]] inline void log_collective(Call& call, EventKind kind, const CollectiveArguments& arguments,
                                             std::uint64_t request) {
  RankEvent event = event_of(kind);
  event.request = request;
  measure(arguments, call.communicator(arguments.comm), call.thread(), event);
  // Those with a request are always told in full: see collective().
  if (request == 0 && have_memo(arguments)) return call.log(event, true, memo_of(call.number(), arguments));
  call.log(event, true);
}

template <class Real>
[[gnu::always_inline]] inline int collective(MpiCall number, const CollectiveArguments& arguments,
                                             Real real) {
  const DepthGuard depth;
  CallTimes times;
  times.begin();
  const int result = real();
  times.stop();
  if (result != MPI_SUCCESS) [[unlikely]]
    return result;
  const bool done = have_memo(arguments) && repeats(times, [&](auto& chunk) VEF_INLINED {
                      return chunk.find(memo_of(number, arguments));
                    });
  if (done) [[likely]]
    return result;
  // A copy, so that only here the arguments must lie in memory.
  const CollectiveArguments kept = arguments;
  Call call(number, times);
  if (call.posting_is_on()) log_collective(call, EventKind::kCollective, kept, 0);
  return result;
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
