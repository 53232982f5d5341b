// SPDX-License-Identifier: Apache-2.0
#include "communicators.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

/// Members in an order that all of them see alike.
GlobalComm global_of(const LocalComm& local) {
  GlobalComm comm;
  comm.call = local.call;
  if ((local.flags & formats::kCommInter) == 0) {
    comm.members = members_of(local.members);
    return comm;
  }
  const std::vector<formats::TaskId> mine = members_of(local.members);
  const std::vector<formats::TaskId> theirs = members_of(local.remote_members);
  const bool mine_first =
      theirs.empty() || (!mine.empty() && *std::min_element(mine.begin(), mine.end()) <
                                              *std::min_element(theirs.begin(), theirs.end()));
  comm.members = mine_first ? mine : theirs;
  comm.first_group = static_cast<std::uint32_t>(comm.members.size());
  const auto& second = mine_first ? theirs : mine;
  comm.members.insert(comm.members.end(), second.begin(), second.end());
  return comm;
}

void append(std::string& key, std::uint32_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string member_key(const GlobalComm& comm) {
  std::string key;
  append(key, comm.first_group);
  for (const formats::TaskId member : comm.members) append(key, static_cast<std::uint32_t>(member));
  return key;
}

/// By members alone: the call was collective over these, or the two groups have different parents.
bool is_keyed_by_group(const RankData& rank, const LocalComm& local) {
  if ((local.flags & formats::kCommGroupOnly) != 0 || local.parent == kNoIndex) return true;
  const bool inter = (local.flags & formats::kCommInter) != 0;
  return inter && (rank.comms[local.parent].flags & formats::kCommInter) == 0;
}

/// What all members of such a communicator know of its making. Threads may make several of the same members
/// at a time: these differ in the communicator they are made from, or in the tag.
std::string group_key(const RankData& rank, const LocalComm& local, const GlobalComm& comm) {
  std::string key = member_key(comm);
  if ((local.flags & formats::kCommGroupOnly) == 0) return key;
  if (local.parent == kNoIndex) return key + local.text;  // or its making was not recorded
  append(key, rank.comms[local.parent].global);
  append(key, static_cast<std::uint32_t>(local.tag));
  return key;
}

Error member_error(const RankData& rank, const GlobalComm& comm, const char* what) {
  return {ErrorKind::kInput, "rank " + std::to_string(rank.rank) + ": a communicator of " +
                                 std::to_string(comm.members.size()) + " ranks made by " +
                                 formats::mpi_call_name(comm.call) + " " + what};
}

Status unify_rank(RankData& rank, CommTable& table) {
  std::map<std::string, std::uint32_t> by_group;  // creations so far of a group
  for (std::size_t i = 1; i < rank.comms.size(); ++i) {
    LocalComm& local = rank.comms[i];
    GlobalComm comm = global_of(local);
    std::unordered_set<formats::TaskId> distinct(comm.members.begin(), comm.members.end());
    if (distinct.size() != comm.members.size())
      return member_error(rank, comm, "names a rank twice; expected once");
    if (distinct.count(rank.rank) == 0)
      return member_error(rank, comm, "misses the rank itself; expected a member");
    std::string key;
    if ((local.flags & (kCommWindow | kCommPersistent)) != 0) {
      key = (local.flags & kCommWindow) != 0 ? "w" : "i";
      comm.window_of = rank.comms[local.parent].global;
      append(key, comm.window_of);
      append(key, local.ordinal);
    } else if (is_keyed_by_group(rank, local)) {
      const std::string group = group_key(rank, local, comm);
      key = "g" + group;
      append(key, by_group[group]++);
    } else {
      key = "p";
      append(key, rank.comms[local.parent].global);
      append(key, local.ordinal);
      key += member_key(comm);
    }
    const auto self = std::find(comm.members.begin(), comm.members.end(), rank.rank);
    local.member_index = static_cast<std::uint32_t>(self - comm.members.begin());
    local.global = table.find_or_add(key, std::move(comm));
  }
  return {};
}

}  // namespace

CommTable::CommTable(const std::vector<std::int32_t>& world_sizes) : several_worlds_(world_sizes.size() > 1) {
  GlobalComm all;
  all.members.resize(std::accumulate(world_sizes.begin(), world_sizes.end(), std::size_t{0}));
  std::iota(all.members.begin(), all.members.end(), 0);
  all.used = true;
  comms_.push_back(all);
  auto first = all.members.begin();
  for (std::uint32_t i = 0; several_worlds_ && i < world_sizes.size(); ++i) {
    GlobalComm world;
    world.world = i;
    world.members.assign(first, first + world_sizes[i]);
    first += world_sizes[i];
    comms_.push_back(std::move(world));
  }
}

std::uint32_t CommTable::find_or_add(const std::string& key, GlobalComm comm) {
  const auto [it, added] = index_.try_emplace(key, size());
  if (added) comms_.push_back(std::move(comm));
  return it->second;
}

