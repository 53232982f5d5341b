/* SPDX-License-Identifier: Apache-2.0 */
/* Recording switched off and on; communicators and completions are kept also while it is off. */
/*@ *: Init */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Irecv comm=0 peer={1-r} tag=1 bytes=4 req=1 */
/*@ *: pause */
/*@ *: Wait done=1:{1-r}/1/4 */
/*@ *: pause */
/*@ *: Comm_dup comm=0 new=2 members=0+1x2 */
/*@ *: pause */
/*@ *: Barrier comm=2 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Comm copy;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(copy);
  MPI_Pcontrol(1);
  MPI_Barrier(copy);
  printf("rank %d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
