/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point calls with large counts (MPI 4.0): every way to send and to receive. Rank 0 sends 2 ints,
 * rank 1 has room for 4; ready sends follow on word that their receives are posted. Libraries before that
 * version have nothing to record. */
/* In the trace: 2 + 1 + 5 messages of the first three parts, 4 exchanges of 2 messages each, 4 persistent
 * ones and the barrier; all of 8 bytes but the word of 0. */
/*@ merged@mpich messages=20 message_bytes=152 collectives=1 faults=0 */
/*@ *: Init */
/*@ 0@mpich: Bsend_c comm=0 peer=1 tag=1 bytes=8 */
/*@ 0@mpich: Ssend_c comm=0 peer=1 tag=2 bytes=8 */
/*@ 1@mpich: Recv_c comm=0 peer=0 tag=1 bytes=16 got=0/1/8 */
/*@ 1@mpich: Recv_c comm=0 peer=any tag=any bytes=16 got=0/2/8 */
/*@ 1@mpich: Irecv_c comm=0 peer=0 tag=3 bytes=16 req=1 */
/*@ 1@mpich: Irecv_c comm=0 peer=0 tag=4 bytes=16 req=2 */
/*@ 1@mpich: Send_c comm=0 peer=0 tag=9 bytes=0 */
/*@ 0@mpich: Recv_c comm=0 peer=1 tag=9 bytes=0 got=1/9/0 */
/*@ 0@mpich: Rsend_c comm=0 peer=1 tag=3 bytes=8 */
/*@ 0@mpich: Irsend_c comm=0 peer=1 tag=4 bytes=8 req=1 */
/*@ 0@mpich: Isend_c comm=0 peer=1 tag=5 bytes=8 req=2 */
/*@ 0@mpich: Ibsend_c comm=0 peer=1 tag=6 bytes=8 req=3 */
/*@ 0@mpich: Issend_c comm=0 peer=1 tag=7 bytes=8 req=4 */
/*@ 0@mpich: Waitall done=1:sent done=2:sent done=3:sent done=4:sent */
/*@ 1@mpich: Waitall done=1:0/3/8 done=2:0/4/8 */
/*@ 1@mpich: Mprobe comm=0 peer=0 tag=5 message=3 got=0/5/8 */
/*@ 1@mpich: Mrecv_c message=3 bytes=16 got=0/5/8 */
/*@ 1@mpich: Mprobe comm=0 peer=0 tag=6 message=4 got=0/6/8 */
/*@ 1@mpich: Imrecv_c message=4 bytes=16 req=5 */
/*@ 1@mpich: Wait done=5:0/6/8 */
/*@ 1@mpich: Recv_c comm=0 peer=0 tag=7 bytes=16 got=0/7/8 */
/*@ *@mpich: Sendrecv_c comm=0 peer={1-r} tag=1 bytes=8 from={1-r} rtag=1 room=16 got={1-r}/1/8 */
/*@ *@mpich: Sendrecv_replace_c comm=0 peer={1-r} tag=2 bytes=8 from={1-r} rtag=2 room=8 got={1-r}/2/8 */
/*@ *@mpich: Isendrecv_c comm=0 peer={1-r} tag=3 bytes=8 req={5+r} */
/*@ *@mpich: Isendrecv_c comm=0 peer={1-r} tag=3 bytes=16 req={6+r} */
/*@ *@mpich: Isendrecv_replace_c comm=0 peer={1-r} tag=4 bytes=8 req={7+r} */
/*@ *@mpich: Isendrecv_replace_c comm=0 peer={1-r} tag=4 bytes=8 req={8+r} */
/*@ *@mpich: ~Waitall done={5+r}:sent done={6+r}:{1-r}/3/(8|16) done={7+r}:sent done={8+r}:{1-r}/4/8 */
/*@ 0@mpich: Send_init_c comm=0 peer=1 tag=1 bytes=8 req=9 */
/*@ 0@mpich: Bsend_init_c comm=0 peer=1 tag=2 bytes=8 req=10 */
/*@ 0@mpich: Ssend_init_c comm=0 peer=1 tag=3 bytes=8 req=11 */
/*@ 0@mpich: Rsend_init_c comm=0 peer=1 tag=4 bytes=8 req=12 */
/*@ 1@mpich: Recv_init_c comm=0 peer=0 tag=1 bytes=16 req=10 */
/*@ 1@mpich: Recv_init_c comm=0 peer=0 tag=2 bytes=16 req=11 */
/*@ 1@mpich: Recv_init_c comm=0 peer=0 tag=3 bytes=16 req=12 */
/*@ 1@mpich: Recv_init_c comm=0 peer=0 tag=4 bytes=16 req=13 */
/*@ 1@mpich: Startall reqs=10,11,12,13 */
/*@ *@mpich: Barrier comm=0 bytes=0 recv=0 */
/*@ 0@mpich: Startall reqs=9,10,11,12 */
/*@ 0@mpich: Waitall done=9:sent done=10:sent done=11:sent done=12:sent */
/*@ 1@mpich: Waitall done=10:0/1/8 done=11:0/2/8 done=12:0/3/8 done=13:0/4/8 */
/*@ *@mpich: Buffer_detach_c */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
static const MPI_Comm comm = MPI_COMM_WORLD;
static const MPI_Count kTwo = 2, kFour = 4;
static int out[2] = {6, 7}, in[8][4];
static char room[4096];

