/* SPDX-License-Identifier: Apache-2.0 */
/* A rank ends by SIGKILL, and the launcher kills the others: everything up to there is in the logs. */
/*@ plain no */
/*@ status failed */
/*@ end cut off */
/*@ *: Init */
/*@ 1: Send comm=0 peer=0 tag=1 bytes=4 */
/*@ 1: Send comm=0 peer=0 tag=2 bytes=4 */
/*@ 0: Recv comm=0 peer=1 tag=1 bytes=4 got=1/1/4 */
/*@ 0: Recv comm=0 peer=1 tag=2 bytes=4 got=1/2/4 */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int tag = 1; tag <= 2; ++tag) {
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    usleep(300000); /* for rank 0 to receive */
    kill(getpid(), SIGKILL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
