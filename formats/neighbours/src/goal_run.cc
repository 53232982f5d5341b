// SPDX-License-Identifier: Apache-2.0
#include "goal_run.h"

#include <algorithm>
#include <limits>

#include "collective_flow.h"

namespace vef::neighbours {

std::size_t GoalRun::ChannelHash::operator()(const Channel& channel) const {
  std::uint64_t hash = std::uint64_t{channel.destination} << 32 | channel.source;
  hash = (hash ^ channel.tag * std::uint64_t{0x9e3779b97f4a7c15}) * std::uint64_t{0xff51afd7ed558ccd};
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

Result<GoalRun> GoalRun::load(GoalInput& input, std::string path) {
  GoalRun run(std::move(path));
  GoalRank rank;
  for (;;) {
    const auto more = input.next(rank);
    if (!more) return more.error();
    if (!*more) break;
    if (Status status = run.take_rank(rank); !status) return status.error();
  }
  run.extras_ = input.extras();
  run.start();
  return run;
}

Status GoalRun::take_rank(GoalRank& read) {
  if (read.edges.size() > std::numeric_limits<std::uint32_t>::max())
    return input_error(
        path_, 0, std::to_string(read.edges.size()) + " dependencies in one rank; expected at most 2^32 - 1");
  Rank rank;
  rank.ops = std::move(read.ops);
  rank.edges = std::move(read.edges);
  std::stable_sort(rank.edges.begin(), rank.edges.end(),
                   [](const GoalEdge& a, const GoalEdge& b) { return a.op < b.op; });
  const std::size_t ops = rank.ops.size();
  rank.first_need.assign(ops + 1, 0);
  rank.first_dependent.assign(ops + 1, 0);
  for (const GoalEdge& edge : rank.edges) {
    ++rank.first_need[edge.op + 1];
    ++rank.first_dependent[edge.needs + 1];
  }
  rank.waits.assign(rank.first_need.begin() + 1, rank.first_need.end());
  for (std::size_t i = 0; i < ops; ++i) {
    rank.first_need[i + 1] += rank.first_need[i];
    rank.first_dependent[i + 1] += rank.first_dependent[i];
  }
  rank.dependents.resize(rank.edges.size());
  std::vector<std::uint32_t> next(rank.first_dependent.begin(), rank.first_dependent.end() - 1);
  for (std::uint32_t i = 0; i < rank.edges.size(); ++i) rank.dependents[next[rank.edges[i].needs]++] = i;
  rank.message.assign(ops, 0);
  rank.end.assign(ops, 0);
  std::uint8_t highest_cpu = 0;
  for (const GoalOp& op : rank.ops) {
    highest_cpu = std::max(highest_cpu, op.cpu);
    rank.has_wildcards |= op.kind == GoalKind::kRecv && (op.peer == kGoalAny || op.tag == kGoalAny);
  }
  rank.cpu_free.assign(std::size_t{highest_cpu} + 1, 0);
  rank.left = static_cast<std::uint32_t>(ops);
  left_ = total_ += ops;
  ranks_.push_back(std::move(rank));
  return {};
}

void GoalRun::start() {
  wild_receives_.resize(ranks_.size());
  unexpected_.resize(ranks_.size());
  for (const GoalCollective& collective : extras_.collectives)
    meetings_.push_back({collective.members, false, {}});
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const Rank& r = ranks_[rank];
    if (r.ops.empty()) done_ranks_.push_back(rank);
    for (std::uint32_t op = 0; op < r.ops.size(); ++op) {
      if (r.waits[op] == 0) events_.push({0, rank, op, false});
    }
  }
  std::reverse(done_ranks_.begin(), done_ranks_.end());
}

Result<bool> GoalRun::next(Step& step) {
  for (;;) {
    if (has_pending_) apply(pending_);
    has_pending_ = false;
    if (!done_ranks_.empty()) {
      step = {done_ranks_.back(), 0, true};
      done_ranks_.pop_back();
      return true;
    }
    if (events_.empty()) break;
    pending_ = events_.top();
    events_.pop();
    has_pending_ = true;
    if (pending_.ends || op(pending_.rank, pending_.op).kind == GoalKind::kRecv) continue;
    // What occupies a processor begins when that is free.
    Picoseconds& free = ranks_[pending_.rank].cpu_free[op(pending_.rank, pending_.op).cpu];
    if (free > pending_.time) {
      pending_.time = free;
      events_.push(pending_);
      has_pending_ = false;
      continue;
    }
    step = {pending_.rank, pending_.op, false};
    return true;
  }
  if (left_ != 0) return stuck();
  sends_left_ = 0;
  for (const auto& [channel, queue] : queues_) sends_left_ += queue.items.size() - queue.head;
  return false;
}

void GoalRun::apply(const Event& event) {
  if (event.ends) return end(event.rank, event.op, event.time);
  const GoalOp& begun = op(event.rank, event.op);
  if (begun.kind == GoalKind::kCalc) {
    const Picoseconds until = saturating_add(event.time, static_cast<Picoseconds>(begun.size));
    ranks_[event.rank].cpu_free[begun.cpu] = until;
    ranks_[event.rank].end[event.op] = until;
    events_.push({until, event.rank, event.op, true});
  }
  release(event.rank, event.op, true, event.time);
  if (begun.kind == GoalKind::kRecv) return post(event.rank, event.op, event.time);
  if (begun.kind == GoalKind::kCollective) return enter(event.rank, event.op, event.time);
  if (begun.kind == GoalKind::kSend) {
    arrive(event.rank, event.op, event.time);
    end(event.rank, event.op, event.time);
  }
}

void GoalRun::end(std::uint32_t rank, std::uint32_t op, Picoseconds time) {
  release(rank, op, false, time);
  --left_;
  if (--ranks_[rank].left == 0) done_ranks_.push_back(rank);
}

void GoalRun::release(std::uint32_t rank, std::uint32_t op, bool start, Picoseconds time) {
  Rank& r = ranks_[rank];
  for (std::uint32_t i = r.first_dependent[op]; i < r.first_dependent[op + 1]; ++i) {
    const GoalEdge& edge = r.edges[r.dependents[i]];
    if (edge.start == start && --r.waits[edge.op] == 0) events_.push({time, rank, edge.op, false});
  }
}

void GoalRun::enter(std::uint32_t rank, std::uint32_t index, Picoseconds time) {
  const GoalCollective& whole = collective(rank, index);
  Meeting& meeting = meetings_[op(rank, index).peer];
  --meeting.missing;
  meeting.root_is_in |= rank == whole.root;
  const Flow flow = whole.is_reduce_scatter ? Flow::kToAll : flow_of(whole.op);
  const bool all_can_leave = meeting.missing == 0 || (flow == Flow::kFromRoot && meeting.root_is_in);
  if (all_can_leave || (flow == Flow::kToRoot && rank != whole.root)) {
    events_.push({time, rank, index, true});
  } else {
    meeting.waiting.emplace_back(rank, index);
  }
  if (!all_can_leave) return;
  for (const auto& [other, part] : meeting.waiting) events_.push({time, other, part, true});
  meeting.waiting.clear();
}

GoalRun::Waiting GoalRun::pop(std::unordered_map<Channel, Queue, ChannelHash>::iterator queue) {
  const Waiting first = queue->second.items[queue->second.head++];
  if (queue->second.head == queue->second.items.size()) queues_.erase(queue);
  return first;
}

void GoalRun::push(const Waiting& waiting, bool is_receive) {
  Queue& queue = queues_[waiting.channel];
  queue.of_receives = is_receive;
  queue.items.push_back(waiting);
}

namespace {
bool fits(std::uint32_t wanted, std::uint32_t found) { return wanted == kGoalAny || wanted == found; }
}  // namespace

void GoalRun::post(std::uint32_t rank, std::uint32_t index, Picoseconds time) {
  const GoalOp& recv = op(rank, index);
  const Channel channel{rank, recv.peer, recv.tag};
  std::vector<Waiting>& unexpected = unexpected_[rank];
  if (recv.peer != kGoalAny && recv.tag != kGoalAny) {
    const auto queue = queues_.find(channel);
    if (queue == queues_.end() || queue->second.of_receives) return push({channel, order_++, 0, index}, true);
    const Waiting message = pop(queue);
    std::erase_if(unexpected, [&](const Waiting& other) { return other.order == message.order; });
    return receive(rank, index, message.id, time);
  }
  const auto found = std::find_if(unexpected.begin(), unexpected.end(), [&](const Waiting& message) {
    return fits(recv.peer, message.channel.source) && fits(recv.tag, message.channel.tag);
  });
  if (found == unexpected.end()) {
    wild_receives_[rank].push_back({channel, order_++, 0, index});
    return;
  }
  // The first that came of all is the first of its channel.
  const Waiting message = pop(queues_.find(found->channel));
  unexpected.erase(found);
  receive(rank, index, message.id, time);
}

void GoalRun::arrive(std::uint32_t source, std::uint32_t index, Picoseconds time) {
  const GoalOp& send = op(source, index);
  const Channel channel{send.peer, source, send.tag};
  const std::uint64_t id = message(source, index);
  auto queue = queues_.find(channel);
  if (queue != queues_.end() && !queue->second.of_receives) queue = queues_.end();
  std::vector<Waiting>& wild = wild_receives_[send.peer];
  const auto found = std::find_if(wild.begin(), wild.end(), [&](const Waiting& waiting) {
    return fits(waiting.channel.source, source) && fits(waiting.channel.tag, send.tag);
  });
  const bool exact = queue != queues_.end();
  // The receive that was posted first takes it.
  if (found != wild.end() && (!exact || found->order < queue->second.items[queue->second.head].order)) {
    const std::uint32_t receiver = found->op;
    wild.erase(found);
    return receive(send.peer, receiver, id, time);
  }
  if (exact) return receive(send.peer, pop(queue).op, id, time);
  const Waiting message{channel, order_++, id, index};
  push(message, false);
  if (ranks_[send.peer].has_wildcards) unexpected_[send.peer].push_back(message);
}

void GoalRun::receive(std::uint32_t rank, std::uint32_t index, std::uint64_t id, Picoseconds time) {
  set_message(rank, index, id);
  events_.push({time, rank, index, true});
}

Error GoalRun::describe(std::uint32_t rank, std::uint32_t op, const std::string& what) const {
  const std::uint64_t line = ranks_[rank].ops[op].line;
  if (!extras_.files.empty())
    return input_error(extras_.files[rank], 0, "node " + std::to_string(line) + ": " + what);
  const std::string name = line != 0 ? "" : "operation " + std::to_string(op + 1) + " of ";
  return input_error(path_, line, name + "rank " + std::to_string(rank) + ": " + what);
}

Error GoalRun::stuck() const {
  constexpr const char* kNever = "this recv gets no message; expected a send that it can take";
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    if (!wild_receives_[rank].empty()) return describe(rank, wild_receives_[rank].front().op, kNever);
    const Rank& r = ranks_[rank];
    for (std::uint32_t op = 0; op < r.ops.size(); ++op) {
      if (r.ops[op].kind != GoalKind::kRecv || r.waits[op] != 0) continue;
      const auto queue = queues_.find({rank, r.ops[op].peer, r.ops[op].tag});
      if (queue != queues_.end() && queue->second.of_receives)
        return describe(rank, queue->second.items[queue->second.head].op, kNever);
    }
  }
  for (const Meeting& meeting : meetings_) {
    if (meeting.waiting.empty()) continue;
    const auto& [rank, op] = meeting.waiting.front();
    return describe(rank, op,
                    "this collective waits for members that do not come to it, " +
                        std::to_string(meeting.missing) + " of " +
                        std::to_string(collective(rank, op).members) + "; expected all");
  }
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const Rank& r = ranks_[rank];
    const auto found = std::find_if(r.waits.begin(), r.waits.end(), [](std::uint32_t n) { return n != 0; });
    if (found != r.waits.end()) {
      return describe(rank, static_cast<std::uint32_t>(found - r.waits.begin()),
                      "waits for what waits for it; expected no cycle of dependencies");
    }
  }
  return input_error(path_, 0, "does not come to its end");
}

}  // namespace vef::neighbours
