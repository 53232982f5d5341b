// SPDX-License-Identifier: Apache-2.0
// Messages of a DUMPI trace: sends, receives, requests and what completes them, probes.
#include <algorithm>

#include "dumpi_functions.h"
#include "dumpi_records.h"

namespace vef::neighbours {

using formats::TaskId;

namespace {

constexpr std::int64_t kAny = PostedReceives::kAny;
constexpr std::int64_t kNullRequest = 1;

/// The status that a call has for its `i`-th request, or null: not recorded.
const DumpiStatus* status_of(const DumpiCall& call, std::size_t i) {
  return i < call.statuses.size() ? &call.statuses[i] : nullptr;
}

}  // namespace

DumpiRecords::Request DumpiRecords::send_of(Now& now, std::int64_t number) const {
  Request request;
  const Membership comm = comm_of(now, number);
  const std::int64_t destination = now.value(2);
  if (destination < 0) return request;  // MPI_PROC_NULL, whatever its number
  request.kind = Request::Kind::kSend;
  request.bytes = bytes_of(now, now.value(0), now.value(1));
  request.to =
      channel_of({comm.comm, now.rank, now.value(3)}, task_of(now, comm, destination, "destination"));
  return request;
}

DumpiRecords::Request DumpiRecords::receive_of(Now& now, std::int64_t source, std::int64_t tag,
                                               std::int64_t number) const {
  Request request;
  const Membership comm = comm_of(now, number);
  if (source < kAny) return request;  // MPI_PROC_NULL of some libraries
  request.kind = Request::Kind::kReceive;
  request.comm = comm;
  request.wanted = {comm.comm, source == kAny ? kAny : task_of(now, comm, source, "source"), tag};
  return request;
}

void DumpiRecords::start(Now& now, Request& request) {
  if (!now.status) return;
  request.active = true;
  request.cancelled = false;
  if (request.kind == Request::Kind::kSend) {
    const std::uint64_t id = matcher_.send(request.to, now.call.offset, builder_.next_id());
    builder_.send(now.rank, request.to.destination, id, request.bytes, now.call.offset);
  }
  if (request.kind != Request::Kind::kReceive) return;
  request.receive = now.state.receives.post(request.wanted, now.call.offset);
  std::erase_if(now.state.probes, [&](const Probe& probe) {
    if (!PostedReceives::overlap(probe.wanted, request.wanted)) return false;
    now.state.receives.watch(request.receive, probe.pending);
    return true;
  });
}

/// An active receive is complete.
void DumpiRecords::take_message(Now& now, Request& request, const DumpiStatus* status) {
  Wanted channel = request.wanted;
  const bool nothing =
      (status != nullptr && (status->cancelled || (channel.source == kAny && status->source < 0))) ||
      (status == nullptr && request.cancelled);
  if (nothing) {
    now.state.receives.cancel(request.receive);
    return;
  }
  if ((channel.source == kAny || channel.tag == kAny) && status == nullptr) {
    now.fail(
        "a receive from any source or with any tag is complete, and what it took is not recorded; expected "
        "a status");
    return;
  }
  if (channel.source == kAny)
    channel.source = task_of(now, request.comm, status->source, "source in the status");
  if (channel.tag == kAny) channel.tag = status->tag;
  if (!now.status) return;
  if (const auto message = now.state.receives.complete(request.receive, channel)) {
    builder_.receive(now.rank, *message, now.call.offset);
  } else {
    now.state.receives.watch(request.receive, builder_.receive_later(now.rank, now.call.offset));
  }
}

void DumpiRecords::complete(Now& now, std::int64_t number, const DumpiStatus* status) {
  const auto found = now.state.requests.find(number);
  if (found == now.state.requests.end() || !found->second.active) return;
  Request& request = found->second;
  request.active = false;
  if (request.kind == Request::Kind::kReceive) take_message(now, request, status);
  if (!request.persistent) now.state.requests.erase(found);
}

void DumpiRecords::complete_all(Now& now, const std::vector<std::int32_t>& requests) {
  for (std::size_t i = 0; i < requests.size() && now.status; ++i)
    complete(now, requests[i], status_of(now.call, i));
}

void DumpiRecords::complete_some(Now& now) {
  const std::vector<std::int32_t>& requests = now.call.lists[0];
  const std::vector<std::int32_t>& indices = now.call.lists[1];
  for (std::size_t i = 0; i < indices.size() && now.status; ++i) {
    if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= requests.size()) {
      now.fail("index " + std::to_string(indices[i]) + "; expected less than " +
               std::to_string(requests.size()));
      return;
    }
    complete(now, requests[static_cast<std::size_t>(indices[i])], status_of(now.call, i));
  }
}

