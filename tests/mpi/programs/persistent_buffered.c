/* SPDX-License-Identifier: Apache-2.0 */
/* A persistent buffered send whose next start comes before its last message was taken: Open MPI then changes
 * the program's handle. Three messages of 1 MiB, and an empty one that lets the receiver begin. */
/*@ merged messages=4 message_bytes=3145728 collectives=0 faults=0 */
/*@ *: Init */
/*@ 0: Bsend_init comm=0 peer=1 tag=1 bytes=1048576 req=1 */
/*@ 0: Start reqs=1 */
/*@ 0: Wait done=1:sent */
/*@ 0: Start reqs=1 */
/*@ 0: Wait done=1:sent */
/*@ 0: Startall reqs=1 */
/*@ 0: Wait done=1:sent */
/*@ 0: Send comm=0 peer=1 tag=2 bytes=0 */
/*@ 0: Buffer_detach */
/*@ 1: Recv comm=0 peer=0 tag=2 bytes=0 got=0/2/0 */
/*@ 1: Recv comm=0 peer=0 tag=1 bytes=1048576 got=0/1/1048576 */
/*@ 1: Recv comm=0 peer=0 tag=1 bytes=1048576 got=0/1/1048576 */
/*@ 1: Recv comm=0 peer=0 tag=1 bytes=1048576 got=0/1/1048576 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytes = 1 << 20, kBuffer = 3 * (kBytes + MPI_BSEND_OVERHEAD) };

static void send_three(char* data) {
  MPI_Request request;
  int size = kBuffer;
  void* buffer = malloc(kBuffer);
  MPI_Buffer_attach(buffer, size);
  MPI_Bsend_init(data, kBytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; ++i) {
    data[0] = (char)i;
    if (i < 2) MPI_Start(&request);
    if (i == 2) MPI_Startall(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &size);
  MPI_Request_free(&request);
  free(buffer);
}

int main(int argc, char** argv) {
  int rank;
  static char data[kBytes];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) send_three(data);
  if (rank == 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; rank == 1 && i < 3; ++i) {
    MPI_Recv(data, kBytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("message %d\n", data[0]);
  }
  MPI_Finalize();
  return 0;
}
