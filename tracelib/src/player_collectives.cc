// SPDX-License-Identifier: Apache-2.0
// How the player runs collectives: each task's part is a schedule of rounds; arrivals that come before the
// task has entered, or before the round that wants them, are counted in Participation::balance.
#include <algorithm>

#include "player_impl.h"

namespace vef::tracelib {

std::uint32_t Player::Impl::activate(std::uint32_t t, std::uint32_t instance) {
  TraceRun& run = runs_[t];
  std::uint32_t& slot = run.active_of_instance[instance];
  if (slot != kNoRecord) return slot;
  if (free_active_.empty()) {
    active_.emplace_back();
    free_active_.push_back(static_cast<std::uint32_t>(active_.size() - 1));
  }
  slot = free_active_.back();
  free_active_.pop_back();
  const CollectiveInstance& what = run.index.instance(instance);
  ActiveInstance& active = active_[slot];
  active.trace = t;
  active.instance = instance;
  active.members = run.played.trace->communicators[what.comm].data();
  active.op = what.op;
  active.part_of_rank.assign(what.size, kNoRecord);
  active.send_bytes.clear();
  active.recv_bytes.clear();
  active.finished = 0;
  for (std::uint32_t record : run.index.participants(what)) {
    active.send_bytes.push_back(run.record(record).send_bytes);
    active.recv_bytes.push_back(run.record(record).recv_bytes);
  }
  active.call.reset(
      {what.op, static_cast<std::int32_t>(what.size), what.root, active.send_bytes, active.recv_bytes},
      config_.expansion);
  return slot;
}

std::uint32_t Player::Impl::part(std::uint32_t active_slot, std::int32_t rank) {
  ActiveInstance& active = active_[active_slot];
  std::uint32_t& slot = active.part_of_rank[rank];
  if (slot == kNoRecord) {
    if (free_parts_.empty()) {
      parts_.emplace_back();
      free_parts_.push_back(static_cast<std::uint32_t>(parts_.size() - 1));
    }
    slot = free_parts_.back();
    free_parts_.pop_back();
    Participation& p = parts_[slot];
    p.active = active_slot;
    p.rank = rank;
    p.entered = false;
    p.round = 0;
    p.pending = 0;
    p.balance.reset(static_cast<std::int32_t>(active.part_of_rank.size()));
    ++parts_running_;
  }
  return slot;
}

void Player::Impl::enter_collective(std::uint32_t t, std::uint32_t record, Picoseconds time) {
  const TraceRun& run = runs_[t];
  const std::uint32_t index = run.index.instance_of(record);
  const std::int32_t rank = run.index.comm_rank(run.index.instance(index).comm, run.record(record).task);
  const std::uint32_t active = activate(t, index);
  const std::uint32_t slot = part(active, rank);
  Participation& p = parts_[slot];
  p.entered = true;
  active_[active].call.expand(rank, p.schedule);
  run_rounds(slot, time);
}

/// Starts rounds until one has to wait or the schedule is done.
void Player::Impl::run_rounds(std::uint32_t slot, Picoseconds time) {
  Participation& p = parts_[slot];
  while (p.round < p.schedule.round_ends.size()) {
    start_round(p, slot, time);
    if (p.pending != 0) return;
    ++p.round;
  }
  finish_part(slot, time);
}

void Player::Impl::start_round(Participation& p, std::uint32_t slot, Picoseconds time) {
  const std::uint32_t begin = p.round == 0 ? 0 : p.schedule.round_ends[p.round - 1];
  for (std::uint32_t s = begin; s < p.schedule.round_ends[p.round]; ++s) {
    const Step& step = p.schedule.steps[s];
    if (step.is_send) {
      sends_.push({slot, s, time});
      ++p.pending;
    } else if (--p.balance[step.peer] < 0) {
      ++p.pending;
    }
  }
}

void Player::Impl::collective_arrival(const InFlight& flight, Picoseconds time) {
  const std::uint32_t slot = part(flight.active, flight.dst_rank);
  Participation& p = parts_[slot];
  if (++p.balance[flight.src_rank] > 0) return;  // nobody waits for it yet
  if (--p.pending == 0) {
    ++p.round;
    run_rounds(slot, time);
  }
}

void Player::Impl::finish_part(std::uint32_t slot, Picoseconds time) {
  const Participation& p = parts_[slot];
  ActiveInstance& active = active_[p.active];
  const std::uint32_t t = active.trace;
  TraceRun& run = runs_[t];
  const CollectiveInstance& instance = run.index.instance(active.instance);
  const std::uint32_t record = run.index.participants(instance)[p.rank];
  free_parts_.push_back(slot);
  --parts_running_;
  // A finished part receives nothing more, so the slot can be used again; the instance lives until its last
  // part ends.
  if (++active.finished == instance.size) {
    free_active_.push_back(p.active);
    run.active_of_instance[active.instance] = kNoRecord;
  }
  last_time_ = std::max(last_time_, time);
  run.finished[record] = time;
  on_event(t, record, formats::DepKind::kCollective, time);
}

}  // namespace vef::tracelib
