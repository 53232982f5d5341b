// SPDX-License-Identifier: Apache-2.0
#include "collectives.h"

#include <algorithm>
#include <numeric>

#include "families.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

using formats::TaskId;

bool is_inter(const GlobalComm& comm) { return comm.first_group != 0; }

/// World rank of the root a part names; -1: the part does not say.
TaskId root_of(const RankData& rank, const Part& part) {
  const LocalComm& local = rank.comms[part.comm];
  if (!is_rooted(part.family)) return -1;
  if ((local.flags & formats::kCommInter) == 0) return world_rank(local.members, part.root);
  if (part.root == formats::kRootHere) return rank.rank;
  if (part.root == formats::kProcNull) return -1;  // in the root's group, but not the root
  return world_rank(local.remote_members, part.root);
}

bool same_call(const Instance& instance, const Part& part) {
  if (instance.family != part.family) return false;
  return part.family != Family::kNamedBarrier || instance.call == part.call;
}

/// The size that all members must give alike; 0 where there is none.
std::uint64_t shared_size(const Part& part) {
  switch (part.family) {
    case Family::kAllreduce:
    case Family::kAllgather:
    case Family::kAllgatherv:
      return part.recv_bytes;
    default:
      return 0;
  }
}

/// Assembles the instances: counts per communicator, then meets every part.
class Assembler {
 public:
  Assembler(std::vector<RankData>& ranks, const CommTable& comms, std::vector<Unmatched>& unmatched)
      : ranks_(ranks), comms_(comms), unmatched_(unmatched) {}

  Result<std::vector<Instance>> run() {
    count();
    if (instances_.size() > kNoIndex - 1) {
      return Error{ErrorKind::kInput, "more than 2^32 collectives; expected fewer"};
    }
    for (RankData& rank : ranks_) {
      for (Part& part : rank.parts) {
        if (part.instance != kNoIndex) meet(rank, part);
      }
    }
    report_incomplete();
    return std::move(instances_);
  }

 private:
  void count();
  void count_rank(RankData& rank, std::vector<std::uint32_t>& counts);
  void count_from_end(RankData& rank);
  void meet(const RankData& rank, Part& part);
  void report_mismatch(const RankData& rank, const Part& part, const Instance& instance,
                       const std::string& why);
  void report_incomplete();
  Unmatched entry_for(const RankData& rank, const Part& part) const;

  struct FirstPart {
    TaskId rank = -1;
    const Part* part = nullptr;
  };

  std::vector<RankData>& ranks_;
  const CommTable& comms_;
  std::vector<Unmatched>& unmatched_;
  std::vector<Instance> instances_;                 // communicator by communicator, in call order
  std::vector<std::uint32_t> most_;                 // by communicator: calls of the member that made most
  std::vector<std::uint32_t> whole_;                // the same among members whose logs are complete
  std::vector<std::uint32_t> base_;                 // by communicator, its first instance
  std::vector<FirstPart> first_;                    // by instance
  std::vector<std::vector<std::uint32_t>> counts_;  // by rank, by local communicator
};

/// Gives the rank's parts their ordinals on each communicator; behind a hole there are none yet.
void Assembler::count_rank(RankData& rank, std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> order(rank.parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.parts[a].sequence < rank.parts[b].sequence;
  });
  counts.assign(rank.comms.size(), 0);
  for (const std::uint32_t index : order) {
    Part& part = rank.parts[index];
    if (rank.hole.any && index >= rank.hole.parts.begin) continue;
    part.instance = counts[part.comm]++;
    std::uint32_t& most = most_[rank.comms[part.comm].global];
    most = std::max(most, part.instance + 1);
  }
}

/// Behind a hole the parts are counted from the end, if the rank reached it and a member tells how many there
/// are in all.
void Assembler::count_from_end(RankData& rank) {
  if (rank.ending != Ending::kFinalized) return;
  std::vector<std::uint32_t> left(rank.comms.size());
  for (std::size_t c = 0; c < left.size(); ++c) left[c] = whole_[rank.comms[c].global];
  const std::vector<std::uint32_t>& before = counts_[static_cast<std::size_t>(rank.rank)];
  for (std::uint32_t i = static_cast<std::uint32_t>(rank.parts.size()); i-- > rank.hole.parts.end;) {
    Part& part = rank.parts[i];
    if (left[part.comm] > before[part.comm]) part.instance = --left[part.comm];
  }
}

void Assembler::count() {
  most_.assign(comms_.size(), 0);
  whole_.assign(comms_.size(), 0);
  counts_.resize(ranks_.size());
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    count_rank(ranks_[r], counts_[r]);
    for (std::size_t c = 0; ranks_[r].complete && c < counts_[r].size(); ++c) {
      std::uint32_t& whole = whole_[ranks_[r].comms[c].global];
      whole = std::max(whole, counts_[r][c]);
    }
  }
  for (RankData& rank : ranks_) {
    if (rank.hole.any) count_from_end(rank);
  }
  base_.assign(comms_.size(), 0);
  for (std::uint32_t comm = 0; comm < comms_.size(); ++comm) {
    base_[comm] = static_cast<std::uint32_t>(instances_.size());
    Instance instance;
    instance.comm = comm;
    instances_.insert(instances_.end(), most_[comm], instance);
  }
  first_.resize(instances_.size());
  for (RankData& rank : ranks_) {
    for (Part& part : rank.parts) {
      if (part.instance != kNoIndex) part.instance += base_[rank.comms[part.comm].global];
    }
  }
}

