/* SPDX-License-Identifier: Apache-2.0 */
/* Matched probes and receives, blocking and not. */
/*@ *: Init */
/*@ 1: Send comm=0 peer=0 tag=1 bytes=12 */
/*@ 1: Send comm=0 peer=0 tag=2 bytes=24 */
/*@ 0: Mprobe comm=0 peer=any tag=any message=1 got=1/1/12 */
/*@ 0: Improbe comm=0 peer=1 tag=2 message=2 got=1/2/24 */
/*@ 0: Imrecv message=2 bytes=40 req=3 */
/*@ 0: Mrecv message=1 bytes=40 got=1/1/12 */
/*@ 0: Wait done=3:1/2/24 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, flag = 0, data[10] = {4, 5, 6};
  MPI_Request request;
  MPI_Message first, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Send(data, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(data, 6, MPI_INT, 0, 2, MPI_COMM_WORLD);
  } else {
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
    while (!flag) MPI_Improbe(1, 2, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
    MPI_Imrecv(data, 10, MPI_INT, &second, &request);
    MPI_Mrecv(data, 10, MPI_INT, &first, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  printf("rank %d %d\n", rank, data[2]);
  MPI_Finalize();
  return 0;
}
