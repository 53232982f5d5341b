/* SPDX-License-Identifier: Apache-2.0 */
/* Waitsome, Testsome and Testany over many receives; how many complete together varies, each completes once.
 */
/*@ count 0: 40 ^Send */
/*@ count 1: 40 ^Irecv */
/*@ count 1: 1 done=7:0/7/4 */
/*@ count 1: 1 done=40:0/40/4 */
/*@ count 1: 0 done=\d+:[1-9] */
#include <mpi.h>
#include <stdio.h>

enum { kMessages = 40 };

int main(int argc, char** argv) {
  int rank, values[kMessages], indices[kMessages], outcount, index, flag, left = kMessages, sum = 0;
  MPI_Request requests[kMessages];
  MPI_Status statuses[kMessages];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < kMessages; ++i) {
    values[i] = i;
    /* Request numbers begin at 1, so the tags do. */
    if (rank == 1) MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, i + 1, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = kMessages; rank == 0 && i-- > 0;) MPI_Send(&values[i], 1, MPI_INT, 1, i + 1, MPI_COMM_WORLD);
  while (rank == 1 && left > 20) {
    MPI_Waitsome(kMessages, requests, &outcount, indices, MPI_STATUSES_IGNORE);
    left -= outcount;
  }
  while (rank == 1 && left > 10) {
    MPI_Testsome(kMessages, requests, &outcount, indices, statuses);
    left -= outcount;
  }
  while (rank == 1 && left > 0) {
    MPI_Testany(kMessages, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (flag && index != MPI_UNDEFINED) --left;
  }
  for (int i = 0; i < kMessages; ++i) sum += values[i];
  printf("rank %d %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
