// SPDX-License-Identifier: Apache-2.0
// Collectives of OTF2 as records. What Score-P counts (otf2_archive.h) is turned back into the sizes of VEF.
// A size that is no multiple of all members, but of all others, is one with MPI_IN_PLACE.
#include <algorithm>

#include "collective_flow.h"
#include "lowering.h"
#include "otf2_records.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::Record;
using formats::TaskId;

namespace {

Error fault(const std::string& what) { return {ErrorKind::kInput, what}; }

/// No user has negative tags; communicators are below 2^31.
constexpr std::int64_t kScanTag = std::int64_t{1} << 63;

struct Share {
  std::uint64_t bytes = 0;
  bool in_place = false;
};

/// One member's share of what is counted for each.
Share share_of(std::uint64_t counted, std::uint64_t members) {
  if (counted % members == 0) return {counted / members, false};
  if (members > 1 && counted % (members - 1) == 0) return {counted / (members - 1), true};
  return {counted / members + 1, false};
}

Record part_of(CollectiveOp op, std::uint64_t send, std::uint64_t recv) {
  Record part;
  part.kind = formats::RecordKind::kCollective;
  part.op = op;
  part.send_bytes = send;
  part.recv_bytes = recv;
  return part;
}

/// `one`: what the root has of its own, `all`: what it has of all; without its own if that is in place.
std::pair<std::uint64_t, std::uint64_t> rooted(std::uint64_t one, std::uint64_t all, std::uint64_t members) {
  if (one != 0 || all == 0 || members == 1) return {one, all};
  const std::uint64_t own = all / (members - 1);
  return {own, all + own};
}

bool is_rooted(OTF2_CollectiveOp op) {
  return op == OTF2_COLLECTIVE_OP_BCAST || op == OTF2_COLLECTIVE_OP_REDUCE ||
         op == OTF2_COLLECTIVE_OP_GATHER || op == OTF2_COLLECTIVE_OP_GATHERV ||
         op == OTF2_COLLECTIVE_OP_SCATTER || op == OTF2_COLLECTIVE_OP_SCATTERV;
}

}  // namespace

Result<std::vector<Record>> Otf2Records::parts_of(TaskId task, const Otf2Collective& call) {
  const auto refuse = [&](const std::string& what) {
    return fault("rank " + std::to_string(task) + ": a collective of communicator " +
                 std::to_string(call.comm) + what);
  };
  const Otf2Comm* const comm = definitions_.comm(call.comm);
  if (comm == nullptr) return refuse(", which is not defined; expected one that is");
  if (comm->is_self) return std::vector<Record>();  // nothing leaves the task
  if (comm->is_inter) return refuse(" between two groups; expected one of a single group");
  const std::uint64_t members = comm->members.size();
  const auto place = std::find(comm->members.begin(), comm->members.end(), task);
  if (place == comm->members.end()) return refuse(", of which it is no member");
  const auto rank = static_cast<std::uint64_t>(place - comm->members.begin());
  if (is_rooted(call.op) && call.root >= members)
    return refuse(" with root " + std::to_string(call.root) + "; expected 0 to " + std::to_string(members) +
                  " - 1");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (call.sent > kMost || call.received > kMost) return refuse(" with more than 2^62 bytes; expected less");
  const bool root = rank == call.root;
  std::vector<Record> parts;
  switch (call.op) {
    case OTF2_COLLECTIVE_OP_BCAST:
      parts = {part_of(CollectiveOp::kBroadcast, root ? share_of(call.sent, members).bytes : 0,
                       root ? 0 : call.received)};
      break;
    case OTF2_COLLECTIVE_OP_REDUCE:
      parts = {part_of(CollectiveOp::kReduce, root ? 0 : call.sent,
                       root ? share_of(call.received, members).bytes : 0)};
      break;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV: {
      const auto [one, all] = rooted(call.sent, call.received, members);
      parts = {part_of(CollectiveOp::kGather, root ? one : call.sent, root ? all : 0)};
      break;
    }
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV: {
      const auto [one, all] = rooted(call.received, call.sent, members);
      parts = {part_of(CollectiveOp::kScatter, root ? all : 0, root ? one : call.received)};
      break;
    }
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV: {
      const Share own = share_of(call.sent, members);
      parts = {part_of(CollectiveOp::kAllgather, own.bytes, call.received + (own.in_place ? own.bytes : 0))};
      break;
    }
    case OTF2_COLLECTIVE_OP_ALLREDUCE: {
      const std::uint64_t own = share_of(call.sent, members).bytes;
      parts = {part_of(CollectiveOp::kAllreduce, own, own)};
      break;
    }
    case OTF2_COLLECTIVE_OP_ALLTOALL:
      parts = {part_of(CollectiveOp::kAlltoall, share_of(call.sent, members).bytes, 0)};
      break;
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      losses_.add(kAlltoallvLoss, "VEF has no sizes per pair");
      parts = {part_of(CollectiveOp::kAlltoall, call.sent, 1)};
      break;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK: {
      losses_.add(kReduceScatterLoss, kNoSuchOperation);
      const std::uint64_t own = share_of(call.received, members).bytes;
      const bool first = rank == 0;
      parts = {part_of(CollectiveOp::kReduce, first ? 0 : call.sent, first ? call.sent : 0),
               part_of(CollectiveOp::kScatter, first ? call.sent : 0, own)};
      break;
    }
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
      if (Status status = scan(task, *comm, call); !status) return status.error();
      return parts;
    default:  // what makes or frees communicators, windows and memory waits for all
      parts = {part_of(CollectiveOp::kBarrier, 0, 0)};
      break;
  }
  for (Record& part : parts) {
    part.comm = comm->comm;
    part.id = next_id(task, comm->comm);
  }
  return parts;
}

