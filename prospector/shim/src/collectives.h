// SPDX-License-Identifier: Apache-2.0
// The sizes of a collective operation as this rank sees it, from the arguments that MPI lets this rank look
// at (MPI 4.0, chapter 6): those significant only at the root are read only there, send arguments never with
// MPI_IN_PLACE, receive arguments never at a rank that receives nothing.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "recorder.h"

namespace vef::shim {

enum class Shape : std::uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
};

/// An array of counts, int or MPI_Count.
class Counts {
 public:
  Counts() = default;
  Counts(const int* counts) : small_(counts) {}        // NOLINT: implicit by design
  Counts(const MPI_Count* counts) : large_(counts) {}  // NOLINT: implicit by design
  MPI_Count operator[](std::size_t i) const { return small_ != nullptr ? small_[i] : large_[i]; }
  explicit operator bool() const { return small_ != nullptr || large_ != nullptr; }

 private:
  const int* small_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

/// The arguments of any collective; those a function does not have stay as they are here.
struct CollectiveArguments {
  Shape shape;
  MPI_Comm comm;
  int root = MPI_UNDEFINED;
  const void* sbuf = nullptr;
  const void* rbuf = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type{};
  MPI_Count scount = 0;
  MPI_Datatype stype{};
  MPI_Count rcount = 0;
  MPI_Datatype rtype{};
  Counts scounts{};
  Counts rcounts{};
  const MPI_Datatype* stypes = nullptr;
  const MPI_Datatype* rtypes = nullptr;
};

/// Sets comm, peer, bytes, recv_bytes and sizes of `event`; the sizes lie in `thread`'s scratch.
void measure(const CollectiveArguments& arguments, const Communicator& comm, Thread& thread,
             RankEvent& event);

}  // namespace vef::shim
