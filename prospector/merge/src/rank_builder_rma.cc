// SPDX-License-Identifier: Apache-2.0
// One-sided events: windows, accesses, and the calls that synchronise them. Which epoch an access belongs to
// is known from the calls of its own rank alone.
#include <algorithm>

#include "rank_builder.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

using formats::MpiCall;
using formats::TaskId;

Status RankBuilder::on_window(const Context& context, const Event& event) {
  const bool made = event.kind == formats::EventKind::kWinCreate;
  Part part;
  part.call = event.call;
  part.family = Family::kNamedBarrier;
  part.sequence = static_cast<std::uint32_t>(event.sequence);
  part.comm = find_comm(event.comm, context);
  if (part.comm == kNoIndex) return {};
  if (!made) {
    if (WindowState* window = find_window(context, event); window != nullptr) {
      part.comm = window->comm;
      windows_.erase(event.window);
      push_part(context, part, 0, true);
    }
    return {};
  }
  push_part(context, part, 0, true);
  if (data_.hole.any) {  // nobody knows the how-manieth it is
    lost_windows_.insert(event.window);
    return {};
  }
  windows_[event.window].comm = add_order(part.comm, event.call, kCommWindow);
  return {};
}

RankBuilder::WindowState* RankBuilder::find_window(const Context& context, const Event& event) {
  if (const auto found = windows_.find(event.window); found != windows_.end()) return &found->second;
  if (data_.hole.any) {
    lost_windows_.insert(event.window);
  } else {
    note(context,
         "window " + std::to_string(event.window) + " is used, but nothing that was read creates it");
  }
  return nullptr;
}

Status RankBuilder::on_access(const Context& context, const Event& event) {
  if (event.request != 0) requests_[event.request] = {};
  WindowState* window = find_window(context, event);
  if (window == nullptr || event.peer == formats::kProcNull || (event.bytes == 0 && event.recv_bytes == 0)) {
    return {};
  }
  Access access;
  if (!translate(window->comm, event.peer, access.target)) {
    return error(context, "target " + std::to_string(event.peer) + "; expected a rank of the window");
  }
  access.bytes = event.bytes;
  access.recv_bytes = event.recv_bytes;
  access.event = context.number;
  access.window = window->comm;
  const auto& started = window->started;
  if (window->all_locked || window->locked.count(access.target) != 0) {
    access.epoch = Epoch::kPassive;
  } else if (window->accessing && std::find(started.begin(), started.end(), access.target) != started.end()) {
    access.epoch = Epoch::kAccess;
    access.number = window->access_count[access.target] - 1;
  } else {
    access.number = window->fences;
  }
  access.answered = access.recv_bytes > 0 || access.epoch == Epoch::kPassive;
  const auto index = static_cast<std::uint32_t>(data_.accesses.size());
  data_.accesses.push_back(access);
  if (access.answered) window->unanswered[access.target].push_back(index);
  // With a request the data that come back complete it; what goes out is done when it is handed over.
  if (event.request != 0 && access.recv_bytes > 0) requests_[event.request] = {PendingKind::kAnswer, index};
  push_op(context, OpKind::kAccess, index, 1);
  return {};
}

/// The call waits for the answers from the target; `local`: only for data, not for acknowledgements.
void RankBuilder::await(WindowState& window, TaskId target, bool local, Sync& sync) {
  const auto found = window.unanswered.find(target);
  if (found == window.unanswered.end()) return;
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t index : found->second) {
    if (local && data_.accesses[index].recv_bytes == 0) {
      kept.push_back(index);
    } else if (!data_.accesses[index].awaited) {
      data_.accesses[index].awaited = true;
      data_.answers.push_back(index);
      ++sync.answers;
    }
  }
  found->second = std::move(kept);
}

/// World ranks of a group, into `peers` and as the call's peers.
Status RankBuilder::add_peers(const Context& context, std::span<const formats::RankRun> group, Sync& sync,
                              std::vector<TaskId>& peers) {
  const bool others = (data_.comms[sync.window].flags & formats::kCommOtherWorlds) != 0;
  if (auto status = check_group(context, group, others); !status.ok()) return status;
  peers.clear();
  for (const formats::RankRun& run : group) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      peers.push_back(static_cast<TaskId>(run.first + std::int64_t{run.stride} * i));
    }
  }
  sync.first_peer = static_cast<std::uint32_t>(data_.peers.size());
  sync.peers = static_cast<std::uint32_t>(peers.size());
  data_.peers.append(peers.begin(), peers.end());
  return {};
}

