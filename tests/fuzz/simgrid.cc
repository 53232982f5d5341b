// SPDX-License-Identifier: Apache-2.0
// SimGrid's time-independent traces, all ranks in one file; changed, they are an index, too.
#include "neighbours.h"

using namespace vef;

bool fuzz::run(std::string_view input) { return fuzz::read_as("simgrid-ti", input); }

std::vector<std::string> fuzz::seeds() {
  return {
      "0 init\n1 init\n0 compute 1e3\n0 isend 1 0 5\n1 irecv 0 0 5 6\n1 wait 0 1 0\n0 waitall\n"
      "0 bcast 5 1 6\n1 bcast 5 1 6\n0 reduce 5 1 0\n1 reduce 5 1 0\n0 allreduce 5 9\n1 allreduce 5 9\n"
      "0 gatherv 1 1 2 0\n1 gatherv 2 1 2 0\n0 scatterv 1 2 1 0\n1 scatterv 1 2 2 0\n0 alltoall 3 3\n1 "
      "alltoall 3 3\n"
      "0 finalize\n1 finalize\n",
      "0 init 1\n1 init 1\n0 alltoallv 9 1 2 9 1 4\n1 alltoallv 9 4 5 9 2 5\n0 allgatherv 1 1 2\n1 "
      "allgatherv 2 1 2\n"
      "0 reducescatter 2 3 50\n1 reducescatter 2 3 50\n0 scan 2 0\n1 scan 2 0\n0 barrier\n1 barrier\n"
      "0 sendRecv 4 1 4 1 6 6\n1 sendRecv 4 0 4 0 6 6\n0 sleep 1e-6\n0 finalize\n1 finalize\n"};
}
