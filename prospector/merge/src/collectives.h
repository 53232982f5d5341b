// SPDX-License-Identifier: Apache-2.0
// Stage 3b: the parts of the ranks -> collectives, and what each becomes in VEF3.
//
// The k-th collective of every member on a communicator is one operation (MPI 4.0, section 6.1: all members
// call in the same order, non-blocking ones included). VEF3 has eight operations; the others are lowered to
// those or to messages, see lower().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "communicators.h"
#include "match.h"
#include "model.h"
#include "vef/base/result.h"
#include "vef/formats/trace.h"
#include "vef/merge/merge.h"

namespace vef::merge {

struct Instance {
  std::uint32_t comm = 0;  // index into CommTable
  std::uint32_t participants = 0;
  formats::TaskId root = -1;  // world rank of a rooted operation
  std::uint16_t call = 0;
  Family family = Family::kBarrier;
  bool mismatch = false;            // members called different things
  bool written = false;             // complete, and there is something to write
  std::uint64_t first_group = 0;    // number of its first G record group
  std::uint64_t first_message = 0;  // number of its first message
};

struct CollectiveTable {
  std::vector<Instance> instances;
  std::uint64_t groups = 0;    // G record groups of all instances
  std::uint64_t messages = 0;  // total number of messages, those of sends and accesses included
  std::vector<std::pair<std::uint64_t, std::uint16_t>>
      named;  // groups that are named in the metadata: (group, call)
};

/// One record of what a part in a collective becomes.
struct Step {
  enum class Kind : std::uint8_t { kGroup, kSend, kReceive };
  Kind kind = Kind::kGroup;
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::uint32_t comm = 0;    // kGroup: index into CommTable
  formats::TaskId peer = 0;  // kSend: destination
  std::uint64_t number = 0;  // of the group, or of the message
  std::uint64_t send_bytes = 0;
  std::uint64_t recv_bytes = 0;
};

/// `first_message`: the first number that is free. Sets Part::instance; appends what does not fit together to
/// `unmatched` and what is lowered to `warnings`; adds to `comms` what lowering needs.
Result<CollectiveTable> match_collectives(std::vector<RankData>& ranks, CommTable& comms,
                                          std::uint64_t first_message, std::vector<Unmatched>& unmatched,
                                          std::vector<std::string>& warnings);

/// What the part becomes, in order; nothing if the collective is not written.
///   alltoallv, alltoallw    ALLTOALL, vectorial form (recv_size 1, the total in send_size)
///   reduce_scatter          REDUCE to member 0 of all blocks, then SCATTER of them
///   scan, exscan            a message from each member to the next
///   neighbourhood           a message to each neighbour
///   on an inter-communicator: rooted ones over the root and the other group; all-reduce, all-gather and
///   reduce_scatter as REDUCE or GATHER of each group at the first member of the other, then BROADCAST or
///   SCATTER there; all-to-all as messages to every member of the other group
void lower(const RankData& rank, const Part& part, const CollectiveTable& table, const CommTable& comms,
           std::vector<Step>& steps);

}  // namespace vef::merge
