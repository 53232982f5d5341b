/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments: the codes, and how often which error handler is called for which object. */
/* ranks 2 */
#include "../check.h"

static int calls, last_code, handle_right;
static MPI_Comm expected_comm;
static MPI_Win expected_window;
static MPI_File expected_file;

static void on_comm(MPI_Comm* comm, int* code, ...) {
  ++calls;
  last_code = *code;
  handle_right = *comm == expected_comm;
}

static void on_window(MPI_Win* window, int* code, ...) {
  ++calls;
  last_code = *code;
  handle_right = *window == expected_window;
}

static void on_file(MPI_File* file, int* code, ...) {
  ++calls;
  last_code = *code;
  handle_right = *file == expected_file;
}

/* `class` is the promise where MPI names one; 0: only that it fails. */
static void failed(const char* name, int code, int class, int handler_calls) {
  const int seen_calls = calls, seen_code = last_code;
  calls = last_code = 0;
  see(name,
      code != MPI_SUCCESS && (class == 0 || class_of(code) == class) &&
          (handler_calls < 0 || seen_calls == handler_calls),
      "%s calls=%d handle=%d same=%d", error_name(code), seen_calls, handle_right, seen_code == code);
}

/* Every call with a wrong argument on `comm`; with errors returned (0 calls of a handler) or an own handler.
 */
static void point_to_point(MPI_Comm comm, const char* how, int handler_calls) {
  int value = 1, flag = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Message message;
  const int n = handler_calls;
  failed(text("%s/send/rank", how), MPI_Send(&value, 1, MPI_INT, 99, 1, comm), MPI_ERR_RANK, n);
  failed(text("%s/send/tag", how), MPI_Send(&value, 1, MPI_INT, 0, -5, comm), MPI_ERR_TAG, n);
  failed(text("%s/send/count", how), MPI_Send(&value, -1, MPI_INT, 0, 1, comm), MPI_ERR_COUNT, n);
  failed(text("%s/send/type", how), MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 1, comm), MPI_ERR_TYPE, n);
  failed(text("%s/isend/rank", how), MPI_Isend(&value, 1, MPI_INT, 99, 1, comm, &request), MPI_ERR_RANK, n);
  failed(text("%s/issend/tag", how), MPI_Issend(&value, 1, MPI_INT, 0, -5, comm, &request), MPI_ERR_TAG, n);
  failed(text("%s/recv/rank", how), MPI_Recv(&value, 1, MPI_INT, 99, 1, comm, &status), MPI_ERR_RANK, n);
  failed(text("%s/recv/tag", how), MPI_Recv(&value, 1, MPI_INT, 0, -9, comm, &status), MPI_ERR_TAG, n);
  failed(text("%s/recv/count", how), MPI_Recv(&value, -3, MPI_INT, 0, 1, comm, &status), MPI_ERR_COUNT, n);
  failed(text("%s/irecv/count", how), MPI_Irecv(&value, -3, MPI_INT, 0, 1, comm, &request), MPI_ERR_COUNT, n);
  failed(text("%s/irecv/type", how), MPI_Irecv(&value, 1, MPI_DATATYPE_NULL, 0, 1, comm, &request),
         MPI_ERR_TYPE, n);
  failed(text("%s/send_init/rank", how), MPI_Send_init(&value, 1, MPI_INT, 99, 1, comm, &request),
         MPI_ERR_RANK, n);
  failed(text("%s/recv_init/tag", how), MPI_Recv_init(&value, 1, MPI_INT, 0, -9, comm, &request), MPI_ERR_TAG,
         n);
  failed(text("%s/probe/rank", how), MPI_Probe(99, 1, comm, &status), MPI_ERR_RANK, n);
  failed(text("%s/iprobe/rank", how), MPI_Iprobe(99, 1, comm, &flag, &status), MPI_ERR_RANK, n);
  failed(text("%s/mprobe/rank", how), MPI_Mprobe(99, 1, comm, &message, &status), MPI_ERR_RANK, n);
  failed(text("%s/improbe/tag", how), MPI_Improbe(0, -9, comm, &flag, &message, &status), MPI_ERR_TAG, n);
  failed(text("%s/sendrecv/rank", how),
         MPI_Sendrecv(&value, 1, MPI_INT, 99, 1, &flag, 1, MPI_INT, 0, 1, comm, &status), MPI_ERR_RANK, n);
  failed(text("%s/sendrecv_replace/rank", how),
         MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 1, 99, 1, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK, n);
}

