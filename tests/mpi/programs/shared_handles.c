/* SPDX-License-Identifier: Apache-2.0 */
/* Small sends that complete at once all get the same handle from both libraries. */
/*@ *: Init */
/*@ 0: Isend comm=0 peer=1 tag=0 bytes=4 req=1 */
/*@ 0: Isend comm=0 peer=1 tag=1 bytes=4 req=2 */
/*@ 0: Isend comm=0 peer=1 tag=2 bytes=4 req=3 */
/*@ 0: Isend comm=0 peer=1 tag=3 bytes=4 req=4 */
/*@ 0: Waitall done=1:sent done=2:sent done=3:sent done=4:sent */
/*@ 0: Isend comm=0 peer=1 tag=4 bytes=4 req=5 */
/*@ 0: Isend comm=0 peer=1 tag=5 bytes=4 req=6 */
/*@ 0: Wait done=5:sent */
/*@ 0: Request_free req=6 */
/*@ 1: Irecv comm=0 peer=0 tag=0 bytes=4 req=1 */
/*@ 1: Irecv comm=0 peer=0 tag=1 bytes=4 req=2 */
/*@ 1: Irecv comm=0 peer=0 tag=2 bytes=4 req=3 */
/*@ 1: Irecv comm=0 peer=0 tag=3 bytes=4 req=4 */
/*@ 1: Waitall done=1:0/0/4 done=2:0/1/4 done=3:0/2/4 done=4:0/3/4 */
/*@ 1: Recv comm=0 peer=0 tag=4 bytes=4 got=0/4/4 */
/*@ 1: Recv comm=0 peer=0 tag=5 bytes=4 got=0/5/4 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, values[4] = {0};
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; ++i) {
    if (rank == 0) {
      values[i] = i + 1;
      MPI_Isend(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    } else {
      MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
  MPI_Waitall(4, requests, statuses);
  if (rank == 0) {
    MPI_Isend(&rank, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
  } else {
    MPI_Recv(values, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(values, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  printf("rank %d %d\n", rank, values[3]);
  MPI_Finalize();
  return 0;
}
