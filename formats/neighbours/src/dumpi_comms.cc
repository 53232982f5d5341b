// SPDX-License-Identifier: Apache-2.0
#include "dumpi_comms.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "dumpi_functions.h"

namespace vef::neighbours {

using formats::TaskId;

namespace {

bool is_group_call(std::uint16_t function) {
  switch (function) {
    case dumpi_number("Comm_group"):
    case dumpi_number("Comm_remote_group"):
    case dumpi_number("Win_get_group"):
    case dumpi_number("File_get_group"):
    case dumpi_number("Group_union"):
    case dumpi_number("Group_intersection"):
    case dumpi_number("Group_difference"):
    case dumpi_number("Group_incl"):
    case dumpi_number("Group_excl"):
    case dumpi_number("Group_range_incl"):
    case dumpi_number("Group_range_excl"):
      return true;
    default:
      return false;
  }
}

std::string called(std::uint16_t function) { return "MPI_" + std::string(dumpi_name(function)); }

}  // namespace

DumpiComms::DumpiComms(TaskId ranks, Losses& losses) : losses_(losses), tasks_(at(ranks)), made_(at(ranks)) {
  Group world(at(ranks));
  std::iota(world.begin(), world.end(), 0);
  add_comm(std::move(world), {});
  for (TaskId rank = 0; rank < ranks; ++rank) {
    add_comm({rank}, {});
    tasks_[at(rank)].comms = {{kWorld, world_of(rank)}, {kSelf, self(rank)}};
    tasks_[at(rank)].groups[kEmptyGroup] = {};
  }
}

bool DumpiComms::makes(std::uint16_t function) {
  switch (function) {
    case dumpi_number("Comm_dup"):
    case dumpi_number("Comm_create"):
    case dumpi_number("Comm_split"):
    case dumpi_number("Cart_create"):
    case dumpi_number("Graph_create"):
    case dumpi_number("Cart_sub"):
    case dumpi_number("Intercomm_create"):
    case dumpi_number("Intercomm_merge"):
    case dumpi_number("Comm_accept"):
    case dumpi_number("Comm_connect"):
    case dumpi_number("Comm_get_parent"):
    case dumpi_number("Comm_join"):
    case dumpi_number("Comm_spawn"):
    case dumpi_number("Comm_spawn_multiple"):
      return true;
    default:
      return false;
  }
}

std::int64_t DumpiComms::parent_of(std::uint16_t function, const std::vector<std::int64_t>& values) {
  switch (function) {
    case dumpi_number("Comm_dup"):
    case dumpi_number("Comm_create"):
    case dumpi_number("Comm_split"):
    case dumpi_number("Cart_create"):
      return values[0];
    case dumpi_number("Graph_create"):
    case dumpi_number("Cart_sub"):
      return values[1];
    default:
      return kNull;
  }
}

std::int64_t DumpiComms::number_of_made(const DumpiCall& call) {
  if (call.function == dumpi_number("Comm_spawn")) return call.values[3];
  if (call.function == dumpi_number("Comm_spawn_multiple")) return call.values[4];
  return call.values.back();
}

bool DumpiComms::add(TaskId rank, const DumpiCall& call) {
  const bool maker = makes(call.function);
  if (!maker && !is_group_call(call.function)) return false;
  Event event;
  event.function = call.function;
  event.offset = call.offset;
  event.values = call.values;
  if (maker) event.values.push_back(number_of_made(call));
  if (call.list_count != 0) event.list = call.lists[0];
  tasks_[at(rank)].events.push_back(std::move(event));
  return maker;
}

std::int32_t DumpiComms::add_comm(Group members, std::vector<std::int32_t> dims) {
  members_.push_back(std::move(members));
  dims_.push_back(std::move(dims));
  arrived_.push_back(0);
  return static_cast<std::int32_t>(members_.size()) - 1;
}

Status DumpiComms::resolve() {
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) advance(static_cast<TaskId>(rank));
  while (!whole_.empty()) {
    const std::int32_t comm = whole_.back();
    whole_.pop_back();
    if (Status status = make(comm); !status) return status;
  }
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
    const Rank& task = tasks_[rank];
    if (task.next == task.events.size()) continue;
    const Event& event = task.events[task.next];
    const std::int32_t comm = task.comms.at(parent_of(event.function, event.values)).comm;
    return Error{ErrorKind::kInput, "rank " + std::to_string(rank) + ", byte " +
                                        std::to_string(event.offset) + ": " + called(event.function) +
                                        " that " +
                                        std::to_string(members_[at(comm)].size() - arrived_[at(comm)]) +
                                        " members of the communicator do not call; expected all of them to"};
  }
  tasks_.clear();
  return {};
}

