// SPDX-License-Identifier: Apache-2.0
#include "test_script.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "load_log.h"

namespace vef::merge {

using formats::Completion;
using formats::EventKind;
using formats::MpiCall;

namespace {

class ScriptedLog : public formats::RankLogReader {
 public:
  ScriptedLog(formats::RankLogInfo info, std::deque<Script::Stored> events)
      : info_(std::move(info)), events_(std::move(events)) {}

  const formats::RankLogInfo& info() const override { return info_; }
  Result<bool> next(formats::RankEvent& event) override {
    while (at_ < events_.size() && events_[at_].lost) {
      damage_.corrupt = true;
      end_ += events_[at_].event.gap + events_[at_].event.duration;
      ++at_;
    }
    if (at_ == events_.size()) return false;
    const Script::Stored& stored = events_[at_++];
    event = stored.event;
    event.completions = stored.completions;
    event.requests = stored.requests;
    event.sizes = stored.sizes;
    event.members = stored.members;
    event.remote_members = stored.remote;
    event.in_neighbours = stored.in;
    event.out_neighbours = stored.out;
    event.text = stored.text;
    start_ = end_ + event.gap;
    end_ = start_ + event.duration;
    if (event.kind == EventKind::kPolls)
      end_ += event.polls.inside + event.polls.short_gaps + event.polls.long_gaps;
    return true;
  }
  std::uint64_t event_start() const override { return start_; }
  std::uint64_t event_end() const override { return end_; }
  std::uint64_t event_number() const override { return at_ - 1; }
  const formats::RankLogDamage& damage() const override { return damage_; }

 private:
  formats::RankLogInfo info_;
  std::deque<Script::Stored> events_;
  formats::RankLogDamage damage_;
  std::size_t at_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
};

Completion status_of(std::int32_t source, std::int32_t tag, std::uint64_t bytes) {
  return received(0, source, tag, bytes);
}

}  // namespace

Completion sent(std::uint64_t request) {
  Completion completion;
  completion.request = request;
  return completion;
}

Completion received(std::uint64_t request, std::int32_t source, std::int32_t tag, std::uint64_t bytes) {
  return {request, source, tag, bytes, true, false};
}

Completion cancelled(std::uint64_t request, bool is_receive) {
  Completion completion;
  completion.request = request;
  completion.is_receive = is_receive;
  completion.cancelled = true;
  return completion;
}

Script::Script(formats::TaskId rank, std::int32_t world, std::int32_t thread, std::uint64_t base) {
  info_.path = "rank" + std::to_string(rank) + ".vlog";
  info_.rank = rank;
  info_.world_size = world;
  info_.thread = thread;
  info_.host = "node0";
  info_.start.monotonic_ns = info_.start.wall_ns = base;
  info_.complete = true;
}

Script& Script::at(std::uint64_t gap, std::uint64_t duration) {
  next_.gap = gap;
  next_.duration = duration;
  return *this;
}

Script& Script::in(std::uint32_t comm) {
  next_.comm = comm;
  return *this;
}

Script& Script::sequence(std::uint64_t number) {
  next_.sequence = number;
  return *this;
}

Script& Script::from(std::uint32_t site) {
  next_.site = site;
  return *this;
}

Script& Script::as(MpiCall call) {
  next_.call = static_cast<std::uint16_t>(call);
  return *this;
}

Script& Script::tagged(std::int32_t tag) {
  next_.tag = tag;
  return *this;
}

Script::Stored& Script::add(EventKind kind, MpiCall call) {
  Stored stored;
  stored.event = std::exchange(next_, formats::RankEvent{});
  stored.event.kind = kind;
  if (stored.event.call == 0) stored.event.call = static_cast<std::uint16_t>(call);
  events_.push_back(std::move(stored));
  return events_.back();
}

Script& Script::init() { return add(EventKind::kInit, MpiCall::kInit), *this; }
Script& Script::finalize() { return add(EventKind::kFinalize, MpiCall::kFinalize), *this; }

Script& Script::send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
  auto& event = add(EventKind::kSend, MpiCall::kSend).event;
  event.peer = peer;
  event.tag = tag;
  event.bytes = bytes;
  return *this;
}