void Assembler::meet(const RankData& rank, Part& part) {
  Instance& instance = instances_[part.instance];
  const TaskId root = root_of(rank, part);
  ++instance.participants;
  FirstPart& first = first_[part.instance];
  if (first.part == nullptr) {
    first = {rank.rank, &part};
    instance.call = part.call;
    instance.family = part.family;
    instance.root = root;
    return;
  }
  if (instance.mismatch) return;
  if (!same_call(instance, part)) {
    report_mismatch(rank, part, instance,
                    "rank " + std::to_string(first.rank) + " called " +
                        formats::mpi_call_name(instance.call) + " there (its call " +
                        std::to_string(first.part->event) + ")");
  } else if (root >= 0 && instance.root >= 0 && root != instance.root) {
    report_mismatch(rank, part, instance,
                    "its root is rank " + std::to_string(root) + ", but rank " + std::to_string(first.rank) +
                        " (its call " + std::to_string(first.part->event) + ") names rank " +
                        std::to_string(instance.root));
  } else if (comms_[instance.comm].first_group == 0 && shared_size(part) != shared_size(*first.part)) {
    report_mismatch(rank, part, instance,
                    "it moves " + std::to_string(shared_size(part)) + " bytes, but " +
                        std::to_string(shared_size(*first.part)) + " in rank " + std::to_string(first.rank) +
                        " (its call " + std::to_string(first.part->event) + ")");
  } else {
    instance.root = std::max(instance.root, root);
    return;
  }
  instance.mismatch = true;
}

Unmatched Assembler::entry_for(const RankData& rank, const Part& part) const {
  Unmatched entry;
  entry.kind = Unmatched::Kind::kCollective;
  entry.rank = rank.rank;
  entry.event = part.event;
  entry.call = formats::mpi_call_name(part.call);
  entry.peer = root_of(rank, part);
  entry.communicator = comms_.name(rank.comms[part.comm].global);
  entry.bytes = part.send_bytes;
  return entry;
}

void Assembler::report_mismatch(const RankData& rank, const Part& part, const Instance& instance,
                                const std::string& why) {
  Unmatched entry = entry_for(rank, part);
  entry.why = why;
  const auto& members = comms_[instance.comm].members;
  entry.excused = std::any_of(members.begin(), members.end(), [&](TaskId member) {
    return may_miss_calls(ranks_[static_cast<std::size_t>(member)]);
  });
  unmatched_.push_back(std::move(entry));
}

void Assembler::report_incomplete() {
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    const auto& members = comms_[instance.comm].members;
    if (instance.mismatch || instance.participants == members.size()) continue;
    const FirstPart& first = first_[i];
    const RankData& rank = ranks_[static_cast<std::size_t>(first.rank)];
    // Which member is missing: one that made fewer calls on it than this one's ordinal.
    const std::uint32_t ordinal = i - base_[instance.comm];
    Unmatched entry = entry_for(rank, *first.part);
    for (const TaskId member : members) {
      const auto index = static_cast<std::size_t>(member);
      std::uint32_t calls = 0;
      for (std::size_t c = 0; c < counts_[index].size(); ++c) {
        if (ranks_[index].comms[c].global == instance.comm) calls += counts_[index][c];
      }
      if (calls > ordinal) continue;
      entry.excused = entry.excused || may_miss_calls(ranks_[index]);
      if (!entry.why.empty()) continue;
      if (ranks_[index].hole.any) {
        entry.why = incomplete(ranks_[index]);
        continue;
      }
      entry.why = "it is collective " + std::to_string(ordinal + 1) + " on it, but rank " +
                  std::to_string(member) + " made only " + std::to_string(calls) +
                  (may_miss_calls(ranks_[index]) ? " (" + incomplete(ranks_[index]) + ")" : "");
    }
    unmatched_.push_back(std::move(entry));
  }
}

/// What is written otherwise than it was called, or not at all; "" where nothing is lost.
std::string lowering_note(const Instance& instance, bool inter, bool foreign, bool neighbours) {
  if (foreign) return "not written: it takes part with processes of another world";
  switch (instance.family) {
    case Family::kNeighborAllgather:
    case Family::kNeighborAlltoall:
      return neighbours ? "written as messages between neighbours"
                        : "not written: the logs do not name the neighbours";
    case Family::kScan:
    case Family::kExscan:
      return inter ? "not written: it is not defined on an inter-communicator"
                   : "written as a message from each member to the next";
    case Family::kReduceScatter:
      return inter ? "written as REDUCE and SCATTER in both directions" : "written as REDUCE and SCATTER";
    case Family::kAlltoallv:
    case Family::kAlltoallw:
      return inter ? "written as messages"
                   : "written as ALLTOALL with each member's total, without the sizes per peer";
    case Family::kGatherv:
    case Family::kScatterv:
    case Family::kAllgatherv:
      if (!inter) return "written as the plain operation, each member with its own size";
      break;
    case Family::kBarrier:
    case Family::kNamedBarrier:
      return "";
    default:
      break;
  }
  return inter ? "on an inter-communicator: written as operations between its two groups" : "";
}

