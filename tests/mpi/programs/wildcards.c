/* SPDX-License-Identifier: Apache-2.0 */
/* Wildcard receives, whose statuses the program ignores, and probes. */
/*@ *: Init */
/*@ 1: Send comm=0 peer=0 tag=11 bytes=8 */
/*@ 1: Send comm=0 peer=0 tag=12 bytes=16 */
/*@ 1: Send comm=0 peer=0 tag=13 bytes=24 */
/*@ 0: Recv comm=0 peer=any tag=any bytes=80 got=1/11/8 */
/*@ 0: Probe comm=0 peer=any tag=any got=1/12/16 */
/*@ 0: Irecv comm=0 peer=any tag=any bytes=80 req=1 */
/*@ 0: Wait done=1:1/12/16 */
/*@ 0: Irecv comm=0 peer=any tag=13 bytes=80 req=2 */
/*@ 0: Waitall done=2:1/13/24 */
/*@ *: Sendrecv comm=0 peer={1-r} tag={20+r} bytes={8+r*8} from=any rtag=any room=80 got={1-r}/{21-r}/{16-r*8}
 */
/*@ *: Sendrecv_replace comm=0 peer={1-r} tag=3 bytes=80 from=any rtag=3 room=80 got={1-r}/3/80 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  double in[10] = {0}, out[10] = {1, 2, 3};
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    for (int i = 1; i <= 3; ++i) MPI_Send(out, i, MPI_DOUBLE, 0, 10 + i, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  MPI_Sendrecv(out, 1 + rank, MPI_DOUBLE, 1 - rank, 20 + rank, in, 10, MPI_DOUBLE, MPI_ANY_SOURCE,
               MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Status status;
  MPI_Sendrecv_replace(in, 10, MPI_DOUBLE, 1 - rank, 3, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
  printf("rank %d %g from %d\n", rank, in[2], status.MPI_SOURCE);
  MPI_Finalize();
  return 0;
}
