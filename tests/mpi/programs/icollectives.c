/* SPDX-License-Identifier: Apache-2.0 */
/* Non-blocking collectives, completed together with a receive, and one alone. */
/*@ *: Init */
/*@ *: Ibarrier comm=0 bytes=0 recv=0 req=1 */
/*@ *: Iallreduce comm=0 bytes=40 recv=40 req=2 */
/*@ 0: Ibcast comm=0 root=0 bytes=40 recv=0 req=3 */
/*@ 1: Ibcast comm=0 root=0 bytes=0 recv=40 req=3 */
/*@ *: Ialltoallv comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 req=4 */
/*@ *: Irecv comm=0 peer={1-r} tag=9 bytes=4 req=5 */
/*@ *: Isend comm=0 peer={1-r} tag=9 bytes=4 req=6 */
/*@ *: Waitall done=1:sent done=2:sent done=3:sent done=4:sent done=5:{1-r}/9/4 done=6:sent */
/*@ *: Igather comm=0 root=1 bytes=4 recv={8*r} req=7 */
/*@ *: Wait done=7:sent */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, out[16] = {3}, sum[16], all[16], from, gathered[2];
  const int counts[2] = {1, 2}, displs[2] = {0, 1};
  MPI_Request requests[6], last;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* Rank r sends 1 int to rank 0 and 2 to rank 1; so rank 0 receives 1 + 1, rank 1 2 + 2. */
  const int receive_counts[2] = {rank + 1, rank + 1}, receive_displs[2] = {0, 4};
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(out, sum, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibcast(out, 10, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Ialltoallv(sum + 12, counts, displs, MPI_INT, all, receive_counts, receive_displs, MPI_INT,
                 MPI_COMM_WORLD, &requests[3]);
  MPI_Irecv(&from, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &requests[4]);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &requests[5]);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  MPI_Igather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, 1, MPI_COMM_WORLD, &last);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  printf("rank %d %d %d\n", rank, sum[0], from);
  MPI_Finalize();
  return 0;
}
