// SPDX-License-Identifier: Apache-2.0
#include "communicators.h"

#include "known_processes.h"
#include "mpi_library.h"
#include "rank_runs.h"
#include "topology.h"
#include "world.h"

namespace vef::shim {

namespace {

Communicator measure(MPI_Comm comm, std::uint32_t number) {
  Communicator entry{.number = number};
  int inter = 0;
  pmpi.comm_rank(comm, &entry.rank);
  pmpi.comm_size(comm, &entry.size);
  pmpi.comm_test_inter(comm, &inter);
  if (inter != 0) {
    pmpi.comm_remote_size(comm, &entry.remote_size);
    return entry;
  }
  const Topology topology(comm, entry.rank);
  entry.sources = topology.sources();
  entry.destinations = topology.destinations();
  entry.absent = topology.absent();
  return entry;
}

}  // namespace

void CommunicatorTable::enter_predefined() {
  restore(mpi.comm_world, measure(mpi.comm_world, formats::kCommWorld));
  restore(mpi.comm_self, measure(mpi.comm_self, formats::kCommSelf));
}

bool CommunicatorTable::find(MPI_Comm comm, Communicator& found) { return table_.find(to_key(comm), found); }

Communicator CommunicatorTable::enter(MPI_Comm comm, std::uint32_t number) {
  if (number == formats::kCommNull) number = reserve_number();
  const Communicator entry = measure(comm, number);
  restore(comm, entry);
  return entry;
}

void CommunicatorTable::restore(MPI_Comm comm, const Communicator& entry) {
  table_.enter(to_key(comm), entry);
}

bool CommunicatorTable::remove(MPI_Comm comm, Communicator& removed) {
  return table_.remove(to_key(comm), removed);
}

void describe(const Communicator& entry, const Members& members, formats::RankEvent& event) {
  event.new_comm = entry.number;
  event.comm_flags = static_cast<std::uint8_t>(event.comm_flags | members.flags);
  event.members = members.local;
  event.remote_members = members.remote;
  event.in_neighbours = members.in_neighbours;
  event.out_neighbours = members.out_neighbours;
}

Members MemberFinder::describe(MPI_Comm comm) {
  Members members;
  std::size_t count = 0;
  bool others = false;
  MPI_Group group{};
  if (pmpi.comm_group(comm, &group) == MPI_SUCCESS) {
    if (translate(group, local_, count, others)) members.local = {local_.data(), count};
    pmpi.group_free(&group);
  }
  int inter = 0;
  pmpi.comm_test_inter(comm, &inter);
  if (inter == 0) {
    find_neighbours(comm, members);
  } else {
    members.flags |= formats::kCommInter;
    if (pmpi.comm_remote_group(comm, &group) == MPI_SUCCESS) {
      if (translate(group, remote_, count, others)) members.remote = {remote_.data(), count};
      pmpi.group_free(&group);
    }
  }
  if (others) members.flags |= formats::kCommOtherWorlds;
  return members;
}

std::span<const formats::RankRun> MemberFinder::describe_group(MPI_Group group) {
  std::size_t count = 0;
  bool others = false;
  if (!translate(group, local_, count, others)) return {};
  return {local_.data(), count};
}

void MemberFinder::find_neighbours(MPI_Comm comm, Members& members) {
  int rank = 0;
  pmpi.comm_rank(comm, &rank);
  const Topology topology(comm, rank);
  const auto in = static_cast<std::size_t>(topology.sources());
  const auto out = static_cast<std::size_t>(topology.destinations());
  if (in + out == 0 || !neighbours_.reserve((in + out) * 2)) return;
  int* const sources = neighbours_.data();
  int* const destinations = sources + in;
  if (!topology.list(sources, destinations, sources + in + out)) return;
  for (std::size_t i = 0; i < in + out; ++i) sources[i] = canonical_rank(sources[i]);
  members.in_neighbours = {sources, in};
  members.out_neighbours = {destinations, out};
}

bool MemberFinder::translate(MPI_Group group, GrowBuffer<formats::RankRun>& runs, std::size_t& count,
                             bool& others) {
  int size = 0;
  pmpi.group_size(group, &size);
  const auto members = static_cast<std::size_t>(size > 0 ? size : 0);
  if (!ranks_.reserve(members * 2 + 1) || !runs.reserve(members + 1)) return false;
  int* const positions = ranks_.data();
  int* const numbers = positions + members;
  for (std::size_t i = 0; i < members; ++i) positions[i] = static_cast<int>(i);
  if (!known_processes.number(group, size, positions, numbers)) return false;
  for (std::size_t i = 0; i < members; ++i) others = others || numbers[i] >= world.size;
  count = compress_ranks(numbers, members, runs.data());
  return true;
}

}  // namespace vef::shim
