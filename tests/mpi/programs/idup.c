/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator that is known only when its request completes. The call itself waits for nobody: rank 1
 * makes it after it has received what rank 0 sends after it. A trace in which it were a barrier could not
 * end. */
/* In the trace: one creation, the barrier on the copy; three messages. */
/*@ merged collectives=2 messages=3 message_bytes=12 faults=0 */
/*@ *: Init */
/*@ 0: Comm_idup comm=0 new=2 members=0+1x2 req=1 */
/*@ 0: Send comm=0 peer=1 tag=2 bytes=4 */
/*@ 1: Recv comm=0 peer=0 tag=2 bytes=4 got=0/2/4 */
/*@ 1: Comm_idup comm=0 new=2 members=0+1x2 req=1 */
/*@ *: Irecv comm=0 peer={1-r} tag=1 bytes=4 req=2 */
/*@ *: Isend comm=0 peer={1-r} tag=1 bytes=4 req=3 */
/*@ *: Waitall done=1:sent done=2:{1-r}/1/4 done=3:sent */
/*@ *: Barrier comm=2 bytes=0 recv=0 */
/*@ *: Comm_free comm=2 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, in = 0, before = 0;
  MPI_Comm copy;
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Recv(&before, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &requests[0]);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  printf("rank %d %d\n", rank, in);
  MPI_Finalize();
  return 0;
}
