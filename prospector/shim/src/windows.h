// SPDX-License-Identifier: Apache-2.0
// Window handles -> numbers local to the process, in order of creation; and the sizes of one-sided
// operations.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "handle_table.h"
#include "mpi_library.h"
#include "vef/formats/rank_log.h"

namespace vef::shim {

struct Window {
  std::uint32_t number = 0;
  std::uint32_t comm = formats::kCommNull;
};

class WindowTable {
 public:
  bool find(MPI_Win win, Window& found) { return table_.find(to_key(win), found); }
  bool remove(MPI_Win win, Window& removed) { return table_.remove(to_key(win), removed); }
  void restore(MPI_Win win, const Window& entry) { table_.enter(to_key(win), entry); }

  /// Enters a new window over communicator number `comm`; its number.
  std::uint32_t enter(MPI_Win win, std::uint32_t comm) {
    const Window entry{.number = next_number_.fetch_add(1, std::memory_order_relaxed), .comm = comm};
    restore(win, entry);
    return entry.number;
  }

 private:
  HandleTable<Window> table_;
  std::atomic<std::uint32_t> next_number_{1};
};

enum class RmaShape : std::uint8_t {
  kPut,            // to the target
  kGet,            // from it
  kGetAccumulate,  // both
  kFetch,          // both, one element
  kSwap,           // one element from the target, two to it
};

/// The arguments of any one-sided operation; those a function does not have stay as they are here.
struct RmaArguments {
  RmaShape shape;
  MPI_Win win;
  int target = MPI_PROC_NULL;
  MPI_Count scount = 0;
  MPI_Datatype stype{};
  MPI_Count rcount = 0;
  MPI_Datatype rtype{};
  MPI_Datatype type{};
  MPI_Op op{};
};

/// Sets bytes and recv_bytes. An operation with MPI_NO_OP sends nothing.
void measure(const RmaArguments& arguments, formats::RankEvent& event);

}  // namespace vef::shim
