/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent collectives: each MPI_Start begins one. Open MPI 4.1 has them under the names they had before
 * MPI 4.0. */
/* In the trace: two all-reduces, a gather, an all-to-all, a barrier. */
/*@ merged collectives=5 messages=0 faults=0 */
/*@ *: Init */
/*@ *@mpich: Allreduce_init comm=0 bytes=12 recv=12 req=1 */
/*@ *@mpich: Gather_init comm=0 root=1 bytes=4 recv={8*r} req=2 */
/*@ *@mpich: Alltoallv_init comm=0 bytes={4*(r+2)} recv={8+4*r} sizes=4,{4*(r+1)} req=3 */
/*@ *@openmpi: MPIX_Allreduce_init comm=0 bytes=12 recv=12 req=1 */
/*@ *@openmpi: MPIX_Gather_init comm=0 root=1 bytes=4 recv={8*r} req=2 */
/*@ *@openmpi: MPIX_Alltoallv_init comm=0 bytes={4*(r+2)} recv={8+4*r} sizes=4,{4*(r+1)} req=3 */
/*@ *: Start reqs=1 */
/*@ *: Wait done=1:sent */
/*@ *: Startall reqs=1,2,3 */
/*@ *: Waitall done=1:sent done=2:sent done=3:sent */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif

int main(int argc, char** argv) {
  int rank, in[8] = {0}, all[8] = {0}, gathered[2] = {0};
  const int out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, displs[2] = {0, 4};
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* To rank 0 one number, to rank 1 one more than the sender's rank: rank 0 gets 1 and 1, rank 1 gets 1
   * and 2. */
  const int sent[2] = {1, rank + 1}, received[2] = {1, rank == 0 ? 1 : 2};
  MPI_Allreduce_init(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Gather_init(&rank, 1, MPI_INT, gathered, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Alltoallv_init(out, sent, displs, MPI_INT, all, received, displs, MPI_INT, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &requests[2]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Startall(3, requests);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); /* inactive: nothing completes */
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d %d %d\n", rank, in[0], all[4], gathered[1]);
  MPI_Finalize();
  return 0;
}
