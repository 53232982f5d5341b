! SPDX-License-Identifier: Apache-2.0
! The Fortran module mpi: every call is seen once, and the sentinels mean what they should: MPI_IN_PLACE, MPI_BOTTOM,
! MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_UNWEIGHTED, MPI_ARGV_NULL, MPI_ERRCODES_IGNORE. The program checks its
! results. Debian's MPICH cannot spawn: the call fails there and is not recorded.
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
program bindings_use_mpi
  use mpi
  implicit none
  include 'bindings_integers.inc'
end program
