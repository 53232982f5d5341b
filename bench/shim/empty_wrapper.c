/* SPDX-License-Identifier: Apache-2.0 */
/* What any preloaded tool costs at least: passes the calls of calls.c on, and does nothing else. */
#include <mpi.h>

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(buffer, count, type, to, tag, comm);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) { return PMPI_Wait(request, status); }
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) { return PMPI_Test(request, done, status); }
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
  return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}
