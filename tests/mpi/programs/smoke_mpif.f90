! SPDX-License-Identifier: Apache-2.0
! The calls of the old Fortran interface are all seen, each once.
!@ *: Init
!@ *: Comm_dup comm=0 new=2 members=0+1x2
!@ *: Sendrecv comm=2 peer={1-r} tag=1 bytes=4 from=any rtag=any room=4 got={1-r}/1/4
!@ *: Irecv comm=0 peer={1-r} tag=2 bytes=4 req=1
!@ *: Isend comm=0 peer={1-r} tag=2 bytes=4 req=2
!@ *: Waitall done=1:{1-r}/2/4 done=2:sent
!@ *: Allreduce comm=0 bytes=4 recv=4
!@ *: Allreduce comm=0 bytes=4 recv=4
!@ *: Barrier comm=0 bytes=0 recv=0
!@ *: Finalize
program smoke_mpif
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, copy, other, total, requests(2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 1 - rank, 1, other, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &
                    MPI_STATUS_IGNORE, ierr)
  call MPI_Irecv(other, 1, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(rank, 1, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  print *, rank, other, total
  call MPI_Finalize(ierr)
end program
