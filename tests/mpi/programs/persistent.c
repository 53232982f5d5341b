/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent requests: started one by one and together, completed, waited for while inactive, freed. */
/*@ *: Init */
/*@ 0: Send_init comm=0 peer=1 tag=1 bytes=8 req=1 */
/*@ 0: Ssend_init comm=0 peer=1 tag=2 bytes=8 req=2 */
/*@ 1: Recv_init comm=0 peer=any tag=1 bytes=80 req=1 */
/*@ 1: Recv_init comm=0 peer=0 tag=any bytes=80 req=2 */
/*@ *: Start reqs=1 */
/*@ 0: Wait done=1:sent */
/*@ 1: Wait done=1:0/1/8 */
/*@ *: Startall reqs=1,2 */
/*@ 0: Waitall done=1:sent done=2:sent */
/*@ 1: Waitall done=1:0/1/8 done=2:0/2/8 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  double data[2][10] = {{1}, {2}};
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send_init(data[0], 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(data[1], 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[1]);
  } else {
    MPI_Recv_init(data[0], 10, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(data[1], 10, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  }
  MPI_Wait(&requests[0], &status); /* inactive: returns at once, and is no event */
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  printf("rank %d %g\n", rank, data[1][0]);
  MPI_Finalize();
  return 0;
}
