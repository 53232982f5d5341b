// SPDX-License-Identifier: Apache-2.0
#include "ti_actions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "ti_types.h"
#include "vef/base/units.h"
#include "vef_text_buffer.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::DepKind;
using formats::quoted;
using formats::Record;
using formats::RecordKind;
using Channel = MessageMatcher::Channel;

namespace {

constexpr double kMostBytes = 9e18;
constexpr std::int64_t kScanTag = -1;  // traces have tags from 0
constexpr std::int64_t kMostTag = std::numeric_limits<std::int32_t>::max();

Error fault(const std::string& message) { return {ErrorKind::kInput, message}; }

bool parse(std::string_view text, double& value) {
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

}  // namespace

/// Arguments are read in order; the first fault stays.
struct TiActions::Line {
  const std::vector<std::string_view>& words;
  std::uint64_t number;
  formats::TaskId rank;
  Task& task;
  formats::TaskId ranks;
  std::size_t next = 2;
  Status status;

  std::string_view action() const { return words[1]; }
  bool more() const { return next < words.size(); }

  double amount(const char* what, double lowest, double highest, bool whole) {
    double value = 0;
    if (!more()) {
      if (status) status = fault(std::string(action()) + " lacks its " + what);
      return 0;
    }
    const std::string_view word = words[next++];
    if (!parse(word, value) || value < lowest || value > highest || (whole && value != std::floor(value))) {
      if (status)
        status = fault(std::string(what) + " " + quoted(word) + "; expected a " + (whole ? "whole " : "") +
                       "number in its range");
      return 0;
    }
    return value;
  }
  std::uint64_t count(const char* what) {
    return static_cast<std::uint64_t>(amount(what, 0, kMostBytes, true));
  }
  formats::TaskId peer(const char* what) {
    return static_cast<formats::TaskId>(amount(what, 0, ranks - 1.0, true));
  }
  std::int64_t tag() {
    return static_cast<std::int64_t>(amount("tag", 0, static_cast<double>(kMostTag), true));
  }
  formats::TaskId root() { return more() ? peer("root") : 0; }

  /// Bytes of an element.
  std::uint64_t datatype() {
    if (!more()) return kTiDatatypeBytes[task.datatype];
    const double number_of_type = amount("datatype", -1, kTiDatatypeBytes.size() - 1.0, true);
    return number_of_type < 0 ? 0 : kTiDatatypeBytes[static_cast<std::size_t>(number_of_type)];
  }
  std::uint64_t bytes(std::uint64_t elements, std::uint64_t element) {
    const std::uint64_t size = saturating_multiply(elements, element);
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) && status)
      status = fault("a size of more than 2^63 bytes");
    return size;
  }
  std::vector<std::uint64_t> counts(const char* what) {
    std::vector<std::uint64_t> values;
    for (formats::TaskId i = 0; i < ranks && status; ++i) values.push_back(count(what));
    values.resize(static_cast<std::size_t>(ranks));
    return values;
  }
};

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
  if (words.size() < 2) return fault("found one word; expected a rank, an action and its arguments");
  if (!parse(words[0], rank) || rank < 0 || rank >= ranks_ || rank != std::floor(rank))
    return fault("rank " + quoted(words[0]) + "; expected 0 to " + std::to_string(ranks_ - 1));
  const auto action = std::find_if(actions().begin(), actions().end(),
                                   [&](const Action& known) { return known.name == words[1]; });
  if (action == actions().end()) return fault("action " + quoted(words[1]) + "; expected one of SimGrid's");
  if (words.size() < 2 + action->fewest)
    return fault(std::string(action->name) + " with " + std::to_string(words.size() - 2) +
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
  return fault("line " + std::to_string(first.line) + " of rank " +
               std::to_string(first.channel.destination) + " receives from " +
               std::to_string(first.channel.source) + " with tag " + std::to_string(first.channel.tag) +
               ", and nothing is sent; expected a send for each receive");
}

