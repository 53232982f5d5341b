/* SPDX-License-Identifier: Apache-2.0 */
/* loops WORKLOAD N: N rounds of what many programs do. "halo": on a periodic grid, 4 Irecv and 4 Isend of 8
 * KiB with the neighbours, computing, Waitall, and every tenth round an Allreduce of 8 bytes. "alltoall":
 * computing, then an Alltoall of 1 KiB per pair. Rank 0 prints the seconds of its loop and the peak memory of
 * a rank in KiB (the largest). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peak_memory.h"

enum { kHalo = 8192, kPair = 1024, kWork = 20000 };

static char out[4][kHalo], in[4][kHalo];
static char *pairs_out, *pairs_in;
static MPI_Comm grid;
static int neighbours[4];
static volatile double sum;

static void compute(void) {
  double value = sum;
  for (int i = 0; i < kWork; ++i) value = value * 0.999 + i;
  sum = value;
}

static void halo_round(long number) {
  MPI_Request requests[8];
  for (int i = 0; i < 4; ++i) MPI_Irecv(in[i], kHalo, MPI_CHAR, neighbours[i], i, grid, &requests[i]);
  for (int i = 0; i < 4; ++i)
    MPI_Isend(out[i], kHalo, MPI_CHAR, neighbours[i ^ 1], i, grid, &requests[4 + i]);
  compute();
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  double mine = 1, all = 0;
  if (number % 10 == 0) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
}

static void alltoall_round(long number) {
  (void)number;
  compute();
  MPI_Alltoall(pairs_out, kPair, MPI_CHAR, pairs_in, kPair, MPI_CHAR, grid);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int is_halo = strcmp(argv[1], "halo") == 0;
  const long rounds = strtol(argv[2], NULL, 10);
  MPI_Init(NULL, NULL);
  int size, rank, shape[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, shape);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  for (int axis = 0; axis < 2; ++axis)
    MPI_Cart_shift(grid, axis, 1, &neighbours[2 * axis], &neighbours[2 * axis + 1]);
  pairs_out = calloc((size_t)size, kPair);
  pairs_in = calloc((size_t)size, kPair);
  const double start = MPI_Wtime();
  for (long i = 0; i < rounds; ++i) (is_halo ? halo_round : alltoall_round)(i);
  const double took = MPI_Wtime() - start;
  long peak = peak_memory_kib(), most = 0;
  MPI_Reduce(&peak, &most, 1, MPI_LONG, MPI_MAX, 0, grid);
  if (rank == 0) printf("%.6f %ld\n", took, most);
  MPI_Finalize();
  return 0;
}
