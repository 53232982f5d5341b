// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include "mpi_library.h"

namespace vef::shim {

World world;

namespace {

#if MPI_VERSION >= 4
MPI_Session known_session = MPI_SESSION_NULL;

bool find_world_of_session() {
  return known_session != MPI_SESSION_NULL && pmpi.group_from_session_pset != nullptr &&
         pmpi.group_from_session_pset(known_session, "mpi://WORLD", &world.group) == MPI_SUCCESS &&
         pmpi.group_rank(world.group, &world.rank) == MPI_SUCCESS &&
         pmpi.group_size(world.group, &world.size) == MPI_SUCCESS;
}
#else
bool find_world_of_session() { return false; }
#endif

}  // namespace

bool is_initialized() {
  int initialized = 0;
  pmpi.initialized(&initialized);
  return initialized != 0;
}

bool find_world() {
  if (!is_initialized()) return find_world_of_session();
  return pmpi.comm_rank(mpi.comm_world, &world.rank) == MPI_SUCCESS &&
         pmpi.comm_size(mpi.comm_world, &world.size) == MPI_SUCCESS &&
         pmpi.comm_group(mpi.comm_world, &world.group) == MPI_SUCCESS;
}

bool world_has_concurrent_threads() {
  if (!is_initialized()) return true;  // each session has a level of its own
  int level = MPI_THREAD_SINGLE;
  pmpi.query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

#if MPI_VERSION >= 4
void set_session(MPI_Session session) { known_session = session; }
#endif

}  // namespace vef::shim
