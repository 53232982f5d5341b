// SPDX-License-Identifier: Apache-2.0
#include "worlds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "meetings.h"
#include "vef/base/text.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

using formats::TaskId;

void append(std::vector<formats::RankRun>& runs, TaskId member) {
  formats::RankRun* last = runs.empty() ? nullptr : &runs.back();
  if (last != nullptr && last->stride == 1 && last->first + static_cast<TaskId>(last->count) == member) {
    ++last->count;
  } else {
    runs.push_back({member, 1, 1});
  }
}

std::vector<formats::RankRun> runs_of(const std::vector<TaskId>& members) {
  std::vector<formats::RankRun> runs;
  for (const TaskId member : members) append(runs, member);
  return runs;
}

/// Puts tasks in the place of one rank's numbers.
class Renaming {
 public:
  Renaming(const Names& names, RankData& rank, const World& world)
      : names_(names), rank_(rank), world_(world), task_(rank.rank) {}

  void run() {
    for (LocalComm& comm : rank_.comms) rename(comm);
    for (Send& send : rank_.sends) rename(send);
    for (Receive& receive : rank_.receives) rename(receive);
    for (Access& access : rank_.accesses) rename(access);
    for (TaskId& peer : rank_.peers) peer = names_.of(task_, peer);
  }

 private:
  /// Keeps the flag that it has members in other worlds only where these are not merged.
  void rename(LocalComm& comm) {
    const bool strangers = rename(comm.members);
    if (!rename(comm.remote_members) && !strangers)
      comm.flags &= static_cast<std::uint8_t>(~formats::kCommOtherWorlds);
    for (auto* neighbours : {&comm.in_neighbours, &comm.out_neighbours}) {
      for (TaskId& neighbour : *neighbours) neighbour = names_.of(task_, neighbour);
    }
  }

  /// Whether there are strangers; they are left out.
  bool rename(std::vector<formats::RankRun>& runs) const {
    bool strangers = false;
    std::vector<formats::RankRun> renamed;
    for (const formats::RankRun& run : runs) {
      if (world_rank({run}, static_cast<std::int32_t>(run.count) - 1) < world_.size &&
          run.first < world_.size) {
        renamed.push_back({world_.first + run.first, run.stride, run.count});
        continue;
      }
      for (const TaskId member : names_.of(task_, {run})) {
        strangers = strangers || member == kStranger;
        if (member != kStranger) append(renamed, member);
      }
    }
    runs = std::move(renamed);
    return strangers;
  }

  /// What goes to strangers is as good as cancelled.
  void rename(Send& send) {
    send.peer = names_.of(task_, send.peer);
    if (send.peer != kStranger) return;
    send.peer = task_;
    if ((send.flags & Send::kCancelled) != 0) return;
    send.flags |= Send::kCancelled;
    ++rank_.outside.sends;
    rank_.outside.bytes += send.bytes;
  }

  void rename(Receive& receive) {
    receive.source = names_.of(task_, receive.source);
    const bool from_anybody = receive.source == formats::kAnySource &&
                              (rank_.comms[receive.comm].flags & formats::kCommOtherWorlds) != 0;
    if (receive.source != kStranger && !from_anybody) return;
    receive.source = task_;
    if (receive.state == ReceiveState::kCancelled) return;
    receive.state = ReceiveState::kCancelled;
    ++rank_.outside.receives;
  }

  void rename(Access& access) {
    access.target = names_.of(task_, access.target);
    if (access.target != kStranger) return;
    ++rank_.outside.sends;
    rank_.outside.bytes += access.bytes;
  }

  const Names& names_;
  RankData& rank_;
  const World& world_;
  TaskId task_;
};

/// Makes the calls of one meeting one barrier of all that met.
class Barrier {
 public:
  Barrier(std::vector<RankData>& ranks, const Side& one, const Side& other)
      : ranks_(ranks), one_(one), other_(other), call_(call_of(one)) {}

  /// False: not all of them have a log that shows it.
  bool make() {
    if (!is_seen_by_all(one_) || !is_seen_by_all(other_)) return false;
    add(one_, other_);
    add(other_, one_);
    return true;
  }

 private:
  std::uint16_t call_of(const Side& side) const {
    const RankData& rank = ranks_[static_cast<std::size_t>(side.views.front().first)];
    return rank.comms[rank.meetings[side.views.front().second].comm].call;
  }

