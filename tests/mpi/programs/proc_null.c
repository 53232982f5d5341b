/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_PROC_NULL, whose statuses differ between the libraries. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Send comm=0 peer=null tag=1 bytes=0 */
/*@ 0: Recv comm=0 peer=null tag=any bytes=0 got=null/any/0 */
/*@ 0: Isend comm=0 peer=null tag=2 bytes=0 req=1 */
/*@ 0: Irecv comm=0 peer=null tag=3 bytes=0 req=2 */
/*@ 0: Waitall done=1:sent done=2:null/any/0 */
/*@ 0: Sendrecv comm=0 peer=null tag=4 bytes=0 from=null rtag=5 room=0 got=null/any/0 */
/*@ 0: Probe comm=0 peer=null tag=6 got=null/any/0 */
/*@ 0: Iprobe comm=0 peer=null tag=6 got=null/any/0 */
/*@ 0: Mprobe comm=0 peer=null tag=7 message=3 got=null/any/0 */
/*@ 0: Mrecv message=3 bytes=0 got=null/any/0 */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 5, flag = 0;
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Init(&argc, &argv);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 4, &value, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Probe(MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_PROC_NULL, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  printf("%d %d\n", value, flag);
  MPI_Finalize();
  return 0;
}
