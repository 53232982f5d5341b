/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that another thread completes: posted in one log, completed in the other. */
/*@ logs 4 */
/*@ 0.0: Init_thread */
/*@ 0.0: Irecv comm=0 peer=1 tag=1 bytes=4 req=1 */
/*@ 0.0: Isend comm=0 peer=1 tag=1 bytes=4 req=2 */
/*@ 0.0: ~Barrier comm=0 bytes=0 recv=0( seq)? */
/*@ 0.0: ~Finalize */
/*@ 0.1: Waitall done=2:sent done=1:1/1/4 */
/*@ 1.0: Init_thread */
/*@ 1.0: Irecv comm=0 peer=0 tag=1 bytes=4 req=1 */
/*@ 1.0: Isend comm=0 peer=0 tag=1 bytes=4 req=2 */
/*@ 1.0: ~Barrier comm=0 bytes=0 recv=0( seq)? */
/*@ 1.0: ~Finalize */
/*@ 1.1: Waitall done=2:sent done=1:0/1/4 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void* complete(void* requests) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, rank, in = -1;
  pthread_t thread;
  MPI_Request requests[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  pthread_create(&thread, NULL, complete, requests);
  pthread_join(thread, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d\n", rank, in);
  MPI_Finalize();
  return 0;
}
