/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes that are joined through a socket. Debian's MPICH cannot do that. */
/*@ *: Init */
/*@ 0@openmpi: Send comm=0 peer=1 tag=1 bytes=4 */
/*@ 1@openmpi: Recv comm=0 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ *@openmpi: ~Comm_join comm=1 new=2 flags=1 members={r} remote={1-r} text='127.0.0.1:\d+ 127.0.0.1:\d+' */
/*@ *@openmpi: Sendrecv comm=2 peer=0 tag=2 bytes=4 from=0 rtag=2 room=4 got=0/2/4 */
/*@ *@openmpi: Comm_disconnect comm=2 */
/*@ *: Finalize */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef OPEN_MPI
static int connected_socket(int rank) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int port = 0;
  const int ours = socket(AF_INET, SOCK_STREAM, 0);
  if (rank == 0) {
    bind(ours, (struct sockaddr*)&address, sizeof address);
    listen(ours, 1);
    getsockname(ours, (struct sockaddr*)&address, &length);
    port = address.sin_port;
    MPI_Send(&port, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    const int theirs = accept(ours, NULL, NULL);
    close(ours);
    return theirs;
  }
  MPI_Recv(&port, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  address.sin_port = (in_port_t)port;
  connect(ours, (struct sockaddr*)&address, sizeof address);
  return ours;
}
#endif

int main(int argc, char** argv) {
  int rank, other = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPEN_MPI
  MPI_Comm joined;
  const int fd = connected_socket(rank);
  MPI_Comm_join(fd, &joined);
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &other, 1, MPI_INT, 0, 2, joined, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&joined);
  close(fd);
#endif
  printf("rank %d %d\n", rank, other);
  MPI_Finalize();
  return 0;
}
