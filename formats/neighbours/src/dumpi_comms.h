// SPDX-License-Identifier: Apache-2.0
// The communicators of a DUMPI trace. Each rank numbers its own; which are the same, and who is in them, is
// worked out from the calls that made them: on a communicator, all members make the same ones in the same
// order.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dumpi_file.h"
#include "dumpi_groups.h"
#include "vef/formats/trace.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

class DumpiComms {
 public:
  static constexpr std::int64_t kNull = 1;  // numbers of a rank
  static constexpr std::int64_t kWorld = 2;
  static constexpr std::int64_t kSelf = 3;
  static constexpr std::int64_t kEmptyGroup = 2;
  static constexpr std::int32_t kUnknown = -1;

  /// A communicator as one rank has it.
  struct Membership {
    std::int32_t comm = kUnknown;
    std::int32_t rank = 0;
  };

  DumpiComms(formats::TaskId ranks, Losses& losses);

  /// Takes notice of a call, rank by rank in the order of each; others than those of communicators and groups
  /// are passed over. True: it makes a communicator.
  bool add(formats::TaskId rank, const DumpiCall& call);
  /// After the last call. Faults have no file's name.
  Status resolve();

  /// The n-th that a rank made.
  const Membership& made(formats::TaskId rank, std::size_t n) const { return made_[at(rank)][n]; }
  static Membership world_of(formats::TaskId rank) { return {0, rank}; }
  static Membership self(formats::TaskId rank) { return {1 + rank, 0}; }
  const std::vector<formats::TaskId>& members(std::int32_t comm) const { return members_[at(comm)]; }

  /// Whether a call makes a communicator.
  static bool makes(std::uint16_t function);
  /// The communicator whose members all call it; kNull: the new one cannot be worked out.
  static std::int64_t parent_of(std::uint16_t function, const std::vector<std::int64_t>& values);
  /// The number that it gives to it.
  static std::int64_t number_of_made(const DumpiCall& call);

 private:
  struct Event {
    std::uint16_t function = 0;
    std::uint64_t offset = 0;
    std::vector<std::int64_t> values;
    std::vector<std::int32_t> list;
  };
  struct Rank {
    std::vector<Event> events;
    std::size_t next = 0;
    std::unordered_map<std::int64_t, Membership> comms;
    std::unordered_map<std::int64_t, Group> groups;
  };

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
  /// What splits a communicator: who comes into the same new one, in which order.
  struct Choice {
    bool in = false;
    std::int64_t color = 0;
    std::int64_t key = 0;
  };

  /// Goes on to the next call that has to wait for others.
  void advance(formats::TaskId index);
  void make_group(Rank& rank, const Event& event);
  /// All members have come to their next event on `parent`.
  Status make(std::int32_t parent);
  void split(std::int32_t parent, const std::vector<Choice>& choices, const std::vector<std::int32_t>& dims);
  void create(std::int32_t parent);
  std::vector<Choice> choose(std::int32_t parent, std::vector<std::int32_t>& dims) const;
  const Event& event_of(formats::TaskId rank) const { return tasks_[at(rank)].events[tasks_[at(rank)].next]; }
  std::int32_t add_comm(Group members, std::vector<std::int32_t> dims);
  void give(formats::TaskId rank, const Membership& membership);

  Losses& losses_;
  std::vector<Rank> tasks_;
  std::vector<std::vector<Membership>> made_;
  std::vector<Group> members_;
  std::vector<std::vector<std::int32_t>> dims_;  // of Cartesian ones
  std::vector<std::size_t> arrived_;             // members whose next event is on the communicator
  std::vector<std::int32_t> whole_;              // communicators at whose next event all members are
};

}  // namespace vef::neighbours
