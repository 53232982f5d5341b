// SPDX-License-Identifier: Apache-2.0
// The process groups of a Chakra trace and the collectives on them, gathered rank by rank.
//
// The k-th node of a rank with a group's name meets the k-th of the others. Who belongs to a group is said by
// a metadata node (as PyTorch writes it), else: the group without a name and "0" are all ranks (as ASTRA-sim
// has it), others those ranks that have nodes with its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chakra.h"
#include "goal_extras.h"

namespace vef::neighbours {

class ChakraGroups {
 public:
  ChakraGroups(std::uint32_t ranks, Losses& losses) : ranks_(ranks), losses_(losses) {}

  void begin_rank(std::uint32_t rank);
  /// A metadata node that may list groups. Faults have neither the file's name nor the node's.
  Status read_lists(std::string_view values);
  /// A part of `size` bytes in a collective; returns which one.
  Result<std::uint32_t> add(const ChakraNode& node, std::uint64_t size);

  /// After the last rank: checks the whole; collectives and communicators.
  Result<GoalExtras> finish();

 private:
  struct Group {
    std::string name;
    std::vector<formats::TaskId> members;  // if listed
    bool is_listed = false;
    std::vector<formats::TaskId> with_nodes;
    std::vector<std::uint32_t> collectives;  // in order
    std::uint64_t number = 0;                // of this rank's collectives so far
  };
  struct Collective {
    std::uint32_t group = 0;
    std::uint64_t type = 0;
    std::uint64_t size = 0;  // of the first part
    bool has_root = false;
    GoalCollective whole;  // `members`: those that have come
  };

  Group& group(std::string_view name);
  Status add_list(const std::string& name, std::vector<formats::TaskId> members);
  std::vector<formats::TaskId> members_of(const Group& group) const;
  Status settle(const Group& group, std::uint64_t number, const std::vector<formats::TaskId>& members,
                formats::CommId comm);

  std::uint32_t ranks_;
  Losses& losses_;
  std::uint32_t rank_ = 0;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<Collective> collectives_;
};

}  // namespace vef::neighbours
