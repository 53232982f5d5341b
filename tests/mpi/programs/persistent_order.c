/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent collectives match in the order in which they were made (MPI 4.0, section 6.13): each process may
 * start them as it likes. Rank 1 starts the barrier first. */
/*@ merged collectives=4 messages=0 faults=0 */
/*@ *: Init */
/*@ *@mpich: Bcast_init comm=0 root=0 bytes={4*(1-r)} recv={4*r} req=1 */
/*@ *@mpich: Barrier_init comm=0 bytes=0 recv=0 req=2 */
/*@ *@openmpi: MPIX_Bcast_init comm=0 root=0 bytes={4*(1-r)} recv={4*r} req=1 */
/*@ *@openmpi: MPIX_Barrier_init comm=0 bytes=0 recv=0 req=2 */
/*@ *: Start reqs={1+r} */
/*@ *: Start reqs={2-r} */
/*@ *: Waitall done=1:sent done=2:sent */
/*@ *: Start reqs={1+r} */
/*@ *: Start reqs={2-r} */
/*@ *: Waitall done=1:sent done=2:sent */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Barrier_init MPIX_Barrier_init
#endif

int main(int argc, char** argv) {
  int rank, value;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = rank == 0 ? 42 : 0;
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&requests[rank]);
    MPI_Start(&requests[1 - rank]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  printf("rank %d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
