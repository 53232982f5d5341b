// SPDX-License-Identifier: Apache-2.0
#include "communicators.h"

#include <cstdlib>

#include "mpi_library.h"
#include "rank_runs.h"

namespace vef::shim {
namespace {

constexpr std::size_t kFirstSlots = 256;

MPI_Group world_group;

std::size_t hash(std::uint64_t handle) {
  return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15ULL) >> 32);
}

Communicator measure(MPI_Comm comm, std::uint32_t number) {
  Communicator entry{.number = number};
  int inter = 0;
  pmpi.comm_rank(comm, &entry.rank);
  pmpi.comm_size(comm, &entry.size);
  pmpi.comm_test_inter(comm, &inter);
  if (inter != 0) pmpi.comm_remote_size(comm, &entry.remote_size);
  return entry;
}

}  // namespace

bool CommunicatorTable::start() {
  if (!grow() || pmpi.comm_group(mpi.comm_world, &world_group) != MPI_SUCCESS) return false;
  insert(to_key(mpi.comm_world), measure(mpi.comm_world, formats::kCommWorld));
  insert(to_key(mpi.comm_self), measure(mpi.comm_self, formats::kCommSelf));
  return true;
}

bool CommunicatorTable::find(MPI_Comm comm, Communicator& found) {
  TableGuard guard(lock_);
  const Slot& slot = slots_[place(to_key(comm))];
  if (!slot.used) return false;
  found = slot.entry;
  return true;
}

std::uint32_t CommunicatorTable::reserve_number() {
  TableGuard guard(lock_);
  return next_number_++;
}

Communicator CommunicatorTable::enter(MPI_Comm comm, std::uint32_t number) {
  if (number == formats::kCommNull) number = reserve_number();
  const Communicator entry = measure(comm, number);
  restore(comm, entry);
  return entry;
}

void CommunicatorTable::restore(MPI_Comm comm, const Communicator& entry) {
  TableGuard guard(lock_);
  if (used_ * 2 >= capacity_ && !grow()) return;  // no memory: it will be described again at each use
  insert(to_key(comm), entry);
}

bool CommunicatorTable::remove(MPI_Comm comm, Communicator& removed) {
  TableGuard guard(lock_);
  const std::size_t mask = capacity_ - 1;
  std::size_t hole = place(to_key(comm));
  if (!slots_[hole].used) return false;
  removed = slots_[hole].entry;
  for (std::size_t next = (hole + 1) & mask; slots_[next].used; next = (next + 1) & mask) {
    const std::size_t home = hash(slots_[next].handle) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole].used = false;
  --used_;
  return true;
}

/// Index of the handle's slot, or of the free one where it would go.
std::size_t CommunicatorTable::place(std::uint64_t handle) const {
  std::size_t index = hash(handle) & (capacity_ - 1);
  while (slots_[index].used && slots_[index].handle != handle) index = (index + 1) & (capacity_ - 1);
  return index;
}

void CommunicatorTable::insert(std::uint64_t handle, const Communicator& entry) {
  Slot& slot = slots_[place(handle)];
  if (!slot.used) ++used_;
  slot = {.handle = handle, .entry = entry, .used = true};
}

bool CommunicatorTable::grow() {
  Slot* old = slots_;
  const std::size_t old_capacity = capacity_;
  const std::size_t capacity = old_capacity == 0 ? kFirstSlots : old_capacity * 2;
  auto* slots = static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)));
  if (slots == nullptr) return false;
  slots_ = slots;
  capacity_ = capacity;
  used_ = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].used) insert(old[i].handle, old[i].entry);
  }
  std::free(old);
  return true;
}

Members MemberFinder::describe(MPI_Comm comm) {
  Members members;
  std::size_t count = 0;
  MPI_Group group{};
  if (pmpi.comm_group(comm, &group) == MPI_SUCCESS && add_group(group, local_, count, members.flags)) {
    members.local = {local_.data(), count};
  }
  int inter = 0;
  pmpi.comm_test_inter(comm, &inter);
  if (inter == 0) return members;
  members.flags |= formats::kCommInter;
  if (pmpi.comm_remote_group(comm, &group) == MPI_SUCCESS &&
      add_group(group, remote_, count, members.flags)) {
    members.remote = {remote_.data(), count};
  }
  return members;
}

/// Translates and frees `group`.
bool MemberFinder::add_group(MPI_Group group, GrowBuffer<formats::RankRun>& runs, std::size_t& count,
                             std::uint8_t& flags) {
  int size = 0;
  pmpi.group_size(group, &size);
  const auto members = static_cast<std::size_t>(size > 0 ? size : 0);
  bool done = ranks_.reserve(members * 2 + 1) && runs.reserve(members + 1);
  if (done) {
    int* const local_ranks = ranks_.data();
    int* const world_ranks = local_ranks + members;
    for (std::size_t i = 0; i < members; ++i) local_ranks[i] = static_cast<int>(i);
    done = pmpi.group_translate_ranks(group, size, local_ranks, world_group, world_ranks) == MPI_SUCCESS;
    for (std::size_t i = 0; done && i < members; ++i) {
      if (world_ranks[i] != MPI_UNDEFINED) continue;
      world_ranks[i] = -1;
      flags |= formats::kCommRemoteUnknown;
    }
    count = done ? compress_ranks(world_ranks, members, runs.data()) : 0;
  }
  pmpi.group_free(&group);
  return done;
}

}  // namespace vef::shim
