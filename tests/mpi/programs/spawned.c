/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes spawn three more, to which they give the numbers 2 to 4; the children's recording is merged
 * with theirs. Debian's MPICH cannot spawn. */
/*@ merged@openmpi tasks=5 messages=2 faults=0 */
/*@ merged@mpich tasks=2 messages=0 faults=0 */
/*@ says recorded in capture */
/*@ *: Init */
/*@ 0@openmpi: ~Comm_spawn comm=0 new=2 flags=5 members=0\+1x2 remote=2\+1x3 asked=3 text='.+spawned' */
/*@ 1@openmpi: Comm_spawn comm=0 new=2 flags=5 members=0+1x2 remote=2+1x3 */
/*@ 0@openmpi: Send comm=2 peer=2 tag=5 bytes=4 */
/*@ 1@openmpi: Recv comm=2 peer=any tag=any bytes=4 got=1/6/4 */
/*@ *@openmpi: Comm_disconnect comm=2 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPEN_MPI
  MPI_Comm parents, children;
  MPI_Comm_get_parent(&parents);
  if (parents == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 2, 5, children);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, children, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&children);
  } else {
    if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 5, parents, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 1, 6, parents);
    MPI_Comm_disconnect(&parents);
  }
#else
  (void)argv;
#endif
  printf("rank %d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
