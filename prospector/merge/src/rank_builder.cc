// SPDX-License-Identifier: Apache-2.0
#include "rank_builder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "families.h"
#include "vef/base/text.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

constexpr std::size_t kMaxNotes = 10;
constexpr std::size_t kMaxIndex = kThingIndex;    // an index must fit into a Thing
constexpr std::int32_t kMostProcesses = 1 << 22;  // that a process may know

}  // namespace

RankBuilder::RankBuilder(formats::TaskId rank, std::int32_t world_size, std::size_t threads, std::string path,
                         Store* store)
    : world_size_(world_size), path_(std::move(path)), threads_(threads), open_regions_(threads) {
  data_.rank = rank;
  data_.threads.resize(threads);
  data_.thread_begins.resize(threads);
  keep_in(data_, store);
  LocalComm world;
  world.members = {{0, 1, static_cast<std::uint32_t>(world_size)}};
  LocalComm self;
  self.members = {{rank, 1, 1}};
  data_.comms = {world, self};
  comms_[formats::kCommWorld] = 0;
  comms_[formats::kCommSelf] = 1;
}

RankData RankBuilder::take() {
  if (lost_requests_ > 0) {
    data_.damage.push_back(path_ + ": " + std::to_string(lost_requests_) +
                           " requests complete whose posting is in a missing part");
  }
  if (!lost_windows_.empty()) {
    data_.damage.push_back(path_ + ": calls on " + std::to_string(lost_windows_.size()) +
                           " windows made in or after a missing part are left out");
  }
  if (!lost_comms_.empty()) {
    data_.damage.push_back(path_ + ": calls on " + std::to_string(lost_comms_.size()) +
                           " communicators made in or after a missing part are left out");
  }
  return std::move(data_);
}

Error RankBuilder::error(const Context& context, const std::string& message) const {
  return {ErrorKind::kInput, path_ + ": event " + std::to_string(context.number) + ": " + message};
}

void RankBuilder::note(const Context& context, const std::string& message) {
  data_.complete = false;
  data_.damaged = true;
  if (data_.damage.size() < kMaxNotes) data_.damage.push_back(error(context, message).message);
}

std::uint64_t RankBuilder::take_time(const Context& context) {
  return std::exchange(threads_[context.thread].computing, 0);
}

void RankBuilder::push_op(const Context& context, OpKind kind, std::uint32_t first, std::uint32_t count) {
  data_.threads[context.thread].push_back(
      {context.start, context.end, take_time(context), first, count, kind});
}

void RankBuilder::push_complete(const Context& context, std::uint32_t first_thing) {
  const auto count = static_cast<std::uint32_t>(data_.things.size()) - first_thing;
  if (count > 0) push_op(context, OpKind::kComplete, first_thing, count);
}

void RankBuilder::open_hole(const Context& context, const Thread& thread) {
  Hole& hole = data_.hole;
  const auto widen = [&](Hole::Range& range, std::uint32_t before, std::size_t now) {
    range.begin = hole.any ? std::min(range.begin, before) : before;
    range.end = static_cast<std::uint32_t>(now);
  };
  widen(hole.sends, thread.posted.sends.begin, data_.sends.size());
  widen(hole.receives, thread.posted.receives.begin, data_.receives.size());
  widen(hole.parts, thread.posted.parts.begin, data_.parts.size());
  hole.any = true;
  data_.damaged = true;
  // What was done in the missing part is not known: its time passes as computing.
  const std::int64_t since = thread.begun ? thread.last_end : data_.init_end;
  if (since != 0 && since < context.start) {
    threads_[context.thread].computing += static_cast<std::uint64_t>(context.start - since);
  }
}

void RankBuilder::count_gap(const Context& context, std::uint64_t gap, std::uint64_t number) {
  Thread& thread = threads_[context.thread];
  if (number != thread.next_number) {
    open_hole(context, thread);
  } else if (thread.begun || context.thread == 0) {
    thread.computing += gap;
  }
  if (!thread.begun) data_.thread_begins[context.thread] = context.start;
  thread.begun = true;
  thread.next_number = number + 1;
  thread.last_end = context.end;
}