Script& Script::isend(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  as(MpiCall::kIsend).send(peer, tag, bytes);
  events_.back().event.kind = EventKind::kIsend;
  events_.back().event.request = request;
  return *this;
}

Script& Script::recv(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::int32_t source,
                     std::int32_t actual_tag) {
  auto& stored = add(EventKind::kRecv, MpiCall::kRecv);
  stored.event.peer = peer;
  stored.event.tag = tag;
  stored.event.bytes = bytes;
  stored.completions = {status_of(source, actual_tag, bytes)};
  return *this;
}

Script& Script::irecv(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  auto& event = add(EventKind::kIrecv, MpiCall::kIrecv).event;
  event.peer = peer;
  event.tag = tag;
  event.bytes = bytes;
  event.request = request;
  return *this;
}

Script& Script::send_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  as(MpiCall::kSendInit).isend(peer, tag, bytes, request);
  events_.back().event.kind = EventKind::kSendInit;
  events_.back().event.call = static_cast<std::uint16_t>(MpiCall::kSendInit);
  return *this;
}

Script& Script::recv_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  as(MpiCall::kRecvInit).irecv(peer, tag, bytes, request);
  events_.back().event.kind = EventKind::kRecvInit;
  return *this;
}

Script& Script::start(std::vector<std::uint64_t> requests) {
  add(EventKind::kStart, MpiCall::kStartall).requests = std::move(requests);
  return *this;
}

Script& Script::complete(std::vector<Completion> completions) {
  add(EventKind::kComplete, MpiCall::kWaitall).completions = std::move(completions);
  return *this;
}

Script& Script::request_free(std::uint64_t request) {
  add(EventKind::kRequestFree, MpiCall::kRequestFree).event.request = request;
  return *this;
}

Script& Script::cancel(std::uint64_t request) {
  add(EventKind::kCancel, MpiCall::kCancel).event.request = request;
  return *this;
}

Script& Script::probe(std::int32_t peer, std::int32_t tag, std::int32_t source, std::int32_t actual_tag,
                      std::uint64_t bytes) {
  as(MpiCall::kProbe).recv(peer, tag, bytes, source, actual_tag);
  events_.back().event.kind = EventKind::kProbe;
  return *this;
}

Script& Script::mprobe(std::int32_t peer, std::int32_t tag, std::int32_t source, std::int32_t actual_tag,
                       std::uint64_t bytes, std::uint64_t message) {
  as(MpiCall::kMprobe).recv(peer, tag, bytes, source, actual_tag);
  events_.back().event.kind = EventKind::kMprobe;
  events_.back().event.request = message;
  return *this;
}

Script& Script::mrecv(std::uint64_t message, std::int32_t source, std::int32_t tag, std::uint64_t bytes) {
  auto& stored = add(EventKind::kMrecv, MpiCall::kMrecv);
  stored.event.request = message;
  stored.completions = {status_of(source, tag, bytes)};
  return *this;
}

Script& Script::imrecv(std::uint64_t request, std::uint64_t message) {
  auto& event = add(EventKind::kImrecv, MpiCall::kImrecv).event;
  event.request = request;
  event.message = message;
  return *this;
}

Script& Script::sendrecv(std::int32_t to, std::int32_t tag, std::uint64_t bytes, std::int32_t from,
                         std::int32_t recv_tag, std::uint64_t recv_bytes) {
  auto& stored = add(EventKind::kSendrecv, MpiCall::kSendrecv);
  stored.event.peer = to;
  stored.event.tag = tag;
  stored.event.bytes = bytes;
  stored.event.recv_peer = from;
  stored.event.recv_tag = recv_tag;
  stored.event.recv_bytes = recv_bytes;
  stored.completions = {status_of(from, recv_tag, recv_bytes)};
  return *this;
}

Script& Script::collective(MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes, std::int32_t root) {
  auto& event = add(EventKind::kCollective, call).event;
  event.peer = root;
  event.bytes = bytes;
  event.recv_bytes = recv_bytes;
  return *this;
}

Script& Script::icollective(MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes,
                            std::uint64_t request, std::int32_t root) {
  collective(call, bytes, recv_bytes, root);
  events_.back().event.kind = EventKind::kIcollective;
  events_.back().event.request = request;
  return *this;
}

