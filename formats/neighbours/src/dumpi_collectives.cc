// SPDX-License-Identifier: Apache-2.0
// Collectives of a DUMPI trace, and calls that are barriers of a communicator. Where a rank may give
// MPI_IN_PLACE instead of its send buffer, its part is read off the receive buffer.
#include "dumpi_functions.h"
#include "dumpi_records.h"
#include "lowering.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::TaskId;

void DumpiRecords::collective(Now& now, const Membership& comm, CollectiveOp op, std::uint64_t send,
                              std::uint64_t recv) {
  if (!now.status) return;
  formats::Record part;
  part.op = op;
  part.send_bytes = send;
  part.recv_bytes = recv;
  const auto known =
      calls_.add(now.rank, comm.comm, members(comm), now.call.function, dumpi_name(now.call.function), part);
  if (known) {
    builder_.collective(now.rank, *known, now.call.offset);
  } else {
    now.status = known.error();
  }
}

/// Whether an array has an entry for every member.
bool DumpiRecords::has_all(Now& now, const Membership& comm, std::size_t list) const {
  const std::size_t found = now.call.lists[list].size();
  const std::size_t expected = members(comm).size();
  if (found != expected)
    now.fail(std::to_string(found) + " counts; expected " + std::to_string(expected) +
             ", one for each member of the communicator");
  return now.status.ok();
}

/// The root of a call whose first argument is the rank of the caller. Arguments of the root are there where
/// both are the same.
bool DumpiRecords::is_root(Now& now, const Membership& comm, std::int64_t root) const {
  if (now.value(0) != comm.rank)
    now.fail("rank " + std::to_string(now.value(0)) + " in the communicator; expected " +
             std::to_string(comm.rank));
  return task_of(now, comm, root, "root") == now.rank;
}

void DumpiRecords::gather(Now& now) {
  // Arguments: rank, (size,) count, datatype, root, communicator; at the root then what it receives.
  const bool vector = now.call.function == dumpi_number("Gatherv");
  const std::size_t first = vector ? 2 : 1;
  const Membership comm = comm_of(now, now.value(first + 3));
  const bool root = is_root(now, comm, now.value(first + 2));
  if (!now.status) return;
  if (!root) {
    collective(now, comm, CollectiveOp::kGather, bytes_of(now, now.value(first), now.value(first + 1)), 0);
  } else if (!vector) {
    const std::uint64_t own = bytes_of(now, now.value(5), now.value(6));
    collective(now, comm, CollectiveOp::kGather, own, saturating_multiply(own, members(comm).size()));
  } else if (has_all(now, comm, 0)) {
    const std::vector<std::int32_t>& counts = now.call.lists[0];
    const std::uint64_t own = bytes_of(now, counts[static_cast<std::size_t>(comm.rank)], now.value(6));
    collective(now, comm, CollectiveOp::kGather, own, sum_of(now, counts, now.value(6)));
  }
}

void DumpiRecords::scatter(Now& now) {
  // Scatter: rank, count, datatype, root, communicator; at the root count and datatype of what it sends.
  // Scatterv: rank, size, datatype sent, count, datatype, root, communicator; at the root the counts sent.
  const bool vector = now.call.function == dumpi_number("Scatterv");
  const std::size_t first = vector ? 3 : 1;
  const Membership comm = comm_of(now, now.value(first + 3));
  const bool root = is_root(now, comm, now.value(first + 2));
  if (!now.status) return;
  if (!root) {
    collective(now, comm, CollectiveOp::kScatter, 0, bytes_of(now, now.value(first), now.value(first + 1)));
  } else if (!vector) {
    const std::uint64_t own = bytes_of(now, now.value(5), now.value(6));
    collective(now, comm, CollectiveOp::kScatter, saturating_multiply(own, members(comm).size()), own);
  } else if (has_all(now, comm, 0)) {
    const std::vector<std::int32_t>& counts = now.call.lists[0];
    const std::uint64_t own = bytes_of(now, counts[static_cast<std::size_t>(comm.rank)], now.value(2));
    collective(now, comm, CollectiveOp::kScatter, sum_of(now, counts, now.value(2)), own);
  }
}

