! SPDX-License-Identifier: Apache-2.0
! The Fortran 2008 module: every call is seen once, and the sentinels mean what they should: MPI_IN_PLACE, MPI_BOTTOM,
! MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_UNWEIGHTED, MPI_ARGV_NULL, MPI_ERRCODES_IGNORE. The program checks its
! results. Debian's MPICH cannot spawn: the call fails there and is not recorded. In this module MPICH 4.0
! counts the indices of Waitany and Waitsome from 0.
!@ says recorded in capture
!@ count *: 1 ^Init$
!@ count *: 1 ^Allreduce comm=0 bytes=4 recv=4$
!@ count *: 1 ^Gather comm=0 root=0 bytes=4 recv={8*(1-r)}$
!@ count 0: 1 ^Send comm=0 peer=1 tag=7 bytes=4$
!@ count 1: 1 ^Recv comm=0 peer=0 tag=7 bytes=4 got=0/7/4$
!@ count *: 1 ^Irecv comm=0 peer={1-r} tag=1 bytes=4 req=1$
!@ count *: 1 ^Isend comm=0 peer={1-r} tag=1 bytes=4 req=2$
!@ count *: 1 ^Waitall done=1:{1-r}/1/4 done=2:sent$
!@ count *: 1 ^Waitany done=3:0/2/4$
!@ count *: 1 ^Waitsome done=4:0/2/4$
!@ count *: 2 ^Send comm=1 peer=0 tag=2 bytes=4$
!@ count *: 1 ^Sendrecv comm=0 peer={1-r} tag=3 bytes=8 from=any rtag=any room=8 got={1-r}/3/8$
!@ count *: 1 ^Dist_graph_create_adjacent comm=0 new=2 members=0\+1x2 in={1-r} out={1-r}$
!@ count *@openmpi: 1 ^Comm_spawn comm=1 new=3 flags=5 members={r} remote=2 asked=1 text='.+'$
!@ count *: 1 ^Barrier comm=0 bytes=0 recv=0$
!@ count *: 1 ^Finalize$
!@ count *@openmpi: 20 .
!@ count *@mpich: 18 .
program bindings_use_mpi_f08
  use mpi_f08
  implicit none
  integer :: rank, ierr, total, gathered(2), index, outcount, indices(1), bad, degree
  integer :: sent(2), received(2), ones(1), lengths(1)
  integer, volatile :: value
  integer(kind=MPI_ADDRESS_KIND) :: places(1)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: parent, child, graph
  type(MPI_Datatype) :: absolute
  character(len=1024) :: self

  bad = 0
  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent, ierr)
  if (parent /= MPI_COMM_NULL) then
    call MPI_Comm_disconnect(parent, ierr)
    call MPI_Finalize(ierr)
    stop
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)

  total = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= 3) bad = bad + 1
  gathered = 10 + rank
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, gathered(1), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (gathered(1) /= 10 .or. gathered(2) /= 11) bad = bad + 1
  else
    call MPI_Gather(gathered(1), 1, MPI_INTEGER, received(1), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end if

  value = 40 + rank
  lengths = 1
  call MPI_Get_address(value, places(1), ierr)
  call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)
  if (rank == 0) then
    call MPI_Send(MPI_BOTTOM, 1, absolute, 1, 7, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  if (value /= 40) bad = bad + 1

  call MPI_Irecv(received(1), 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(rank, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (received(1) /= 1 - rank) bad = bad + 1
  call MPI_Irecv(received(1), 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, requests(1), ierr)
  call MPI_Send(total, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, ierr)
  call MPI_Waitany(1, requests, index, MPI_STATUS_IGNORE, ierr)
  if (index > 1) bad = bad + 1
  call MPI_Irecv(received(1), 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, requests(1), ierr)
  call MPI_Send(total, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, ierr)
  call MPI_Waitsome(1, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
  if (outcount /= 1 .or. indices(1) > 1 .or. received(1) /= 3) bad = bad + 1
  sent = rank
  call MPI_Sendrecv(sent(1), 2, MPI_INTEGER, 1 - rank, 3, received(1), 2, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                    MPI_COMM_WORLD, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, total, ierr)
  if (status%MPI_SOURCE /= 1 - rank .or. status%MPI_TAG /= 3 .or. total /= 2) bad = bad + 1

  ones = 1 - rank
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, ones, MPI_UNWEIGHTED, 1, ones, MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., graph, ierr)
  call MPI_Topo_test(graph, degree, ierr)
  if (degree /= MPI_DIST_GRAPH) bad = bad + 1

  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call get_command_argument(0, self)
  call MPI_Comm_spawn(trim(self), MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, child, MPI_ERRCODES_IGNORE, ierr)
  if (ierr == MPI_SUCCESS) call MPI_Comm_disconnect(child, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (bad /= 0) error stop
  print *, rank, value
  call MPI_Finalize(ierr)
end program
