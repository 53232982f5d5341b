/* SPDX-License-Identifier: Apache-2.0 */
/* A cancelled receive, and one that was matched before it could be cancelled. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Irecv comm=1 peer=0 tag=1 bytes=4 req=1 */
/*@ 0: Cancel req=1 */
/*@ 0: Wait done=1:cancelled */
/*@ 0: Irecv comm=1 peer=0 tag=2 bytes=4 req=2 */
/*@ 0: Send comm=1 peer=0 tag=2 bytes=4 */
/*@ 0: Cancel req=2 */
/*@ 0: Waitall done=2:0/2/4 */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 0, sent = 3, cancelled = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
  MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  MPI_Cancel(&request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  printf("%d %d\n", cancelled, value);
  MPI_Finalize();
  return 0;
}
