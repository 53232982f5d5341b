// SPDX-License-Identifier: Apache-2.0
// The members of what processes of a merge send each other, for the archives. What is filled in only after a
// rank is loaded (RankData::world and the like) is among them all the same: a list with exceptions would be
// wrong one day.
#pragma once

#include "archive.h"
#include "call_sites.h"
#include "log_list.h"
#include "model.h"
#include "vef/base/result.h"

namespace vef::merge {

template <class Archive>
void transfer(Archive& archive, LogEntry& entry) {
  archive(entry.path, entry.rank, entry.thread, entry.world_size, entry.job, entry.bytes, entry.fault);
}

template <class Archive>
void transfer(Archive& archive, LocalComm& comm) {
  archive(comm.parent, comm.ordinal, comm.flags, comm.call, comm.is_member, comm.tag, comm.text, comm.members,
          comm.remote_members, comm.in_neighbours, comm.out_neighbours, comm.global, comm.member_index);
}

template <class Archive>
void transfer(Archive& archive, Meeting& meeting) {
  archive(meeting.comm, meeting.part, meeting.root, meeting.asked, meeting.end, meeting.text,
          meeting.collected);
}

template <class Archive>
void transfer(Archive& archive, RankSites& sites) {
  archive(sites.modules_, sites.frames_, sites.uses_);
}

template <class Archive>
void transfer(Archive& archive, RankData& rank) {
  archive(rank.rank, rank.world, rank.wall, rank.numbers, rank.late, rank.host, rank.present, rank.complete,
          rank.damaged, rank.unrecorded, rank.partial, rank.common_clock, rank.ending, rank.abort_code,
          rank.last_event, rank.last_call, rank.last_end, rank.hole, rank.init_end, rank.events, rank.threads,
          rank.thread_begins, rank.sends, rank.receives, rank.parts, rank.things, rank.sizes, rank.comms,
          rank.meetings, rank.accesses, rank.syncs, rank.peers, rank.answers, rank.awaited, rank.outside,
          rank.io, rank.regions, rank.recorder_notes, rank.damage, rank.notes, rank.sites, rank.logs);
}

}  // namespace vef::merge