Script& Script::sizes(std::vector<std::uint64_t> per_peer) {
  events_.back().sizes = std::move(per_peer);
  return *this;
}

Script& Script::collective_init(MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes,
                                std::uint64_t request, std::int32_t root) {
  icollective(call, bytes, recv_bytes, request, root);
  events_.back().event.kind = EventKind::kCollectiveInit;
  return *this;
}

Script& Script::psend_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  as(MpiCall::kPsendInit).isend(peer, tag, bytes, request);
  events_.back().event.kind = EventKind::kPsendInit;
  return *this;
}

Script& Script::precv_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
  as(MpiCall::kPrecvInit).irecv(peer, tag, bytes, request);
  events_.back().event.kind = EventKind::kPrecvInit;
  return *this;
}

Script& Script::pready(std::uint64_t request, std::uint64_t bytes) {
  auto& event = add(EventKind::kPready, MpiCall::kPready).event;
  event.request = request;
  event.bytes = bytes;
  return *this;
}

Script& Script::neighbours(std::vector<std::int32_t> in, std::vector<std::int32_t> out) {
  events_.back().in = std::move(in);
  events_.back().out = std::move(out);
  return *this;
}

Script& Script::win_create(std::uint32_t comm, std::uint32_t window) {
  in(comm).add(EventKind::kWinCreate, MpiCall::kWinCreate).event.window = window;
  return *this;
}

Script& Script::win_free(std::uint32_t comm, std::uint32_t window) {
  in(comm).add(EventKind::kWinFree, MpiCall::kWinFree).event.window = window;
  return *this;
}

Script& Script::rma(MpiCall call, std::uint32_t window, std::int32_t target, std::uint64_t bytes,
                    std::uint64_t recv_bytes, std::uint64_t request) {
  auto& event = add(EventKind::kRma, call).event;
  event.window = window;
  event.peer = target;
  event.bytes = bytes;
  event.recv_bytes = recv_bytes;
  event.request = request;
  return *this;
}

Script& Script::sync(MpiCall call, std::uint32_t window, std::int32_t target) {
  auto& event = add(EventKind::kRmaSync, call).event;
  event.window = window;
  event.peer = target;
  return *this;
}

Script& Script::sync_group(MpiCall call, std::uint32_t window, std::vector<formats::RankRun> group) {
  sync(call, window);
  events_.back().members = std::move(group);
  return *this;
}

Script& Script::io(std::uint64_t bytes, std::uint64_t request) {
  auto& event = add(EventKind::kIo, MpiCall::kFileWrite).event;
  event.bytes = bytes;
  event.request = request;
  return *this;
}

Script& Script::region(std::int32_t begins, std::string name) {
  auto& stored = add(EventKind::kRegion, MpiCall::kPcontrol);
  stored.event.tag = begins;
  stored.text = std::move(name);
  return *this;
}

Script& Script::note(std::string text) {
  add(EventKind::kNote, MpiCall::kNone).text = std::move(text);
  return *this;
}

Script& Script::module(std::uint64_t number, std::string text) {
  auto& stored = add(EventKind::kModule, MpiCall::kNone);
  stored.event.request = number;
  stored.text = std::move(text);
  return *this;
}

Script& Script::site(std::uint32_t number, std::vector<std::uint64_t> frames) {
  from(number).add(EventKind::kSite, MpiCall::kNone).requests = std::move(frames);
  return *this;
}

Script& Script::comm_create(std::uint32_t parent, std::uint32_t new_comm,
                            std::vector<formats::RankRun> members, std::uint8_t flags,
                            std::vector<formats::RankRun> remote) {
  auto& stored = in(parent).add(EventKind::kCommCreate, MpiCall::kCommSplit);
  stored.event.new_comm = new_comm;
  stored.event.comm_flags = flags;
  stored.members = std::move(members);
  stored.remote = std::move(remote);
  return *this;
}

Script& Script::meet(MpiCall call, std::uint32_t new_comm, std::vector<formats::RankRun> members,
                     std::vector<formats::RankRun> remote, std::string text) {
  const std::uint32_t parent = next_.comm;
  as(call).comm_create(parent, new_comm, std::move(members), formats::kCommInter | formats::kCommOtherWorlds,
                       std::move(remote));
  events_.back().text = std::move(text);
  return *this;
}

