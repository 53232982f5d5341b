/* SPDX-License-Identifier: Apache-2.0 */
/* Two halves with an inter-communicator between them: messages, collectives with MPI_ROOT, merge. */
/*@ ranks 3 */
/*@ *: Init */
/*@ 0,2: Comm_split comm=0 new=2 members=0+2x2 */
/*@ 1: Comm_split comm=0 new=2 members=1 */
/*@ 0,2: Intercomm_create comm=2 new=3 flags=1 members=0+2x2 remote=1 */
/*@ 1: Intercomm_create comm=2 new=3 flags=1 members=1 remote=0+2x2 */
/*@ 2: Send comm=3 peer=0 tag=4 bytes=4 */
/*@ 1: Recv comm=3 peer=any tag=4 bytes=4 got=1/4/4 */
/*@ 0: Bcast comm=3 root=here bytes=8 recv=0 */
/*@ 2: Bcast comm=3 root=null bytes=0 recv=0 */
/*@ 1: Bcast comm=3 root=0 bytes=0 recv=8 */
/*@ 1: Gather comm=3 root=here bytes=0 recv=16 */
/*@ 0,2: Gather comm=3 root=0 bytes=8 recv=0 */
/*@ 0,2: Allgather comm=3 bytes=8 recv=8 */
/*@ 1: Allgather comm=3 bytes=8 recv=16 */
/*@ *: Intercomm_merge comm=3 new=4 members=0+2x2,1 */
/*@ *: Barrier comm=4 bytes=0 recv=0 */
/*@ *: Comm_free comm=3 */
/*@ *: Comm_disconnect comm=4 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value[2] = {0}, all[8];
  MPI_Comm half, inter, merged;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int side = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? 1 : 0, 8, &inter);
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 4, inter);
  if (rank == 1) MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, MPI_STATUS_IGNORE);
  MPI_Bcast(value, 2, MPI_INT, rank == 0 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 0, inter);
  MPI_Gather(value, 2, MPI_INT, all, 2, MPI_INT, rank == 1 ? MPI_ROOT : 0, inter);
  MPI_Allgather(value, 2, MPI_INT, all, 2, MPI_INT, inter);
  MPI_Intercomm_merge(inter, side, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&inter);
  MPI_Comm_disconnect(&merged);
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
