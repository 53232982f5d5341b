/* SPDX-License-Identifier: Apache-2.0 */
/* A send to itself that is cancelled: MPICH can, Open MPI cannot, and there it completes as usual. A
 * persistent receive is cancelled in one round and used in the next. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Issend comm=1 peer=0 tag=3 bytes=4 req=1 */
/*@ 0: Cancel req=1 */
/*@ 0: Irecv comm=1 peer=0 tag=3 bytes=4 req=2 */
/*@ 0@openmpi: Wait done=1:sent */
/*@ 0@openmpi: Wait done=2:0/3/4 */
/*@ 0@mpich: Wait done=1:cancelled */
/*@ 0@mpich: Cancel req=2 */
/*@ 0@mpich: Wait done=2:cancelled */
/*@ 0: Recv_init comm=1 peer=any tag=any bytes=4 req=3 */
/*@ 0: Start reqs=3 */
/*@ 0: Cancel req=3 */
/*@ 0: Wait done=3:cancelled */
/*@ 0: Start reqs=3 */
/*@ 0: Send comm=1 peer=0 tag=5 bytes=4 */
/*@ 0: Wait done=3:0/5/4 */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int out = 5, in = 0, cancelled = 0;
  MPI_Request request, receive;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Issend(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &receive);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (cancelled) MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  printf("%d\n", cancelled);
  MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  MPI_Start(&request);
  MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  MPI_Request_free(&request);
  printf("%d %d\n", cancelled, in);
  MPI_Finalize();
  return 0;
}
