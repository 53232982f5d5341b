// SPDX-License-Identifier: Apache-2.0
#include "chakra_groups.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "collective_flow.h"
#include "vef/base/units.h"
#include "vef_text_buffer.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::TaskId;

namespace {

Error fault(const std::string& what) { return {ErrorKind::kInput, what}; }

CollectiveOp op_of(std::uint64_t type) {
  switch (static_cast<ChakraCollective>(type)) {
    case ChakraCollective::kAllReduce:
      return CollectiveOp::kAllreduce;
    case ChakraCollective::kAllGather:
      return CollectiveOp::kAllgather;
    case ChakraCollective::kGather:
      return CollectiveOp::kGather;
    case ChakraCollective::kScatter:
      return CollectiveOp::kScatter;
    case ChakraCollective::kBroadcast:
      return CollectiveOp::kBroadcast;
    case ChakraCollective::kAllToAll:
      return CollectiveOp::kAlltoall;
    case ChakraCollective::kBarrier:
      return CollectiveOp::kBarrier;
    case ChakraCollective::kReduce:
    case ChakraCollective::kReduceScatter:
    case ChakraCollective::kReduceScatterBlock:
      break;
  }
  return CollectiveOp::kReduce;
}

bool is_reduce_scatter(std::uint64_t type) {
  return type == static_cast<std::uint64_t>(ChakraCollective::kReduceScatter) ||
         type == static_cast<std::uint64_t>(ChakraCollective::kReduceScatterBlock);
}

/// Whether all members have the same size by the meaning of the operation.
bool needs_equal_parts(CollectiveOp op) {
  return op == CollectiveOp::kAllreduce || op == CollectiveOp::kReduce || op == CollectiveOp::kBroadcast;
}

std::string name_of(std::string_view group) {
  return group.empty() ? "the group of all ranks" : "process group " + formats::quoted(group);
}

/// "2" before "10", numbers before other names.
bool comes_before(const std::string& a, const std::string& b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t x = kMost;
  std::uint64_t y = kMost;
  if (!formats::parse_number(a, kMost - 1, x)) x = kMost;
  if (!formats::parse_number(b, kMost - 1, y)) y = kMost;
  return x != y ? x < y : a < b;
}

}  // namespace

void ChakraGroups::begin_rank(std::uint32_t rank) {
  rank_ = rank;
  for (Group& group : groups_) group.number = 0;
}

ChakraGroups::Group& ChakraGroups::group(std::string_view name) {
  const auto [entry, is_new] = by_name_.try_emplace(std::string(name), groups_.size());
  if (is_new) {
    groups_.emplace_back();
    groups_.back().name = name;
  }
  return groups_[entry->second];
}

Status ChakraGroups::read_lists(std::string_view values) {
  if (values.find("pg_name") == std::string_view::npos) return {};
  const std::size_t begin = values.find("[{");
  const std::size_t end = values.rfind("}]");
  nlohmann::json lists;
  if (begin < end && end != std::string_view::npos)
    lists = nlohmann::json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  if (!lists.is_array()) {
    losses_.add("lists of process groups are left out", "they are no JSON; members are the ranks with nodes");
    return {};
  }
  for (const nlohmann::json& list : lists) {
    const auto name = list.is_object() ? list.find("pg_name") : list.end();
    if (!list.is_object() || name == list.end() || !(name->is_string() || name->is_number_unsigned()))
      return fault("a process group without pg_name; expected a name");
    const std::string text = name->is_string() ? name->get<std::string>() : name->dump();
    const auto ranks = list.find("ranks");
    std::vector<TaskId> members;
    if (ranks == list.end() || !ranks->is_array())
      return fault(name_of(text) + " without ranks; expected a list");
    for (const nlohmann::json& rank : *ranks) {
      if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= ranks_)
        return fault(name_of(text) + " has a rank that does not exist; expected 0 to " +
                     std::to_string(ranks_ - 1));
      members.push_back(static_cast<TaskId>(rank.get<std::uint64_t>()));
    }
    if (Status status = add_list(text, std::move(members)); !status) return status;
  }
  return {};
}

Status ChakraGroups::add_list(const std::string& name, std::vector<TaskId> members) {
  if (members.empty()) {  // PyTorch's way to say: all
    members.resize(ranks_);
    std::iota(members.begin(), members.end(), 0);
  }
  std::vector<TaskId> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return fault(name_of(name) + " has a rank twice; expected each once");
  Group& found = group(name);
  if (found.is_listed && found.members != members)
    return fault(name_of(name) + " has other members than elsewhere; expected the same");
  found.members = std::move(members);
  found.is_listed = true;
  return {};
}

