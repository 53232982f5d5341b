// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/collectives.h"

#include <algorithm>
#include <bit>

#include "coll/dispatch.h"
#include "prepared_call.h"

namespace vef::tracelib {
namespace {

using coll::alltoall_bytes;
using formats::CollectiveOp;

/// Appends steps and closes rounds; one per call of expand().
class Builder {
 public:
  explicit Builder(Schedule& out) : out_(out) {}

  void send(std::int32_t peer, std::uint64_t bytes) { out_.steps.push_back({peer, true, bytes}); }
  void receive(std::int32_t peer) { out_.steps.push_back({peer, false, 0}); }
  void end_round() {
    const auto end = static_cast<std::uint32_t>(out_.steps.size());
    if (end != (out_.round_ends.empty() ? 0 : out_.round_ends.back())) out_.round_ends.push_back(end);
  }

 private:
  Schedule& out_;
};

/// Where a rank stands in the binomial tree over ranks counted from the root. The subtree below relative rank
/// v holds v .. v + extent(v) - 1; the children of v are v + 2^k for every 2^k < extent of v.
class BinomialTree {
 public:
  BinomialTree(std::int32_t size, std::int32_t root, std::int32_t rank)
      : size_(size), root_(root), relative_((rank - root + size) % size) {}

  bool is_root() const { return relative_ == 0; }
  std::int32_t parent() const { return absolute(relative_ & (relative_ - 1)); }

  /// Distances 2^k to the children, nearest first.
  template <class Visit>
  void for_each_child(Visit visit) const {
    for (std::int32_t distance = 1; distance < extent(); distance <<= 1) {
      if (relative_ + distance < size_) visit(distance);
    }
  }
  /// Farthest (largest subtree) first: the order in which a broadcast sends.
  template <class Visit>
  void for_each_child_farthest_first(Visit visit) const {
    for (std::int32_t distance = extent() >> 1; distance > 0; distance >>= 1) {
      if (relative_ + distance < size_) visit(distance);
    }
  }
  std::int32_t child(std::int32_t distance) const { return absolute(relative_ + distance); }

  /// Sum of `bytes` over the subtree whose top is `distance` away (0: the own subtree).
  std::uint64_t subtree_bytes(std::span<const std::uint64_t> bytes, std::int32_t distance) const {
    const std::int32_t top = relative_ + distance;
    const std::int32_t end = std::min(size_, top + (distance == 0 ? extent() : distance));
    std::uint64_t sum = 0;
    for (std::int32_t v = top; v < end; ++v) sum += bytes[absolute(v)];
    return sum;
  }

 private:
  /// Distance to the end of the own subtree in a full tree: the lowest set bit, for the root the next power
  /// of two.
  std::int32_t extent() const {
    if (relative_ == 0) return static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(size_)));
    return relative_ & -relative_;
  }
  std::int32_t absolute(std::int32_t relative) const { return (relative + root_) % size_; }

  std::int32_t size_;
  std::int32_t root_;
  std::int32_t relative_;
};

// --- N: stars
// -------------------------------------------------------------------------------------------------------

template <class Bytes>
void star_out(Builder& b, std::int32_t size, std::int32_t root, std::int32_t rank, Bytes bytes_to) {
  if (rank != root) {
    b.receive(root);
  } else {
    for (std::int32_t peer = 0; peer < size; ++peer) {
      if (peer != root) b.send(peer, bytes_to(peer));
    }
  }
  b.end_round();
}

void star_in(Builder& b, std::int32_t size, std::int32_t root, std::int32_t rank, std::uint64_t bytes) {
  if (rank != root) {
    b.send(root, bytes);
  } else {
    for (std::int32_t peer = 0; peer < size; ++peer) {
      if (peer != root) b.receive(peer);
    }
  }
  b.end_round();
}

template <class Bytes>
void every_pair(Builder& b, std::int32_t size, std::int32_t rank, Bytes bytes_to) {
  for (std::int32_t k = 1; k < size; ++k) b.send((rank + k) % size, bytes_to((rank + k) % size));
  for (std::int32_t k = 1; k < size; ++k) b.receive((rank - k + size) % size);
  b.end_round();
}

// --- log N: binomial trees and exchanges
// ------------------------------------------------------------------------------

void tree_out(Builder& b, const BinomialTree& tree, std::uint64_t bytes) {
  if (!tree.is_root()) {
    b.receive(tree.parent());
    b.end_round();
  }
  tree.for_each_child_farthest_first([&](std::int32_t d) { b.send(tree.child(d), bytes); });
  b.end_round();
}

void tree_in(Builder& b, const BinomialTree& tree, std::uint64_t bytes) {
  tree.for_each_child([&](std::int32_t d) { b.receive(tree.child(d)); });
  b.end_round();
  if (!tree.is_root()) b.send(tree.parent(), bytes);
  b.end_round();
}

