/* SPDX-License-Identifier: Apache-2.0 */
/* calls WORKLOAD N: N rounds of a few MPI calls of one rank with itself. Prints the nanoseconds of a call
 * (the best of five loops), the number of calls of a round, and the peak memory in KiB. What a preloaded tool
 * adds is the difference to a run without it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peak_memory.h"

enum { kBatch = 64 };

static void send_round(void) {
  MPI_Request request;
  MPI_Irecv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_round(void) {
  MPI_Request request;
  MPI_Isend(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
  MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void batch_round(void) {
  MPI_Request requests[2 * kBatch];
  for (int i = 0; i < kBatch; ++i) MPI_Irecv(NULL, 0, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < kBatch; ++i) MPI_Isend(NULL, 0, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[kBatch + i]);
  MPI_Waitall(2 * kBatch, requests, MPI_STATUSES_IGNORE);
}

static void allreduce_round(void) {
  double in = 1, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void alltoall_round(void) {
  int in = 1, out = 0;
  MPI_Alltoall(&in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_SELF);
}

static MPI_Request pending;

static void test_round(void) {
  int done = 0;
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
}

static void no_round(void) {}

static const struct {
  const char* name;
  void (*round)(void);
  int calls;
} kWorkloads[] = {{"send", send_round, 3},
                  {"receive", receive_round, 3},
                  {"batch", batch_round, 2 * kBatch + 1},
                  {"allreduce", allreduce_round, 1},
                  {"alltoall", alltoall_round, 1},
                  {"test", test_round, 1},
                  {"start", no_round, 1}};

/* callgrind counts inside this function only (--toggle-collect). */
__attribute__((noinline)) void measured_loop(void (*round)(void), long count) {
  for (long i = 0; i < count; ++i) round();
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  size_t which = 0;
  const size_t workloads = sizeof kWorkloads / sizeof *kWorkloads;
  while (argc == 3 && which < workloads && strcmp(argv[1], kWorkloads[which].name) != 0) ++which;
  if (argc != 3 || which == workloads) return 2;
  const long count = strtol(argv[2], NULL, 10);
  MPI_Init(NULL, NULL);
  char in = 0, out = 0;
  MPI_Irecv(&in, 1, MPI_CHAR, 0, 1000, MPI_COMM_SELF, &pending);
  for (int i = 0; i < 100; ++i) kWorkloads[which].round();
  double best = 1e18;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    measured_loop(kWorkloads[which].round, count);
    const double took = (now() - start) / (double)count / kWorkloads[which].calls;
    if (took < best) best = took;
  }
  MPI_Send(&out, 1, MPI_CHAR, 0, 1000, MPI_COMM_SELF);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  MPI_Finalize();
  printf("%.2f %d %ld\n", best, kWorkloads[which].calls, peak_memory_kib());
  return 0;
}
