// SPDX-License-Identifier: Apache-2.0
#include "ti_actions.h"

#include <algorithm>
#include <cmath>

#include "ti_line.h"

namespace vef::neighbours {

using formats::quoted;
using Channel = MessageMatcher::Channel;

const std::vector<TiActions::Action>& TiActions::actions() {
  using T = TiActions;
  static const std::vector<Action> table = {{"init", 0, &T::init},
                                            {"finalize", 0, &T::finalize},
                                            {"comm_size", 0, &T::ignore},
                                            {"comm_split", 0, &T::ignore},
                                            {"comm_dup", 0, &T::ignore},
                                            {"location", 0, &T::ignore},
                                            {"test", 3, &T::ignore},
                                            {"compute", 1, &T::compute},
                                            {"sleep", 1, &T::sleep},
                                            {"send", 3, &T::send},
                                            {"isend", 3, &T::send},
                                            {"recv", 3, &T::recv},
                                            {"irecv", 3, &T::recv},
                                            {"sendRecv", 4, &T::send_recv},
                                            {"wait", 3, &T::wait},
                                            {"waitall", 0, &T::wait_all},
                                            {"barrier", 0, &T::barrier},
                                            {"bcast", 1, &T::bcast},
                                            {"reduce", 2, &T::reduce},
                                            {"allreduce", 2, &T::allreduce},
                                            {"alltoall", 2, &T::alltoall},
                                            {"alltoallv", 2, &T::alltoallv},
                                            {"gather", 2, &T::gather},
                                            {"gatherv", 2, &T::gather},
                                            {"scatter", 2, &T::scatter},
                                            {"scatterv", 2, &T::scatter},
                                            {"allgather", 2, &T::allgather},
                                            {"allgatherv", 2, &T::allgather},
                                            {"reducescatter", 2, &T::reduce_scatter},
                                            {"scan", 2, &T::scan},
                                            {"exscan", 2, &T::scan}};
  return table;
}

bool TiActions::knows(std::string_view action) {
  return std::any_of(actions().begin(), actions().end(),
                     [&](const Action& known) { return known.name == action; });
}

Status TiActions::take(const std::vector<std::string_view>& words, std::uint64_t number) {
  double rank = 0;
  if (words.size() < 2) return ti_fault("found one word; expected a rank, an action and its arguments");
  if (!parse_real(words[0], rank) || rank < 0 || rank >= ranks_ || rank != std::floor(rank))
    return ti_fault("rank " + quoted(words[0]) + "; expected 0 to " + std::to_string(ranks_ - 1));
  const auto action = std::find_if(actions().begin(), actions().end(),
                                   [&](const Action& known) { return known.name == words[1]; });
  if (action == actions().end())
    return ti_fault("action " + quoted(words[1]) + "; expected one of SimGrid's");
  if (words.size() < 2 + action->fewest)
    return ti_fault(std::string(action->name) + " with " + std::to_string(words.size() - 2) +
                    " arguments; expected at least " + std::to_string(action->fewest));
  Line line{words, number, static_cast<formats::TaskId>(rank), tasks_[static_cast<std::size_t>(rank)], ranks_,
            2,     {}};
  return (this->*action->handler)(line);
}

Status TiActions::finish() {
  losses_.add("sends are kept that no receive takes", "the network carries them all the same",
              matcher_.sends_left());
  MessageMatcher::Receive first;
  if (!matcher_.receive_left(first)) return {};
  return ti_fault("line " + std::to_string(first.line) + " of rank " +
                  std::to_string(first.channel.destination) + " receives from " +
                  std::to_string(first.channel.source) + " with tag " + std::to_string(first.channel.tag) +
                  ", and nothing is sent; expected a send for each receive");
}

void TiActions::await(Line& line, std::uint64_t message) {
  builder_.receive(line.rank, message, line.number);
}

void TiActions::send_message(Line& line, const Channel& channel, std::uint64_t bytes, bool keep_request) {
  const std::uint64_t id = matcher_.send(channel, line.number, builder_.next_id());
  builder_.send(line.rank, channel.destination, id, bytes, line.number);
  if (keep_request) line.task.requests.push_back({true, channel, id});
}

void TiActions::collective(Line& line, formats::CollectiveOp op, std::uint64_t send, std::uint64_t recv) {
  formats::Record part;
  part.op = op;
  part.id = line.task.collectives++;
  part.send_bytes = send;
  part.recv_bytes = recv;
  builder_.collective(line.rank, part, line.number);
}

Status TiActions::add_time(Line& line, double nanoseconds) {
  const double rounded = std::nearbyint(nanoseconds);
  if (rounded > kTiMostBytes) return ti_fault("a time of more than 290 years");
  // Below that, the difference is that of decimal fractions.
  constexpr double kNoticed = 1e-3;
  losses_.add("times are rounded to nanoseconds", "a record of VEF3 has that unit",
              std::abs(rounded - nanoseconds) > kNoticed ? 1 : 0);
  builder_.add_time(line.rank, static_cast<std::uint64_t>(rounded));
  return {};
}

Status TiActions::add_flops(Line& line, double flops) {
  return add_time(line, flops / options_.flops_per_second * 1e9);
}

Status TiActions::init(Line& line) {
  line.task.datatype = line.more() ? kTiDouble : kTiByte;
  return {};
}

Status TiActions::finalize(Line& line) {
  builder_.mark(line.rank, line.number);
  return {};
}

Status TiActions::ignore(Line& line) {
  if (line.action() == "location") {
    losses_.add("source locations are not kept", "VEF has none");
  } else if (line.action() == "test") {
    losses_.add("tests are left out", "the trace does not say whether they found something");
  } else {
    losses_.add("calls on communicators are left out", "the trace does not say who took part");
  }
  return {};
}

Status TiActions::compute(Line& line) {
  const double flops = line.amount("flops", 0, kTiMostFlops, false);
  return line.status ? add_flops(line, flops) : line.status;
}

Status TiActions::sleep(Line& line) {
  const double seconds = line.amount("seconds", 0, kTiMostFlops, false);
  return line.status ? add_time(line, seconds * 1e9) : line.status;
}

Status TiActions::send(Line& line) {
  Channel channel;
  channel.source = line.rank;
  channel.destination = line.peer("destination");
  channel.tag = line.tag();
  const std::uint64_t count = line.count("count");
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (line.status) send_message(line, channel, bytes, line.action() == "isend");
  return line.status;
}

Status TiActions::recv(Line& line) {
  Channel channel;
  channel.destination = line.rank;
  channel.source = line.peer("source (any source is not kept by VEF)");
  channel.tag = line.tag();
  (void)line.amount("count", -1e18, kTiMostBytes,
                    true);  // below 0: as much as comes; the sender says how much
  (void)line.datatype();
  if (!line.status) return line.status;
  const std::uint64_t message = matcher_.receive(channel, line.number, builder_.next_id());
  if (line.action() == "irecv") {
    line.task.requests.push_back({false, channel, message});
  } else {
    await(line, message);
  }
  return {};
}

Status TiActions::send_recv(Line& line) {
  const std::uint64_t count = line.count("count");
  const Channel out{line.rank, line.peer("destination"), 0};
  (void)line.count("count");
  const Channel in{line.peer("source"), line.rank, 0};
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  send_message(line, out, bytes, false);
  await(line, matcher_.receive(in, line.number, builder_.next_id()));
  return {};
}

Status TiActions::wait(Line& line) {
  Channel channel;
  channel.source = line.peer("source");
  channel.destination = line.peer("destination");
  channel.tag = line.tag();
  if (!line.status) return line.status;
  auto& requests = line.task.requests;
  const auto found = std::find_if(requests.begin(), requests.end(),
                                  [&](const Request& request) { return request.channel == channel; });
  if (found == requests.end()) return {};  // a test has completed it
  const Request request = *found;
  requests.erase(found);
  if (!request.is_send) await(line, request.id);
  return {};
}

Status TiActions::wait_all(Line& line) {
  for (const Request& request : line.task.requests) {
    if (!request.is_send) await(line, request.id);
  }
  line.task.requests.clear();
  return {};
}

}  // namespace vef::neighbours