void DumpiRecords::reduce_scatter(Now& now) {
  const Membership comm = comm_of(now, now.value(3));
  if (!has_all(now, comm, 0)) return;
  const std::vector<std::int32_t>& counts = now.call.lists[0];
  const std::uint64_t all = sum_of(now, counts, now.value(1));
  const std::uint64_t own = bytes_of(now, counts[static_cast<std::size_t>(comm.rank)], now.value(1));
  losses_.add(kReduceScatterLoss, kNoSuchOperation);
  const bool root = comm.rank == 0;
  collective(now, comm, CollectiveOp::kReduce, root ? 0 : all, root ? all : 0);
  collective(now, comm, CollectiveOp::kScatter, root ? all : 0, own);
}

void DumpiRecords::scan(Now& now) {
  constexpr std::int64_t kScans = 1 << 30;  // added to a communicator: no messages of the program
  const Membership comm = comm_of(now, now.value(3));
  const std::uint64_t bytes = bytes_of(now, now.value(0), now.value(1));
  if (!now.status) return;
  losses_.add(kScanLoss, kNoSuchOperation);
  const std::vector<TaskId>& all = members(comm);
  const auto self = static_cast<std::size_t>(comm.rank);
  const std::int64_t context = kScans + comm.comm;
  if (self > 0) {
    const std::uint64_t id = matcher_.receive(channel_of({context, all[self - 1], 0}, now.rank),
                                              now.call.offset, builder_.next_id());
    builder_.receive(now.rank, id, now.call.offset);
  }
  if (self + 1 == all.size()) return;
  const std::uint64_t id =
      matcher_.send(channel_of({context, now.rank, 0}, all[self + 1]), now.call.offset, builder_.next_id());
  builder_.send(now.rank, all[self + 1], id, bytes, now.call.offset);
}

void DumpiRecords::alltoall_vector(Now& now) {
  const bool types = now.call.function == dumpi_number("Alltoallw");
  const Membership comm = comm_of(now, now.call.values.back());
  if (!has_all(now, comm, 0)) return;
  std::uint64_t total = 0;
  if (types) {
    if (!has_all(now, comm, 2)) return;
    for (std::size_t i = 0; i < now.call.lists[0].size(); ++i)
      saturating_add_to(total, bytes_of(now, now.call.lists[0][i], now.call.lists[2][i]));
  } else {
    total = sum_of(now, now.call.lists[0], now.value(1));
  }
  losses_.add(kAlltoallvLoss, "VEF has no sizes per pair");
  collective(now, comm, CollectiveOp::kAlltoall, total, 1);  // 1: a total
}

/// A call in which all members of a communicator wait for each other.
bool DumpiRecords::barrier_call(Now& now) {
  const DumpiCall& call = now.call;
  const auto of = [&](std::unordered_map<std::int64_t, Membership>& handles, std::size_t i) {
    const auto found = handles.find(now.value(i));
    if (found != handles.end()) collective(now, found->second, CollectiveOp::kBarrier, 0, 0);
    return found;
  };
  switch (call.function) {
    case dumpi_number("Barrier"):
      collective(now, comm_of(now, now.value(0)), CollectiveOp::kBarrier, 0, 0);
      return true;
    case dumpi_number("Win_create"):
    case dumpi_number("File_open"): {
      const bool window = call.function == dumpi_number("Win_create");
      const Membership comm = comm_of(now, now.value(window ? 3 : 0));
      (window ? now.state.windows : now.state.files)[call.values.back()] = comm;
      collective(now, comm, CollectiveOp::kBarrier, 0, 0);
      return true;
    }
    case dumpi_number("Win_fence"):
      of(now.state.windows, 1);
      return true;
    case dumpi_number("Win_free"):
      if (const auto found = of(now.state.windows, 0); found != now.state.windows.end())
        now.state.windows.erase(found);
      return true;
    case dumpi_number("File_close"):
      if (const auto found = of(now.state.files, 0); found != now.state.files.end())
        now.state.files.erase(found);
      return true;
    default:
      return maker_call(now);
  }
}

