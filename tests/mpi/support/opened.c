/* SPDX-License-Identifier: Apache-2.0 */
/* A program that initialises MPI through the library's own handle, past the recorder, and then calls it as
 * usual. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int flag = 0;
  void* library = dlopen(argv[1], RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 2;
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(library, "MPI_Init");
  init(&argc, &argv);
  MPI_Initialized(&flag);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d\n", flag);
  MPI_Finalize();
  return 0;
}