void RankBuilder::push_sync(const Context& context, const Sync& sync) {
  const auto index = static_cast<std::uint32_t>(data_.syncs.size());
  data_.syncs.push_back(sync);
  push_op(context, OpKind::kSync, index, 1);
}

void RankBuilder::end_access(WindowState& window, Sync& sync) {
  sync.kind = Sync::Kind::kComplete;
  sync.first_peer = static_cast<std::uint32_t>(data_.peers.size());
  sync.peers = static_cast<std::uint32_t>(window.started.size());
  data_.peers.append(window.started.begin(), window.started.end());
  for (const TaskId target : window.started) await(window, target, false, sync);
  window.accessing = false;
}

void RankBuilder::await_all(WindowState& window, bool local, Sync& sync) {
  for (auto& [rank, unanswered] : window.unanswered) {
    if (!unanswered.empty()) await(window, rank, local, sync);
  }
}

void RankBuilder::close_fence(const Context& context, const Event& event, WindowState& window, Sync& sync) {
  sync.kind = Sync::Kind::kFence;
  sync.number = window.fences++;
  await_all(window, false, sync);
  sync.part = static_cast<std::uint32_t>(data_.parts.size());
  Part part;
  part.call = event.call;
  part.family = Family::kNamedBarrier;
  part.sequence = static_cast<std::uint32_t>(event.sequence);
  part.comm = window.comm;
  part.event = context.number;
  data_.parts.push_back(part);
}

void RankBuilder::end_exposure(WindowState& window, Sync& sync) {
  sync.kind = Sync::Kind::kWait;
  sync.first_peer = static_cast<std::uint32_t>(data_.peers.size());
  sync.peers = static_cast<std::uint32_t>(window.posted.size());
  data_.peers.append(window.posted.begin(), window.posted.end());
  window.posted.clear();
}

/// Lock, unlock and flush. False: there is nothing to wait for.
bool RankBuilder::on_passive(const Event& event, WindowState& window, Sync& sync) {
  TaskId target = -1;
  const bool one = event.peer >= 0 && translate(window.comm, event.peer, target);
  switch (static_cast<MpiCall>(event.call)) {
    case MpiCall::kWinLock:
      if (one) window.locked.insert(target);
      return false;
    case MpiCall::kWinLockAll:
      window.all_locked = true;
      return false;
    case MpiCall::kWinUnlock:
      window.locked.erase(target);
      [[fallthrough]];
    case MpiCall::kWinFlush:
      await(window, target, false, sync);
      return true;
    case MpiCall::kWinFlushLocal:
      await(window, target, true, sync);
      return true;
    case MpiCall::kWinUnlockAll:
      window.all_locked = false;
      [[fallthrough]];
    case MpiCall::kWinFlushAll:
      await_all(window, false, sync);
      return true;
    case MpiCall::kWinFlushLocalAll:
      await_all(window, true, sync);
      return true;
    default:  // MPI_Win_sync: memory only
      return false;
  }
}

Status RankBuilder::on_sync(const Context& context, const Event& event) {
  WindowState* window = find_window(context, event);
  if (window == nullptr) return {};
  Sync sync;
  sync.event = context.number;
  sync.window = window->comm;
  sync.first_answer = static_cast<std::uint32_t>(data_.answers.size());
  switch (static_cast<MpiCall>(event.call)) {
    case MpiCall::kWinFence:
      close_fence(context, event, *window, sync);
      break;
    case MpiCall::kWinPost:
      sync.kind = Sync::Kind::kPost;
      if (auto status = add_peers(context, event.members, sync, window->posted); !status.ok()) return status;
      break;
    case MpiCall::kWinStart:
      sync.kind = Sync::Kind::kStart;
      if (auto status = add_peers(context, event.members, sync, window->started); !status.ok()) return status;
      for (const TaskId rank : window->started) ++window->access_count[rank];
      window->accessing = true;
      break;
    case MpiCall::kWinComplete:
      if (!window->accessing) return {};  // its start was not recorded
      end_access(*window, sync);
      break;
    case MpiCall::kWinWait:
    case MpiCall::kWinTest:
      end_exposure(*window, sync);
      break;
    default:
      if (!on_passive(event, *window, sync)) return {};
      break;
  }
  push_sync(context, sync);
  return {};
}

}  // namespace vef::merge
