// SPDX-License-Identifier: Apache-2.0
// A program whose every message is known: known_counts.py derives what the merged trace must hold. Needs >= 4
// ranks. Prints one line per check of a result, so that a run under the recorder can be compared with one
// without.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void check(int ok, const char* what) {
  if (!ok) {
    fprintf(stderr, "rank %d: %s: wrong result\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

// 3 rounds of 100 bytes to the right: 3n messages.
static void ring(void) {
  char out[100] = {0}, in[100];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < 3; ++i) {
    MPI_Request request;
    MPI_Isend(out, 100, MPI_CHAR, right, 10 + i, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 100, MPI_CHAR, left, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// 8 bytes between every ordered pair, all receives posted first, one Waitall over everything: n(n-1)
// messages.
static void all_pairs(void) {
  double* in = calloc((size_t)size, sizeof *in);
  MPI_Request* requests = malloc(2 * (size_t)size * sizeof *requests);
  const double out = rank;
  int n = 0;
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank) MPI_Irecv(&in[peer], 1, MPI_DOUBLE, peer, 20, MPI_COMM_WORLD, &requests[n++]);
  }
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank) MPI_Isend(&out, 1, MPI_DOUBLE, peer, 20, MPI_COMM_WORLD, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < size; ++peer) check(peer == rank || in[peer] == peer, "all pairs");
  free(in);
  free(requests);
}

// Rank r sends 5 messages of 4 bytes with one tag to rank r+1, who waits for them in reverse order of
// posting: 5n messages.
static void waitall_reversed(void) {
  int out[5], in[5];
  MPI_Request sends[5], receives[5], reversed[5];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < 5; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, 30, MPI_COMM_WORLD, &receives[i]);
  for (int i = 0; i < 5; ++i) {
    out[i] = 100 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, right, 30, MPI_COMM_WORLD, &sends[i]);
  }
  for (int i = 0; i < 5; ++i) reversed[i] = receives[4 - i];
  MPI_Waitall(5, reversed, MPI_STATUSES_IGNORE);
  MPI_Waitall(5, sends, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 5; ++i) check(in[i] == 100 * left + i, "waitall reversed");
}

// Rank 0 takes 2(n-1) messages of 16 bytes from anybody with any tag, half of them after a probe.
// The barrier keeps what the others send next from the wildcards.
static void wildcards(void) {
  char buffer[16] = {0};
  for (int i = 0; i < 2 && rank != 0; ++i) MPI_Send(buffer, 16, MPI_CHAR, 0, 40 + i, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * (size - 1) && rank == 0; ++i) {
    MPI_Status status;
    int count;
    if (i % 2 == 0) {
      MPI_Recv(buffer, 16, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Recv(buffer, 16, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    }
    MPI_Get_count(&status, MPI_CHAR, &count);
    check(count == 16 && status.MPI_TAG >= 40 && status.MPI_TAG <= 41, "wildcards");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Sendrecv to the left (24 bytes) and a self message of 12 bytes: 2n messages.
static void sendrecv_and_self(void) {
  char out[24] = {0}, in[24];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Sendrecv(out, 24, MPI_CHAR, left, 50, in, 24, MPI_CHAR, right, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request request;
  MPI_Irecv(in, 12, MPI_CHAR, rank, 51, MPI_COMM_WORLD, &request);
  MPI_Send(out, 12, MPI_CHAR, rank, 51, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // Neither of these is a message.
  MPI_Send(out, 24, MPI_CHAR, MPI_PROC_NULL, 52, MPI_COMM_WORLD);
  MPI_Recv(in, 24, MPI_CHAR, MPI_PROC_NULL, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A persistent pair started 4 times: 4n messages of 32 bytes.
static void persistent(void) {
  char out[32] = {0}, in[32];
  MPI_Request requests[2];
  MPI_Send_init(out, 32, MPI_CHAR, (rank + 1) % size, 60, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 32, MPI_CHAR, (rank + size - 1) % size, 60, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 4; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

// Every blocking collective once on `comm`.
static void collectives(MPI_Comm comm) {
  int n, me;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  int* a = calloc(64 * (size_t)n, sizeof *a);
  int* b = calloc(64 * (size_t)n, sizeof *b);
  int* counts = malloc((size_t)n * sizeof *counts);
  int* places = malloc((size_t)n * sizeof *places);
  int* equal = malloc((size_t)n * sizeof *equal);
  for (int i = 0, place = 0; i < n; place += ++i) counts[i] = i + 1, places[i] = place, equal[i] = 3;
  MPI_Bcast(a, 10, MPI_INT, 1, comm);
  MPI_Reduce(a, b, 6, MPI_INT, MPI_SUM, n - 1, comm);
  const int mine = me + 1;
  int sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum == n * (n + 1) / 2, "allreduce");
  MPI_Gather(a, 3, MPI_INT, b, 3, MPI_INT, 0, comm);
  MPI_Gatherv(a, me + 1, MPI_INT, b, counts, places, MPI_INT, 1, comm);
  MPI_Scatter(a, 5, MPI_INT, b, 5, MPI_INT, 0, comm);
  MPI_Scatterv(a, counts, places, MPI_INT, b, me + 1, MPI_INT, 1, comm);
  MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm);
  MPI_Allgatherv(a, me + 1, MPI_INT, b, counts, places, MPI_INT, comm);
  MPI_Alltoall(a, 4, MPI_INT, b, 4, MPI_INT, comm);
  for (int i = 0; i < n; ++i) places[i] = 3 * i;
  MPI_Alltoallv(a, equal, places, MPI_INT, b, equal, places, MPI_INT, comm);
  MPI_Reduce_scatter(a, b, equal, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(a, b, 3, MPI_INT, MPI_SUM, comm);
  MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum == mine * (mine + 1) / 2, "scan");
  MPI_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Barrier(comm);
  free(a);
  free(b);
  free(counts);
  free(places);
  free(equal);
}

// Three non-blocking collectives and a message pair, completed by one Waitall: n messages of 4 bytes.
static void nonblocking_collectives(void) {
  int token = rank, in = 0, sum = 0, out = rank;
  MPI_Request requests[5];
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 70, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 70, MPI_COMM_WORLD, &requests[3]);
  MPI_Ibcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  check(token == 0 && sum == size * (size - 1) / 2 && in == (rank + size - 1) % size,
        "non-blocking collectives");
}

// Two halves by parity, ranks reversed inside; each runs every collective and a ring of one 20-byte message
// per member.
static void sub_communicators(void) {
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &copy);
  collectives(half);
  int n, me;
  MPI_Comm_size(copy, &n);
  MPI_Comm_rank(copy, &me);
  char out[20] = {0}, in[20];
  MPI_Sendrecv(out, 20, MPI_CHAR, (me + 1) % n, 80, in, 20, MPI_CHAR, (me + n - 1) % n, 80, copy,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring();
  all_pairs();
  waitall_reversed();
  wildcards();
  sendrecv_and_self();
  persistent();
  collectives(MPI_COMM_WORLD);
  nonblocking_collectives();
  sub_communicators();
  if (rank == 0) printf("all results right\n");
  MPI_Finalize();
  return 0;
}
