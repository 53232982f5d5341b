/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided communication with large counts (MPI 4.0): windows that the library allocates, every access.
 * Libraries before that version have nothing to record. */
/* In the trace: between the fences each rank's put and accumulate (a message each), get and
 * get-and-accumulate (two each); under the lock 4 accesses of two messages each. Barriers: 2 windows made and
 * freed, 2 fences. Bytes of each rank: 8 + 8 + 8 + 16, and 8 + 8 + 8 + 16. */
/*@ merged@mpich messages=28 message_bytes=160 collectives=6 faults=0 */
/*@ *: Init */
/*@ *@mpich: Win_allocate_c comm=0 win=1 bytes=32 */
/*@ *@mpich: Win_fence comm=0 win=1 */
/*@ *@mpich: Put_c comm=0 win=1 target={1-r} bytes=8 recv=0 */
/*@ *@mpich: Get_c comm=0 win=1 target={1-r} bytes=0 recv=8 */
/*@ *@mpich: Accumulate_c comm=0 win=1 target={1-r} bytes=8 recv=0 */
/*@ *@mpich: Get_accumulate_c comm=0 win=1 target={1-r} bytes=8 recv=8 */
/*@ *@mpich: Win_fence comm=0 win=1 */
/*@ *@mpich: Win_free comm=0 win=1 */
/*@ *@mpich: Win_allocate_shared_c comm=0 win=2 bytes=32 */
/*@ *@mpich: Win_lock_all comm=0 win=2 */
/*@ *@mpich: Rput_c comm=0 win=2 target={1-r} bytes=8 recv=0 req=1 */
/*@ *@mpich: Rget_c comm=0 win=2 target={1-r} bytes=0 recv=8 req=2 */
/*@ *@mpich: Raccumulate_c comm=0 win=2 target={1-r} bytes=8 recv=0 req=3 */
/*@ *@mpich: Rget_accumulate_c comm=0 win=2 target={1-r} bytes=8 recv=8 req=4 */
/*@ *@mpich: Waitall done=1:sent done=2:sent done=3:sent done=4:sent */
/*@ *@mpich: Win_unlock_all comm=0 win=2 */
/*@ *@mpich: Win_free comm=0 win=2 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
static const MPI_Count kTwo = 2;
static int out[2] = {6, 7}, in[2][2];

static void between_fences(int peer) {
  MPI_Win win;
  int* base;
  MPI_Win_allocate_c((MPI_Aint)32, (MPI_Aint)4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_fence(0, win);
  MPI_Put_c(out, kTwo, MPI_INT, peer, 0, kTwo, MPI_INT, win);
  MPI_Get_c(in[0], kTwo, MPI_INT, peer, 2, kTwo, MPI_INT, win);
  MPI_Accumulate_c(out, kTwo, MPI_INT, peer, 4, kTwo, MPI_INT, MPI_SUM, win);
  MPI_Get_accumulate_c(out, kTwo, MPI_INT, in[1], kTwo, MPI_INT, peer, 6, kTwo, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void under_lock(int peer) {
  MPI_Win win;
  MPI_Request requests[4];
  int* base;
  MPI_Win_allocate_shared_c((MPI_Aint)32, (MPI_Aint)4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock_all(0, win);
  MPI_Rput_c(out, kTwo, MPI_INT, peer, 0, kTwo, MPI_INT, win, &requests[0]);
  MPI_Rget_c(in[0], kTwo, MPI_INT, peer, 2, kTwo, MPI_INT, win, &requests[1]);
  MPI_Raccumulate_c(out, kTwo, MPI_INT, peer, 4, kTwo, MPI_INT, MPI_SUM, win, &requests[2]);
  MPI_Rget_accumulate_c(out, kTwo, MPI_INT, in[1], kTwo, MPI_INT, peer, 6, kTwo, MPI_INT, MPI_SUM, win,
                        &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}
#endif

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  between_fences(1 - rank);
  under_lock(1 - rank);
#endif
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