static void collectives(MPI_Comm comm, const char* how, int handler_calls) {
  int value = 1, out[2] = {0};
  MPI_Request request;
  const int n = handler_calls;
  failed(text("%s/bcast/root", how), MPI_Bcast(&value, 1, MPI_INT, 99, comm), MPI_ERR_ROOT, n);
  failed(text("%s/bcast/count", how), MPI_Bcast(&value, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, n);
  failed(text("%s/bcast/type", how), MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, n);
  failed(text("%s/ibcast/root", how), MPI_Ibcast(&value, 1, MPI_INT, 99, comm, &request), MPI_ERR_ROOT, n);
  failed(text("%s/reduce/op", how), MPI_Reduce(&value, out, 1, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP, n);
  failed(text("%s/reduce/root", how), MPI_Reduce(&value, out, 1, MPI_INT, MPI_SUM, -7, comm), MPI_ERR_ROOT,
         n);
  failed(text("%s/allreduce/op", how), MPI_Allreduce(&value, out, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP,
         n);
  failed(text("%s/gather/root", how), MPI_Gather(&value, 1, MPI_INT, out, 1, MPI_INT, 99, comm), MPI_ERR_ROOT,
         n);
  failed(text("%s/scatter/root", how), MPI_Scatter(out, 1, MPI_INT, &value, 1, MPI_INT, 99, comm),
         MPI_ERR_ROOT, n);
  failed(text("%s/allgather/count", how), MPI_Allgather(&value, -1, MPI_INT, out, 1, MPI_INT, comm),
         MPI_ERR_COUNT, n);
  failed(text("%s/scan/op", how), MPI_Scan(&value, out, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, n);
}

/* On no communicator the handler of MPI_COMM_WORLD is called (MPI_COMM_SELF's from MPI 4.0 on). */
static void no_communicator(const char* how) {
  int value = 1;
  MPI_Request request;
  MPI_Comm made;
  failed(text("%s/null/send", how), MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL), MPI_ERR_COMM, -1);
  failed(text("%s/null/irecv", how), MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL, &request),
         MPI_ERR_COMM, -1);
  failed(text("%s/null/barrier", how), MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, -1);
  failed(text("%s/null/bcast", how), MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, -1);
  failed(text("%s/null/ibarrier", how), MPI_Ibarrier(MPI_COMM_NULL, &request), MPI_ERR_COMM, -1);
  failed(text("%s/null/dup", how), MPI_Comm_dup(MPI_COMM_NULL, &made), MPI_ERR_COMM, -1);
  failed(text("%s/null/split", how), MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made), MPI_ERR_COMM, -1);
  made = MPI_COMM_NULL;
  failed(text("%s/null/free", how), MPI_Comm_free(&made), 0, -1);
}

static void communicator_handlers(void) {
  MPI_Errhandler handler, found;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  handle_right = 0;
  point_to_point(comm, "return", 0);
  collectives(comm, "return", 0);
  no_communicator("return");
  MPI_Comm_create_errhandler(on_comm, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_get_errhandler(comm, &found);
  see("handler/get", found == handler, "%d", found == handler);
  MPI_Errhandler_free(&found);
  expected_comm = comm;
  point_to_point(comm, "handler", 1);
  collectives(comm, "handler", 1);
  const int code = MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  see("handler/call", code == MPI_SUCCESS && calls == 1 && last_code == MPI_ERR_OTHER && handle_right,
      "%s calls=%d %s handle=%d", error_name(code), calls, error_name(last_code), handle_right);
  calls = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  expected_comm = MPI_COMM_WORLD;
  no_communicator("handler");
  /* A truncated message: the handler of the receive's communicator, once. */
  int data[4] = {0}, in = 0;
  MPI_Status status;
  MPI_Request request;
  expected_comm = comm;
  MPI_Isend(data, 4, MPI_INT, my_rank, 1, comm, &request);
  failed("handler/truncate", MPI_Recv(&in, 1, MPI_INT, my_rank, 1, comm, &status), MPI_ERR_TRUNCATE, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

static void window_handlers(void) {
  MPI_Errhandler handler;
  MPI_Win window;
  int memory[4] = {0}, value = 1;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int own = 0; own < 2; ++own) {
    const char* const how = own ? "window/handler" : "window/return";
    if (own) MPI_Win_create_errhandler(on_window, &handler);
    MPI_Win_set_errhandler(window, own ? handler : MPI_ERRORS_RETURN);
    expected_window = window;
    handle_right = 0;
    MPI_Win_fence(0, window);
    failed(text("%s/put/rank", how), MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, window), MPI_ERR_RANK,
           own);
    failed(text("%s/put/count", how), MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, window), MPI_ERR_COUNT,
           own);
    failed(text("%s/get/type", how), MPI_Get(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, window),
           MPI_ERR_TYPE, own);
    failed(text("%s/accumulate/op", how),
           MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, window), MPI_ERR_OP, own);
    MPI_Win_fence(0, window);
    failed(text("%s/unlock", how), MPI_Win_unlock(0, window), 0, own);
  }
  MPI_Win_free(&window);
  MPI_Errhandler_free(&handler);
  see("window/free", window == MPI_WIN_NULL, "%d", window == MPI_WIN_NULL);
}

static void file_handlers(void) {
  MPI_Errhandler handler;
  MPI_File file = MPI_FILE_NULL;
  int value = 1;
  calls = 0;
  handle_right = 0;
  failed("file/open", MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
         MPI_ERR_NO_SUCH_FILE, 0);
  const char* const name = text("errors.%d.data", my_rank);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_create_errhandler(on_file, &handler);
  MPI_File_set_errhandler(file, handler);
  expected_file = file;
  failed("file/count", MPI_File_write(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE), 0, 1);
  failed("file/read", MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), 0, 1);
  MPI_File_close(&file);
  see("file/close", file == MPI_FILE_NULL, "%d", file == MPI_FILE_NULL);
  MPI_Errhandler_free(&handler);
}

int main(int argc, char** argv) {
  start_checks(&argc, &argv);
  communicator_handlers();
  window_handlers();
  file_handlers();
  return end_checks();
}
