// SPDX-License-Identifier: Apache-2.0
// Communicator handles -> numbers local to the process, and what the wrappers need to know of each. An entry
// lives from the creating call (or its first use, where that was not seen) to MPI_Comm_free. Members are
// numbered as formats::RankRun says, with local calls only.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "grow_buffer.h"
#include "handle_table.h"
#include "vef/formats/rank_log.h"

namespace vef::shim {

struct Communicator {
  std::uint32_t number = formats::kCommNull;
  std::int32_t rank = 0;         // of this process, in the local group
  std::int32_t size = 0;         // of the local group
  std::int32_t remote_size = 0;  // of the remote group; 0: an intra-communicator
  std::int32_t sources = 0;      // neighbours in its topology
  std::int32_t destinations = 0;
  std::uint64_t absent = 0;  // bit i: neighbour i (< 64) is MPI_PROC_NULL, at the border of a grid
  bool is_inter() const { return remote_size != 0; }
  /// Processes on the other side of a collective operation.
  std::int32_t peers() const { return is_inter() ? remote_size : size; }
  bool is_absent(std::uint64_t neighbour) const { return neighbour < 64 && (absent >> neighbour & 1) != 0; }
};

/// Members of a communicator; the spans point into memory that the next describe() reuses.
struct Members {
  std::uint8_t flags = 0;  // formats::CommFlags
  std::span<const formats::RankRun> local;
  std::span<const formats::RankRun> remote;
  std::span<const std::int32_t> in_neighbours;
  std::span<const std::int32_t> out_neighbours;
};

class CommunicatorTable {
 public:
  /// Memory for the first communicators; false where there is none.
  bool start() { return table_.start(); }

  /// Enters MPI_COMM_WORLD and MPI_COMM_SELF.
  void enter_predefined();

  bool find(MPI_Comm comm, Communicator& found);

  /// The number of a communicator that will be known later (MPI_Comm_idup).
  std::uint32_t reserve_number() { return next_number_.fetch_add(1, std::memory_order_relaxed); }

  /// Enters a handle, under `number` or a new one.
  Communicator enter(MPI_Comm comm, std::uint32_t number = formats::kCommNull);

  /// Takes the handle out. True: `removed` is what it was.
  bool remove(MPI_Comm comm, Communicator& removed);
  void restore(MPI_Comm comm, const Communicator& entry);

 private:
  HandleTable<Communicator> table_;
  std::atomic<std::uint32_t> next_number_{2};  // after world and self
};

/// Describes a communicator in an event that creates or defines it.
void describe(const Communicator& entry, const Members& members, formats::RankEvent& event);

/// Finds the members and the neighbours of a communicator. One per thread.
class MemberFinder {
 public:
  Members describe(MPI_Comm comm);

  /// The members of a group.
  std::span<const formats::RankRun> describe_group(MPI_Group group);

  /// The neighbours alone.
  void find_neighbours(MPI_Comm comm, Members& members);

 private:
  /// Whether some are of another world: `others`.
  bool translate(MPI_Group group, GrowBuffer<formats::RankRun>& runs, std::size_t& count, bool& others);

  GrowBuffer<int> ranks_;
  GrowBuffer<int> neighbours_;
  GrowBuffer<formats::RankRun> local_;
  GrowBuffer<formats::RankRun> remote_;
};

}  // namespace vef::shim