  bool is_seen_by_all(const Side& side) const {
    if (side.kind != MeetingKind::kSpawned) {
      return side.views.size() == side.local.size() &&
             std::all_of(side.views.begin(), side.views.end(), [&](const auto& view) {
               return ranks_[static_cast<std::size_t>(view.first)].meetings[view.second].part != kNoIndex;
             });
    }
    return std::all_of(side.local.begin(), side.local.end(),
                       [&](TaskId task) { return ranks_[static_cast<std::size_t>(task)].present; });
  }

  void add(const Side& side, const Side& other) {
    std::map<TaskId, std::uint32_t> meetings(side.views.begin(), side.views.end());
    for (const TaskId task : side.local) {
      RankData& rank = ranks_[static_cast<std::size_t>(task)];
      const auto found = meetings.find(task);
      const Meeting* meeting = found == meetings.end() ? nullptr : &rank.meetings[found->second];
      std::uint32_t between = kNoIndex;
      if (meeting == nullptr) {
        between = add_parents(rank, side, other);
      } else {
        between = meeting->comm;
      }
      LocalComm barrier = rank.comms[between];
      barrier.parent = between;
      barrier.ordinal = kNoIndex;  // no window has it
      barrier.flags |= kCommWindow;
      barrier.call = call_;
      rank.comms.push_back(std::move(barrier));
      const auto comm = static_cast<std::uint32_t>(rank.comms.size()) - 1;
      if (side.kind == MeetingKind::kSpawned) {
        begin_with(rank, comm);
      } else {
        rank.parts[meeting->part].comm = comm;
        rank.parts[meeting->part].call = call_;
      }
    }
  }

  /// The communicator with those that spawned it, of a process that never asked for it.
  static std::uint32_t add_parents(RankData& rank, const Side& side, const Side& other) {
    LocalComm comm;
    comm.flags = formats::kCommInter | formats::kCommGroupOnly;
    comm.call = static_cast<std::uint16_t>(formats::MpiCall::kCommGetParent);
    comm.members = runs_of(side.local);
    comm.remote_members = runs_of(other.local);
    rank.comms.push_back(std::move(comm));
    return static_cast<std::uint32_t>(rank.comms.size()) - 1;
  }

  /// MPI_Init of a spawned process ends when the spawning call does.
  void begin_with(RankData& rank, std::uint32_t comm) const {
    Part part;
    part.comm = comm;
    part.call = call_;
    part.family = Family::kNamedBarrier;
    const auto index = static_cast<std::uint32_t>(rank.parts.size());
    rank.parts.push_back(part);
    Op op;
    op.start = op.end = rank.init_end;
    op.first = index;
    op.count = 1;
    op.kind = OpKind::kCollective;
    rank.threads[0].push_front(op);
  }

  std::vector<RankData>& ranks_;
  const Side& one_;
  const Side& other_;
  std::uint16_t call_;
};

std::string call_name(const std::vector<RankData>& ranks, const Side& side) {
  if (side.views.empty()) return "";
  const RankData& rank = ranks[static_cast<std::size_t>(side.views.front().first)];
  return formats::mpi_call_name(rank.comms[rank.meetings[side.views.front().second].comm].call);
}

/// "./worker, ./helper" of a spawn's text, one command a line.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string(", ") : std::string(1, c);
  return escaped(line);
}

void describe(const std::vector<RankData>& ranks, const std::vector<Side>& sides,
              std::vector<World>& worlds) {
  for (const Side& side : sides) {
    if (side.other == Side::kNobody || side.kind == MeetingKind::kSpawned) continue;
    const std::uint32_t own = ranks[static_cast<std::size_t>(side.local.front())].world;
    const Side& other = sides[side.other];
    const std::uint32_t theirs = ranks[static_cast<std::size_t>(other.local.front())].world;
    World& later = worlds[std::max(own, theirs)];
    if (side.kind == MeetingKind::kSpawn) {
      World& child = worlds[other.world];
      child.how = "spawned by task " + std::to_string(side.root) + " (" + call_name(ranks, side) + " of " +
                  in_one_line(side.text) + ")";
    } else if (later.how.empty()) {
      const World& earlier = worlds[std::min(own, theirs)];
      later.how =
          "met world " + std::to_string(&earlier - worlds.data()) + " (" + call_name(ranks, side) + ")";
    }
  }
}

