// SPDX-License-Identifier: Apache-2.0
// The processes that were started together with this one: MPI_COMM_WORLD, or in a program of MPI sessions the
// process set mpi://WORLD. Local calls only.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace vef::shim {

struct World {
  MPI_Group group{};  // what the members of communicators are counted in
  std::int32_t rank = 0;
  std::int32_t size = 0;
};
extern World world;

/// MPI_Init has been called. Otherwise MPI_COMM_WORLD must not be touched.
bool is_initialized();

/// Sets `world`. False: MPI is not initialised, and no session is known.
bool find_world();

bool world_has_concurrent_threads();

#if MPI_VERSION >= 4
/// A session of the program, through which its world can be asked for.
void set_session(MPI_Session session);
#endif

}  // namespace vef::shim
