/* SPDX-License-Identifier: Apache-2.0 */
/* Large messages, completed by one Waitall whose array is in the reverse order of the posting. */
/*@ *: Init */
/*@ 0: Isend comm=0 peer=1 tag=0 bytes=1048576 req=1 */
/*@ 0: Isend comm=0 peer=1 tag=1 bytes=1048576 req=2 */
/*@ 0: Isend comm=0 peer=1 tag=2 bytes=1048576 req=3 */
/*@ 0: Waitall done=3:sent done=2:sent done=1:sent */
/*@ 1: Irecv comm=0 peer=0 tag=0 bytes=1048576 req=1 */
/*@ 1: Irecv comm=0 peer=0 tag=1 bytes=1048576 req=2 */
/*@ 1: Irecv comm=0 peer=0 tag=2 bytes=1048576 req=3 */
/*@ 1: Waitall done=3:0/2/1048576 done=2:0/1/1048576 done=1:0/0/1048576 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

enum { kCount = 1 << 20 };
static char buffers[3][kCount];

int main(int argc, char** argv) {
  int rank;
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int tag = 0; tag < 3; ++tag) {
    MPI_Request* request = &requests[2 - tag];
    if (rank == 0) {
      buffers[tag][kCount - 1] = (char)(tag + 1);
      MPI_Isend(buffers[tag], kCount, MPI_CHAR, 1, tag, MPI_COMM_WORLD, request);
    } else {
      MPI_Irecv(buffers[tag], kCount, MPI_CHAR, 0, tag, MPI_COMM_WORLD, request);
    }
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  printf("rank %d %d %d\n", rank, requests[0] == MPI_REQUEST_NULL, buffers[2][kCount - 1]);
  MPI_Finalize();
  return 0;
}
