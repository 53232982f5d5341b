/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided communication: every kind of window, access and synchronisation. */
/* In the trace: between the fences a put (1 message) and a get (2) of each rank; two posts, completes and an
 * accumulate; under rank 0's lock 5 accesses of 2 messages; under the lock of all 4 of each rank. The
 * barriers: 4 windows made and freed, 3 fences, a communicator. */
/*@ merged messages=37 message_bytes=160 collectives=12 faults=0 */
/*@ *: Init */
/*@ *: Win_create comm=0 win=1 bytes=64 */
/*@ *: Win_fence comm=0 win=1 */
/*@ *: Put comm=0 win=1 target={1-r} bytes=16 recv=0 */
/*@ *: Get comm=0 win=1 target={1-r} bytes=0 recv=16 */
/*@ *: Accumulate comm=0 win=1 target=null bytes=0 recv=0 */
/*@ *: Win_fence comm=0 win=1 */
/*@ 0: Win_start comm=0 win=1 members=1 */
/*@ 0: Accumulate comm=0 win=1 target=1 bytes=8 recv=0 */
/*@ 0: Win_complete comm=0 win=1 */
/*@ 1: Win_post comm=0 win=1 members=0 */
/*@ 1: Win_wait comm=0 win=1 */
/*@ 0: Win_start comm=0 win=1 members=1 */
/*@ 0: Win_complete comm=0 win=1 */
/*@ 1: Win_post comm=0 win=1 members=0 */
/*@ 1: Win_test comm=0 win=1 */
/*@ 0: Win_lock comm=0 win=1 target=1 */
/*@ 0: Get_accumulate comm=0 win=1 target=1 bytes=8 recv=8 */
/*@ 0: Get_accumulate comm=0 win=1 target=1 bytes=0 recv=8 */
/*@ 0: Fetch_and_op comm=0 win=1 target=1 bytes=4 recv=4 */
/*@ 0: Fetch_and_op comm=0 win=1 target=1 bytes=0 recv=4 */
/*@ 0: Compare_and_swap comm=0 win=1 target=1 bytes=8 recv=4 */
/*@ 0: Win_flush comm=0 win=1 target=1 */
/*@ 0: Win_flush_local comm=0 win=1 target=1 */
/*@ 0: Win_unlock comm=0 win=1 target=1 */
/*@ *: Win_lock_all comm=0 win=1 */
/*@ *: Rput comm=0 win=1 target={1-r} bytes=4 recv=0 req=1 */
/*@ *: Wait done=1:sent */
/*@ *: Rget comm=0 win=1 target={1-r} bytes=0 recv=4 req=2 */
/*@ *: Raccumulate comm=0 win=1 target={1-r} bytes=4 recv=0 req=3 */
/*@ *: Rget_accumulate comm=0 win=1 target={1-r} bytes=4 recv=4 req=4 */
/*@ *: Waitall done=2:sent done=3:sent done=4:sent */
/*@ *: Win_flush_all comm=0 win=1 */
/*@ *: Win_flush_local_all comm=0 win=1 */
/*@ *: Win_sync comm=0 win=1 */
/*@ *: Win_unlock_all comm=0 win=1 */
/*@ *: Win_free comm=0 win=1 */
/*@ *: Comm_split_type comm=0 new=2 members=0+1x2 */
/*@ *: Win_allocate_shared comm=2 win=2 bytes={32*(r+1)} */
/*@ *: Win_fence comm=2 win=2 */
/*@ *: Win_free comm=2 win=2 */
/*@ *: Win_allocate comm=0 win=3 bytes=16 */
/*@ *: Win_free comm=0 win=3 */
/*@ *: Win_create_dynamic comm=0 win=4 bytes=0 */
/*@ *: Win_attach */
/*@ *: Win_detach */
/*@ *: Win_free comm=0 win=4 */
/*@ *: Comm_free comm=2 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, flag = 0, out[4], in[4] = {0}, base[16] = {0}, other = 0;
  void* memory;
  MPI_Win win;
  MPI_Group world, peer;
  MPI_Comm node;
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; ++i) out[i] = 10 * (rank + 1) + i;
  const int to = 1 - rank;

  MPI_Win_create(base, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, 4, MPI_INT, to, 0, 4, MPI_INT, win);
  MPI_Get(in, 2, MPI_DOUBLE, to, 8, 2, MPI_DOUBLE, win);
  MPI_Accumulate(out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &to, &peer);
  for (int round = 0; round < 2; ++round) {
    if (rank == 0) {
      MPI_Win_start(peer, 0, win);
      if (round == 0) MPI_Accumulate(out, 2, MPI_INT, 1, 4, 2, MPI_INT, MPI_SUM, win);
      MPI_Win_complete(win);
    } else {
      MPI_Win_post(peer, 0, win);
      if (round == 0) MPI_Win_wait(win);
      while (round == 1 && !flag) MPI_Win_test(win, &flag);
    }
  }

  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, in, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_NO_OP, win);
    MPI_Fetch_and_op(out, in, MPI_INT, 1, 2, MPI_SUM, win);
    MPI_Fetch_and_op(NULL, in, MPI_INT, 1, 2, MPI_NO_OP, win);
    MPI_Compare_and_swap(out, in, in + 1, MPI_INT, 1, 3, win);
    MPI_Win_flush(1, win);
    MPI_Win_flush_local(1, win);
    MPI_Win_unlock(1, win);
  }

  MPI_Win_lock_all(0, win);
  MPI_Request put;
  MPI_Rput(out, 1, MPI_INT, to, 9, 1, MPI_INT, win, &put);
  MPI_Wait(&put, MPI_STATUS_IGNORE);
  MPI_Rget(in, 1, MPI_INT, to, 10, 1, MPI_INT, win, &requests[0]);
  MPI_Raccumulate(out, 1, MPI_INT, to, 11, 1, MPI_INT, MPI_SUM, win, &requests[1]);
  MPI_Rget_accumulate(out, 1, MPI_INT, &other, 1, MPI_INT, to, 12, 1, MPI_INT, MPI_SUM, win, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(32 * (rank + 1), 4, MPI_INFO_NULL, node, &memory, &win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Win_allocate(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, out, sizeof out);
  MPI_Win_detach(win, out);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
  MPI_Group_free(&peer);
  MPI_Group_free(&world);
  printf("rank %d %d %d\n", rank, base[0], base[9]);
  MPI_Finalize();
  return 0;
}
