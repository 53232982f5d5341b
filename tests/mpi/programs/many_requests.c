/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of 100000 requests in one call. */
/*@ count 0: 100000 ^Isend comm=0 peer=1 tag=[0-9]+ bytes=4 */
/*@ count 0: 1 ^Waitall done=1:sent done=2:sent .* done=77777:sent .* done=100000:sent$ */
/*@ count 1: 100000 ^Irecv comm=0 peer=(0|any) tag=[0-9]+ bytes=4 */
/*@ count 1: 1 ^Waitall done=1:0/1/4 done=2:0/2/4 .* done=77777:0/777/4 .* done=100000:0/0/4$ */
/*@ count *: 1 ^(Wait|Test)all */
/*@ count *: 1 ^Finalize */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRequests = 100000, kTags = 1000 };

int main(int argc, char** argv) {
  int rank, flag = 0;
  long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request* requests = malloc(kRequests * sizeof *requests);
  int* values = malloc(kRequests * sizeof *values);
  for (int i = 0; i < kRequests; ++i) {
    values[i] = rank == 0 ? i : 0;
    const int tag = (i + 1) % kTags;
    if (rank == 0) {
      MPI_Isend(&values[i], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[i]);
    } else {
      MPI_Irecv(&values[i], 1, MPI_INT, i % 2 == 0 ? 0 : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
    }
    if ((i + 1) % kTags == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE);
  MPI_Testall(kRequests, requests, &flag, MPI_STATUSES_IGNORE); /* all are null now */
  for (int i = 0; i < kRequests; ++i) sum += values[i];
  printf("rank %d %ld %d\n", rank, sum, flag);
  MPI_Finalize();
  return 0;
}