std::uint32_t CommTable::piece(std::uint32_t inter, Piece piece, formats::TaskId root) {
  const auto [it, added] = pieces_.try_emplace({inter, piece, root}, size());
  if (!added) return it->second;
  const GlobalComm& whole = comms_[inter];
  const auto begin = whole.members.begin();
  const auto middle = begin + whole.first_group;
  const auto end = whole.members.end();
  GlobalComm made;
  made.call = whole.call;
  bool take_first = piece == Piece::kFirst || piece == Piece::kFirstToSecond;
  if (piece == Piece::kFirstToSecond) made.members.push_back(*middle);
  if (piece == Piece::kSecondToFirst) made.members.push_back(*begin);
  if (piece == Piece::kRooted) {
    made.members.push_back(root);
    take_first = std::find(begin, middle, root) == middle;
  }
  made.members.insert(made.members.end(), take_first ? begin : middle, take_first ? middle : end);
  comms_.push_back(std::move(made));
  return it->second;
}

std::uint32_t CommTable::known_piece(std::uint32_t inter, Piece piece, formats::TaskId root) const {
  return pieces_.at({inter, piece, root});
}

const CommTable::Neighbourhood& CommTable::neighbourhood(std::uint32_t index,
                                                         const std::vector<RankData>& ranks) {
  const auto [it, added] = neighbourhoods_.try_emplace(index);
  Neighbourhood& result = it->second;
  if (!added) return result;
  std::vector<const LocalComm*> locals;
  for (const formats::TaskId member : comms_[index].members) {
    const auto& own = ranks[static_cast<std::size_t>(member)].comms;
    const auto found =
        std::find_if(own.begin(), own.end(), [&](const LocalComm& local) { return local.global == index; });
    locals.push_back(found == own.end() ? nullptr : &*found);
  }
  // The i-th message from one to another is the i-th that the other has from it.
  std::map<std::pair<formats::TaskId, formats::TaskId>, std::vector<std::uint64_t>> between;
  for (std::size_t m = 0; m < locals.size(); ++m) {
    result.first_out.push_back(result.targets.size());
    if (locals[m] == nullptr) continue;
    for (const formats::TaskId target : locals[m]->out_neighbours) {
      if (target >= 0) between[{comms_[index].members[m], target}].push_back(result.targets.size());
      result.targets.push_back(target);
    }
  }
  result.first_out.push_back(result.targets.size());
  for (std::size_t m = 0; m < locals.size(); ++m) {
    result.first_in.push_back(result.in_slots.size());
    std::map<formats::TaskId, std::size_t> taken;
    for (std::size_t i = 0; locals[m] != nullptr && i < locals[m]->in_neighbours.size(); ++i) {
      const formats::TaskId source = locals[m]->in_neighbours[i];
      const auto found = between.find({source, comms_[index].members[m]});
      const std::size_t nth = source < 0 ? 0 : taken[source]++;
      const bool comes = source >= 0 && found != between.end() && nth < found->second.size();
      result.in_slots.push_back(comes ? found->second[nth] : kNoMessage);
    }
  }
  result.first_in.push_back(result.in_slots.size());
  return result;
}

formats::Communicators CommTable::number() {
  formats::Communicators lines;
  for (GlobalComm& comm : comms_) {
    if (!comm.used) continue;
    comm.trace_id = static_cast<formats::CommId>(lines.size());
    lines.push_back(comm.members);
  }
  // A window comes after what it was made from.
  for (GlobalComm& comm : comms_) {
    if (comm.window_of != kNoIndex) comm.trace_id = comms_[comm.window_of].trace_id;
  }
  return lines;
}

std::string CommTable::name(std::uint32_t index) const {
  if (index == 0) return "MPI_COMM_WORLD";
  const GlobalComm& comm = comms_[index];
  if (comm.world != kNoIndex) return "MPI_COMM_WORLD of world " + std::to_string(comm.world);
  const std::string call = formats::mpi_call_name(comm.call);
  if (comm.window_of != kNoIndex && !call.starts_with("MPI_Win_")) return name(comm.window_of);
  if (comm.window_of != kNoIndex)
    return "window " + std::to_string(index) + " (" + call + ") on " + name(comm.window_of);
  if (comm.call == 0 && comm.members.size() == 1)
    return "MPI_COMM_SELF of rank " + std::to_string(comm.members[0]);
  return "communicator " + std::to_string(index) + " (" + formats::mpi_call_name(comm.call) + ", " +
         std::to_string(comm.members.size()) + (comm.members.size() == 1 ? " rank)" : " ranks)");
}

Result<CommTable> unify(std::vector<RankData>& ranks, const std::vector<std::int32_t>& world_sizes) {
  CommTable table(world_sizes);
  for (RankData& rank : ranks) {
    if (rank.comms.empty()) continue;  // no log
    rank.comms[0].global = table.world(rank.world);
    const auto first = static_cast<std::uint32_t>(table[rank.comms[0].global].members.front());
    rank.comms[0].member_index = static_cast<std::uint32_t>(rank.rank) - first;
    if (auto status = unify_rank(rank, table); !status.ok()) return status.error();
  }
  return table;
}

}  // namespace vef::merge
