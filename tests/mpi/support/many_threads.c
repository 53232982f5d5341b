/* SPDX-License-Identifier: Apache-2.0 */
/* many_threads THREADS ROUNDS: threads that all call MPI at the same time, each with itself. Prints the peak
 * memory in KiB. Run by check_memory.py. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "peak_memory.h"

enum { kMostThreads = 256 };

static int rounds;
static pthread_barrier_t all_are_here;

static void* talk(void* argument) {
  const int tag = (int)(size_t)argument;
  char out[64] = {0}, in[64];
  for (int i = 0; i < rounds; ++i)
    MPI_Sendrecv(out, i % 64, MPI_CHAR, 0, tag, in, 64, MPI_CHAR, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  pthread_barrier_wait(&all_are_here); /* nobody takes over the log of one that has ended */
  return NULL;
}

int main(int argc, char** argv) {
  const int count = argc == 3 ? atoi(argv[1]) : 0;
  if (count < 1 || count > kMostThreads) return 2;
  rounds = atoi(argv[2]);
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 3;
  pthread_t threads[kMostThreads];
  pthread_barrier_init(&all_are_here, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, talk, (void*)(size_t)(i + 1));
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  printf("%ld\n", peak_memory_kib());
  return 0;
}
