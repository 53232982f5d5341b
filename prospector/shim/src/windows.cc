// SPDX-License-Identifier: Apache-2.0
#include "windows.h"

#include "call.h"

namespace vef::shim {

void measure(const RmaArguments& arguments, formats::RankEvent& event) {
  if (arguments.target == MPI_PROC_NULL) return;
  const bool sends = arguments.op != mpi.op_no_op;
  switch (arguments.shape) {
    case RmaShape::kPut:
      event.bytes = bytes_of(arguments.scount, arguments.stype);
      return;
    case RmaShape::kGet:
      event.recv_bytes = bytes_of(arguments.rcount, arguments.rtype);
      return;
    case RmaShape::kGetAccumulate:
      if (sends) event.bytes = bytes_of(arguments.scount, arguments.stype);
      event.recv_bytes = bytes_of(arguments.rcount, arguments.rtype);
      return;
    case RmaShape::kFetch:
      if (sends) event.bytes = bytes_of(1, arguments.type);
      event.recv_bytes = bytes_of(1, arguments.type);
      return;
    case RmaShape::kSwap:
      event.bytes = bytes_of(2, arguments.type);
      event.recv_bytes = bytes_of(1, arguments.type);
      return;
  }
}

}  // namespace vef::shim
