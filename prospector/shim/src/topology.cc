// SPDX-License-Identifier: Apache-2.0
#include "topology.h"

#include <algorithm>
#include <cstddef>

#include "mpi_library.h"

namespace vef::shim {

namespace {

constexpr int kMostGridNeighbours = 64;

}  // namespace

Topology::Topology(MPI_Comm comm, int rank) : comm_(comm), rank_(rank) {
  pmpi.topo_test(comm, &kind_);
  int weighted = 0;
  if (kind_ == MPI_CART) {
    pmpi.cartdim_get(comm, &sources_);
    sources_ = std::clamp(sources_ * 2, 0, kMostGridNeighbours);
    destinations_ = sources_;
  } else if (kind_ == MPI_GRAPH) {
    pmpi.graph_neighbors_count(comm, rank, &sources_);
    destinations_ = sources_;
  } else if (kind_ == MPI_DIST_GRAPH) {
    pmpi.dist_graph_neighbors_count(comm, &sources_, &destinations_, &weighted);
  }
  sources_ = std::max(sources_, 0);
  destinations_ = std::max(destinations_, 0);
}

std::uint64_t Topology::absent() const {
  int neighbours[kMostGridNeighbours];
  if (kind_ != MPI_CART || !list_grid(neighbours)) return 0;
  std::uint64_t bits = 0;
  for (int i = 0; i < sources_; ++i) {
    if (neighbours[i] == MPI_PROC_NULL) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

bool Topology::list(int* sources, int* destinations, int* weights) const {
  if (kind_ == MPI_DIST_GRAPH) {
    return pmpi.dist_graph_neighbors(comm_, sources_, sources, weights, destinations_, destinations,
                                     weights + sources_) == MPI_SUCCESS;
  }
  const bool known = kind_ == MPI_CART ? list_grid(sources)
                                       : pmpi.graph_neighbors(comm_, rank_, sources_, sources) == MPI_SUCCESS;
  if (known) std::copy_n(sources, sources_, destinations);
  return known;
}

bool Topology::list_grid(int* neighbours) const {
  for (int dimension = 0; dimension < sources_ / 2; ++dimension) {
    int* const pair = neighbours + std::ptrdiff_t{2} * dimension;
    if (pmpi.cart_shift(comm_, dimension, 1, &pair[0], &pair[1]) != MPI_SUCCESS) return false;
  }
  return true;
}

}  // namespace vef::shim
