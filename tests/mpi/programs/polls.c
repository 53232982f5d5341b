/* SPDX-License-Identifier: Apache-2.0 */
/* Failed polls are folded into one line, however many there were. */
/*@ *: Init */
/*@ 0: Send comm=0 peer=1 tag=1 bytes=4 */
/*@ 0: Send comm=0 peer=1 tag=2 bytes=4 */
/*@ 1: ~polls count=[1-9]\d* */
/*@ 1: Iprobe comm=0 peer=0 tag=1 got=0/1/4 */
/*@ 1: Recv comm=0 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ 1: Irecv comm=0 peer=0 tag=2 bytes=4 req=1 */
/*@ 1: ~polls count=[1-9]\d* */
/*@ 1: Test done=1:0/2/4 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 3, flag = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int tag = 1; tag <= 2; ++tag) {
      usleep(300000);
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
  } else {
    while (!flag) MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
