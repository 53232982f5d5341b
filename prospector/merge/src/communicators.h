// SPDX-License-Identifier: Apache-2.0
// Stage 2: one number for what several processes know under numbers of their own.
//
// A communicator is recognised by how it was made: the communicator it was made from, the how-manieth
// creation on it that was for this rank, and the members. Every member sees the same three, so no
// communication is needed and a handle that is used again does no harm. Made with two parents
// (MPI_Intercomm_create): by the members and the how-manieth of that kind; by its group alone
// (MPI_Comm_create_group, ..._from_group): also by the tag, and the communicator it was made from if there is
// one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model.h"
#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::merge {

struct GlobalComm {
  std::vector<formats::TaskId>
      members;                    // of an inter-communicator both groups, that with the lowest rank first
  std::uint32_t first_group = 0;  // members in the first group of an inter-communicator; 0: none
  std::uint16_t call = 0;         // that made it
  /// A window, a persistent collective or a meeting: the communicator whose members it has.
  std::uint32_t window_of = kNoIndex;
  std::uint32_t world = kNoIndex;  // the MPI_COMM_WORLD of one of several worlds
  bool used = false;               // by a collective record
  formats::CommId trace_id = 0;    // if used
};

class CommTable {
 public:
  explicit CommTable(const std::vector<std::int32_t>& world_sizes);

  /// The MPI_COMM_WORLD of a world.
  std::uint32_t world(std::uint32_t index) const { return several_worlds_ ? index + 1 : 0; }

  const GlobalComm& operator[](std::uint32_t index) const { return comms_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(comms_.size()); }

  /// The communicator with this key; made if it is new.
  std::uint32_t find_or_add(const std::string& key, GlobalComm comm);

  /// Parts of an inter-communicator that its collectives are lowered to.
  enum class Piece : std::uint8_t { kFirst, kSecond, kFirstToSecond, kSecondToFirst, kRooted };
  /// kFirst, kSecond: a group. kFirstToSecond: the leader of the second group, then the first group; the
  /// other way round for kSecondToFirst. kRooted: `root` (world rank), then the group that it is not in.
  std::uint32_t piece(std::uint32_t inter, Piece piece, formats::TaskId root = 0);
  /// The same where it exists already.
  std::uint32_t known_piece(std::uint32_t inter, Piece piece, formats::TaskId root = 0) const;

  void mark_used(std::uint32_t index) {
    while (comms_[index].window_of != kNoIndex) index = comms_[index].window_of;
    comms_[index].used = true;
  }
  /// Numbers what is used, the world first, and returns the lines of the trace. Windows share the number of
  /// what they were made from.
  formats::Communicators number();

  /// Who neighbours whom, by the lists of the members; made once a neighbourhood collective needs it.
  struct Neighbourhood {
    std::vector<std::uint64_t> first_out;  // by member: its first slot
    std::vector<std::uint64_t> first_in;   // by member: its first entry in `in_slots`
    std::vector<std::uint64_t> in_slots;   // the slot of the message that comes from each in-neighbour
    std::vector<formats::TaskId> targets;  // by slot
  };
  const Neighbourhood& neighbourhood(std::uint32_t index, const std::vector<RankData>& ranks);
  const Neighbourhood& known_neighbourhood(std::uint32_t index) const { return neighbourhoods_.at(index); }

  /// For people.
  std::string name(std::uint32_t index) const;

 private:
  std::vector<GlobalComm> comms_;  // 0: all tasks; where there are several worlds, these come next
  bool several_worlds_ = false;
  std::map<std::string, std::uint32_t> index_;
  std::map<std::tuple<std::uint32_t, Piece, formats::TaskId>, std::uint32_t> pieces_;
  std::map<std::uint32_t, Neighbourhood> neighbourhoods_;
};

/// Sets LocalComm::global and member_index in every rank. Ranks in ascending order, world by world.
Result<CommTable> unify(std::vector<RankData>& ranks, const std::vector<std::int32_t>& world_sizes);

}  // namespace vef::merge