void DumpiComms::give(TaskId rank, const Membership& membership) {
  Rank& task = tasks_[at(rank)];
  task.comms[task.events[task.next].values.back()] = membership;
  made_[at(rank)].push_back(membership);
  ++task.next;
}

void DumpiComms::advance(TaskId index) {
  Rank& rank = tasks_[at(index)];
  while (rank.next < rank.events.size()) {
    const Event& event = rank.events[rank.next];
    if (is_group_call(event.function)) {
      make_group(rank, event);
      ++rank.next;
      continue;
    }
    const auto parent = rank.comms.find(parent_of(event.function, event.values));
    if (parent == rank.comms.end() || parent->second.comm == kUnknown) {
      give(index, {});
      continue;
    }
    const std::int32_t comm = parent->second.comm;
    if (++arrived_[at(comm)] == members_[at(comm)].size()) whole_.push_back(comm);
    return;
  }
}

void DumpiComms::make_group(Rank& rank, const Event& event) {
  std::optional<Group> made;
  const auto group = [&](std::size_t i) -> const Group* {
    const auto found = rank.groups.find(event.values[i]);
    return found == rank.groups.end() ? nullptr : &found->second;
  };
  const Group* first = group(0);
  switch (event.function) {
    case dumpi_number("Comm_group"): {
      const auto comm = rank.comms.find(event.values[0]);
      if (comm != rank.comms.end() && comm->second.comm != kUnknown) made = members_[at(comm->second.comm)];
      break;
    }
    case dumpi_number("Group_union"):
      if (first != nullptr && group(1) != nullptr) made = group_union(*first, *group(1));
      break;
    case dumpi_number("Group_intersection"):
      if (first != nullptr && group(1) != nullptr) made = group_intersection(*first, *group(1));
      break;
    case dumpi_number("Group_difference"):
      if (first != nullptr && group(1) != nullptr) made = group_difference(*first, *group(1));
      break;
    case dumpi_number("Group_incl"):
      if (first != nullptr) made = group_incl(*first, event.list);
      break;
    case dumpi_number("Group_excl"):
      if (first != nullptr) made = group_excl(*first, event.list);
      break;
    case dumpi_number("Group_range_incl"):
    case dumpi_number("Group_range_excl"): {
      if (first == nullptr) break;
      const auto ranks = ranks_of_ranges(event.list, first->size());
      if (!ranks) break;
      made = event.function == dumpi_number("Group_range_incl") ? group_incl(*first, *ranks)
                                                                : group_excl(*first, *ranks);
      break;
    }
    default:
      break;
  }
  if (made) {
    rank.groups[event.values.back()] = std::move(*made);
  } else {
    rank.groups.erase(event.values.back());
  }
}

Status DumpiComms::make(std::int32_t parent) {
  arrived_[at(parent)] = 0;
  const Group members = members_[at(parent)];
  const Event& first = event_of(members.front());
  for (const TaskId member : members) {
    const Event& event = event_of(member);
    if (event.function == first.function) continue;
    return Error{ErrorKind::kInput, "rank " + std::to_string(member) + ", byte " +
                                        std::to_string(event.offset) + ": " + called(event.function) +
                                        ", while rank " + std::to_string(members.front()) + " at byte " +
                                        std::to_string(first.offset) + " calls " + called(first.function) +
                                        " on the same communicator; expected the same"};
  }
  if (first.function == dumpi_number("Comm_create")) {
    create(parent);
  } else {
    std::vector<std::int32_t> dims;
    const std::vector<Choice> choices = choose(parent, dims);
    split(parent, choices, dims);
  }
  for (const TaskId member : members) advance(member);
  return {};
}

