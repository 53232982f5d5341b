// SPDX-License-Identifier: Apache-2.0
// Communicator handles -> numbers local to the process, and what the wrappers need to know of each. Handles
// are reused by the libraries, so an entry lives from the creating call (or its first use, where that was not
// seen) to MPI_Comm_free. Members are world ranks, found with local calls only. Thread safe through
// TableGuard.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "grow_buffer.h"
#include "lock.h"
#include "vef/formats/rank_log.h"

namespace vef::shim {

struct Communicator {
  std::uint32_t number = formats::kCommNull;
  std::int32_t rank = 0;         // of this process, in the local group
  std::int32_t size = 0;         // of the local group
  std::int32_t remote_size = 0;  // of the remote group; 0: an intra-communicator
  bool is_inter() const { return remote_size != 0; }
  /// Processes on the other side of a collective operation.
  std::int32_t peers() const { return is_inter() ? remote_size : size; }
};

/// Members of a communicator; the spans point into memory that the next describe() reuses.
struct Members {
  std::uint8_t flags = 0;  // formats::CommFlags
  std::span<const formats::RankRun> local;
  std::span<const formats::RankRun> remote;
};

class CommunicatorTable {
 public:
  /// Once MPI is initialised: enters MPI_COMM_WORLD and MPI_COMM_SELF.
  bool start();

  /// True: `found` is set. False: the handle has never been entered.
  bool find(MPI_Comm comm, Communicator& found);

  /// The number of a communicator that will be known later (MPI_Comm_idup).
  std::uint32_t reserve_number();

  /// Enters a handle, under `number` or a new one.
  Communicator enter(MPI_Comm comm, std::uint32_t number = formats::kCommNull);

  /// Takes the handle out. True: `removed` is what it was.
  bool remove(MPI_Comm comm, Communicator& removed);
  void restore(MPI_Comm comm, const Communicator& entry);

 private:
  struct Slot {
    std::uint64_t handle;
    Communicator entry;
    bool used;
  };
  std::size_t place(std::uint64_t handle) const;
  void insert(std::uint64_t handle, const Communicator& entry);
  bool grow();

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t used_ = 0;
  std::uint32_t next_number_ = 2;  // after world and self
  SpinLock lock_;
};

/// Finds the members of a communicator. One per thread.
class MemberFinder {
 public:
  Members describe(MPI_Comm comm);

 private:
  bool add_group(MPI_Group group, GrowBuffer<formats::RankRun>& runs, std::size_t& count,
                 std::uint8_t& flags);

  GrowBuffer<int> ranks_;
  GrowBuffer<formats::RankRun> local_;
  GrowBuffer<formats::RankRun> remote_;
};

}  // namespace vef::shim
