/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Pcontrol: 2 seals what is recorded so far (shown as the time that it takes), 3 begins a region, -3 ends
 * it. A name that is none, or is missing, is left out; other levels mean nothing. */
/*@ ranks 1 */
/*@ *: Init */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Pcontrol */
/*@ *: pause */
/*@ *: region begins name='time step' */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: region begins name='inner' */
/*@ *: region ends name='inner' */
/*@ *: region ends name='time step' */
/*@ *: region begins name='' */
/*@ *: region ends name='' */
/*@ *: region ends name='' */
/*@ *: pause */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  MPI_Pcontrol(3, "time step");
  MPI_Barrier(MPI_COMM_WORLD);
  /* A name that ends with the last byte that can be read. */
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, 4096, PROT_NONE);
  char* name = pages + 4096 - sizeof "inner";
  memcpy(name, "inner", sizeof "inner");
  MPI_Pcontrol(3, name);
  MPI_Pcontrol(-3, name);
  MPI_Pcontrol(-3, "time step");
  MPI_Pcontrol(3, (void*)8);
  MPI_Pcontrol(-3, pages + 4096); /* cannot be read */
  memset(pages, 'x', 4096);
  MPI_Pcontrol(-3, pages); /* does not end */
  MPI_Pcontrol(77, 1.5, "no meaning");
  MPI_Pcontrol(0);
  MPI_Pcontrol(3, "while recording is off");
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
