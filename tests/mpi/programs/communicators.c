/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: made in every way, used, freed; numbers are never used twice though handles are. */
/*@ ranks 4 */
/*@ *: Init */
/*@ 0,2: Comm_split comm=0 new=2 members=0+2x2 */
/*@ 1: Comm_split comm=0 new=2 members=1 */
/*@ 3: Comm_split comm=0 new=null */
/*@ 0: Send comm=2 peer=1 tag=1 bytes=4 */
/*@ 2: Recv comm=2 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ !3: Comm_free comm=2 */
/*@ 3: Comm_dup comm=0 new=2 members=0+1x4 */
/*@ !3: Comm_dup comm=0 new=3 members=0+1x4 */
/*@ !3: Allreduce comm=3 bytes=4 recv=4 */
/*@ 3: Allreduce comm=2 bytes=4 recv=4 */
/*@ 1,2: Comm_create comm=3 new=4 members=2+-1x2 */
/*@ 0: Comm_create comm=3 new=null */
/*@ 3: Comm_create comm=2 new=null */
/*@ 1,2: Comm_create_group comm=3 tag=5 new=5 flags=2 members=2+-1x2 */
/*@ 1,2: Comm_free comm=5 */
/*@ 1,2: Comm_free comm=4 */
/*@ 0: Cart_create comm=3 new=4 members=0+1x4 in=null,2,null,1 out=null,2,null,1 */
/*@ 1: Cart_create comm=3 new=6 members=0+1x4 in=null,3,0,null out=null,3,0,null */
/*@ 2: Cart_create comm=3 new=6 members=0+1x4 in=0,null,null,3 out=0,null,null,3 */
/*@ 3: Cart_create comm=2 new=3 members=0+1x4 in=1,null,2,null out=1,null,2,null */
/*@ 0: Cart_sub comm=4 new=5 members=0+2x2 in=null,1 out=null,1 */
/*@ 1: Cart_sub comm=6 new=7 members=1+2x2 in=null,1 out=null,1 */
/*@ 2: Cart_sub comm=6 new=7 members=0+2x2 in=0,null out=0,null */
/*@ 3: Cart_sub comm=3 new=4 members=1+2x2 in=0,null out=0,null */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 7, sum = 0;
  MPI_Comm part, copy, pair, again, grid, column;
  MPI_Group all, reversed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : rank % 2, 0, &part);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, part);
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 1, part, MPI_STATUS_IGNORE);
  if (rank != 3) MPI_Comm_free(&part);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
  const int members[2] = {2, 1};
  MPI_Comm_group(copy, &all);
  MPI_Group_incl(all, 2, members, &reversed);
  MPI_Comm_create(copy, reversed, &pair);
  if (rank == 1 || rank == 2) {
    MPI_Comm_create_group(copy, reversed, 5, &again);
    MPI_Comm_free(&again);
    MPI_Comm_free(&pair);
  }
  const int dims[2] = {2, 2}, periods[2] = {0, 0}, remain[2] = {1, 0};
  MPI_Cart_create(copy, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, remain, &column);
  printf("rank %d %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