std::vector<DumpiComms::Choice> DumpiComms::choose(std::int32_t parent,
                                                   std::vector<std::int32_t>& dims) const {
  const Group& members = members_[at(parent)];
  const Event& first = event_of(members.front());
  const std::vector<std::int32_t>& grid = dims_[at(parent)];
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Event& event = event_of(members[i]);
    Choice choice{event.values.back() != kNull, 0, 0};
    if (event.function == dumpi_number("Comm_split")) {
      choice.color = event.values[1];
      choice.key = event.values[2];
    } else if (event.function == dumpi_number("Cart_sub")) {
      // Ranks run through the grid with the last dimension fastest; what is left out tells them apart.
      std::size_t left = i;
      std::int64_t scale = 1;
      for (std::size_t d = std::min(grid.size(), first.list.size()); d-- != 0;) {
        const auto extent = static_cast<std::size_t>(grid[d]);
        if (first.list[d] == 0) {
          choice.color += scale * static_cast<std::int64_t>(left % extent);
          scale *= grid[d];
        }
        left /= extent;
      }
    }
    choices.push_back(choice);
  }
  if (first.function == dumpi_number("Comm_dup")) dims = grid;
  if (first.function == dumpi_number("Cart_create")) dims = first.list;
  if (first.function == dumpi_number("Cart_sub")) {
    for (std::size_t d = 0; d < std::min(grid.size(), first.list.size()); ++d) {
      if (first.list[d] != 0) dims.push_back(grid[d]);
    }
  }
  if (std::any_of(dims.begin(), dims.end(), [](std::int32_t extent) { return extent <= 0; })) dims.clear();
  return choices;
}

void DumpiComms::split(std::int32_t parent, const std::vector<Choice>& choices,
                       const std::vector<std::int32_t>& dims) {
  const Group members = members_[at(parent)];
  const Event& first = event_of(members.front());
  const bool reorders = (first.function == dumpi_number("Cart_create") && first.values[2] != 0) ||
                        (first.function == dumpi_number("Graph_create") && first.values[3] != 0);
  losses_.add("communicators with a topology are taken in the old order of ranks",
              "the trace does not say how MPI reordered them", reorders ? 1 : 0);
  std::map<std::int64_t, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (choices[i].in) parts[choices[i].color].push_back(i);
  }
  std::vector<Membership> given(members.size());
  for (auto& [color, part] : parts) {
    std::stable_sort(part.begin(), part.end(),
                     [&](std::size_t a, std::size_t b) { return choices[a].key < choices[b].key; });
    Group group;
    for (const std::size_t i : part) group.push_back(members[i]);
    const std::int32_t comm = add_comm(std::move(group), dims);
    for (std::size_t i = 0; i < part.size(); ++i) given[part[i]] = {comm, static_cast<std::int32_t>(i)};
  }
  for (std::size_t i = 0; i < members.size(); ++i) give(members[i], given[i]);
}

void DumpiComms::create(std::int32_t parent) {
  const Group members = members_[at(parent)];
  std::map<Group, std::int32_t> comms;
  for (const TaskId member : members) {
    const Event& event = event_of(member);
    const auto& groups = tasks_[at(member)].groups;
    const auto group = groups.find(event.values[1]);
    Membership membership;
    if (event.values.back() != kNull && group != groups.end()) {
      const auto place = std::find(group->second.begin(), group->second.end(), member);
      if (place != group->second.end()) {
        const auto [known, is_new] = comms.try_emplace(group->second, 0);
        if (is_new) known->second = add_comm(group->second, {});
        membership = {known->second, static_cast<std::int32_t>(place - group->second.begin())};
      }
    }
    give(member, membership);
  }
}

}  // namespace vef::neighbours