bool DumpiRecords::completion(Now& now) {
  const DumpiCall& call = now.call;
  switch (call.function) {
    case dumpi_number("Wait"):
      complete(now, now.value(0), status_of(call, 0));
      return true;
    case dumpi_number("Test"):
      if (now.value(1) != 0) complete(now, now.value(0), status_of(call, 0));
      return true;
    case dumpi_number("Waitany"):
    case dumpi_number("Testany"): {
      // Where nothing was active, the index is MPI_UNDEFINED, whose number is not that of a request.
      const std::int64_t index = now.value(1);
      const auto& requests = call.lists[0];
      const bool flag = call.function == dumpi_number("Waitany") || now.value(2) != 0;
      if (flag && index >= 0 && static_cast<std::uint64_t>(index) < requests.size())
        complete(now, requests[static_cast<std::size_t>(index)], status_of(call, 0));
      return true;
    }
    case dumpi_number("Waitall"):
      complete_all(now, call.lists[0]);
      return true;
    case dumpi_number("Testall"):
      if (now.value(1) != 0) complete_all(now, call.lists[0]);
      return true;
    case dumpi_number("Waitsome"):
    case dumpi_number("Testsome"):
      complete_some(now);
      return true;
    case dumpi_number("Request_free"):
      now.state.requests.erase(now.value(0));
      return true;
    case dumpi_number("Cancel"): {
      const auto found = now.state.requests.find(now.value(0));
      if (found != now.state.requests.end()) found->second.cancelled = true;
      return true;
    }
    default:
      return false;
  }
}

bool DumpiRecords::point_to_point(Now& now) {
  const DumpiCall& call = now.call;
  switch (call.function) {
    case dumpi_number("Send"):
    case dumpi_number("Bsend"):
    case dumpi_number("Ssend"):
    case dumpi_number("Rsend"): {
      Request request = send_of(now, now.value(4));
      start(now, request);
      return true;
    }
    case dumpi_number("Recv"): {
      Request request = receive_of(now, now.value(2), now.value(3), now.value(4));
      start(now, request);
      if (now.status && request.kind == Request::Kind::kReceive)
        take_message(now, request, status_of(call, 0));
      return true;
    }
    case dumpi_number("Isend"):
    case dumpi_number("Ibsend"):
    case dumpi_number("Issend"):
    case dumpi_number("Irsend"):
    case dumpi_number("Irecv"): {
      Request request = call.function == dumpi_number("Irecv")
                            ? receive_of(now, now.value(2), now.value(3), now.value(4))
                            : send_of(now, now.value(4));
      start(now, request);
      if (now.value(5) != kNullRequest) now.state.requests[now.value(5)] = request;
      return true;
    }
    case dumpi_number("Send_init"):
    case dumpi_number("Bsend_init"):
    case dumpi_number("Ssend_init"):
    case dumpi_number("Rsend_init"):
    case dumpi_number("Recv_init"): {
      Request request = call.function == dumpi_number("Recv_init")
                            ? receive_of(now, now.value(2), now.value(3), now.value(4))
                            : send_of(now, now.value(4));
      request.persistent = true;
      now.state.requests[now.value(5)] = request;
      return true;
    }
    case dumpi_number("Start"):
    case dumpi_number("Startall"): {
      const std::vector<std::int32_t> one = {call.value(0)};
      for (const std::int32_t number : call.function == dumpi_number("Start") ? one : call.lists[0]) {
        const auto found = now.state.requests.find(number);
        if (found == now.state.requests.end()) {
          now.fail("request " + std::to_string(number) + "; expected one that an earlier call made");
          return true;
        }
        start(now, found->second);
      }
      return true;
    }
    case dumpi_number("Sendrecv"):
    case dumpi_number("Sendrecv_replace"): {
      const bool replaces = call.function == dumpi_number("Sendrecv_replace");
      const std::size_t receive = replaces ? 4 : 6;  // source, its tag, the communicator
      Request in = receive_of(now, now.value(receive), now.value(receive + 1), now.value(receive + 2));
      Request out = send_of(now, now.value(receive + 2));
      start(now, in);
      start(now, out);
      if (now.status && in.kind == Request::Kind::kReceive) take_message(now, in, status_of(call, 0));
      return true;
    }
    case dumpi_number("Probe"):
      probe(now);
      return true;
    case dumpi_number("Iprobe"):
      if (now.value(3) != 0) probe(now);
      return true;
    default:
      return false;
  }
}

void DumpiRecords::probe(Now& now) {
  const Request looked = receive_of(now, now.value(0), now.value(1), now.value(2));
  if (!now.status || looked.kind != Request::Kind::kReceive) return;
  Wanted wanted = looked.wanted;
  if (const DumpiStatus* status = status_of(now.call, 0)) {
    if (wanted.source == kAny && status->source < 0) return;  // MPI_PROC_NULL
    if (wanted.source == kAny)
      wanted.source = task_of(now, looked.comm, status->source, "source in the status");
    if (wanted.tag == kAny) wanted.tag = status->tag;
  }
  if (now.status) now.state.probes.push_back({wanted, builder_.receive_later(now.rank, now.call.offset)});
}

void DumpiRecords::settle(Rank& state) {
  for (const PostedReceives::Settled& settled : state.receives.take_settled())
    builder_.settle(settled.who, settled.message);
}

}  // namespace vef::neighbours
