// SPDX-License-Identifier: Apache-2.0
#include "meetings.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

using formats::MpiCall;
using formats::TaskId;
using Group = std::vector<TaskId>;

bool is_whole(const Group& group) { return std::find(group.begin(), group.end(), kStranger) == group.end(); }

/// Whether two views of a group can be of the same one.
bool agree(const Group& a, const Group& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](TaskId x, TaskId y) { return x == y || x == kStranger || y == kStranger; });
}

MeetingKind kind_of(const LocalComm& comm) {
  switch (static_cast<MpiCall>(comm.call)) {
    case MpiCall::kCommSpawn:
    case MpiCall::kCommSpawnMultiple:
      return MeetingKind::kSpawn;
    case MpiCall::kCommAccept:
      return MeetingKind::kAccept;
    case MpiCall::kCommConnect:
      return MeetingKind::kConnect;
    case MpiCall::kCommJoin:
      return MeetingKind::kJoin;
    default:
      return MeetingKind::kSpawned;
  }
}

/// "own peer" -> "peer own".
std::string from_other_end(const std::string& addresses) {
  const std::size_t blank = addresses.find(' ');
  if (blank == std::string::npos) return addresses;
  return addresses.substr(blank + 1) + " " + addresses.substr(0, blank);
}

class Finder {
 public:
  Finder(std::vector<RankData>& ranks, const std::vector<World>& worlds, Names& names)
      : ranks_(ranks), worlds_(worlds), names_(names) {}

  std::vector<Side> run() {
    add_spawned_worlds();
    while (collect() || pair_all() || learn_from_others()) {
    }
    return std::move(sides_);
  }

 private:
  using Key = std::tuple<MeetingKind, Group, TaskId, std::uint32_t>;  // kind, group, root, how-manieth
  using Class = std::vector<std::size_t>;                             // sides that are alike

  void add_spawned_worlds();
  bool collect();
  void add_view(TaskId task, std::uint32_t index, const Group& local);
  bool pair_all();
  bool pair_spawns();
  bool pair_by(MeetingKind one, MeetingKind other);
  bool pair_up(Class ones, Class others);
  bool could_meet(const Side& one, const Side& other) const;
  bool fits(const Side& one, const Side& other) const;
  void introduce(const Side& one, const Side& other);
  void introduce(TaskId task, const std::vector<formats::RankRun>& group, const Group& who);
  bool learn_from_others();
  bool learn(TaskId task, const LocalComm& comm);
  std::vector<const LocalComm*> alike(TaskId who, const LocalComm& comm) const;

  const LocalComm& comm_of(const std::pair<TaskId, std::uint32_t>& view) const {
    const RankData& rank = ranks_[static_cast<std::size_t>(view.first)];
    return rank.comms[rank.meetings[view.second].comm];
  }

  std::vector<RankData>& ranks_;
  const std::vector<World>& worlds_;
  Names& names_;
  std::vector<Side> sides_;
  std::vector<std::size_t> spawned_;  // by world, its side
  std::map<Key, std::size_t> by_key_;
  std::map<std::tuple<TaskId, MeetingKind, Group, TaskId>, std::uint32_t> counts_;
};

/// Each world may have been spawned: its side is there even if its processes never ask for their parents.
void Finder::add_spawned_worlds() {
  for (std::uint32_t w = 0; w < worlds_.size(); ++w) {
    Side side;
    side.kind = MeetingKind::kSpawned;
    side.world = w;
    for (std::int32_t i = 0; i < worlds_[w].size; ++i) {
      const TaskId task = worlds_[w].first + i;
      const RankData& rank = ranks_[static_cast<std::size_t>(task)];
      side.local.push_back(task);
      if (rank.present) side.end = std::max(side.end, rank.init_end + rank.wall);
      for (std::uint32_t m = 0; m < rank.meetings.size(); ++m) {
        const LocalComm& comm = rank.comms[rank.meetings[m].comm];
        const bool is_whole_world = group_size(comm.members) == static_cast<std::uint64_t>(worlds_[w].size);
        if (kind_of(comm) != MeetingKind::kSpawned || !is_whole_world) continue;
        side.remote = group_size(comm.remote_members);
        side.views.emplace_back(task, m);
        break;
      }
    }
    spawned_.push_back(sides_.size());
    sides_.push_back(std::move(side));
  }
}

