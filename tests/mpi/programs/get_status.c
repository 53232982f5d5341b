/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Request_get_status tells that a request is complete; the Wait after it is no second completion. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Irecv comm=1 peer=any tag=1 bytes=4 req=1 */
/*@ 0: Send comm=1 peer=0 tag=1 bytes=4 */
/*@ 0: Request_get_status done=1:0/1/4 */
/*@ 0: Barrier comm=1 bytes=0 recv=0 */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 1, in = 0, flag = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
  MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_SELF);
  printf("%d\n", in);
  MPI_Finalize();
  return 0;
}
