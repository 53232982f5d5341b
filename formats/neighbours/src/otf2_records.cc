// SPDX-License-Identifier: Apache-2.0
#include "otf2_records.h"

#include <algorithm>
#include <utility>

namespace vef::neighbours {

using formats::TaskId;
using Wanted = PostedReceives::Wanted;

namespace {

Error fault(const std::string& what) { return {ErrorKind::kInput, what}; }

/// Communicator and tag as one number, for the channel of a message.
std::int64_t channel_tag(OTF2_CommRef comm, std::uint32_t tag) {
  return static_cast<std::int64_t>((std::uint64_t{comm} & 0x7fffffffU) << 32 | tag);
}

}  // namespace

void Otf2Ends::begin(TaskId index, std::uint64_t request) {
  Task& task = tasks_[index];
  task.open[request] = task.ends.size();
  task.ends.emplace_back();
}

void Otf2Ends::end(TaskId index, std::uint64_t request, const Otf2Collective& collective) {
  Task& task = tasks_[index];
  const auto found = task.open.find(request);
  if (found == task.open.end()) return;  // the second pass says so
  task.ends[found->second] = collective;
  task.open.erase(found);
}

std::optional<Otf2Collective> Otf2Ends::take(TaskId index) {
  Task& task = tasks_[index];
  if (task.ends.empty()) return {};
  const std::optional<Otf2Collective> first = task.ends.front();
  task.ends.pop_front();
  return first;
}

Otf2Records::Otf2Records(const Otf2Definitions& definitions, Otf2Ends ends, Losses& losses)
    : definitions_(definitions),
      ends_(std::move(ends)),
      losses_(losses),
      builder_(definitions.tasks()),
      ids_(definitions.communicators().size()) {
  tasks_.reserve(static_cast<std::size_t>(definitions.tasks()));
  for (TaskId task = 0; task < definitions.tasks(); ++task) {
    tasks_.emplace_back([this, task](const Wanted& channel, std::uint64_t line) {
      return matcher_.receive({static_cast<TaskId>(channel.source), task, channel.tag}, line,
                              builder_.next_id());
    });
  }
}

Result<TaskId> Otf2Records::task_of(OTF2_LocationRef location) {
  const TaskId task = definitions_.task_of(location);
  if (task < 0)
    return fault("location " + std::to_string(location) +
                 " calls MPI; expected a thread of a process with a rank");
  losses_.add("MPI's events of further threads are put in the order of their times",
              "a VEF task does one thing at a time", definitions_.is_thread(location) ? 1 : 0);
  return task;
}

Status Otf2Records::enter(OTF2_LocationRef location, OTF2_TimeStamp stamp, OTF2_RegionRef ref) {
  const TaskId index = definitions_.task_of(location);
  if (index < 0) return {};
  Task& task = at(index);
  const std::uint64_t time = definitions_.nanoseconds(stamp);
  task.latest = std::max(task.latest, time);
  const Otf2Region region = definitions_.region(ref);
  if (region == Otf2Region::kOther) return {};
  // Before MPI_Init ends nothing is common to all.
  if (task.depth++ == 0 && region != Otf2Region::kInit && time > task.last)
    builder_.add_time(index, time - task.last);
  if (region == Otf2Region::kFinalize && !std::exchange(task.is_finalized, true)) builder_.mark(index, 0);
  return {};
}

Status Otf2Records::leave(OTF2_LocationRef location, OTF2_TimeStamp stamp, OTF2_RegionRef ref) {
  const TaskId index = definitions_.task_of(location);
  if (index < 0) return {};
  Task& task = at(index);
  const std::uint64_t time = definitions_.nanoseconds(stamp);
  task.latest = std::max(task.latest, time);
  if (definitions_.region(ref) == Otf2Region::kOther) return {};
  if (task.depth == 0)
    return fault("rank " + std::to_string(index) +
                 " leaves a region of MPI that it has not entered; expected pairs");
  if (--task.depth == 0) task.last = time;
  return {};
}

Result<TaskId> Otf2Records::peer(TaskId task, OTF2_CommRef ref, std::uint32_t rank) {
  const Otf2Comm* const comm = definitions_.comm(ref);
  if (comm == nullptr)
    return fault("rank " + std::to_string(task) + " uses communicator " + std::to_string(ref) +
                 ", which is not defined; expected one that is");
  if (comm->is_self && rank == 0) return task;
  // In an inter-communicator the peer is of the other group.
  const bool in_others =
      comm->is_inter && std::find(comm->members.begin(), comm->members.end(), task) != comm->members.end();
  const auto& members = in_others ? comm->others : comm->members;
  if (rank >= members.size())
    return fault("rank " + std::to_string(task) + " has peer " + std::to_string(rank) + " in communicator " +
                 std::to_string(ref) + "; expected 0 to " + std::to_string(members.size()) + " - 1");
  return members[rank];
}

Status Otf2Records::send(OTF2_LocationRef location, OTF2_CommRef comm, std::uint32_t receiver,
                         std::uint32_t tag, std::uint64_t bytes) {
  const auto task = task_of(location);
  if (!task) return task.error();
  const auto to = peer(*task, comm, receiver);
  if (!to) return to.error();
  if (bytes > static_cast<std::uint64_t>(INT64_MAX))
    return fault("rank " + std::to_string(*task) + " sends " + std::to_string(bytes) +
                 " bytes; expected less than 2^63");
  const std::uint64_t id = matcher_.send({*task, *to, channel_tag(comm, tag)}, 0, builder_.next_id());
  builder_.send(*task, *to, id, bytes, 0);
  return {};
}

Status Otf2Records::post_receive(OTF2_LocationRef location, std::uint64_t request) {
  const auto index = task_of(location);
  if (!index) return index.error();
  Task& task = at(*index);
  const std::uint64_t posted = task.receives.post({0, PostedReceives::kAny, PostedReceives::kAny}, 0);
  if (!task.requests.emplace(request, posted).second)
    return fault("rank " + std::to_string(*index) + " posts request " + std::to_string(request) +
                 " again before it is complete; expected another number");
  return {};
}

Status Otf2Records::receive(OTF2_LocationRef location, OTF2_CommRef comm, std::uint32_t sender,
                            std::uint32_t tag, std::optional<std::uint64_t> request) {
  const auto index = task_of(location);
  if (!index) return index.error();
  const auto from = peer(*index, comm, sender);
  if (!from) return from.error();
  Task& task = at(*index);
  const Wanted channel{0, *from, channel_tag(comm, tag)};
  std::uint64_t posted = 0;
  if (!request) {
    posted = task.receives.post(channel, 0);
  } else {
    const auto found = task.requests.find(*request);
    if (found == task.requests.end())
      return fault("rank " + std::to_string(*index) + " completes request " + std::to_string(*request) +
                   ", which no receive has posted; expected one that has");
    posted = found->second;
    task.requests.erase(found);
  }
  if (const auto message = task.receives.complete(posted, channel)) {
    builder_.receive(*index, *message, 0);
  } else {
    task.receives.watch(posted, builder_.receive_later(*index, 0));
  }
  settle(task);
  return {};
}

Status Otf2Records::cancel(OTF2_LocationRef location, std::uint64_t request) {
  const auto index = task_of(location);
  if (!index) return index.error();
  Task& task = at(*index);
  const auto found = task.requests.find(request);
  losses_.add("cancelled sends are kept", "the message has left by then",
              found == task.requests.end() ? 1 : 0);
  if (found == task.requests.end()) return {};
  task.receives.cancel(found->second);
  task.requests.erase(found);
  settle(task);
  return {};
}

void Otf2Records::settle(Task& task) {
  for (const PostedReceives::Settled& settled : task.receives.take_settled())
    builder_.settle(settled.who, settled.message);
}

Status Otf2Records::finish() {
  for (TaskId index = 0; index < definitions_.tasks(); ++index) {
    Task& task = at(index);
    if (!task.is_finalized) {
      if (task.depth == 0 && task.latest > task.last) builder_.add_time(index, task.latest - task.last);
      builder_.mark(index, 0);
    }
    task.receives.finish();
    settle(task);
  }
  losses_.add("sends are kept that no receive takes", "the network carries them all the same",
              matcher_.sends_left());
  MessageMatcher::Receive first;
  if (!matcher_.receive_left(first)) return {};
  return fault("rank " + std::to_string(first.channel.destination) + " receives from " +
               std::to_string(first.channel.source) + " with tag " +
               std::to_string(static_cast<std::uint32_t>(first.channel.tag)) +
               ", and nothing is sent; expected a send for each receive");
}

}  // namespace vef::neighbours