void TiActions::emit(Line& line, Record record) {
  Task& task = line.task;
  record.task = line.rank;
  record.dep = task.last;
  record.dep_id = task.last_id;
  record.time = std::exchange(task.since, 0);
  ready_.push_back({record, line.number});
  // Nothing has happened yet that a time could count from: the next counts from the start, too.
  if (task.last == DepKind::kIndependent) task.since = record.time;
}

void TiActions::emit_mark(Line& line) {
  Record mark;
  mark.kind = RecordKind::kMark;
  mark.peer = line.rank;
  mark.id = next_id_++;
  emit(line, mark);
}

void TiActions::await(Line& line, std::uint64_t message) {
  emit_mark(line);
  line.task.last = DepKind::kReceive;
  line.task.last_id = message;
  line.task.since = 0;
}

void TiActions::send_message(Line& line, const Channel& channel, std::uint64_t bytes, bool keep_request) {
  Record message;
  message.peer = channel.destination;
  message.send_bytes = bytes;
  message.id = matcher_.send(channel, line.number, next_id_);
  emit(line, message);
  line.task.last = DepKind::kSend;
  line.task.last_id = message.id;
  line.task.since = 0;
  if (keep_request) line.task.requests.push_back({true, channel, message.id});
}

void TiActions::collective(Line& line, CollectiveOp op, std::uint64_t send, std::uint64_t recv) {
  Record part;
  part.kind = RecordKind::kCollective;
  part.op = op;
  part.id = line.task.collectives++;
  part.send_bytes = send;
  part.recv_bytes = recv;
  emit(line, part);
  line.task.last = DepKind::kCollective;
  line.task.last_id = part.id;
  line.task.since = 0;
}

Status TiActions::add_time(Task& task, double nanoseconds) {
  const double rounded = std::nearbyint(nanoseconds);
  if (rounded > kMostBytes) return fault("a time of more than 290 years");
  // Below that, the difference is that of decimal fractions.
  constexpr double kNoticed = 1e-3;
  losses_.add("times are rounded to nanoseconds", "a record of VEF3 has that unit",
              std::abs(rounded - nanoseconds) > kNoticed ? 1 : 0);
  saturating_add_to(task.since, static_cast<std::uint64_t>(rounded));
  return {};
}

Status TiActions::init(Line& line) {
  line.task.datatype = line.more() ? kTiDouble : kTiByte;
  return {};
}

Status TiActions::finalize(Line& line) {
  emit_mark(line);
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
  const double flops = line.amount("flops", 0, 1e300, false);
  return line.status ? add_time(line.task, flops / options_.flops_per_second * 1e9) : line.status;
}

Status TiActions::sleep(Line& line) {
  const double seconds = line.amount("seconds", 0, 1e300, false);
  return line.status ? add_time(line.task, seconds * 1e9) : line.status;
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
  (void)line.amount("count", -1e18, kMostBytes, true);  // below 0: as much as comes; the sender says how much
  (void)line.datatype();
  if (!line.status) return line.status;
  const std::uint64_t message = matcher_.receive(channel, line.number, next_id_);
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
  await(line, matcher_.receive(in, line.number, next_id_));
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

Status TiActions::barrier(Line& line) {
  collective(line, CollectiveOp::kBarrier, 0, 0);
  return {};
}

Status TiActions::bcast(Line& line) {
  const std::uint64_t count = line.count("count");
  const bool root = line.root() == line.rank;
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (line.status) collective(line, CollectiveOp::kBroadcast, root ? bytes : 0, root ? 0 : bytes);
  return line.status;
}

Status TiActions::reduce(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, 1e300, false);
  const bool root = line.root() == line.rank;
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  collective(line, CollectiveOp::kReduce, root ? 0 : bytes, root ? bytes : 0);
  return add_time(line.task, flops / options_.flops_per_second * 1e9);
}

Status TiActions::allreduce(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, 1e300, false);
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  collective(line, CollectiveOp::kAllreduce, bytes, bytes);
  return add_time(line.task, flops / options_.flops_per_second * 1e9);
}

Status TiActions::alltoall(Line& line) {
  const std::uint64_t count = line.count("count");
  (void)line.count("count");
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (line.status) collective(line, CollectiveOp::kAlltoall, bytes, 0);
  return line.status;
}