/// Puts together what the members of one side saw, as far as it is known who they are.
bool Finder::collect() {
  bool any = false;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const auto task = static_cast<TaskId>(r);
    for (std::uint32_t m = 0; m < ranks_[r].meetings.size(); ++m) {
      Meeting& meeting = ranks_[r].meetings[m];
      const LocalComm& comm = ranks_[r].comms[meeting.comm];
      if (meeting.collected || kind_of(comm) == MeetingKind::kSpawned) continue;
      const Group local = names_.of(task, comm.members);
      const bool is_member =
          std::find(local.begin(), local.end(), task) != local.end();  // else it is damaged
      if (!is_whole(local) || !is_member) continue;
      meeting.collected = any = true;
      add_view(task, m, local);
    }
  }
  return any;
}

void Finder::add_view(TaskId task, std::uint32_t index, const Group& local) {
  const RankData& rank = ranks_[static_cast<std::size_t>(task)];
  const Meeting& meeting = rank.meetings[index];
  const LocalComm& comm = rank.comms[meeting.comm];
  const TaskId root = meeting.root >= 0 && static_cast<std::size_t>(meeting.root) < local.size()
                          ? local[static_cast<std::size_t>(meeting.root)]
                          : -1;
  const MeetingKind kind = kind_of(comm);
  const std::uint32_t nth = counts_[{task, kind, local, root}]++;
  const auto [it, added] = by_key_.try_emplace({kind, local, root, nth}, sides_.size());
  if (added) {
    Side side;
    side.kind = kind;
    side.local = local;
    side.remote = group_size(comm.remote_members);
    side.root = root;
    sides_.push_back(std::move(side));
  }
  Side& side = sides_[it->second];
  side.views.emplace_back(task, index);
  if (task == root) side.text = meeting.text;
  if (task == root) side.asked = meeting.asked;
  if (task == root || side.end == 0) side.end = meeting.end + rank.wall;
}

bool Finder::fits(const Side& one, const Side& other) const {
  for (const auto& view : one.views) {
    if (!agree(names_.of(view.first, comm_of(view).remote_members), other.local)) return false;
  }
  return true;
}

bool Finder::could_meet(const Side& one, const Side& other) const {
  if (other.kind == MeetingKind::kSpawned &&
      ranks_[static_cast<std::size_t>(one.root)].world == other.world) {
    return false;  // a world does not spawn itself
  }
  return &one != &other && one.other == Side::kNobody && other.other == Side::kNobody &&
         (one.remote == 0 || one.remote == other.local.size()) &&
         (other.remote == 0 || other.remote == one.local.size()) && fits(one, other) && fits(other, one);
}

/// The members of one side get to know those of the other.
void Finder::introduce(const Side& one, const Side& other) {
  for (const auto& view : one.views) introduce(view.first, comm_of(view).remote_members, other.local);
}

void Finder::introduce(TaskId task, const std::vector<formats::RankRun>& group, const Group& who) {
  const std::vector<TaskId> numbers = members_of(group);
  for (std::size_t i = 0; i < numbers.size(); ++i) names_.set(task, numbers[i], who[i]);
}

