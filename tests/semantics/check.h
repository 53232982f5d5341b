/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this suite share. Each check writes one line, "name: values seen", into a file of its
 * rank: no addresses, no times, nothing else that may differ from run to run. `promise` is what MPI promises
 * of the values; where it promises nothing the line alone is compared between the runs. */
#pragma once

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* seen;
static int wrong_checks, my_rank, world_size;

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* One check. */
__attribute__((format(printf, 3, 4))) static inline void see(const char* name, int promise,
                                                             const char* format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(seen, "%s: ", name);
  vfprintf(seen, format, values);
  fprintf(seen, "%s\n", promise ? "" : " WRONG");
  fflush(seen);
  va_end(values);
  if (!promise) ++wrong_checks;
}

/* A text that lives until 16 more were made. */
__attribute__((format(printf, 1, 2))) static inline const char* text(const char* format, ...) {
  static char ring[16][256];
  static int next;
  char* const made = ring[next++ % 16];
  va_list values;
  va_start(values, format);
  vsnprintf(made, sizeof ring[0], format, values);
  va_end(values);
  return made;
}

static inline int class_of(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  return class;
}

static inline const char* error_name(int code) {
  static const struct {
    int class;
    const char* name;
  } names[] = {{MPI_SUCCESS, "SUCCESS"},
               {MPI_ERR_BUFFER, "BUFFER"},
               {MPI_ERR_COUNT, "COUNT"},
               {MPI_ERR_TYPE, "TYPE"},
               {MPI_ERR_TAG, "TAG"},
               {MPI_ERR_COMM, "COMM"},
               {MPI_ERR_RANK, "RANK"},
               {MPI_ERR_REQUEST, "REQUEST"},
               {MPI_ERR_ROOT, "ROOT"},
               {MPI_ERR_GROUP, "GROUP"},
               {MPI_ERR_OP, "OP"},
               {MPI_ERR_TOPOLOGY, "TOPOLOGY"},
               {MPI_ERR_DIMS, "DIMS"},
               {MPI_ERR_ARG, "ARG"},
               {MPI_ERR_TRUNCATE, "TRUNCATE"},
               {MPI_ERR_OTHER, "OTHER"},
               {MPI_ERR_INTERN, "INTERN"},
               {MPI_ERR_IN_STATUS, "IN_STATUS"},
               {MPI_ERR_PENDING, "PENDING"},
               {MPI_ERR_WIN, "WIN"},
               {MPI_ERR_FILE, "FILE"},
               {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"},
               {MPI_ERR_AMODE, "AMODE"},
               {MPI_ERR_RMA_SYNC, "RMA_SYNC"},
               {MPI_ERR_DISP, "DISP"},
               {MPI_ERR_KEYVAL, "KEYVAL"},
               {MPI_ERR_RMA_RANGE, "RMA_RANGE"},
               {MPI_ERR_INFO, "INFO"}};
  const int class = class_of(code);
  for (int i = 0; i < COUNT_OF(names); ++i) {
    if (names[i].class == class) return names[i].name;
  }
  return text("class%d", class);
}

/* Every byte set: what the library does not write stays to be seen. */
static inline void blank(MPI_Status* status) { memset(status, 0x11, sizeof *status); }

/* The fields as they stand, written or not. */
static inline const char* raw_status(const MPI_Status* status) {
  return text("source=%d tag=%d error=%d", status->MPI_SOURCE, status->MPI_TAG, status->MPI_ERROR);
}

/* All that can be asked of the status of a receive. */
static inline const char* full_status(const MPI_Status* status, MPI_Datatype type) {
  int count = -1, elements = -1, cancelled = -1;
  MPI_Count elements_x = -1;
  MPI_Get_count(status, type, &count);
  MPI_Get_elements(status, type, &elements);
  MPI_Get_elements_x(status, type, &elements_x);
  MPI_Test_cancelled(status, &cancelled);
  return text("%s count=%d elements=%d/%lld cancelled=%d", raw_status(status), count, elements,
              (long long)elements_x, cancelled);
}

static inline int is_from(const MPI_Status* status, int source, int tag, MPI_Datatype type, int count) {
  int found = -1;
  MPI_Get_count(status, type, &found);
  return status->MPI_SOURCE == source && status->MPI_TAG == tag && found == count;
}

/* Fletcher's checksum of the bytes. */
static inline unsigned checksum(const void* data, size_t bytes) {
  const unsigned char* byte = data;
  unsigned low = 1, high = 0;
  for (size_t i = 0; i < bytes; ++i) {
    low = (low + byte[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

static inline void fill(int* values, int count, int start) {
  for (int i = 0; i < count; ++i) values[i] = start + i;
}

static inline int counts_up(const int* values, int count, int start) {
  for (int i = 0; i < count; ++i) {
    if (values[i] != start + i) return 0;
  }
  return 1;
}

/* Opens the file of the rank; MPI must be initialised. Errors return. */
static inline void open_checks(void) {
  char path[4096];
  const char* directory = getenv("SEMANTICS_DIRECTORY");
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  snprintf(path, sizeof path, "%s/%d", directory != NULL ? directory : ".", my_rank);
  seen = fopen(path, "w");
  if (seen == NULL) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static inline void start_checks(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  open_checks();
}

/* The exit status of the rank. */
static inline int end_checks(void) {
  const int finalized = MPI_Finalize();
  fprintf(seen, "finalize: %d\n", finalized);
  fclose(seen);
  return wrong_checks != 0 || finalized != MPI_SUCCESS;
}