namespace {
std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : values) saturating_add_to(total, value);
  return total;
}
}  // namespace

Status TiActions::alltoallv(Line& line) {
  (void)line.count("buffer size");
  const std::uint64_t total = sum(line.counts("send count"));
  (void)line.count("buffer size");
  (void)line.counts("receive count");
  const std::uint64_t bytes = line.bytes(total, line.datatype());
  if (!line.status) return line.status;
  losses_.add("parts in alltoallv are kept as their totals", "VEF has no sizes per pair");
  collective(line, CollectiveOp::kAlltoall, bytes, 1);  // 1: a total
  return {};
}

Status TiActions::gather(Line& line) {
  const bool vector = line.action() == "gatherv";
  const std::uint64_t own = line.count("send count");
  const std::uint64_t all =
      vector ? sum(line.counts("receive count"))
             : saturating_multiply(line.count("receive count"), static_cast<std::uint64_t>(ranks_));
  const bool root = line.root() == line.rank;
  const std::uint64_t send = line.bytes(own, line.datatype());
  const std::uint64_t recv = line.bytes(all, line.datatype());
  if (line.status) collective(line, CollectiveOp::kGather, send, root ? recv : 0);
  return line.status;
}

Status TiActions::scatter(Line& line) {
  const bool vector = line.action() == "scatterv";
  const std::uint64_t all =
      vector ? sum(line.counts("send count"))
             : saturating_multiply(line.count("send count"), static_cast<std::uint64_t>(ranks_));
  const std::uint64_t own = line.count("receive count");
  const bool root = line.root() == line.rank;
  const std::uint64_t send = line.bytes(all, line.datatype());
  const std::uint64_t recv = line.bytes(own, line.datatype());
  if (line.status) collective(line, CollectiveOp::kScatter, root ? send : 0, recv);
  return line.status;
}

Status TiActions::allgather(Line& line) {
  const bool vector = line.action() == "allgatherv";
  const std::uint64_t own = line.count("send count");
  const std::uint64_t all =
      vector ? sum(line.counts("receive count"))
             : saturating_multiply(line.count("receive count"), static_cast<std::uint64_t>(ranks_));
  // Behind the counts of allgatherv may be datatypes, displacements, or both.
  const std::size_t left = line.words.size() - line.next;
  if (vector && left > 2 && left < static_cast<std::size_t>(ranks_) + 2) line.next = line.words.size();
  const std::uint64_t send = line.bytes(own, line.datatype());
  const std::uint64_t recv = line.bytes(all, line.datatype());
  if (line.status) collective(line, CollectiveOp::kAllgather, send, recv);
  return line.status;
}

Status TiActions::reduce_scatter(Line& line) {
  const std::vector<std::uint64_t> counts = line.counts("receive count");
  const double flops = line.amount("flops", 0, 1e300, false);
  const std::uint64_t element = line.datatype();
  const std::uint64_t all = line.bytes(sum(counts), element);
  const std::uint64_t own = line.bytes(counts[static_cast<std::size_t>(line.rank)], element);
  if (!line.status) return line.status;
  losses_.add("parts in reducescatter are kept as a reduce and a scatter", "VEF has no such operation");
  const bool root = line.rank == 0;
  collective(line, CollectiveOp::kReduce, root ? 0 : all, root ? all : 0);
  collective(line, CollectiveOp::kScatter, root ? all : 0, own);
  return add_time(line.task, flops / options_.flops_per_second * 1e9);
}

Status TiActions::scan(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, 1e300, false);
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  losses_.add("parts in scans are kept as a message to the next rank", "VEF has no such operation");
  if (line.rank > 0)
    await(line, matcher_.receive({line.rank - 1, line.rank, kScanTag}, line.number, next_id_));
  if (line.rank + 1 < ranks_) send_message(line, {line.rank, line.rank + 1, kScanTag}, bytes, false);
  return add_time(line.task, flops / options_.flops_per_second * 1e9);
}

}  // namespace vef::neighbours