/// All sides of a class are alike but for their times.
bool Finder::pair_up(Class ones, Class others) {
  const auto by_end = [&](std::size_t a, std::size_t b) { return sides_[a].end < sides_[b].end; };
  std::stable_sort(ones.begin(), ones.end(), by_end);
  std::stable_sort(others.begin(), others.end(), by_end);
  std::vector<std::tuple<std::uint64_t, std::size_t, std::size_t>> pairs;  // apart, one, other
  for (std::size_t i = 0; i < ones.size(); ++i) {
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (!could_meet(sides_[ones[i]], sides_[others[j]])) continue;
      const auto apart = static_cast<std::uint64_t>(std::llabs(sides_[ones[i]].end - sides_[others[j]].end));
      // Where none is missing their order tells, whatever the hosts' clocks say.
      const bool in_order = ones.size() == others.size();
      if (!in_order || i == j) pairs.emplace_back(in_order ? 0 : apart, ones[i], others[j]);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  bool any = false;
  for (const auto& [apart, one, other] : pairs) {
    if (!could_meet(sides_[one], sides_[other])) continue;
    sides_[one].other = other;
    sides_[other].other = one;
    introduce(sides_[one], sides_[other]);
    introduce(sides_[other], sides_[one]);
    any = true;
  }
  return any;
}

/// A spawned world names its parents' job and the root, or nothing.
bool Finder::pair_spawns() {
  std::map<std::tuple<std::string, std::int32_t, std::size_t>, Class> children;
  for (std::size_t w = 0; w < worlds_.size(); ++w) {
    const Side& side = sides_[spawned_[w]];
    const World& world = worlds_[w];
    if (side.other == Side::kNobody && (!world.parent_job.empty() || !side.views.empty()))
      children[{world.parent_job, world.parent_rank, side.local.size()}].push_back(spawned_[w]);
  }
  bool any = false;
  for (const auto& [parent, alike] : children) {
    const auto& [job, rank, size] = parent;
    Class spawns;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const Side& side = sides_[s];
      if (side.kind != MeetingKind::kSpawn || side.other != Side::kNobody || side.remote != size ||
          side.root < 0)
        continue;
      const RankData& root = ranks_[static_cast<std::size_t>(side.root)];
      const World& world = worlds_[root.world];
      if (!job.empty() && (world.job != job || (rank >= 0 && side.root != world.first + rank))) continue;
      spawns.push_back(s);
    }
    any = pair_up(spawns, alike) || any;
  }
  return any;
}

bool Finder::pair_by(MeetingKind one, MeetingKind other) {
  std::map<std::tuple<std::string, std::size_t, std::size_t>, std::pair<Class, Class>> classes;
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    const Side& side = sides_[s];
    if (side.other != Side::kNobody || side.remote == 0) continue;
    // Of two ends of one socket the one whose text is the lesser counts as the first.
    const std::string mirrored = one == other ? from_other_end(side.text) : side.text;
    const bool second = one == other && mirrored < side.text;
    if (side.kind == one && !second) classes[{side.text, side.local.size(), side.remote}].first.push_back(s);
    if (side.kind == other && (one != other || second || mirrored == side.text))
      classes[{mirrored, side.remote, side.local.size()}].second.push_back(s);
  }
  bool any = false;
  for (auto& [key, both] : classes) {
    // A socket without addresses could be any.
    const bool nameless = one == other && std::get<0>(key).empty();
    if (nameless && both.first.size() != 2) continue;
    any = (nameless ? pair_up({both.first[0]}, {both.first[1]}) : pair_up(both.first, both.second)) || any;
  }
  return any;
}

bool Finder::pair_all() {
  const bool spawns = pair_spawns();
  const bool ports = pair_by(MeetingKind::kAccept, MeetingKind::kConnect);
  return pair_by(MeetingKind::kJoin, MeetingKind::kJoin) || spawns || ports;
}