bool is_neighbor(const Instance& instance) {
  return instance.family == Family::kNeighborAllgather || instance.family == Family::kNeighborAlltoall;
}

bool is_skipped(const Instance& instance, bool inter, bool neighbours) {
  if (is_neighbor(instance)) return !neighbours;
  return inter && (instance.family == Family::kScan || instance.family == Family::kExscan);
}

/// Numbers the G record groups and messages of an instance, and adds the communicators it needs.
class Numberer {
 public:
  Numberer(CollectiveTable& table, CommTable& comms) : table_(table), comms_(comms) {}

  void add(Instance& instance, std::uint16_t call) {
    instance.first_group = table_.groups;
    instance.first_message = table_.messages;
    const std::uint64_t size = comms_[instance.comm].members.size();
    const std::uint64_t first = comms_[instance.comm].first_group;
    if (is_neighbor(instance)) {
      table_.messages += comms_.known_neighbourhood(instance.comm).targets.size();
    } else if (first != 0) {
      add_inter(instance, first, size - first);
    } else if (instance.family == Family::kScan || instance.family == Family::kExscan) {
      table_.messages += size - 1;
    } else {
      comms_.mark_used(instance.comm);
      table_.groups += instance.family == Family::kReduceScatter ? 2 : 1;
    }
    if (instance.family == Family::kNamedBarrier) table_.named.emplace_back(instance.first_group, call);
  }

 private:
  void use(const Instance& instance, CommTable::Piece piece, TaskId root = 0) {
    comms_.mark_used(comms_.piece(instance.comm, piece, root));
    ++table_.groups;
  }

  void add_inter(const Instance& instance, std::uint64_t first, std::uint64_t second) {
    using Piece = CommTable::Piece;
    switch (instance.family) {
      case Family::kBarrier:
      case Family::kNamedBarrier:
        comms_.mark_used(instance.comm);
        ++table_.groups;
        break;
      case Family::kAlltoall:
      case Family::kAlltoallv:
      case Family::kAlltoallw:
        table_.messages += 2 * first * second;
        break;
      case Family::kAllreduce:
      case Family::kAllgather:
      case Family::kAllgatherv:
      case Family::kReduceScatter:
        for (const Piece piece :
             {Piece::kFirstToSecond, Piece::kSecondToFirst, Piece::kFirst, Piece::kSecond}) {
          use(instance, piece);
        }
        break;
      default:
        use(instance, Piece::kRooted, instance.root);
        break;
    }
  }

  CollectiveTable& table_;
  CommTable& comms_;
};

}  // namespace

Result<CollectiveTable> match_collectives(std::vector<RankData>& ranks, CommTable& comms,
                                          std::uint64_t first_message, std::vector<Unmatched>& unmatched,
                                          std::vector<std::string>& warnings) {
  Assembler assembler(ranks, comms, unmatched);
  auto instances = assembler.run();
  if (!instances.ok()) return instances.error();
  std::vector<bool> foreign(comms.size(), false);
  for (const RankData& rank : ranks) {
    for (const LocalComm& local : rank.comms) {
      if ((local.flags & formats::kCommOtherWorlds) != 0) foreign[local.global] = true;
    }
  }
  CollectiveTable table;
  table.messages = first_message;
  std::map<std::pair<std::string, std::string>, std::uint64_t> notes;
  Numberer numberer(table, comms);
  for (Instance& instance : *instances) {
    const bool inter = is_inter(comms[instance.comm]);
    const bool rootless = inter && is_rooted(instance.family) && instance.root < 0;
    if (instance.mismatch || instance.participants != comms[instance.comm].members.size() || rootless)
      continue;
    const bool neighbours =
        is_neighbor(instance) && !comms.neighbourhood(instance.comm, ranks).targets.empty();
    const std::string note = lowering_note(instance, inter, foreign[instance.comm], neighbours);
    if (!note.empty()) ++notes[{formats::mpi_call_name(instance.call), note}];
    if (foreign[instance.comm] || is_skipped(instance, inter, neighbours)) continue;
    instance.written = true;
    numberer.add(instance, instance.call);
  }
  for (const auto& [key, count] : notes) {
    warnings.push_back(key.first + " (" + std::to_string(count) + (count == 1 ? " call): " : " calls): ") +
                       key.second);
  }
  table.instances = std::move(*instances);
  return table;
}

}  // namespace vef::merge
