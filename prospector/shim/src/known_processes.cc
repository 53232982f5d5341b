// SPDX-License-Identifier: Apache-2.0
#include "known_processes.h"

#include <algorithm>

#include "mpi_library.h"
#include "world.h"

namespace vef::shim {

namespace {

/// False: the library refuses. `all`: each has a number.
bool translate(MPI_Group group, int size, const int* positions, MPI_Group known, int* numbers, bool& all) {
  if (pmpi.group_translate_ranks(group, size, positions, known, numbers) != MPI_SUCCESS) return false;
  all = std::find(numbers, numbers + size, MPI_UNDEFINED) == numbers + size;
  return true;
}

}  // namespace

KnownProcesses known_processes;

bool KnownProcesses::number(MPI_Group group, int size, const int* positions, int* numbers) {
  bool all = false;
  if (!translate(group, size, positions, world.group, numbers, all)) return false;
  if (all) return true;
  const TableGuard guard(lock_);
  if (known_ && !translate(group, size, positions, group_, numbers, all)) return false;
  return all || (meet(group) && translate(group, size, positions, group_, numbers, all) && all);
}

/// A union keeps the members of the first group in their order, and the new ones in that of the second.
bool KnownProcesses::meet(MPI_Group group) {
  MPI_Group more{};
  if (pmpi.group_union(known_ ? group_ : world.group, group, &more) != MPI_SUCCESS) return false;
  if (known_) pmpi.group_free(&group_);
  group_ = more;
  known_ = true;
  return true;
}

}  // namespace vef::shim
