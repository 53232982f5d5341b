// SPDX-License-Identifier: Apache-2.0
// Numbers for the processes that this one knows: those of its world by their ranks, those of other worlds
// from the world's size on, in the order in which it meets them. Local calls only.
#pragma once

#include <mpi.h>

#include "lock.h"

namespace vef::shim {

class KnownProcesses {
 public:
  /// Numbers the members 0, 1, ... of a group (`positions` holds these). False: the library refuses.
  bool number(MPI_Group group, int size, const int* positions, int* numbers);

 private:
  bool meet(MPI_Group group);

  SpinLock lock_;
  MPI_Group group_{};   // members in the order of their numbers
  bool known_ = false;  // `group_` is there: some process of another world was met
};

extern KnownProcesses known_processes;

}  // namespace vef::shim
