// SPDX-License-Identifier: Apache-2.0
#include "paraver_tasks.h"

#include <algorithm>
#include <numeric>

#include "counted_reader.h"
#include "lowering.h"
#include "vef/base/units.h"

namespace vef::neighbours::paraver {

using formats::CollectiveOp;
using formats::Record;
using formats::TaskId;

namespace {

Error fault(const std::string& message) { return {ErrorKind::kInput, message}; }

bool is_call(std::uint64_t type) { return type >= kPointToPoint && type <= kOneSided; }

}  // namespace

Tasks::Tasks(Header header, Losses& losses)
    : header_(std::move(header)),
      losses_(losses),
      tasks_(static_cast<std::size_t>(header_.tasks)),
      world_(world_only(header_.tasks).front()),
      builder_(header_.tasks),
      calls_(header_.tasks, world_) {
  for (auto& [number, members] : header_.comms) {
    if (members == world_) members.clear();
  }
}

bool Tasks::take_place(Numbers& numbers, Place& place, Status& status) const {
  std::uint64_t cpu = 0;
  std::uint64_t application = 0;
  std::uint64_t task = 0;
  if (!numbers.next(cpu) || !numbers.next(application) || !numbers.next(task) ||
      !numbers.next(place.thread) || !numbers.next(place.time)) {
    status = fault("a field is no number; expected cpu:application:task:thread:time");
    return false;
  }
  if (application != 1 || task == 0 || task > static_cast<std::uint64_t>(header_.tasks)) {
    status = fault("task " + std::to_string(task) + " of application " + std::to_string(application) +
                   "; expected task 1 to " + std::to_string(header_.tasks) + " of application 1");
    return false;
  }
  place.task = static_cast<TaskId>(task - 1);
  place.time = saturating_multiply(place.time, header_.nanoseconds);
  return true;
}

Status Tasks::check_order(std::uint64_t time) {
  if (time > static_cast<std::uint64_t>(kNever))
    return fault("a time of more than 2^63 nanoseconds; expected less");
  if (time < now_)
    return fault("time " + std::to_string(time) + " after " + std::to_string(now_) +
                 "; expected lines in the order of their times");
  now_ = time;
  return {};
}

Status Tasks::events(std::string_view text, std::uint64_t line) {
  Numbers numbers(text);
  Place place;
  Status status;
  if (!take_place(numbers, place, status)) return status;
  if (status = check_order(place.time); !status) return status;
  Task& task = at(place.task);
  while (!numbers.at_end() && status) {
    std::uint64_t type = 0;
    std::uint64_t value = 0;
    if (!numbers.next(type) || !numbers.next(value)) return fault("an event; expected type:value");
    if (is_call(type)) {
      if (value == 0) {
        status = end(place, line);
      } else {
        begin(place, type, value, line);
      }
    } else if (type == kSendSize) {
      task.send_bytes = value;
    } else if (type == kRecvSize) {
      task.recv_bytes = value;
    } else if (type == kComm) {
      task.comm = value;
      task.has_comm = true;
    }
  }
  return status;
}

void Tasks::begin(const Place& place, std::uint64_t type, std::uint64_t value, std::uint64_t line) {
  Task& task = at(place.task);
  if (task.ended) return;
  if (task.thread == 0) task.thread = place.thread;
  if (task.thread != place.thread)
    losses_.add("calls of further threads are taken for those of the first",
                "a task of VEF3 does one thing after another");
  const bool is_init = type == kOther && value == kInit;
  if (task.depth++ == 0 && !is_init && place.time > task.last_end)
    builder_.add_time(place.task, place.time - task.last_end);
  if (type == kOneSided)
    losses_.add("calls of one-sided communication are left out", "the trace does not say what they wait for");
  if (type == kOther && value == kFinalize) {
    builder_.mark(place.task, line);
    task.ended = true;
  }
  if (type != kCollective) return;
  task.collective = find_collective(value);
  task.send_bytes = task.recv_bytes = 0;
  task.has_comm = false;
  losses_.add("collectives are left out", "they are not converted from Paraver",
              task.collective == nullptr ? 1 : 0);
}

Status Tasks::end(const Place& place, std::uint64_t line) {
  Task& task = at(place.task);
  if (task.depth != 0) --task.depth;
  task.last_end = std::max(task.last_end, place.time);
  if (task.ended) return {};
  while (!task.arrivals.empty() && task.arrivals.top().time <= place.time) {
    builder_.receive(place.task, task.arrivals.top().message, line);
    task.arrivals.pop();
  }
  return task.collective == nullptr ? Status() : collective(place.task, line);
}

Status Tasks::collective(TaskId index, std::uint64_t line) {
  Task& task = at(index);
  const CollectiveCall& call = *std::exchange(task.collective, nullptr);
  const std::vector<TaskId>* members = &world_;
  if (task.has_comm && !(header_.comms.empty() && task.comm == 1)) {
    const auto found = header_.comms.find(task.comm);
    if (found == header_.comms.end())
      return fault("MPI_" + std::string(call.name) + " on communicator " + std::to_string(task.comm) +
                   "; expected one that the header lists");
    if (!found->second.empty()) members = &found->second;
  }
  if (members != &world_ && std::find(members->begin(), members->end(), index) == members->end())
    return fault("MPI_" + std::string(call.name) + " of task " + std::to_string(index + 1) +
                 " on communicator " + std::to_string(task.comm) + "; expected a member");
  const std::int64_t comm = task.has_comm ? static_cast<std::int64_t>(task.comm) + 1 : 0;
  if (call.form == Form::kScan) {
    scan(index, comm, *members, task.send_bytes, line);
    return {};
  }
  const auto add = [&](Record part) -> Status {
    const auto known =
        calls_.add(index, comm, *members, static_cast<std::uint32_t>(call.value), call.name, part);
    if (!known) return known.error();
    if (call.blocks) {
      builder_.collective(index, *known, line);
    } else {
      losses_.add("waits for non-blocking collectives are not kept",
                  "the trace does not say which call waits");
      builder_.enter_collective(index, *known, line);
    }
    return {};
  };
  Record part;
  part.op = call.op;
  part.send_bytes = task.send_bytes;
  part.recv_bytes = task.recv_bytes;
  if (call.form == Form::kReduceScatter) {
    losses_.add(kReduceScatterLoss, kNoSuchOperation);
    const bool root = members->front() == index;
    part.send_bytes = root ? 0 : task.send_bytes;
    part.recv_bytes = root ? task.send_bytes : 0;
    if (Status status = add(part); !status) return status;
    part.op = CollectiveOp::kScatter;
    part.send_bytes = root ? task.send_bytes : 0;
    part.recv_bytes = task.recv_bytes;
  } else if (call.form == Form::kTotals) {
    losses_.add(kAlltoallvLoss, "VEF has no sizes per pair");
    part.recv_bytes = 1;  // a total
  } else if (call.op == CollectiveOp::kBarrier) {
    part.send_bytes = part.recv_bytes = 0;
  } else if (call.op == CollectiveOp::kAllreduce) {
    part.recv_bytes = part.send_bytes;
  } else if (call.op == CollectiveOp::kAlltoall) {
    part.recv_bytes = 0;  // a part to each
  }
  return add(part);
}

void Tasks::scan(TaskId task, std::int64_t comm, const std::vector<TaskId>& members, std::uint64_t bytes,
                 std::uint64_t line) {
  losses_.add(kScanLoss, kNoSuchOperation);
  const auto self = std::find(members.begin(), members.end(), task);
  if (self != members.begin()) {
    const std::uint64_t id = scans_.receive({*(self - 1), task, comm}, line, builder_.next_id());
    builder_.receive(task, id, line);
  }
  if (self + 1 == members.end()) return;
  const std::uint64_t id = scans_.send({task, *(self + 1), comm}, line, builder_.next_id());
  builder_.send(task, *(self + 1), id, bytes, line);
}

Status Tasks::message(std::string_view text, std::uint64_t line) {
  Numbers numbers(text);
  Place from;
  Place to;
  std::uint64_t left = 0;  // the network
  std::uint64_t received = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tag = 0;
  Status status;
  if (!take_place(numbers, from, status)) return status;
  if (!numbers.next(left)) return fault("the physical send is no number; expected one");
  if (!take_place(numbers, to, status)) return status;
  if (!numbers.next(received) || !numbers.next(bytes))
    return fault("the physical receive or the size is no number; expected both");
  (void)numbers.next(tag);  // may be negative, and is not kept
  if (status = check_order(from.time); !status) return status;
  received = saturating_multiply(received, header_.nanoseconds);
  if (bytes > static_cast<std::uint64_t>(kNever))
    return fault("a size of more than 2^63 bytes; expected less");
  Task& sender = at(from.task);
  if (sender.depth == 0 && from.time > sender.last_end && !sender.ended) {
    builder_.add_time(from.task, from.time - sender.last_end);
    sender.last_end = from.time;
  }
  const std::uint64_t id = builder_.next_id()++;
  builder_.send(from.task, to.task, id, bytes, line);
  Task& receiver = at(to.task);
  losses_.add("messages are waited for a call late", "by the clocks they were received before they were sent",
              received < receiver.last_end ? 1 : 0);
  receiver.arrivals.push({received, id});
  return {};
}

Status Tasks::finish() {
  if (Status status = calls_.finish(); !status) return status;
  MessageMatcher::Receive first;
  if (!scans_.receive_left(first)) return {};
  return fault("line " + std::to_string(first.line) + ": task " + std::to_string(first.channel.source + 1) +
               " does not come to a scan of its communicator; expected all members to");
}

}  // namespace vef::neighbours::paraver
