/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that call MPI at the same time: one log each, and every message once. The second pair of threads
 * starts after the first has ended, and goes on in its logs. */
/*@ logs 6 */
/*@ plain no */
/*@ count 0.0: 1 ^Init_thread */
/*@ count 0.0: 1 ^Barrier */
/*@ count 1.1: 400 ^Irecv */
/*@ count 1.2: 400 ^Irecv */
/*@ count 1.1: 400 ^Waitall done=\d+:sent done=\d+:0/[12]/4 */
/*@ count 1.2: 400 ^Waitall done=\d+:sent done=\d+:0/[12]/4 */
/*@ count 0.1: 0 Isend[^q]*$ */
/*@ count 0.1: 400 ^Isend.* seq$ */
/*@ count 0.2: 400 ^Isend.* seq$ */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;
static pthread_barrier_t both_were_here;

static void* exchange(void* argument) {
  const int tag = *(const int*)argument;
  for (int i = 0; i < 200; ++i) {
    int in = -1, out = i;
    MPI_Request requests[2];
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (in != i) printf("wrong: %d for %d\n", in, i);
  }
  pthread_barrier_wait(&both_were_here);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, tags[2] = {1, 2};
  pthread_t threads[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_barrier_init(&both_were_here, NULL, 2);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, exchange, &tags[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
  MPI_Finalize();
  return 0;
}