std::uint64_t Otf2Records::next_id(TaskId task, formats::CommId comm) {
  auto& ids = ids_[static_cast<std::size_t>(comm)];
  std::uint64_t& count = at(task).counts[comm];
  if (count == ids.size()) ids.push_back(next_collective_++);
  return ids[count++];
}

Status Otf2Records::scan(TaskId task, const Otf2Comm& comm, const Otf2Collective& call) {
  losses_.add(kScanLoss, kNoSuchOperation);
  const auto rank = static_cast<std::size_t>(std::find(comm.members.begin(), comm.members.end(), task) -
                                             comm.members.begin());
  const std::uint64_t behind = comm.members.size() - rank;  // itself included
  const std::int64_t tag = kScanTag | comm.comm;
  if (rank > 0)
    builder_.receive(task, matcher_.receive({comm.members[rank - 1], task, tag}, 0, builder_.next_id()), 0);
  if (behind > 1) {
    // Counted once for each behind, with itself, or without it.
    const std::uint64_t bytes =
        call.op == OTF2_COLLECTIVE_OP_SCAN ? share_of(call.sent, behind).bytes : call.sent / (behind - 1);
    const TaskId next = comm.members[rank + 1];
    builder_.send(task, next, matcher_.send({task, next, tag}, 0, builder_.next_id()), bytes, 0);
  }
  return {};
}

Status Otf2Records::collective(OTF2_LocationRef location, const Otf2Collective& call) {
  const auto task = task_of(location);
  if (!task) return task.error();
  const auto parts = parts_of(*task, call);
  if (!parts) return parts.error();
  for (const Record& part : *parts) builder_.collective(*task, part, 0);
  return {};
}

Status Otf2Records::begin_collective(OTF2_LocationRef location, std::uint64_t request) {
  const auto task = task_of(location);
  if (!task) return task.error();
  const auto call = ends_.take(*task);
  if (!call) {
    losses_.add("non-blocking collectives that do not end are left out",
                "the trace does not say what they are");
    return {};
  }
  const auto parts = parts_of(*task, *call);
  if (!parts) return parts.error();
  if (parts->empty()) return {};
  for (std::size_t i = 0; i + 1 < parts->size(); ++i) builder_.collective(*task, (*parts)[i], 0);
  builder_.enter_collective(*task, parts->back(), 0);
  at(*task).collectives[request] = parts->back().id;
  return {};
}

Status Otf2Records::end_collective(OTF2_LocationRef location, std::uint64_t request) {
  const auto task = task_of(location);
  if (!task) return task.error();
  auto& open = at(*task).collectives;
  const auto found = open.find(request);
  if (found == open.end()) return {};  // of MPI_COMM_SELF, or a scan
  builder_.leave_collective(*task, found->second, 0);
  open.erase(found);
  return {};
}

}  // namespace vef::neighbours
