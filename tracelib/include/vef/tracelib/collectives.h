// SPDX-License-Identifier: Apache-2.0
// Collective operations as the messages they are made of: pure functions from (operation, communicator,
// sizes, rank) to the sends and receives of that rank.
//
// A schedule is a list of rounds. All steps of a round are posted together; the next round begins when every
// send of the round has been handed over and every receive has arrived. Between two ranks of one operation
// the k-th send meets the k-th receive.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::tracelib {

/// How collectives are expanded.
///   kN:    one message per non-root rank, straight from or to the root; all-to-all kinds: every pair
///          (all-reduce = reduce to rank 0, then broadcast; barrier the same with empty messages;
///          reduce-scatter = reduce
///   to rank 0, then scatter; scans: from each rank to the next).
///   kLogN: binomial trees in place of the stars of kN; all-gather by a ring, all-to-all by pairwise
///   exchange,
///          barrier by dissemination, scans by recursive doubling.
///   kOpenMpi, kMpich: the algorithm that Open MPI 4.1.4 or MPICH 4.0 chooses by default for the size of the
///   communicator and of the message, message by message; docs/collectives.md says which and what is assumed.
/// Source: sections 2.2 of "Characterization of Real Communication Patterns and Congestion Dynamics in HPC
/// Interconnection Networks" (2026) for n and log-n of the rooted operations.
enum class Expansion : std::uint8_t { kN, kLogN, kOpenMpi, kMpich };

Result<Expansion> parse_expansion(std::string_view name);  // "n", "log-n", "openmpi", "mpich"
std::string_view expansion_name(Expansion expansion);

/// One collective operation of one communicator. `send_bytes` and `recv_bytes` are those of the G records, by
/// rank in the communicator, with the meaning that VEF gives them for the operation.
struct CollectiveCall {
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::int32_t size = 0;
  std::int32_t root = 0;  // rank in the communicator; rooted operations only
  std::span<const std::uint64_t> send_bytes;
  std::span<const std::uint64_t> recv_bytes;
  // Of the datatype, where known: broadcasts and reductions are cut between elements. 0: 8 where the size is
  // a multiple of 8, else 4 where of 4, else 1.
  std::uint32_t element_bytes = 0;
};

struct Step {
  std::int32_t peer = 0;  // rank in the communicator, never the own one
  bool is_send = false;
  std::uint64_t bytes = 0;

  bool operator==(const Step&) const = default;
};

struct Schedule {
  std::vector<Step> steps;
  std::vector<std::uint32_t>
      round_ends;  // index into steps, one past the round; ascending; empty rounds do not occur

  void clear() {
    steps.clear();
    round_ends.clear();
  }
};

/// The schedule of `rank` (in the communicator) into `out`, which is cleared first.
void expand(const CollectiveCall& call, Expansion expansion, std::int32_t rank, Schedule& out);

/// The algorithm by which `call` is expanded, as docs/collectives.md names it: "binomial tree", "ring", ...;
/// "none" where nothing is sent.
std::string_view chosen_algorithm(const CollectiveCall& call, Expansion expansion);

/// The root of a rooted operation, recovered from the sizes of its records as VEF defines: broadcast and
/// scatter: the rank that sends; reduce and gather: the rank that receives. Rank 0 where all sizes are 0 or
/// the operation has none.
std::int32_t find_root(formats::CollectiveOp op, std::span<const std::uint64_t> send_bytes,
                       std::span<const std::uint64_t> recv_bytes);

}  // namespace vef::tracelib