void tree_gather(Builder& b, const BinomialTree& tree, std::span<const std::uint64_t> bytes) {
  tree_in(b, tree, tree.subtree_bytes(bytes, 0));
}

void tree_scatter(Builder& b, const BinomialTree& tree, std::span<const std::uint64_t> bytes) {
  if (!tree.is_root()) {
    b.receive(tree.parent());
    b.end_round();
  }
  tree.for_each_child_farthest_first(
      [&](std::int32_t d) { b.send(tree.child(d), tree.subtree_bytes(bytes, d)); });
  b.end_round();
}

void ring_allgather(Builder& b, std::int32_t size, std::int32_t rank, std::span<const std::uint64_t> bytes) {
  const std::int32_t right = (rank + 1) % size, left = (rank - 1 + size) % size;
  for (std::int32_t k = 0; k < size - 1; ++k) {
    b.send(right, bytes[(rank - k + size) % size]);
    b.receive(left);
    b.end_round();
  }
}

template <class Bytes>
void pairwise_exchange(Builder& b, std::int32_t size, std::int32_t rank, Bytes bytes_to) {
  for (std::int32_t k = 1; k < size; ++k) {
    const std::int32_t to = (rank + k) % size;
    b.send(to, bytes_to(to));
    b.receive((rank - k + size) % size);
    b.end_round();
  }
}

void dissemination_barrier(Builder& b, std::int32_t size, std::int32_t rank) {
  for (std::int32_t distance = 1; distance < size; distance <<= 1) {
    b.send((rank + distance) % size, 0);
    b.receive((rank - distance + size) % size);
    b.end_round();
  }
}

/// Each rank adds its own to what comes from the rank before, and passes the sum on.
void scan_chain(Builder& b, std::int32_t size, std::int32_t rank, std::uint64_t bytes) {
  if (rank > 0) b.receive(rank - 1);
  b.end_round();
  if (rank + 1 < size) b.send(rank + 1, bytes);
  b.end_round();
}

/// Sums of ever larger groups of ranks are exchanged; the upper half of a group adds the lower half's.
void scan_doubling(Builder& b, std::int32_t size, std::int32_t rank, std::uint64_t bytes) {
  for (std::int64_t bit = 1; bit < size; bit <<= 1) {
    const auto peer = static_cast<std::int32_t>(rank ^ bit);
    if (peer >= size) continue;
    b.send(peer, bytes);
    b.receive(peer);
    b.end_round();
  }
}

void expand_stars(const CollectiveCall& call, std::int32_t rank, Builder& b) {
  const std::int32_t n = call.size;
  const auto own = call.send_bytes[rank];
  const auto same = [](std::uint64_t bytes) { return [bytes](std::int32_t) { return bytes; }; };
  switch (call.op) {
    case CollectiveOp::kBroadcast:
      return star_out(b, n, call.root, rank, same(call.send_bytes[call.root]));
    case CollectiveOp::kScatter:
      return star_out(b, n, call.root, rank, [&](std::int32_t peer) { return call.recv_bytes[peer]; });
    case CollectiveOp::kReduce:
    case CollectiveOp::kGather:
      return star_in(b, n, call.root, rank, own);
    case CollectiveOp::kAllreduce:
    case CollectiveOp::kBarrier:
      star_in(b, n, 0, rank, own);
      return star_out(b, n, 0, rank, same(call.send_bytes[0]));
    case CollectiveOp::kAllgather:
      return every_pair(b, n, rank, same(own));
    case CollectiveOp::kAlltoall:
      return every_pair(b, n, rank, [&](std::int32_t peer) { return alltoall_bytes(call, rank, peer); });
    case CollectiveOp::kReduceScatter:
      star_in(b, n, 0, rank, own);
      return star_out(b, n, 0, rank, [&](std::int32_t peer) { return call.recv_bytes[peer]; });
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      return scan_chain(b, n, rank, own);
  }
}

void expand_trees(const CollectiveCall& call, std::int32_t rank, Builder& b) {
  const std::int32_t n = call.size;
  const BinomialTree tree(n, call.root, rank);
  switch (call.op) {
    case CollectiveOp::kBroadcast:
      return tree_out(b, tree, call.send_bytes[call.root]);
    case CollectiveOp::kReduce:
      return tree_in(b, tree, call.send_bytes[rank]);
    case CollectiveOp::kGather:
      return tree_gather(b, tree, call.send_bytes);
    case CollectiveOp::kScatter:
      return tree_scatter(b, tree, call.recv_bytes);
    case CollectiveOp::kAllreduce: {
      const BinomialTree from_zero(n, 0, rank);
      tree_in(b, from_zero, call.send_bytes[rank]);
      return tree_out(b, from_zero, call.send_bytes[0]);
    }
    case CollectiveOp::kAllgather:
      return ring_allgather(b, n, rank, call.send_bytes);
    case CollectiveOp::kBarrier:
      return dissemination_barrier(b, n, rank);
    case CollectiveOp::kAlltoall:
      return pairwise_exchange(b, n, rank,
                               [&](std::int32_t peer) { return alltoall_bytes(call, rank, peer); });
    case CollectiveOp::kReduceScatter: {
      const BinomialTree from_zero(n, 0, rank);
      tree_in(b, from_zero, call.send_bytes[rank]);
      return tree_scatter(b, from_zero, call.recv_bytes);
    }
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      return scan_doubling(b, n, rank, call.send_bytes[rank]);
  }
}

