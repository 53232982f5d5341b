// SPDX-License-Identifier: Apache-2.0
#include "collectives.h"

#include <bit>

namespace vef::shim {
namespace {

/// What is asked again and again: who am I in this operation.
struct View {
  const CollectiveArguments& a;
  const Communicator& comm;
  Thread& thread;
  RankEvent& event;

  bool is_root() const { return comm.is_inter() ? a.root == MPI_ROOT : a.root == comm.rank; }
  /// Inter-communicators: on the root's side, but not the root; takes no part.
  bool is_idle() const { return comm.is_inter() && a.root == MPI_PROC_NULL; }
  std::uint64_t peers() const { return static_cast<std::uint64_t>(comm.peers()); }
  std::size_t me() const { return static_cast<std::size_t>(comm.rank); }
  bool sends_in_place() const { return a.sbuf == MPI_IN_PLACE; }
  bool receives_in_place() const { return a.rbuf == MPI_IN_PLACE; }
};

/// Size of block i of a vector of counts with one type (types null) or a type each.
std::uint64_t block(const Counts& counts, MPI_Datatype type, const MPI_Datatype* types, std::size_t i) {
  return bytes_of(counts[i], types != nullptr ? types[i] : type);
}

/// Whose blocks, and whether their sizes also become those of the event.
enum class Blocks { kPeers, kKeptPeers, kNeighbours, kKeptNeighbours };

/// Total of `blocks` blocks.
std::uint64_t total(const View& v, const Counts& counts, MPI_Datatype type, const MPI_Datatype* types,
                    std::uint64_t blocks, Blocks whose) {
  const bool keep = whose == Blocks::kKeptPeers || whose == Blocks::kKeptNeighbours;
  const bool neighbours = whose == Blocks::kNeighbours || whose == Blocks::kKeptNeighbours;
  if (!counts || (keep && !v.thread.numbers.reserve(blocks))) return 0;
  const std::uint64_t unit = types == nullptr ? bytes_of(1, type) : 0;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const MPI_Count count = neighbours && v.comm.is_absent(i) ? 0 : counts[i];
    const std::uint64_t size = types != nullptr ? bytes_of(count, types[i])
                               : count > 0      ? static_cast<std::uint64_t>(count) * unit
                                                : 0;
    sum += size;
    if (keep) v.thread.numbers[i] = size;
  }
  if (keep) v.event.sizes = {v.thread.numbers.data(), blocks};
  return sum;
}

void measure_bcast(const View& v) {
  const std::uint64_t size = bytes_of(v.a.count, v.a.type);
  (v.is_root() ? v.event.bytes : v.event.recv_bytes) = size;
}

void measure_reduce(const View& v) {
  const std::uint64_t size = bytes_of(v.a.count, v.a.type);
  (v.is_root() ? v.event.recv_bytes : v.event.bytes) = size;
}

void measure_gather(const View& v, bool vector) {
  if (!v.is_root()) {
    v.event.bytes = bytes_of(v.a.scount, v.a.stype);
    return;
  }
  v.event.recv_bytes = vector ? total(v, v.a.rcounts, v.a.rtype, nullptr, v.peers(), Blocks::kKeptPeers)
                              : bytes_of(v.a.rcount, v.a.rtype) * v.peers();
  if (v.comm.is_inter()) return;
  if (!v.sends_in_place()) {
    v.event.bytes = bytes_of(v.a.scount, v.a.stype);
  } else {
    v.event.bytes = vector ? block(v.a.rcounts, v.a.rtype, nullptr, v.me()) : bytes_of(v.a.rcount, v.a.rtype);
  }
}

void measure_scatter(const View& v, bool vector) {
  if (!v.is_root()) {
    v.event.recv_bytes = bytes_of(v.a.rcount, v.a.rtype);
    return;
  }
  v.event.bytes = vector ? total(v, v.a.scounts, v.a.stype, nullptr, v.peers(), Blocks::kKeptPeers)
                         : bytes_of(v.a.scount, v.a.stype) * v.peers();
  if (v.comm.is_inter()) return;
  if (!v.receives_in_place()) {
    v.event.recv_bytes = bytes_of(v.a.rcount, v.a.rtype);
  } else {
    v.event.recv_bytes =
        vector ? block(v.a.scounts, v.a.stype, nullptr, v.me()) : bytes_of(v.a.scount, v.a.stype);
  }
}

void measure_allgather(const View& v, bool vector) {
  v.event.recv_bytes = vector ? total(v, v.a.rcounts, v.a.rtype, nullptr, v.peers(), Blocks::kKeptPeers)
                              : bytes_of(v.a.rcount, v.a.rtype) * v.peers();
  if (!v.sends_in_place()) {
    v.event.bytes = bytes_of(v.a.scount, v.a.stype);
  } else {
    v.event.bytes = vector ? block(v.a.rcounts, v.a.rtype, nullptr, v.me()) : bytes_of(v.a.rcount, v.a.rtype);
  }
}

void measure_alltoall(const View& v) {
  v.event.recv_bytes = bytes_of(v.a.rcount, v.a.rtype);
  v.event.bytes = v.sends_in_place() ? v.event.recv_bytes : bytes_of(v.a.scount, v.a.stype);
}

void measure_alltoallv(const View& v) {
  v.event.recv_bytes = total(v, v.a.rcounts, v.a.rtype, v.a.rtypes, v.peers(),
                             v.sends_in_place() ? Blocks::kKeptPeers : Blocks::kPeers);
  v.event.bytes = v.sends_in_place()
                      ? v.event.recv_bytes
                      : total(v, v.a.scounts, v.a.stype, v.a.stypes, v.peers(), Blocks::kKeptPeers);
}

/// The blocks are those of the local group, on inter-communicators too.
void measure_reduce_scatter(const View& v, bool vector) {
  const auto members = static_cast<std::uint64_t>(v.comm.size);
  if (vector) {
    v.event.bytes = total(v, v.a.rcounts, v.a.type, nullptr, members, Blocks::kKeptPeers);
    v.event.recv_bytes = block(v.a.rcounts, v.a.type, nullptr, v.me());
  } else {
    v.event.recv_bytes = bytes_of(v.a.count, v.a.type);
    v.event.bytes = v.event.recv_bytes * members;
  }
}

/// Neighbours of this process that exist: all but those beyond the border of a grid.
std::uint64_t existing(const View& v, std::int32_t neighbours) {
  return static_cast<std::uint64_t>(neighbours) - static_cast<std::uint64_t>(std::popcount(v.comm.absent));
}

/// allgather: one block to all neighbours; alltoall: a block for each.
void measure_neighbor(const View& v, bool to_each) {
  const auto sources = static_cast<std::uint64_t>(v.comm.sources);
  const auto destinations = static_cast<std::uint64_t>(v.comm.destinations);
  v.event.recv_bytes = v.a.rcounts
                           ? total(v, v.a.rcounts, v.a.rtype, v.a.rtypes, sources, Blocks::kNeighbours)
                           : bytes_of(v.a.rcount, v.a.rtype) * existing(v, v.comm.sources);
  if (v.a.scounts) {
    v.event.bytes = total(v, v.a.scounts, v.a.stype, v.a.stypes, destinations, Blocks::kKeptNeighbours);
  } else {
    v.event.bytes = bytes_of(v.a.scount, v.a.stype) * (to_each ? existing(v, v.comm.destinations) : 1);
  }
}

void measure_shape(const View& v) {
  const std::uint64_t size =
      v.a.shape == Shape::kAllreduce || v.a.shape == Shape::kScan ? bytes_of(v.a.count, v.a.type) : 0;
  switch (v.a.shape) {
    case Shape::kBarrier:
      return;
    case Shape::kBcast:
      return measure_bcast(v);
    case Shape::kReduce:
      return measure_reduce(v);
    case Shape::kAllreduce:
    case Shape::kScan:
      v.event.bytes = size;
      v.event.recv_bytes = size;
      return;
    case Shape::kGather:
      return measure_gather(v, false);
    case Shape::kGatherv:
      return measure_gather(v, true);
    case Shape::kScatter:
      return measure_scatter(v, false);
    case Shape::kScatterv:
      return measure_scatter(v, true);
    case Shape::kAllgather:
      return measure_allgather(v, false);
    case Shape::kAllgatherv:
      return measure_allgather(v, true);
    case Shape::kAlltoall:
      return measure_alltoall(v);
    case Shape::kAlltoallv:
    case Shape::kAlltoallw:
      return measure_alltoallv(v);
    case Shape::kReduceScatter:
      return measure_reduce_scatter(v, true);
    case Shape::kReduceScatterBlock:
      return measure_reduce_scatter(v, false);
    case Shape::kNeighborAllgather:
    case Shape::kNeighborAllgatherv:
      return measure_neighbor(v, false);
    case Shape::kNeighborAlltoall:
    case Shape::kNeighborAlltoallv:
    case Shape::kNeighborAlltoallw:
      return measure_neighbor(v, true);
  }
}

}  // namespace

void measure(const CollectiveArguments& arguments, const Communicator& comm, Thread& thread,
             RankEvent& event) {
  event.comm = comm.number;
  event.peer = arguments.root == MPI_UNDEFINED ? formats::kUndefined : canonical_rank(arguments.root);
  const View view{arguments, comm, thread, event};
  if (view.is_idle()) return;
  measure_shape(view);
}

}  // namespace vef::shim