Status RankBuilder::add(std::size_t thread, const Event& event, std::int64_t start, std::int64_t end,
                        std::uint64_t number) {
  if (number > kMaxIndex || data_.things.size() + event.completions.size() > kMaxIndex ||
      data_.sends.size() + event.requests.size() > kMaxIndex || event.sequence > kMaxIndex) {
    return input_error(path_, 0, "more than 2^30 events in one rank; expected fewer");
  }
  const Context context{thread, start, end, static_cast<std::uint32_t>(number)};
  ++data_.events;
  data_.sites.add(event);
  count_gap(context, event.gap, number);
  if (event.call != 0 && context.end >= data_.last_end) {
    data_.last_end = context.end;
    data_.last_event = number;
    data_.last_call = event.call;
  }
  Status status = dispatch(context, event);
  Hole& posted = threads_[thread].posted;
  posted.sends.begin = static_cast<std::uint32_t>(data_.sends.size());
  posted.receives.begin = static_cast<std::uint32_t>(data_.receives.size());
  posted.parts.begin = static_cast<std::uint32_t>(data_.parts.size());
  return status;
}

Status RankBuilder::dispatch(const Context& context, const Event& event) {
  switch (event.kind) {
    case formats::EventKind::kInit:
      if (data_.init_end == 0) {  // else a further session
        take_time(context);
        data_.init_end = context.end;
      }
      return {};
    case formats::EventKind::kFinalize:
      push_op(context, OpKind::kFinalize, 0, 0);
      data_.ending = Ending::kFinalized;
      return {};
    case formats::EventKind::kAbort:
      data_.ending = Ending::kAborted;
      data_.abort_code = event.tag;
      return {};
    case formats::EventKind::kPause:
      if (event.call == static_cast<std::uint16_t>(formats::MpiCall::kPcontrol)) data_.partial = true;
      return {};
    case formats::EventKind::kCommFree:
    case formats::EventKind::kModule:
    case formats::EventKind::kSite:
      return {};
    case formats::EventKind::kPolls:
      threads_[context.thread].computing += event.polls.long_gaps;
      return {};
    case formats::EventKind::kSend:
    case formats::EventKind::kIsend:
      return on_send(context, event);
    case formats::EventKind::kRecv:
    case formats::EventKind::kIrecv:
      return on_receive(context, event);
    case formats::EventKind::kSendInit:
    case formats::EventKind::kRecvInit:
    case formats::EventKind::kPsendInit:
    case formats::EventKind::kPrecvInit:
    case formats::EventKind::kCollectiveInit:
      make_persistent(context, event);
      return {};
    case formats::EventKind::kPready:
      return on_pready(context, event);
    case formats::EventKind::kStart:
      return on_start(context, event);
    case formats::EventKind::kComplete:
      return on_complete(context, event);
    case formats::EventKind::kRequestFree:
      on_request_free(event);
      return {};
    case formats::EventKind::kCancel:
      on_cancel(event);
      return {};
    case formats::EventKind::kProbe:
      return on_probe(context, event);
    case formats::EventKind::kMprobe:
      return on_mprobe(context, event);
    case formats::EventKind::kMrecv:
      return on_mrecv(context, event);
    case formats::EventKind::kImrecv:
      return on_imrecv(context, event);
    case formats::EventKind::kSendrecv:
      return on_sendrecv(context, event);
    case formats::EventKind::kCollective:
    case formats::EventKind::kIcollective:
      return on_collective(context, event);
    case formats::EventKind::kCommCreate:
    case formats::EventKind::kCommDefine:
      return on_comm(context, event);
    case formats::EventKind::kWinCreate:
    case formats::EventKind::kWinFree:
      return on_window(context, event);
    case formats::EventKind::kRma:
      return on_access(context, event);
    case formats::EventKind::kRmaSync:
      return on_sync(context, event);
    case formats::EventKind::kIo:
      on_io(context, event);
      return {};
    case formats::EventKind::kRegion:
      on_region(context, event);
      return {};
    case formats::EventKind::kNote:
      data_.recorder_notes.push_back(escaped(event.text));
      return {};
    default:
      break;
  }
  return error(context,
               "kind " + std::to_string(static_cast<int>(event.kind)) + "; expected a known kind of event");
}

std::uint32_t RankBuilder::find_comm(std::uint32_t number, const Context& context) {
  if (const std::uint32_t* found = comms_.find(number)) return *found;
  if (data_.hole.any) {
    lost_comms_.insert(number);
    return kNoIndex;
  }
  note(context, "communicator " + std::to_string(number) + " is used, but nothing that was read creates it");
  return kNoIndex;
}

