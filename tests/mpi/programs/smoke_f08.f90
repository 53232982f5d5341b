! SPDX-License-Identifier: Apache-2.0
! The calls of the Fortran 2008 interface are all seen, each once.
!@ *: Init
!@ *: Comm_split comm=0 new=2 members=0+1x2
!@ *: Sendrecv comm=2 peer={1-r} tag=1 bytes=4 from=any rtag=any room=4 got={1-r}/1/4
!@ *: Irecv comm=0 peer={1-r} tag=2 bytes=4 req=1
!@ *: Isend comm=0 peer={1-r} tag=2 bytes=4 req=2
!@ *: Wait done=1:{1-r}/2/4
!@ *: Wait done=2:sent
!@ *: Allreduce comm=0 bytes=4 recv=4
!@ *: Barrier comm=0 bytes=0 recv=0
!@ *: Finalize
program smoke_f08
  use mpi_f08
  implicit none
  integer :: rank, other, total
  type(MPI_Comm) :: part
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, part)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 1 - rank, 1, other, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, part, status)
  call MPI_Irecv(other, 1, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Wait(requests(2), status)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Barrier(MPI_COMM_WORLD)
  print *, rank, other, total
  call MPI_Finalize()
end program
