// SPDX-License-Identifier: Apache-2.0
// Reduce: at the start everybody's kOut holds the own contribution; at the end the root's holds the sum. The
// operation is taken as commutative.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_reduce.c; MPICH 4.0, src/mpi/coll/reduce/.
#pragma once

#include "blocks.h"
#include "halving.h"
#include "trees.h"

namespace vef::tracelib::coll {

/// n - 1 messages to the root, which takes them from the highest rank down.
template <class Plan>
void reduce_linear(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Piece all{0, bytes};
  if (!role.is_root()) {
    plan.send(role.root, all);
  } else {
    for (std::int32_t peer = role.size - 1; peer >= 0; --peer) {
      if (peer != role.root) plan.receive(peer, all, Arrival::kReduce);
    }
  }
  plan.end_round();
}

/// Up `tree`, segment after segment; n - 1 messages per segment. With a tree of trees.h this is Open MPI's
/// chain, pipeline, binary and binomial (low-bit) reduce, and with binomial_tree_low MPICH's binomial.
template <class Plan>
void reduce_tree(Plan& plan, const Tree& tree, std::uint64_t bytes, std::uint64_t segment) {
  const Segments segments{bytes, segment};
  const auto children = tree.children();
  const std::uint64_t lag = children.empty() ? 0 : 1;
  const std::uint64_t rounds = segments.count() + (tree.is_root() ? 0 : lag);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (round < segments.count()) {
      for (std::int32_t child : children) plan.receive(child, segments.piece(round), Arrival::kReduce);
    }
    if (!tree.is_root() && round >= lag) plan.send(tree.parent(), segments.piece(round - lag));
    plan.end_round();
  }
}

/// Up the in-order binary tree to rank n - 1, which passes the result on if it is not the root: n - 1
/// messages per segment, and one more of the whole vector.
template <class Plan>
void reduce_in_order_binary(Plan& plan, const Role& role, std::uint64_t bytes, std::uint64_t segment) {
  const std::int32_t top = role.size - 1;
  reduce_tree(plan, in_order_binary_tree(role.rank, role.size), bytes, segment);
  if (role.root == top) return;
  const Piece all{0, bytes};
  if (role.rank == top) {
    plan.send(role.root, all);
  } else if (role.is_root()) {
    plan.receive(top, all, Arrival::kCopy);
  }
  plan.end_round();
}

/// The surplus ranks leave before recursive halving. Open MPI: the pair swaps halves, then the odd rank hands
/// its reduced half over (three messages, 1.5 vectors). MPICH: the leaving rank hands everything over.
template <class Plan>
void fold_in(Plan& plan, const Role& role, const Elements& vector, const Fold& fold, Cut cut) {
  if (!fold.paired(role.rank)) return;
  const std::int32_t partner = fold.partner(role.rank);
  const bool stays = fold.stays(role.rank);
  if (cut == Cut::kBlocks) {
    if (stays) {
      plan.receive(partner, vector.all(), Arrival::kReduce);
    } else {
      plan.send(partner, vector.all());
    }
    plan.end_round();
    return;
  }
  const std::uint64_t count = vector.count();
  const Piece low = vector.range(0, count / 2), high = vector.range(count / 2, count);
  if (stays) {
    exchange(plan, partner, high, partner, low, Arrival::kReduce);
    plan.receive(partner, high, Arrival::kCopy);
  } else {
    exchange(plan, partner, low, partner, high, Arrival::kReduce);
    plan.send(partner, high);
  }
  plan.end_round();
}

/// Recursive vector halving and distance doubling among the ranks that stay: each ends with its last window
/// reduced. log2(p) messages per rank, (p - 1) / p of the vector.
template <class Plan>
void reduce_scatter_halving(Plan& plan, const Fold& fold, std::int32_t v, const Halving& halving) {
  for (std::int32_t step = 0; step < halving.steps(); ++step) {
    const std::int32_t peer = fold.to_rank(v ^ (1 << step));
    exchange(plan, peer, halving.given(step), peer, halving.kept(step), Arrival::kReduce);
  }
}

/// Rabenseifner: reduce-scatter, then a binomial gather to the root. Even ranks stay. If the root has left,
/// it takes the place of virtual rank 0 and that rank's window. Open MPI needs count >= p (p the power of
/// two).
template <class Plan>
void reduce_rabenseifner(Plan& plan, const Role& role, const Elements& vector, Cut cut) {
  const Fold fold(role.size, false);
  const bool root_left = !fold.stays(role.root);
  const std::int32_t v_root = root_left ? 0 : fold.to_virtual(role.root);
  fold_in(plan, role, vector, fold, cut);
  const bool stays = fold.stays(role.rank);
  if (!stays && !role.is_root()) return;
  const std::int32_t v = stays ? fold.to_virtual(role.rank) : 0;
  const Halving halving(vector, fold.members(), v, cut);
  if (stays) reduce_scatter_halving(plan, fold, v, halving);
  if (halving.steps() == 0) return;
  if (root_left && v == 0) {
    const Piece window = halving.kept(halving.steps() - 1);
    if (role.is_root()) {
      plan.receive(fold.to_rank(0), window, Arrival::kCopy);
      plan.end_round();
    } else {
      plan.send(role.root, window);
      plan.end_round();
      return;
    }
  }
  for (std::int32_t step = halving.steps() - 1; step >= 0; --step) {
    const std::int32_t v_peer = v ^ (1 << step);
    const std::int32_t peer = v_peer == 0 && root_left ? role.root : fold.to_rank(v_peer);
    // Does the root lie on the peer's side of this step?
    if ((v_peer >> step) == (v_root >> step)) {
      plan.send(peer, halving.kept(step));
      plan.end_round();
      return;
    }
    plan.receive(peer, halving.given(step), Arrival::kCopy);
    plan.end_round();
  }
}

}  // namespace vef::tracelib::coll
