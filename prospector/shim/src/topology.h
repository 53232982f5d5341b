// SPDX-License-Identifier: Apache-2.0
// The neighbours of this process in the topology of a communicator, as the neighbourhood collectives take
// them (MPI 4.0, section 8.6): in a grid, for each dimension the neighbour below and the one above; in a
// graph, in the order of the graph. Local calls only.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace vef::shim {

class Topology {
 public:
  Topology(MPI_Comm comm, int rank);

  int sources() const { return sources_; }
  int destinations() const { return destinations_; }

  /// Bit i: neighbour i is MPI_PROC_NULL. Only a grid has such, and no grid more than 32 dimensions.
  std::uint64_t absent() const;

  /// Writes the neighbours; false where the library does not tell. `weights`: room for as many numbers in
  /// all.
  bool list(int* sources, int* destinations, int* weights) const;

 private:
  bool list_grid(int* neighbours) const;

  MPI_Comm comm_;
  int rank_;
  int kind_ = MPI_UNDEFINED;
  int sources_ = 0;
  int destinations_ = 0;
};

}  // namespace vef::shim