Script& Script::parents(std::uint32_t new_comm, std::vector<formats::RankRun> members,
                        std::vector<formats::RankRun> remote) {
  meet(MpiCall::kCommGetParent, new_comm, std::move(members), std::move(remote));
  events_.back().event.kind = EventKind::kCommDefine;
  return *this;
}

Script& Script::comm_free(std::uint32_t comm) {
  return in(comm).add(EventKind::kCommFree, MpiCall::kCommFree), *this;
}

Script& Script::polls(std::uint64_t inside, std::uint64_t short_gaps, std::uint64_t long_gaps) {
  add(EventKind::kPolls, MpiCall::kTest).event.polls = {2, inside, short_gaps, long_gaps};
  return *this;
}

Script& Script::pause() { return add(EventKind::kPause, MpiCall::kNone), *this; }

Script& Script::truncated() {
  info_.complete = false;
  return *this;
}

Script& Script::abort(std::int32_t code) {
  add(EventKind::kAbort, MpiCall::kAbort).event.tag = code;
  return *this;
}

Script& Script::lost() {
  events_.back().lost = true;
  return *this;
}

std::unique_ptr<formats::RankLogReader> Script::log() const {
  return std::make_unique<ScriptedLog>(info_, events_);
}

namespace {

/// False: `error` says why.
bool load_scripts(const std::vector<Script>& scripts, std::uint32_t world, std::vector<RankData>& ranks,
                  std::string& error) {
  std::vector<std::unique_ptr<formats::RankLogReader>> logs;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    logs.push_back(scripts[i].log());
    const bool more_of_rank =
        i + 1 < scripts.size() && scripts[i + 1].log()->info().rank == logs[0]->info().rank;
    if (more_of_rank) continue;
    const std::int32_t size = logs[0]->info().world_size;
    auto data = load_rank(std::move(logs), size);
    logs.clear();
    if (!data.ok()) {
      error = data.error().message;
      return false;
    }
    data->world = world;
    ranks.push_back(std::move(*data));
  }
  return true;
}

}  // namespace

Merged merge_scripts(const std::vector<Script>& scripts) { return merge_worlds({{"", "", scripts}}); }

Merged merge_worlds(const std::vector<WorldScripts>& worlds) {
  Merged merged;
  std::vector<RankData> ranks;
  std::vector<World> known;
  for (const WorldScripts& scripts : worlds) {
    World world;
    world.directory = "run." + std::to_string(known.size());
    world.job = scripts.job;
    world.parent_job = scripts.parent_job;
    world.first = static_cast<formats::TaskId>(ranks.size());
    if (!load_scripts(scripts.scripts, static_cast<std::uint32_t>(known.size()), ranks, merged.error)) {
      return merged;
    }
    world.size = static_cast<std::int32_t>(ranks.size()) - world.first;
    known.push_back(std::move(world));
  }
  auto prepared = prepare(std::move(ranks), std::move(known), TimeZero::kLatestInit, {}, merged.report);
  if (!prepared.ok()) {
    merged.error = prepared.error().message;
    return merged;
  }
  merged.prepared = std::move(*prepared);
  merged.trace = to_trace(*merged.prepared);
  merged.body = body_lines(merged.trace);
  return merged;
}

namespace {

std::string line_of(const formats::Record& record) {
  const auto text = [](auto number) { return std::to_string(number); };
  std::string dep = "-1";
  if (record.dep == formats::DepKind::kCollective) dep = "G" + text(record.dep_id);
  if (record.dep == formats::DepKind::kSend || record.dep == formats::DepKind::kReceive)
    dep = text(record.dep_id);
  const int kind = static_cast<int>(record.dep) + (record.kind == formats::RecordKind::kMessage ? 4 : 0) +
                   (record.answer ? 8 : 0);
  const std::string tail = text(kind) + " " + text(record.time) + " " + dep;
  if (record.kind == formats::RecordKind::kCollective) {
    return "G" + text(record.id) + " C" + text(record.comm) + " " + text(static_cast<int>(record.op)) + " " +
           text(record.task) + " " + text(record.send_bytes) + " " + text(record.recv_bytes) + " " + tail;
  }
  return text(record.id) + " " + text(record.task) + " " + text(record.peer) + " " + text(record.send_bytes) +
         " " + tail;
}

}  // namespace

