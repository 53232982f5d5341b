/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of each rank make a communicator of the same group at a time, told apart by the tag: rank 0's
 * first thread comes first, rank 1's second. One is then used for an all-reduce, the other for a broadcast,
 * which would not fit if they were taken for each other. */
/*@ logs 6 */
/*@ merged collectives=5 messages=0 faults=0 */
/*@ count 0.1: 1 ^Comm_create_group comm=0 tag=1 new=\d+ flags=2 members=0\+1x2 seq$ */
/*@ count 1.1: 1 ^Comm_create_group comm=0 tag=2 new=\d+ flags=2 members=0\+1x2 seq$ */
/*@ count 0.2: 1 ^Comm_create_group comm=0 tag=2 new=\d+ flags=2 members=0\+1x2 seq$ */
/*@ count 1.2: 1 ^Comm_create_group comm=0 tag=1 new=\d+ flags=2 members=0\+1x2 seq$ */
/* The creations, the all-reduce, the broadcast, the barrier: 5. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int rank;
static MPI_Group both;
static pthread_barrier_t both_were_here;

static void* make_and_use(void* argument) {
  const int tag = *(const int*)argument;
  int mine = rank + 1, all = 0;
  MPI_Comm made;
  if ((tag == 2) == (rank == 0)) usleep(300000);
  MPI_Comm_create_group(MPI_COMM_WORLD, both, tag, &made);
  if (tag == 1) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, made);
  if (tag == 2) MPI_Bcast(&mine, 1, MPI_INT, 0, made);
  if (tag == 1 ? all != 3 : mine != 1) printf("wrong: tag %d, %d and %d\n", tag, mine, all);
  MPI_Comm_free(&made);
  pthread_barrier_wait(&both_were_here);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, tags[2] = {1, 2};
  pthread_t threads[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &both);
  pthread_barrier_init(&both_were_here, NULL, 2);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, make_and_use, &tags[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  MPI_Group_free(&both);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
