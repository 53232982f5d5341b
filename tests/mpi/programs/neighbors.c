/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbourhood collectives on a periodic line of 3 (2 neighbours each), and on a graph in which everybody
 * sends to rank 0. Then a grid of 3 x 1 that is open in the first dimension, where the ends have no
 * neighbour, and closed in the second, where everybody is its own; and a star as a graph. */
/* In the trace: 6 messages in each of 3 calls on the ring, 3 in each of 2 on the graph, 3 + 4 + 3 in each of
 * 2 on the grid; 3 * (16 + 16 + 12) + 2 * 3 * 8 + 10 * 4 + (32 + 36 + 28) bytes. */
/*@ merged messages=44 message_bytes=316 faults=0 */
/*@ ranks 3 */
/*@ *: Init */
/*@ *: Cart_create comm=0 new=2 members=0+1x3 in={(r+2)%3},{(r+1)%3} out={(r+2)%3},{(r+1)%3} */
/*@ *: Neighbor_allgather comm=2 bytes=8 recv=16 */
/*@ *: Neighbor_alltoall comm=2 bytes=16 recv=16 */
/*@ *: Neighbor_alltoallv comm=2 bytes=12 recv=12 sizes=4,8 */
/*@ 0: Dist_graph_create_adjacent comm=0 new=3 members=0+1x3 in=0,1,2 out=0 */
/*@ !0: Dist_graph_create_adjacent comm=0 new=3 members=0+1x3 out=0 */
/*@ 0: Neighbor_allgather comm=3 bytes=8 recv=24 */
/*@ !0: Neighbor_allgather comm=3 bytes=8 recv=0 */
/*@ 0: Ineighbor_alltoall comm=3 bytes=8 recv=24 req=1 */
/*@ !0: Ineighbor_alltoall comm=3 bytes=8 recv=0 req=1 */
/*@ *: Wait done=1:sent */
/*@ *: Comm_dup comm=2 new=4 members=0+1x3 in={(r+2)%3},{(r+1)%3} out={(r+2)%3},{(r+1)%3} */
/*@ 0: Cart_create comm=0 new=5 members=0+1x3 in=null,1,0,0 out=null,1,0,0 */
/*@ 1: Cart_create comm=0 new=5 members=0+1x3 in=0,2,1,1 out=0,2,1,1 */
/*@ 2: Cart_create comm=0 new=5 members=0+1x3 in=1,null,2,2 out=1,null,2,2 */
/*@ !1: Neighbor_alltoall comm=5 bytes=12 recv=12 */
/*@ 1: Neighbor_alltoall comm=5 bytes=16 recv=16 */
/*@ 0: Neighbor_alltoallv comm=5 bytes=32 recv=28 sizes=0,8,12,12 */
/*@ 1: Neighbor_alltoallv comm=5 bytes=36 recv=36 sizes=4,8,12,12 */
/*@ 2: Neighbor_alltoallv comm=5 bytes=28 recv=32 sizes=4,0,12,12 */
/*@ 0: Graph_create comm=0 new=6 members=0+1x3 in=1,2 out=1,2 */
/*@ !0: Graph_create comm=0 new=6 members=0+1x3 in=0 out=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, in[16] = {0}, out[16] = {0};
  const int dims[1] = {3}, periods[1] = {1}, all[3] = {0, 1, 2}, root[1] = {0};
  /* To the lower neighbour 1, to the upper 2: so 2 come from the lower, and 1 from the upper. */
  const int counts[2] = {1, 2}, receive_counts[2] = {2, 1}, displs[2] = {0, 4};
  MPI_Comm line, star;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  out[0] = rank;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, line);
  MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, line);
  MPI_Neighbor_alltoallv(out, counts, displs, MPI_INT, in, receive_counts, displs, MPI_INT, line);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? 3 : 0, all, MPI_UNWEIGHTED, 1, root,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, star);
  MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, star, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm copy, grid, graph;
  const int extents[2] = {3, 1}, closed[2] = {0, 1}, four[4] = {1, 2, 3, 3}, places[4] = {0, 2, 4, 7};
  const int back[4] = {2, 1, 3, 3}, indices[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0};
  MPI_Comm_dup(line, &copy);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, closed, 0, &grid);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
  /* What one sends down, 1 number, comes from above at the other; up 2; in the second dimension 3 both ways.
   */
  MPI_Neighbor_alltoallv(out, four, places, MPI_INT, in, back, places, MPI_INT, grid);
  MPI_Graph_create(MPI_COMM_WORLD, 3, indices, edges, 0, &graph);
  printf("rank %d %d\n", rank, rank == 0 ? in[4] : 0);
  MPI_Finalize();
  return 0;
}
