/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are freed while active: they complete unseen. A freed inactive one is no event. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Irecv comm=1 peer=0 tag=1 bytes=4 req=1 */
/*@ 0: Request_free req=1 */
/*@ 0: Send_init comm=1 peer=0 tag=1 bytes=4 req=2 */
/*@ 0: Start reqs=2 */
/*@ 0: Request_free req=2 */
/*@ 0: Recv_init comm=1 peer=0 tag=3 bytes=4 req=3 */
/*@ 0: Sendrecv comm=1 peer=0 tag=4 bytes=4 from=0 rtag=4 room=4 got=0/4/4 */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static int first, second, out = 7;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Irecv(&first, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Request_free(&request);
  MPI_Send_init(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  MPI_Request_free(&request);
  MPI_Recv_init(&second, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  MPI_Request_free(&request);
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 4, &second, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  printf("%d\n", second);
  MPI_Finalize();
  return 0;
}
