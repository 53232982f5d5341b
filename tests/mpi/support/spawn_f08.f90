! SPDX-License-Identifier: Apache-2.0
! One process spawns two more of itself and sends 20 bytes to the second. Status 3 where the library cannot do it.
program spawn_f08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: other
  integer :: numbers(5), rank, failed
  character(len=1000) :: self
  numbers = 7
  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_get_parent(other)
  if (other == MPI_COMM_NULL) then
    call get_command_argument(0, self)
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, MPI_ERRCODES_IGNORE, failed)
    if (failed /= MPI_SUCCESS) stop 3
    call MPI_Send(numbers, 5, MPI_INTEGER, 1, 4, other)
  else if (rank == 1) then
    call MPI_Recv(numbers, 5, MPI_INTEGER, 0, 4, other, MPI_STATUS_IGNORE)
  end if
  call MPI_Comm_disconnect(other)
  call MPI_Finalize()
end program spawn_f08