/// Processes that were introduced by others (MPI_Intercomm_create): somebody of another world knows who all
/// in the communicator are.
bool Finder::learn_from_others() {
  bool any = false;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const auto task = static_cast<TaskId>(r);
    for (const LocalComm& comm : ranks_[r].comms) {
      const bool meets = kind_of(comm) != MeetingKind::kSpawned || comm.call == 0 ||
                         static_cast<MpiCall>(comm.call) == MpiCall::kCommGetParent;
      if ((comm.flags & formats::kCommOtherWorlds) != 0 && !meets) any = learn(task, comm) || any;
    }
  }
  return any;
}

/// Communicators of `who` that were made as `comm` was and are as large, from either side.
std::vector<const LocalComm*> Finder::alike(TaskId who, const LocalComm& comm) const {
  const auto sizes = [](const LocalComm& one) {
    const std::uint64_t local = group_size(one.members);
    const std::uint64_t remote = group_size(one.remote_members);
    return std::pair(std::min(local, remote), std::max(local, remote));
  };
  std::vector<const LocalComm*> found;
  for (const LocalComm& other : ranks_[static_cast<std::size_t>(who)].comms) {
    if (other.call == comm.call && other.flags == comm.flags && sizes(other) == sizes(comm))
      found.push_back(&other);
  }
  return found;
}

bool Finder::learn(TaskId task, const LocalComm& comm) {
  const Group local = names_.of(task, comm.members);
  const Group remote = names_.of(task, comm.remote_members);
  if (is_whole(local) && is_whole(remote)) return false;
  const std::vector<const LocalComm*> mine = alike(task, comm);
  const auto nth = std::find(mine.begin(), mine.end(), &comm) - mine.begin();
  std::set<std::uint32_t> asked = {
      ranks_[static_cast<std::size_t>(task)].world};  // one of each world is enough
  for (const Group* group : {&local, &remote}) {
    for (const TaskId witness : *group) {
      if (witness == kStranger || !asked.insert(ranks_[static_cast<std::size_t>(witness)].world).second)
        continue;
      const std::vector<const LocalComm*> seen = alike(witness, comm);
      if (seen.size() != mine.size()) continue;
      Group own = names_.of(witness, seen[static_cast<std::size_t>(nth)]->members);
      Group other = names_.of(witness, seen[static_cast<std::size_t>(nth)]->remote_members);
      if (!is_whole(own) || !is_whole(other)) continue;
      if (std::find(own.begin(), own.end(), task) == own.end()) std::swap(own, other);
      if (!agree(local, own) || !agree(remote, other)) continue;
      introduce(task, comm.members, own);
      introduce(task, comm.remote_members, other);
      return true;
    }
  }
  return false;
}

}  // namespace

Names::Names(const std::vector<RankData>& ranks, const std::vector<World>& worlds) {
  own_.reserve(ranks.size());
  for (const RankData& rank : ranks) {
    const World& world = worlds[rank.world];
    Own own{world.first, world.size, {}};
    if (rank.numbers > world.size) {
      own.others.assign(static_cast<std::size_t>(rank.numbers - world.size), kStranger);
    }
    own_.push_back(std::move(own));
  }
}

TaskId Names::of(TaskId task, std::int32_t number) const {
  const Own& own = own_[static_cast<std::size_t>(task)];
  if (number < own.size) return number < 0 ? number : own.first + number;
  const auto other = static_cast<std::size_t>(number - own.size);
  return other < own.others.size() ? own.others[other] : kStranger;
}

void Names::set(TaskId task, std::int32_t number, TaskId who) {
  Own& own = own_[static_cast<std::size_t>(task)];
  if (number >= own.size) own.others[static_cast<std::size_t>(number - own.size)] = who;
}

std::vector<TaskId> Names::of(TaskId task, const std::vector<formats::RankRun>& runs) const {
  std::vector<TaskId> members = members_of(runs);
  for (TaskId& member : members) member = of(task, member);
  return members;
}

std::vector<Side> find_meetings(std::vector<RankData>& ranks, const std::vector<World>& worlds,
                                Names& names) {
  return Finder(ranks, worlds, names).run();
}

}  // namespace vef::merge
