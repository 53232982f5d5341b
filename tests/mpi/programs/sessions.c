/* SPDX-License-Identifier: Apache-2.0 */
/* MPI sessions without MPI_Init (MPI 4.0): recording begins with the first and ends with the last. Libraries
 * before that version have plain calls instead. */
/*@ merged@mpich messages=1 message_bytes=4 faults=0 */
/*@ merged@openmpi collectives=1 faults=0 */
/*@ ranks 3 */
/*@ *@openmpi: Init */
/*@ *@openmpi: Barrier comm=0 bytes=0 recv=0 */
/*@ *@openmpi: Finalize */
/*@ *@mpich: Session_init */
/*@ *@mpich: Session_init */
/*@ *@mpich: Comm_create_from_group comm=null new=2 flags=2 members=0+1x3 text='all' */
/*@ *@mpich: Allreduce comm=2 bytes=4 recv=4 */
/*@ 0@mpich: Comm_create_from_group comm=null new=3 flags=2 members=0+2x2 text='part' */
/*@ 2@mpich: Comm_create_from_group comm=null new=3 flags=2 members=0+2x2 text='part' */
/*@ 0@mpich: Send comm=3 peer=1 tag=5 bytes=4 */
/*@ 2@mpich: Recv comm=3 peer=0 tag=5 bytes=4 got=0/5/4 */
/*@ 0@mpich: Comm_free comm=3 */
/*@ 2@mpich: Comm_free comm=3 */
/*@ 0@mpich: Intercomm_create_from_groups comm=null new=4 flags=3 members=0+2x2 remote=1 text='inter' */
/*@ 1@mpich: Intercomm_create_from_groups comm=null new=3 flags=3 members=1 remote=0+2x2 text='inter' */
/*@ 2@mpich: Intercomm_create_from_groups comm=null new=4 flags=3 members=0+2x2 remote=1 text='inter' */
/*@ *@mpich: Barrier comm={3+(r!=1)} bytes=0 recv=0 */
/*@ *@mpich: Comm_free comm={3+(r!=1)} */
/*@ *@mpich: Comm_free comm=2 */
/*@ *@mpich: Session_finalize */
/*@ *@mpich: Session_finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  (void)argc;
  (void)argv;
#if MPI_VERSION >= 4
  int rank, sum = 0, out[2] = {0, 2};
  MPI_Session session, second;
  MPI_Group all, part;
  MPI_Comm everybody, some;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_rank(all, &rank);
  MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everybody);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, everybody);
  MPI_Group_incl(all, 2, out, &part);
  if (rank != 1) {
    MPI_Comm_create_from_group(part, "part", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &some);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 5, some);
    if (rank == 2) MPI_Recv(&rank, 1, MPI_INT, 0, 5, some, MPI_STATUS_IGNORE);
    MPI_Comm_free(&some);
  }
  MPI_Group rest;
  MPI_Comm inter;
  MPI_Group_excl(all, 2, out, &rest);
  MPI_Intercomm_create_from_groups(rank == 1 ? rest : part, 0, rank == 1 ? part : rest, 0, "inter",
                                   MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
  MPI_Barrier(inter);
  MPI_Comm_free(&inter);
  MPI_Group_free(&rest);
  MPI_Group_free(&part);
  MPI_Group_free(&all);
  MPI_Comm_free(&everybody);
  MPI_Session_finalize(&session);
  MPI_Session_finalize(&second);
  printf("%d\n", sum);
#else
  MPI_Init(NULL, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  printf("3\n");
#endif
  return 0;
}