std::vector<std::string> body_lines(const formats::Trace& trace) {
  std::vector<std::string> lines;
  for (const formats::Record& record : trace.records) lines.push_back(line_of(record));
  return lines;
}

std::vector<std::string> task_lines(const formats::Trace& trace, formats::TaskId task) {
  std::vector<std::string> lines;
  for (const formats::Record& record : trace.records) {
    if (record.task == task) lines.push_back(line_of(record));
  }
  return lines;
}

std::vector<std::vector<std::int64_t>> oracle(const Prepared& prepared) {
  std::vector<std::vector<std::int64_t>> dropped;
  for (const RankData& rank : prepared.ranks) {
    std::vector<std::int64_t>& differences = dropped.emplace_back();
    const Model model = prepared.model();
    // Ends of events from the operations, not from what the records depend on.
    std::map<std::pair<formats::DepKind, std::uint64_t>, std::int64_t> ended;
    std::int64_t now = rank.init_end;
    TaskCursor cursor(model, rank);
    for (; const PendingRecord* record = cursor.peek(); cursor.advance()) {
      if (record->answer) continue;  // has no place in the task's order
      std::int64_t from = now;
      if (record->dep == formats::DepKind::kIndependent) {
        from = std::max(now, rank.init_end + static_cast<std::int64_t>(record->time));
      } else {
        from = std::max(now, ended.at({record->dep, record->dep_number})) +
               static_cast<std::int64_t>(record->time);
      }
      differences.push_back(record->start - from);
      now = record->start;
      if (record->kind == formats::RecordKind::kMessage)
        ended[{formats::DepKind::kSend, record->number}] = record->end;
      if (record->kind == formats::RecordKind::kCollective) {
        ended[{formats::DepKind::kCollective, record->number}] = record->end;
      }
      if (record->reserves) {
        for (const std::uint64_t message : cursor.reserved()) {
          ended[{formats::DepKind::kReceive, message}] = record->end;
        }
        for (const ThreadCursor::Last& one : cursor.completed()) ended[{one.kind, one.number}] = record->end;
      }
    }
  }
  return dropped;
}

std::string execution_fault(const formats::Trace& trace) {
  std::map<formats::TaskId, std::vector<const formats::Record*>> programs;
  std::map<std::uint64_t, std::size_t> members;  // of each collective
  std::vector<const formats::Record*> answers;
  for (const formats::Record& record : trace.records) {
    if (record.answer) {
      answers.push_back(&record);
      continue;
    }
    programs[record.task].push_back(&record);
    if (record.kind == formats::RecordKind::kCollective) {
      members[record.id] = trace.communicators.at(static_cast<std::size_t>(record.comm)).size();
    }
  }
  std::set<std::uint64_t> sent_ids;
  std::map<std::uint64_t, std::size_t> entered;
  std::map<formats::TaskId, std::size_t> at;
  for (bool progress = true; progress;) {
    progress = false;
    for (const formats::Record* record : answers) {
      if (sent_ids.count(record->dep_id) != 0) progress = sent_ids.insert(record->id).second || progress;
    }
    for (auto& [task, program] : programs) {
      for (std::size_t& k = at[task]; k < program.size(); ++k) {
        const formats::Record& record = *program[k];
        const bool needs_message =
            record.dep == formats::DepKind::kSend || record.dep == formats::DepKind::kReceive;
        if (needs_message && sent_ids.count(record.dep_id) == 0) break;
        if (record.dep == formats::DepKind::kCollective && entered[record.dep_id] != members[record.dep_id])
          break;
        if (record.kind == formats::RecordKind::kMessage) sent_ids.insert(record.id);
        if (record.kind == formats::RecordKind::kCollective) ++entered[record.id];
        progress = true;
      }
    }
  }
  for (const auto& [task, program] : programs) {
    if (at[task] < program.size()) {
      return "task " + std::to_string(task) + " stops at: " + line_of(*program[at[task]]);
    }
  }
  return "";
}

}  // namespace vef::merge