std::string_view star_name(CollectiveOp op) {
  if (op == CollectiveOp::kReduceScatter) return coll::algorithm_name(coll::Algorithm::kReduceScatter);
  return op == CollectiveOp::kAllreduce || op == CollectiveOp::kBarrier
             ? coll::algorithm_name(coll::Algorithm::kReduceBroadcast)
             : coll::algorithm_name(coll::Algorithm::kLinear);
}

std::string_view tree_name(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllreduce:
      return coll::algorithm_name(coll::Algorithm::kReduceBroadcast);
    case CollectiveOp::kAllgather:
      return coll::algorithm_name(coll::Algorithm::kRing);
    case CollectiveOp::kBarrier:
      return coll::algorithm_name(coll::Algorithm::kDissemination);
    case CollectiveOp::kAlltoall:
      return coll::algorithm_name(coll::Algorithm::kPairwise);
    case CollectiveOp::kReduceScatter:
      return coll::algorithm_name(coll::Algorithm::kReduceScatter);
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      return coll::algorithm_name(coll::Algorithm::kRecursiveDoubling);
    default:
      return coll::algorithm_name(coll::Algorithm::kBinomial);
  }
}

coll::Library library_of(Expansion expansion) {
  return expansion == Expansion::kMpich ? coll::Library::kMpich : coll::Library::kOpenMpi;
}

}  // namespace

Result<Expansion> parse_expansion(std::string_view name) {
  for (Expansion expansion : {Expansion::kN, Expansion::kLogN, Expansion::kOpenMpi, Expansion::kMpich}) {
    if (name == expansion_name(expansion)) return expansion;
  }
  return usage_error("'" + std::string(name) +
                     "' is no expansion of collectives; expected n, log-n, openmpi or mpich");
}

std::string_view expansion_name(Expansion expansion) {
  switch (expansion) {
    case Expansion::kN:
      return "n";
    case Expansion::kLogN:
      return "log-n";
    case Expansion::kOpenMpi:
      return "openmpi";
    case Expansion::kMpich:
      return "mpich";
  }
  return "";
}

void PreparedCall::reset(const CollectiveCall& call, Expansion expansion) {
  call_ = call;
  expansion_ = expansion;
  if (expansion == Expansion::kOpenMpi || expansion == Expansion::kMpich) {
    prepared_.reset(call, library_of(expansion));
  }
}

void PreparedCall::expand(std::int32_t rank, Schedule& out) const {
  out.clear();
  if (expansion_ == Expansion::kN || expansion_ == Expansion::kLogN) {
    Builder builder(out);
    return expansion_ == Expansion::kN ? expand_stars(call_, rank, builder)
                                       : expand_trees(call_, rank, builder);
  }
  coll::SchedulePlan plan(out);
  coll::run(plan, prepared_, rank);
}

std::string_view PreparedCall::algorithm() const {
  if (call_.size < 2) return coll::algorithm_name(coll::Algorithm::kNone);
  if (expansion_ == Expansion::kN) return star_name(call_.op);
  if (expansion_ == Expansion::kLogN) return tree_name(call_.op);
  return coll::algorithm_name(prepared_.algorithm());
}

void expand(const CollectiveCall& call, Expansion expansion, std::int32_t rank, Schedule& out) {
  PreparedCall prepared;
  prepared.reset(call, expansion);
  prepared.expand(rank, out);
}

std::string_view chosen_algorithm(const CollectiveCall& call, Expansion expansion) {
  PreparedCall prepared;
  prepared.reset(call, expansion);
  return prepared.algorithm();
}

std::int32_t find_root(CollectiveOp op, std::span<const std::uint64_t> send_bytes,
                       std::span<const std::uint64_t> recv_bytes) {
  std::span<const std::uint64_t> tells;
  if (op == CollectiveOp::kBroadcast || op == CollectiveOp::kScatter) tells = send_bytes;
  if (op == CollectiveOp::kReduce || op == CollectiveOp::kGather) tells = recv_bytes;
  const auto it = std::find_if(tells.begin(), tells.end(), [](std::uint64_t bytes) { return bytes != 0; });
  return it == tells.end() ? 0 : static_cast<std::int32_t>(it - tells.begin());
}

}  // namespace vef::tracelib
