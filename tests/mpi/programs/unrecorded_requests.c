/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what is not recorded: a request made while recording was off, a generalised request that
 * another thread completes. Nothing is matched by it, but it is time inside MPI, not computing. A request
 * that is null is none. */
/*@ *: Init_thread */
/*@ *: pause */
/*@ *: Wait */
/*@ *: Wait */
/*@ *: Waitall */
/*@ *: Isend comm=1 peer=0 tag=2 bytes=4 req=1 */
/*@ *: Recv comm=1 peer=0 tag=2 bytes=4 got=0/2/4 */
/*@ *: Waitall done=1:sent */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int frees;

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) {
  (void)state;
  ++frees;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static void* finish(void* request) {
  usleep(20000);
  MPI_Grequest_complete(*(MPI_Request*)request);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, value = 7, in = 0, count = 0;
  pthread_t thread;
  MPI_Status status;
  MPI_Request request, pair[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Pcontrol(0);
  MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Pcontrol(1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Grequest_start(query, release, cancel, NULL, &request);
  MPI_Request copy = request;
  pthread_create(&thread, NULL, finish, &copy);
  MPI_Wait(&request, &status);
  pthread_join(thread, NULL);
  MPI_Get_count(&status, MPI_INT, &count);

  MPI_Grequest_start(query, release, cancel, NULL, &pair[0]);
  MPI_Grequest_complete(pair[0]);
  pair[1] = MPI_REQUEST_NULL;
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE); /* both null: not even time */

  MPI_Grequest_start(query, release, cancel, NULL, &pair[0]);
  MPI_Grequest_complete(pair[0]);
  MPI_Isend(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &pair[1]);
  MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d %d %d\n", in, count, frees);
  MPI_Finalize();
  return 0;
}