Result<std::uint32_t> ChakraGroups::add(const ChakraNode& node, std::uint64_t size) {
  if (!node.comm_type.is_there || !node.comm_type.is_whole || node.comm_type.value >= kChakraCollectives)
    return fault("comm_type " +
                 (node.comm_type.is_there ? std::to_string(node.comm_type.value) : "is not there") +
                 "; expected 0 to " + std::to_string(kChakraCollectives - 1));
  Group& of = group(node.group);
  if (of.with_nodes.empty() || of.with_nodes.back() != static_cast<TaskId>(rank_))
    of.with_nodes.push_back(static_cast<TaskId>(rank_));
  if (of.number == of.collectives.size()) {
    if (collectives_.size() == std::numeric_limits<std::uint32_t>::max())
      return fault("too many collectives; expected less than 2^32");
    Collective first;
    first.group = static_cast<std::uint32_t>(&of - groups_.data());
    first.type = node.comm_type.value;
    first.size = size;
    first.whole.op = op_of(first.type);
    first.whole.is_reduce_scatter = is_reduce_scatter(first.type);
    of.collectives.push_back(static_cast<std::uint32_t>(collectives_.size()));
    collectives_.push_back(first);
  }
  const std::uint32_t index = of.collectives[of.number++];
  Collective& collective = collectives_[index];
  const std::string which = "collective " + std::to_string(of.number) + " of " + name_of(of.name);
  if (collective.type != node.comm_type.value)
    return fault(which + " has comm_type " + std::to_string(node.comm_type.value) + "; expected " +
                 std::to_string(collective.type) + " as at another rank");
  collective.whole.parts_are_equal &= collective.size == size;
  if (needs_equal_parts(collective.whole.op) && collective.size != size)
    return fault(which + " has comm_size " + std::to_string(size) + "; expected " +
                 std::to_string(collective.size) + " as at another rank");
  if (node.root.is_there) {
    const bool differs = collective.has_root && node.root.value != collective.whole.root;
    if (!node.root.is_whole || node.root.value >= ranks_ || differs)
      return fault(which + " has root " + std::to_string(node.root.value) +
                   "; expected one rank, the same for all");
    collective.whole.root = static_cast<std::uint32_t>(node.root.value);
    collective.has_root = true;
  }
  ++collective.whole.members;
  saturating_add_to(collective.whole.total, size);
  return index;
}

std::vector<TaskId> ChakraGroups::members_of(const Group& group) const {
  if (group.is_listed) return group.members;
  if (!group.name.empty() && group.name != "0") return group.with_nodes;
  std::vector<TaskId> all(ranks_);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status ChakraGroups::settle(const Group& group, std::uint64_t number, const std::vector<TaskId>& members,
                            formats::CommId comm) {
  Collective& collective = collectives_[group.collectives[number]];
  const std::string which = "collective " + std::to_string(number + 1) + " of " + name_of(group.name);
  if (collective.whole.members != members.size())
    return fault(which + " has " + std::to_string(collective.whole.members) +
                 " parts; expected one of each of its " + std::to_string(members.size()) + " members");
  if (collective.whole.total > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return fault(which + " has more than 2^63 - 1 bytes; expected less");
  const bool rooted = collective.whole.is_reduce_scatter || flow_of(collective.whole.op) != Flow::kToAll;
  if (!collective.has_root) {
    collective.whole.root = static_cast<std::uint32_t>(members.front());
    losses_.add("collectives take the first member as their root", "they name none",
                rooted && !collective.whole.is_reduce_scatter ? 1 : 0);
  } else if (std::find(members.begin(), members.end(), static_cast<TaskId>(collective.whole.root)) ==
             members.end()) {
    return fault(which + " has root " + std::to_string(collective.whole.root) + "; expected a member");
  }
  collective.whole.comm = comm;
  return {};
}

Result<GoalExtras> ChakraGroups::finish() {
  GoalExtras extras;
  std::vector<TaskId> all(ranks_);
  std::iota(all.begin(), all.end(), 0);
  extras.communicators.push_back(all);
  std::vector<std::size_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return comes_before(groups_[a].name, groups_[b].name); });
  for (const std::size_t index : order) {
    const Group& group = groups_[index];
    const std::vector<TaskId> members = members_of(group);
    const bool is_world = (group.name.empty() || group.name == "0") && members == all;
    std::vector<TaskId> sorted = members;
    std::sort(sorted.begin(), sorted.end());
    if (!std::includes(sorted.begin(), sorted.end(), group.with_nodes.begin(), group.with_nodes.end()))
      return fault("a rank that is no member has nodes of " + name_of(group.name) +
                   "; expected members only");
    const auto comm = static_cast<formats::CommId>(is_world ? 0 : extras.communicators.size());
    for (std::uint64_t i = 0; i < group.collectives.size(); ++i) {
      if (Status status = settle(group, i, members, comm); !status) return status.error();
    }
    if (!is_world) extras.communicators.push_back(members);
  }
  for (Collective& collective : collectives_) extras.collectives.push_back(collective.whole);
  return extras;
}

}  // namespace vef::neighbours