/// Spawns that got fewer processes than they asked for.
void report_fewer(const std::vector<Side>& sides, std::vector<std::string>& warnings) {
  for (const Side& side : sides) {
    if (side.kind != MeetingKind::kSpawn || side.asked <= side.remote) continue;
    warnings.push_back("rank " + std::to_string(side.root) + " asked for " + std::to_string(side.asked) +
                       " processes of " + in_one_line(side.text) + " and got " + std::to_string(side.remote));
  }
}

/// "MPI_Comm_spawn of ./worker by rank 0: its 3 processes are not among the worlds merged".
std::string stranger(const std::vector<RankData>& ranks, const Side& side) {
  if (side.kind == MeetingKind::kSpawned) {
    return "world " + std::to_string(side.world) + " was spawned by " + std::to_string(side.remote) +
           " processes that are not among those merged";
  }
  std::string who = "the other side is";
  if (side.kind == MeetingKind::kSpawn) {
    who = side.remote == 1 ? "its process is" : "its " + std::to_string(side.remote) + " processes are";
  }
  const std::string text = side.text.empty() ? "" : " of " + in_one_line(side.text);
  return call_name(ranks, side) + text + " by rank " + std::to_string(side.root) + ": " + who +
         " not among the worlds merged";
}

void report_strangers(const std::vector<RankData>& ranks, const std::vector<Side>& sides,
                      std::vector<std::string>& warnings) {
  std::map<std::string, std::uint64_t> times;
  for (const Side& side : sides) {
    const bool never_spawned = side.kind == MeetingKind::kSpawned && side.views.empty();
    if (side.other == Side::kNobody && !never_spawned) ++times[stranger(ranks, side)];
  }
  for (const auto& [text, count] : times) {
    warnings.push_back(text + (count == 1 ? "" : " (" + std::to_string(count) + " times)"));
  }
}

}  // namespace

void join_worlds(std::vector<RankData>& ranks, std::vector<World>& worlds,
                 std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].rank = static_cast<TaskId>(i);
  const auto meets = [](const RankData& rank) { return !rank.meetings.empty(); };
  const auto knows_others = [&](const RankData& rank) { return rank.numbers > worlds[rank.world].size; };
  const bool any_meeting = std::any_of(ranks.begin(), ranks.end(), meets);
  if (worlds.size() == 1 && !any_meeting && std::none_of(ranks.begin(), ranks.end(), knows_others)) return;
  Names names(ranks, worlds);
  const std::vector<Side> sides = find_meetings(ranks, worlds, names);
  for (RankData& rank : ranks) {
    if (worlds[rank.world].first != 0 || knows_others(rank)) Renaming(names, rank, worlds[rank.world]).run();
  }
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Side& side = sides[s];
    const bool leads = side.kind == MeetingKind::kSpawn || side.kind == MeetingKind::kAccept ||
                       (side.kind == MeetingKind::kJoin && s < side.other);
    if (!leads || side.other == Side::kNobody) continue;
    const Side& other = sides[side.other];
    const bool made = Barrier(ranks, side, other).make();
    if (other.kind == MeetingKind::kSpawned) worlds[other.world].bound = made;
  }
  describe(ranks, sides, worlds);
  report_fewer(sides, warnings);
  report_strangers(ranks, sides, warnings);
}

std::uint32_t align_begins(std::vector<RankData>& ranks, const std::vector<World>& worlds) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> begins(worlds.size(), kNever);
  for (const RankData& rank : ranks) {
    std::int64_t& begin = begins[rank.world];
    const std::int64_t end = rank.init_end + rank.wall;
    if (rank.present) begin = begin == kNever ? end : std::max(begin, end);
  }
  std::uint32_t first = 0;
  for (std::uint32_t w = 0; w < worlds.size(); ++w) {
    if (!worlds[w].bound && (worlds[first].bound || begins[w] < begins[first])) first = w;
  }
  for (RankData& rank : ranks) {
    if (!rank.present || worlds[rank.world].bound || begins[first] == kNever) continue;
    rank.late = begins[rank.world] - begins[first];
    rank.init_end -= rank.late;
    if (rank.late > 0 && !rank.threads.empty() && !rank.threads[0].empty()) {
      rank.threads[0].front().time += static_cast<std::uint64_t>(rank.late);
    }
  }
  return first;
}

}  // namespace vef::merge