bool RankBuilder::translate(std::uint32_t comm, std::int32_t peer, std::int32_t& world) const {
  const LocalComm& local = data_.comms[comm];
  const bool inter = (local.flags & formats::kCommInter) != 0;
  world = world_rank(inter ? local.remote_members : local.members, peer);
  return world >= 0;
}

Status RankBuilder::on_comm(const Context& context, const Event& event) {
  const bool defined = event.kind == formats::EventKind::kCommDefine;
  const bool group_only = defined || (event.comm_flags & formats::kCommGroupOnly) != 0;
  LocalComm created;
  created.flags = event.comm_flags;
  created.call = event.call;
  created.is_member = event.new_comm != formats::kCommNull;
  if (group_only) {
    created.flags |= formats::kCommGroupOnly;
    created.tag = event.tag;
    created.text = event.text;
  }
  const bool others = (event.comm_flags & formats::kCommOtherWorlds) != 0;
  for (const auto runs : {event.members, event.remote_members}) {
    if (auto status = check_group(context, runs, others); !status.ok()) return status;
  }
  created.members.assign(event.members.begin(), event.members.end());
  created.remote_members.assign(event.remote_members.begin(), event.remote_members.end());
  created.in_neighbours = neighbours(created, event.in_neighbours);
  created.out_neighbours = neighbours(created, event.out_neighbours);
  if (!defined && event.comm != formats::kCommNull) {
    created.parent = find_comm(event.comm, context);
    // Only what all of the parent's members take part in counts for its order.
    if (created.parent != kNoIndex && !group_only) created.ordinal = creations_[created.parent]++;
  }
  const auto index = static_cast<std::uint32_t>(data_.comms.size());
  const std::uint32_t parent = created.parent;
  // After a hole nobody knows the how-manieth creation it is.
  const bool lost = data_.hole.any;
  if (lost && created.is_member) {
    lost_comms_.insert(event.new_comm);
    std::uint32_t index_before = 0;
    comms_.take(event.new_comm, index_before);
  } else if (created.is_member) {
    data_.comms.push_back(std::move(created));
    comms_[event.new_comm] = index;
  }
  // The creation synchronises the parent, or where it is collective over the new group alone, that group.
  const std::uint32_t own = lost || event.new_comm == formats::kCommNull ? kNoIndex : index;
  const std::uint32_t over = group_only ? own : parent;
  if (event.request != 0) requests_[event.request] = {};
  if (defined || over == kNoIndex) {
    if (own != kNoIndex) note_meeting(context, event, own, kNoIndex);
    return {};
  }
  Part part;
  part.comm = over;
  part.event = context.number;
  part.sequence = static_cast<std::uint32_t>(event.sequence);
  part.call = event.call;
  part.family = Family::kNamedBarrier;
  const auto part_index = static_cast<std::uint32_t>(data_.parts.size());
  data_.parts.push_back(part);
  if (own != kNoIndex) note_meeting(context, event, own, part_index);
  if (event.request != 0) requests_[event.request] = {PendingKind::kPart, part_index};
  push_op(context, event.request != 0 ? OpKind::kStartCollective : OpKind::kCollective, part_index, 1);
  return {};
}

std::uint32_t RankBuilder::add_order(std::uint32_t comm, std::uint16_t call, std::uint8_t kind) {
  LocalComm order = data_.comms[comm];
  order.parent = comm;
  order.flags |= kind;
  order.call = call;
  order.ordinal = orders_[{comm, kind}]++;
  const auto index = static_cast<std::uint32_t>(data_.comms.size());
  data_.comms.push_back(std::move(order));
  return index;
}

/// `others`: it may have members that are in other worlds.
Status RankBuilder::check_group(const Context& context, std::span<const formats::RankRun> runs, bool others) {
  const std::int32_t limit = others ? std::max(world_size_, kMostProcesses) : world_size_;
  std::uint64_t size = 0;
  for (const formats::RankRun& run : runs) {
    const std::int64_t last = run.first + std::int64_t{run.stride} * (std::int64_t{run.count} - 1);
    size += run.count;
    if (run.count == 0 || size > static_cast<std::uint64_t>(limit) || run.first < 0 || run.first >= limit ||
        last < 0 || last >= limit) {
      return error(context, "a group with a member outside the world of " + std::to_string(world_size_) +
                                " ranks; expected world ranks");
    }
    data_.numbers = std::max({data_.numbers, run.first + 1, static_cast<std::int32_t>(last) + 1});
  }
  return {};
}

