// SPDX-License-Identifier: Apache-2.0
// Runs a prepared operation's algorithm for one rank on any Plan.
#pragma once

#include "allgather.h"
#include "allreduce.h"
#include "alltoall.h"
#include "barrier.h"
#include "bcast.h"
#include "gather.h"
#include "prepared.h"
#include "reduce.h"
#include "scan.h"

namespace vef::tracelib::coll {

inline constexpr std::int32_t kOpenMpiRadix = 4;         // coll_tuned_bcast_algorithm_knomial_radix
inline constexpr std::int32_t kMpichThrottle = 32;       // MPIR_CVAR_ALLTOALL_THROTTLE
inline constexpr std::uint64_t kMpichPipeline = 32'768;  // MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE

template <class Plan>
void run_broadcast(Plan& plan, Algorithm algorithm, Library library, const Role& role,
                   const Elements& vector) {
  switch (algorithm) {
    case Algorithm::kLinear:
      return bcast_linear(plan, role, vector.bytes);
    case Algorithm::kPipeline:
      return bcast_tree(plan, chain_tree(role, 1), vector.bytes, 0);
    case Algorithm::kBinary:
      return bcast_tree(plan, binary_tree(role), vector.bytes, 0);
    case Algorithm::kSplitBinary:
      return bcast_split_binary(plan, role, vector, 0);
    case Algorithm::kKnomial:
      return bcast_tree(plan, knomial_tree(role, kOpenMpiRadix), vector.bytes, 0);
    case Algorithm::kScatterAllgather:
      return bcast_scatter_allgather(plan, role, vector);
    case Algorithm::kScatterRing:
      return bcast_scatter_ring(plan, role, vector);
    default:
      if (library == Library::kMpich) return bcast_tree(plan, binomial_tree_low(role), vector.bytes, 0, true);
      return bcast_tree(plan, binomial_tree_high(role), vector.bytes, 0);
  }
}

/// Where the library cuts a vector for recursive halving.
inline Cut cut_of(Library library) { return library == Library::kMpich ? Cut::kBlocks : Cut::kElements; }

template <class Plan>
void run_reduce(Plan& plan, Algorithm algorithm, Library library, const Role& role, const Elements& vector) {
  switch (algorithm) {
    case Algorithm::kLinear:
      return reduce_linear(plan, role, vector.bytes);
    case Algorithm::kPipeline:
      return reduce_tree(plan, chain_tree(role, 1), vector.bytes, 0);
    case Algorithm::kBinary:
      return reduce_tree(plan, binary_tree(role), vector.bytes, 0);
    case Algorithm::kInOrderBinary:
      return reduce_in_order_binary(plan, role, vector.bytes, 0);
    case Algorithm::kRabenseifner:
      return reduce_rabenseifner(plan, role, vector, cut_of(library));
    default:
      return reduce_tree(plan, binomial_tree_low(role), vector.bytes, 0);
  }
}

template <class Plan>
void run_allreduce(Plan& plan, const Prepared& what, const Role& role) {
  const Elements& vector = what.vector();
  switch (what.algorithm()) {
    case Algorithm::kLinear:
      return allreduce_linear(plan, role, vector.bytes);
    case Algorithm::kRing:
      return allreduce_ring(plan, role, vector);
    case Algorithm::kRabenseifner:
      return allreduce_rabenseifner(plan, role, vector, cut_of(what.library()));
    case Algorithm::kReduceBroadcast:
      run_reduce(plan, what.first_half(), what.library(), role, vector);
      return run_broadcast(plan, what.second_half(), what.library(), role, vector);
    default:
      return allreduce_recursive_doubling(plan, role, vector.bytes);
  }
}

template <class Plan>
void run_gather(Plan& plan, const Prepared& what, const Role& role) {
  const BlockLayout blocks = what.blocks();
  if (what.algorithm() == Algorithm::kBinomial) return gather_binomial(plan, role, blocks);
  if (what.algorithm() == Algorithm::kLinearSync) return gather_linear_sync(plan, role, blocks, 0);
  gather_linear(plan, role, blocks, !what.equal_blocks());
}

template <class Plan>
void run_scatter(Plan& plan, const Prepared& what, Algorithm algorithm, const Role& role) {
  const BlockLayout blocks = what.blocks();
  if (algorithm == Algorithm::kBinomial) return scatter_binomial(plan, role, blocks);
  scatter_linear(plan, role, blocks, !what.equal_blocks());
}

template <class Plan>
void run_allgather(Plan& plan, const Prepared& what, const Role& role) {
  const BlockLayout blocks = what.blocks();
  switch (what.algorithm()) {
    case Algorithm::kGatherBroadcast:
      gather_linear(plan, role, blocks, true);
      return run_broadcast(plan, what.second_half(), what.library(), role, what.vector());
    case Algorithm::kBruck:
      return allgather_bruck(plan, role, blocks);
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kTwoProcesses:
      return allgather_recursive_doubling(plan, role, blocks);
    case Algorithm::kNeighborExchange:
      return allgather_neighbor_exchange(plan, role, blocks);
    default:
      if (what.library() == Library::kMpich && !what.equal_blocks()) {
        return allgather_chunked_ring(plan, role, blocks, kMpichPipeline);
      }
      return allgather_ring(plan, role, blocks);
  }
}

template <class Plan>
void run_barrier(Plan& plan, const Prepared& what, const Role& role) {
  if (what.algorithm() == Algorithm::kLinear) return barrier_linear(plan, role);
  if (what.algorithm() == Algorithm::kRecursiveDoubling) return barrier_recursive_doubling(plan, role);
  if (what.algorithm() == Algorithm::kTree) return barrier_tree(plan, role);
  barrier_dissemination(plan, role);
}

template <class Plan, class Sizes>
void run_alltoall(Plan& plan, const Prepared& what, const Role& role, const Sizes& bytes) {
  const bool mpich = what.library() == Library::kMpich;
  switch (what.algorithm()) {
    case Algorithm::kBruck:
      return alltoall_bruck(plan, role, what.block());
    case Algorithm::kPairwise:
      if (mpich && is_power_of_two(role.size)) return alltoall_pairwise_xor(plan, role, bytes);
      return alltoall_pairwise(plan, role, bytes);
    case Algorithm::kTwoProcesses:
      return alltoall_pairwise_xor(plan, role, bytes);
    case Algorithm::kScattered:
      return alltoall_scattered(plan, role, bytes, kMpichThrottle, !what.equal_blocks());
    default:
      if (!what.equal_blocks()) return alltoall_linear_by_rank(plan, role, bytes);
      return alltoall_linear(plan, role, bytes);
  }
}

template <class Plan>
void run(Plan& plan, const Prepared& what, std::int32_t rank) {
  using formats::CollectiveOp;
  if (what.algorithm() == Algorithm::kNone) return;
  const CollectiveCall& call = what.call();
  const Role role{rank, call.size, call.root}, rootless{rank, call.size, 0};
  switch (call.op) {
    case CollectiveOp::kBroadcast:
      return run_broadcast(plan, what.algorithm(), what.library(), role, what.vector());
    case CollectiveOp::kReduce:
      return run_reduce(plan, what.algorithm(), what.library(), role, what.vector());
    case CollectiveOp::kAllreduce:
      return run_allreduce(plan, what, rootless);
    case CollectiveOp::kGather:
      return run_gather(plan, what, role);
    case CollectiveOp::kScatter:
      return run_scatter(plan, what, what.algorithm(), role);
    case CollectiveOp::kAllgather:
      return run_allgather(plan, what, rootless);
    case CollectiveOp::kBarrier:
      return run_barrier(plan, what, rootless);
    case CollectiveOp::kAlltoall:
      if (what.equal_blocks()) {
        const std::uint64_t block = what.block();
        return run_alltoall(plan, what, rootless, [block](std::int32_t, std::int32_t) { return block; });
      }
      return run_alltoall(plan, what, rootless, [&call](std::int32_t from, std::int32_t to) {
        return alltoall_bytes(call, from, to);
      });
    case CollectiveOp::kReduceScatter:
      run_reduce(plan, what.first_half(), what.library(), rootless, what.vector());
      return run_scatter(plan, what, what.second_half(), rootless);
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      if (what.algorithm() == Algorithm::kLinear) return scan_linear(plan, rootless, what.vector().bytes);
      return scan_recursive_doubling(plan, rootless, what.vector().bytes);
  }
}

}  // namespace vef::tracelib::coll
