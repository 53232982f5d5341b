/* SPDX-License-Identifier: Apache-2.0 */
/* A receive that ends in MPI_ERR_TRUNCATE took its message all the same: what comes after is matched as
 * before. Most messages here have 16 bytes, the receives room for 4. */
/*@ merged messages=9 message_bytes=120 collectives=1 faults=0 */
/*@ 0,1: Init */
/*@ 0: Send comm=0 peer=1 tag=1 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=2 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=3 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=4 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=4 bytes=4 */
/*@ 0: Send comm=0 peer=1 tag=5 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=6 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=7 bytes=16 */
/*@ 0: Send comm=0 peer=1 tag=8 bytes=4 */
/*@ 1: Recv comm=0 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ 1: Sendrecv comm=0 peer=null tag=0 bytes=0 from=0 rtag=2 room=4 got=0/2/4 */
/*@ 1: Irecv comm=0 peer=0 tag=3 bytes=4 req=1 */
/*@ 1: Wait done=1:0/3/4 */
/*@ 1: Irecv comm=0 peer=0 tag=4 bytes=4 req=2 */
/*@ 1: Irecv comm=0 peer=0 tag=4 bytes=4 req=3 */
/*@ 1@openmpi: Waitall done=2:0/4/4 done=3:0/4/4 */
/*@ 1@mpich: Waitall done=2:0/4/4 */
/*@ 1@mpich: Wait done=3:0/4/4 */
/*@ 1: Recv_init comm=0 peer=0 tag=5 bytes=4 req=4 */
/*@ 1: Start reqs=4 */
/*@ 1: Test done=4:0/5/4 */
/*@ 1: Irecv comm=0 peer=0 tag=6 bytes=4 req=5 */
/*@ 1: Waitsome done=5:0/6/4 */
/*@ 1: Mprobe comm=0 peer=0 tag=7 message=6 got=0/7/16 */
/*@ 1: Mrecv message=6 bytes=4 got=0/7/4 */
/*@ 1: Recv comm=0 peer=any tag=any bytes=4 got=0/8/4 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int bad;

static void expect_truncated(int result) {
  int class = MPI_SUCCESS;
  MPI_Error_class(result, &class);
  if (class != MPI_ERR_TRUNCATE) ++bad;
}

static void receive(void) {
  int room = 0, result, flag = 0, count, index;
  MPI_Request request, pair[2];
  MPI_Message message;
  MPI_Status status, statuses[2];
  expect_truncated(MPI_Recv(&room, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  expect_truncated(
      MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &room, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status));
  MPI_Irecv(&room, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  expect_truncated(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < 2; ++i) MPI_Irecv(&room, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &pair[i]);
  if (MPI_Waitall(2, pair, statuses) != MPI_ERR_IN_STATUS) ++bad;
  expect_truncated(statuses[0].MPI_ERROR);
  MPI_Wait(&pair[1], MPI_STATUS_IGNORE); /* MPICH leaves it pending */
  MPI_Recv_init(&room, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  do result = MPI_Test(&request, &flag, &status);
  while (result == MPI_SUCCESS && !flag);
  expect_truncated(result);
  MPI_Request_free(&request);
  MPI_Irecv(&room, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
  if (MPI_Waitsome(1, &request, &count, &index, statuses) != MPI_ERR_IN_STATUS) ++bad;
  MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, &status);
  expect_truncated(MPI_Mrecv(&room, 1, MPI_INT, &message, &status));
  MPI_Recv(&room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
}

int main(int argc, char** argv) {
  int rank, data[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int tag = 1; tag <= 8 && rank == 0; ++tag) {
    MPI_Send(data, tag == 8 ? 1 : 4, MPI_INT, 1, tag, MPI_COMM_WORLD);
    if (tag == 4) MPI_Send(data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  }
  if (rank == 1) receive();
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d\n", rank, bad);
  MPI_Finalize();
  return 0;
}