/// A call that makes a communicator is a barrier of the one it is made from.
bool DumpiRecords::maker_call(Now& now) {
  const DumpiCall& call = now.call;
  if (!DumpiComms::makes(call.function)) return false;
  const std::int64_t parent = DumpiComms::parent_of(call.function, call.values);
  const auto known = now.state.comms.find(parent);
  if (parent != DumpiComms::kNull && known != now.state.comms.end() &&
      known->second.comm != DumpiComms::kUnknown)
    collective(now, known->second, CollectiveOp::kBarrier, 0, 0);
  now.state.comms[DumpiComms::number_of_made(call)] = comms_.made(now.rank, now.state.comms_made++);
  return true;
}

bool DumpiRecords::collective_call(Now& now) {
  const DumpiCall& call = now.call;
  switch (call.function) {
    case dumpi_number("Bcast"): {
      const Membership comm = comm_of(now, now.value(3));
      const bool root = task_of(now, comm, now.value(2), "root") == now.rank;
      const std::uint64_t bytes = bytes_of(now, now.value(0), now.value(1));
      collective(now, comm, CollectiveOp::kBroadcast, root ? bytes : 0, root ? 0 : bytes);
      return true;
    }
    case dumpi_number("Reduce"): {
      const Membership comm = comm_of(now, now.value(4));
      const bool root = task_of(now, comm, now.value(3), "root") == now.rank;
      const std::uint64_t bytes = bytes_of(now, now.value(0), now.value(1));
      collective(now, comm, CollectiveOp::kReduce, root ? 0 : bytes, root ? bytes : 0);
      return true;
    }
    case dumpi_number("Allreduce"): {
      const std::uint64_t bytes = bytes_of(now, now.value(0), now.value(1));
      collective(now, comm_of(now, now.value(3)), CollectiveOp::kAllreduce, bytes, bytes);
      return true;
    }
    case dumpi_number("Allgather"):
    case dumpi_number("Alltoall"): {
      const Membership comm = comm_of(now, now.value(4));
      const std::uint64_t own = bytes_of(now, now.value(2), now.value(3));
      if (call.function == dumpi_number("Alltoall")) {
        collective(now, comm, CollectiveOp::kAlltoall, own, 0);
      } else {
        collective(now, comm, CollectiveOp::kAllgather, own, saturating_multiply(own, members(comm).size()));
      }
      return true;
    }
    case dumpi_number("Allgatherv"): {
      const Membership comm = comm_of(now, now.value(4));
      if (!has_all(now, comm, 0)) return true;
      const std::vector<std::int32_t>& counts = call.lists[0];
      const std::uint64_t own = bytes_of(now, counts[static_cast<std::size_t>(comm.rank)], now.value(3));
      collective(now, comm, CollectiveOp::kAllgather, own, sum_of(now, counts, now.value(3)));
      return true;
    }
    case dumpi_number("Gather"):
    case dumpi_number("Gatherv"):
      gather(now);
      return true;
    case dumpi_number("Scatter"):
    case dumpi_number("Scatterv"):
      scatter(now);
      return true;
    case dumpi_number("Alltoallv"):
    case dumpi_number("Alltoallw"):
      alltoall_vector(now);
      return true;
    case dumpi_number("Reduce_scatter"):
      reduce_scatter(now);
      return true;
    case dumpi_number("Scan"):
    case dumpi_number("Exscan"):
      scan(now);
      return true;
    default:
      return barrier_call(now);
  }
}

}  // namespace vef::neighbours
