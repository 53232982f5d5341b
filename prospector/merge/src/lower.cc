// SPDX-License-Identifier: Apache-2.0
// What a part in a collective becomes in VEF3. Every member works it out from its own part alone.
#include <algorithm>

#include "collectives.h"

namespace vef::merge {

namespace {

using formats::CollectiveOp;
using formats::TaskId;

CollectiveOp op_of(Family family) {
  switch (family) {
    case Family::kBroadcast:
      return CollectiveOp::kBroadcast;
    case Family::kReduce:
      return CollectiveOp::kReduce;
    case Family::kAllreduce:
      return CollectiveOp::kAllreduce;
    case Family::kGather:
    case Family::kGatherv:
      return CollectiveOp::kGather;
    case Family::kScatter:
    case Family::kScatterv:
      return CollectiveOp::kScatter;
    case Family::kAllgather:
    case Family::kAllgatherv:
      return CollectiveOp::kAllgather;
    case Family::kAlltoall:
    case Family::kAlltoallv:
    case Family::kAlltoallw:
      return CollectiveOp::kAlltoall;
    default:
      return CollectiveOp::kBarrier;
  }
}

/// The part at work.
struct Lowering {
  const RankData& rank;
  const Part& part;
  const Instance& instance;
  const CommTable& comms;
  std::vector<Step>& steps;

  void group(CollectiveOp op, std::uint32_t comm, std::uint64_t slot, std::uint64_t send,
             std::uint64_t recv) {
    steps.push_back({Step::Kind::kGroup, op, comm, 0, instance.first_group + slot, send, recv});
  }
  void send(TaskId peer, std::uint64_t slot, std::uint64_t bytes) {
    steps.push_back({Step::Kind::kSend, {}, 0, peer, instance.first_message + slot, bytes, 0});
  }
  void receive(std::uint64_t slot) {
    steps.push_back({Step::Kind::kReceive, {}, 0, 0, instance.first_message + slot, 0, 0});
  }

