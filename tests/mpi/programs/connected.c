/* SPDX-License-Identifier: Apache-2.0 */
/* Two halves of one world meet through a port: everybody is known, and the root of each side knows the port.
 * Debian's MPICH has no ports. */
/*@ ranks 3 */
/*@ *: Init */
/*@ 0@openmpi: Open_port */
/*@ *@openmpi: ~Bcast comm=0 root=0 bytes=\d+ recv=\d+ */
/*@ 0,2@openmpi: Comm_split comm=0 new=2 members=0+2x2 */
/*@ 1@openmpi: Comm_split comm=0 new=2 members=1 */
/*@ 0@openmpi: ~Comm_accept comm=2 new=3 flags=1 members=0\+2x2 remote=1 text='.+' */
/*@ 2@openmpi: Comm_accept comm=2 new=3 flags=1 members=0+2x2 remote=1 */
/*@ 1@openmpi: ~Comm_connect comm=2 new=3 flags=1 members=1 remote=0\+2x2 text='.+' */
/*@ 2@openmpi: Send comm=3 peer=0 tag=4 bytes=4 */
/*@ 1@openmpi: Recv comm=3 peer=any tag=4 bytes=4 got=1/4/4 */
/*@ *@openmpi: Comm_disconnect comm=3 */
/*@ 0@openmpi: Close_port */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPEN_MPI
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, inter;
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  if (rank % 2 == 0) {
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
  } else {
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
  }
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 4, inter);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&inter);
  if (rank == 0) MPI_Close_port(port);
#endif
  printf("rank %d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