/// Keeps what join_worlds() needs, if it is a meeting.
void RankBuilder::note_meeting(const Context& context, const Event& event, std::uint32_t comm,
                               std::uint32_t part) {
  constexpr std::uint8_t kBetweenWorlds = formats::kCommInter | formats::kCommOtherWorlds;
  if ((event.comm_flags & kBetweenWorlds) != kBetweenWorlds) return;
  switch (static_cast<formats::MpiCall>(event.call)) {
    case formats::MpiCall::kCommSpawn:
    case formats::MpiCall::kCommSpawnMultiple:
    case formats::MpiCall::kCommAccept:
    case formats::MpiCall::kCommConnect:
    case formats::MpiCall::kCommJoin:
      break;
    default:
      if (event.kind != formats::EventKind::kCommDefine)
        return;  // else perhaps those that spawned this world
      break;
  }
  data_.meetings.push_back(
      {comm, part, event.tag, event.recv_bytes, context.end, std::string(event.text), false});
}

std::vector<formats::TaskId> RankBuilder::neighbours(const LocalComm& comm,
                                                     std::span<const std::int32_t> ranks) const {
  std::vector<formats::TaskId> tasks;
  tasks.reserve(ranks.size());
  for (const std::int32_t rank : ranks) tasks.push_back(world_rank(comm.members, rank));
  return tasks;
}

bool RankBuilder::make_part(const Context& context, const Event& event, Part& part) {
  part.comm = find_comm(event.comm, context);
  if (part.comm == kNoIndex) return false;
  part.send_bytes = event.bytes;
  part.recv_bytes = event.recv_bytes;
  part.root = event.peer;
  part.call = event.call;
  part.family = family_of(event.call);
  const bool inter = (data_.comms[part.comm].flags & formats::kCommInter) != 0;
  if ((inter || part.family == Family::kNeighborAlltoall) && !event.sizes.empty()) {
    part.sizes = static_cast<std::uint32_t>(data_.sizes.size());
    data_.sizes.append(event.sizes.begin(), event.sizes.end());
  }
  return true;
}

void RankBuilder::push_part(const Context& context, Part part, std::uint64_t request, bool blocking) {
  part.event = context.number;
  const auto index = static_cast<std::uint32_t>(data_.parts.size());
  data_.parts.push_back(part);
  if (request != 0) requests_[request] = {PendingKind::kPart, index};
  push_op(context, blocking ? OpKind::kCollective : OpKind::kStartCollective, index, 1);
}

Status RankBuilder::on_collective(const Context& context, const Event& event) {
  const bool blocking = event.kind == formats::EventKind::kCollective;
  Part part;
  if (!make_part(context, event, part)) {
    if (!blocking) requests_[event.request] = {};
    return {};
  }
  part.sequence = static_cast<std::uint32_t>(event.sequence);
  push_part(context, part, blocking ? 0 : event.request, blocking);
  return {};
}

/// Input and output is no network time: it passes as computing.
void RankBuilder::on_io(const Context& context, const Event& event) {
  const auto time = static_cast<std::uint64_t>(context.end - context.start);
  threads_[context.thread].computing += time;
  ++data_.io.calls;
  data_.io.bytes += event.bytes;
  data_.io.time += time;
  if (event.request != 0) requests_[event.request] = {};
}

void RankBuilder::on_region(const Context& context, const Event& event) {
  std::vector<Region>& open = open_regions_[context.thread];
  const std::string name = escaped(event.text);
  if (event.tag >= 0) {
    open.push_back({name, context.end});
    return;
  }
  const auto found =
      std::find_if(open.rbegin(), open.rend(), [&](const Region& region) { return region.name == name; });
  if (found == open.rend()) return;  // its begin was not recorded
  RegionTotals& totals = data_.regions[name];
  ++totals.count;
  totals.time += static_cast<std::uint64_t>(context.start - found->start);
  open.erase(std::next(found).base());
}

}  // namespace vef::merge