  void intra();
  void neighbours(std::uint64_t self);
  void inter();
  void inter_rooted();
  void inter_all_to_all(std::uint64_t self, std::uint64_t first, std::uint64_t second);
  void inter_both_ways(std::uint64_t self, std::uint64_t first);
};

void Lowering::intra() {
  const std::uint64_t self = rank.comms[part.comm].member_index;
  const auto& members = comms[instance.comm].members;
  switch (part.family) {
    case Family::kAlltoall:
      group(CollectiveOp::kAlltoall, instance.comm, 0, part.send_bytes, 0);
      break;
    case Family::kAlltoallv:
    case Family::kAlltoallw:
      group(CollectiveOp::kAlltoall, instance.comm, 0, part.send_bytes, 1);
      break;
    case Family::kReduceScatter: {
      const bool root = self == 0;
      const std::uint64_t total = part.send_bytes;
      group(CollectiveOp::kReduce, instance.comm, 0, root ? 0 : total, root ? total : 0);
      group(CollectiveOp::kScatter, instance.comm, 1, root ? total : 0, part.recv_bytes);
      break;
    }
    case Family::kScan:
    case Family::kExscan:
      if (self > 0) receive(self - 1);
      if (self + 1 < members.size()) send(members[self + 1], self, part.send_bytes);
      break;
    case Family::kNeighborAllgather:
    case Family::kNeighborAlltoall:
      neighbours(self);
      break;
    case Family::kNamedBarrier:
    case Family::kBarrier:
      group(CollectiveOp::kBarrier, instance.comm, 0, 0, 0);
      break;
    default:
      group(op_of(part.family), instance.comm, 0, part.send_bytes, part.recv_bytes);
      break;
  }
}

void Lowering::neighbours(std::uint64_t self) {
  const CommTable::Neighbourhood& all = comms.known_neighbourhood(instance.comm);
  const std::uint64_t first = all.first_out[self];
  const std::uint64_t count = all.first_out[self + 1] - first;
  const auto begin = all.targets.begin() + static_cast<std::ptrdiff_t>(first);
  const auto present = static_cast<std::uint64_t>(std::count_if(
      begin, begin + static_cast<std::ptrdiff_t>(count), [](TaskId target) { return target >= 0; }));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (all.targets[first + i] < 0) continue;
    const bool sized = part.sizes != kNoIndex && part.sizes + i < rank.sizes.size();
    const bool same = part.family == Family::kNeighborAllgather;
    send(all.targets[first + i], first + i,
         sized  ? rank.sizes[part.sizes + i]
         : same ? part.send_bytes
                : part.send_bytes / present);
  }
  for (std::uint64_t i = all.first_in[self]; i < all.first_in[self + 1]; ++i) {
    if (all.in_slots[i] != kNoMessage) receive(all.in_slots[i]);
  }
}

void Lowering::inter_rooted() {
  const std::uint32_t comm = comms.known_piece(instance.comm, CommTable::Piece::kRooted, instance.root);
  const auto& members = comms[comm].members;
  if (std::find(members.begin(), members.end(), rank.rank) == members.end()) return;
  const bool root = rank.rank == instance.root;
  const bool from_root = part.family == Family::kBroadcast || part.family == Family::kScatter ||
                         part.family == Family::kScatterv;
  // The root is outside the group it serves: it has no share of its own.
  const bool sends = root == from_root;
  group(op_of(part.family), comm, 0, sends ? part.send_bytes : 0, sends ? 0 : part.recv_bytes);
}

/// A message from every member of a group to every member of the other: number within the direction =
/// sender * receivers + receiver, those of the first group first.
void Lowering::inter_all_to_all(std::uint64_t self, std::uint64_t first, std::uint64_t second) {
  const bool in_first = self < first;
  const std::uint64_t others = in_first ? second : first;
  const std::uint64_t own = in_first ? first : second;
  const std::uint64_t me = in_first ? self : self - first;
  const std::uint64_t mine = in_first ? 0 : first * second;
  const std::uint64_t theirs = in_first ? first * second : 0;
  const auto& members = comms[instance.comm].members;
  for (std::uint64_t peer = 0; peer < others; ++peer) {
    const std::uint64_t bytes = part.sizes != kNoIndex && part.sizes + peer < rank.sizes.size()
                                    ? rank.sizes[part.sizes + peer]
                                : part.family == Family::kAlltoall ? part.send_bytes
                                                                   : part.send_bytes / others;
    send(members[in_first ? first + peer : peer], mine + me * others + peer, bytes);
  }
  for (std::uint64_t peer = 0; peer < others; ++peer) receive(theirs + peer * own + me);
}

void Lowering::inter_both_ways(std::uint64_t self, std::uint64_t first) {
  using Piece = CommTable::Piece;
  const bool in_first = self < first;
  const bool leader = self == 0 || self == first;
  const bool reduces = part.family != Family::kAllgather && part.family != Family::kAllgatherv;
  const CollectiveOp collect = reduces ? CollectiveOp::kReduce : CollectiveOp::kGather;
  const bool scatters = part.family == Family::kReduceScatter;
  const std::uint64_t whole = scatters ? part.send_bytes : part.recv_bytes;  // what the own group is given
  const std::uint32_t up = comms.known_piece(instance.comm, Piece::kFirstToSecond);
  const std::uint32_t down = comms.known_piece(instance.comm, Piece::kSecondToFirst);
  if (in_first) group(collect, up, 0, part.send_bytes, 0);
  if (!in_first && leader) group(collect, up, 0, 0, whole);
  if (!in_first) group(collect, down, 1, part.send_bytes, 0);
  if (in_first && leader) group(collect, down, 1, 0, whole);
  const std::uint32_t mine = comms.known_piece(instance.comm, in_first ? Piece::kFirst : Piece::kSecond);
  const std::uint64_t slot = in_first ? 2 : 3;
  if (scatters) {
    group(CollectiveOp::kScatter, mine, slot, leader ? whole : 0, part.recv_bytes);
  } else {
    group(CollectiveOp::kBroadcast, mine, slot, leader ? whole : 0, leader ? 0 : whole);
  }
}

void Lowering::inter() {
  const GlobalComm& comm = comms[instance.comm];
  const std::uint64_t self = rank.comms[part.comm].member_index;
  const std::uint64_t first = comm.first_group;
  switch (part.family) {
    case Family::kBarrier:
    case Family::kNamedBarrier:
      group(CollectiveOp::kBarrier, instance.comm, 0, 0, 0);
      break;
    case Family::kAlltoall:
    case Family::kAlltoallv:
    case Family::kAlltoallw:
      inter_all_to_all(self, first, comm.members.size() - first);
      break;
    case Family::kAllreduce:
    case Family::kAllgather:
    case Family::kAllgatherv:
    case Family::kReduceScatter:
      inter_both_ways(self, first);
      break;
    default:
      inter_rooted();
      break;
  }
}

}  // namespace

void lower(const RankData& rank, const Part& part, const CollectiveTable& table, const CommTable& comms,
           std::vector<Step>& steps) {
  steps.clear();
  if (part.instance == kNoIndex) return;
  const Instance& instance = table.instances[part.instance];
  if (!instance.written) return;
  Lowering lowering{rank, part, instance, comms, steps};
  if (comms[instance.comm].first_group != 0) {
    lowering.inter();
  } else {
    lowering.intra();
  }
}

}  // namespace vef::merge