static void send_all(void) {
  MPI_Request requests[4];
  MPI_Bsend_c(out, kTwo, MPI_INT, 1, 1, comm);
  MPI_Ssend_c(out, kTwo, MPI_INT, 1, 2, comm);
  MPI_Recv_c(NULL, 0, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
  MPI_Rsend_c(out, kTwo, MPI_INT, 1, 3, comm);
  MPI_Irsend_c(out, kTwo, MPI_INT, 1, 4, comm, &requests[0]);
  MPI_Isend_c(out, kTwo, MPI_INT, 1, 5, comm, &requests[1]);
  MPI_Ibsend_c(out, kTwo, MPI_INT, 1, 6, comm, &requests[2]);
  MPI_Issend_c(out, kTwo, MPI_INT, 1, 7, comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void receive_all(void) {
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Recv_c(in[0], kFour, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  MPI_Recv_c(in[0], kFour, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Irecv_c(in[1], kFour, MPI_INT, 0, 3, comm, &requests[0]);
  MPI_Irecv_c(in[2], kFour, MPI_INT, 0, 4, comm, &requests[1]);
  MPI_Send_c(NULL, 0, MPI_INT, 0, 9, comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv_c(in[3], kFour, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(0, 6, comm, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv_c(in[4], kFour, MPI_INT, &message, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Recv_c(in[5], kFour, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
}

static void exchange(int peer) {
  MPI_Request requests[2];
  MPI_Sendrecv_c(out, kTwo, MPI_INT, peer, 1, in[0], kFour, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace_c(in[0], kTwo, MPI_INT, peer, 2, peer, 2, comm, MPI_STATUS_IGNORE);
  MPI_Isendrecv_c(out, kTwo, MPI_INT, peer, 3, in[1], kFour, MPI_INT, peer, 3, comm, &requests[0]);
  MPI_Isendrecv_replace_c(in[0], kTwo, MPI_INT, peer, 4, peer, 4, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void persistent(int rank) {
  MPI_Request requests[4];
  if (rank == 0) {
    MPI_Send_init_c(out, kTwo, MPI_INT, 1, 1, comm, &requests[0]);
    MPI_Bsend_init_c(out, kTwo, MPI_INT, 1, 2, comm, &requests[1]);
    MPI_Ssend_init_c(out, kTwo, MPI_INT, 1, 3, comm, &requests[2]);
    MPI_Rsend_init_c(out, kTwo, MPI_INT, 1, 4, comm, &requests[3]);
  } else {
    for (int i = 0; i < 4; ++i) MPI_Recv_init_c(in[i], kFour, MPI_INT, 0, i + 1, comm, &requests[i]);
    MPI_Startall(4, requests);
  }
  MPI_Barrier(comm);
  if (rank == 0) MPI_Startall(4, requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}
#endif

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  void* detached;
  MPI_Count size;
  MPI_Buffer_attach_c(room, sizeof room);
  if (rank == 0) send_all();
  if (rank == 1) receive_all();
  exchange(1 - rank);
  persistent(rank);
  MPI_Buffer_detach_c(&detached, &size);
  printf("rank %d %d %d\n", rank, in[0][1], in[5][1]);
#endif
  MPI_Finalize();
  return 0;
}
