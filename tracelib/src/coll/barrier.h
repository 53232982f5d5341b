// SPDX-License-Identifier: Apache-2.0
// Barrier: nobody leaves before everybody has entered; all messages are empty.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_barrier.c; MPICH 4.0, src/mpi/coll/barrier/ (the
// dissemination barrier of Hensgen, Finkel, Manber, 1988, which Open MPI calls Bruck's).
#pragma once

#include "halving.h"
#include "trees.h"

namespace vef::tracelib::coll {

/// To rank 0 and back: 2 (n - 1) messages.
template <class Plan>
void barrier_linear(Plan& plan, const Role& role) {
  const bool collects = role.rank == 0;
  for (std::int32_t peer = collects ? 1 : 0; peer < (collects ? role.size : 1); ++peer) {
    if (collects) {
      plan.receive(peer, Piece{}, Arrival::kCopy);
    } else {
      plan.send(peer, Piece{});
    }
  }
  plan.end_round();
  for (std::int32_t peer = collects ? 1 : 0; peer < (collects ? role.size : 1); ++peer) {
    if (collects) {
      plan.send(peer, Piece{});
    } else {
      plan.receive(peer, Piece{}, Arrival::kCopy);
    }
  }
  plan.end_round();
}

/// A token goes round twice: 2 n messages.
template <class Plan>
void barrier_double_ring(Plan& plan, const Role& role) {
  if (role.size == 1) return;
  for (int turn = 0; turn < 2; ++turn) {
    if (role.rank == 0) {
      exchange(plan, role.right(), Piece{}, role.left(), Piece{});
      continue;
    }
    plan.receive(role.left(), Piece{}, Arrival::kCopy);
    plan.end_round();
    plan.send(role.right(), Piece{});
    plan.end_round();
  }
}

/// Ranks from p (the power of two) on report to rank - p, which lets them go at the end: p log2(p) + 2 (n -
/// p) messages.
template <class Plan>
void barrier_recursive_doubling(Plan& plan, const Role& role) {
  const std::int32_t members = floor_power_of_two(role.size);
  if (role.rank >= members) {
    const std::int32_t peer = role.rank - members;
    exchange(plan, peer, Piece{}, peer, Piece{});
    return;
  }
  const bool has_guest = role.rank + members < role.size;
  if (has_guest) plan.receive(role.rank + members, Piece{}, Arrival::kCopy);
  plan.end_round();
  for (std::int32_t bit = 1; bit < members; bit <<= 1) {
    exchange(plan, role.rank ^ bit, Piece{}, role.rank ^ bit, Piece{});
  }
  if (has_guest) plan.send(role.rank + members, Piece{});
  plan.end_round();
}

/// ceil(log2 n) rounds, n messages each.
template <class Plan>
void barrier_dissemination(Plan& plan, const Role& role) {
  for (std::int32_t distance = 1; distance < role.size; distance <<= 1) {
    exchange(plan, role.right(distance), Piece{}, role.left(distance), Piece{});
  }
}

/// Up and down the low-bit binomial tree of rank 0: 2 (n - 1) messages.
template <class Plan>
void barrier_tree(Plan& plan, const Role& role) {
  const Tree tree = binomial_tree_low({role.rank, role.size, 0});
  const auto children = tree.children();
  for (std::int32_t child : children) plan.receive(child, Piece{}, Arrival::kCopy);
  plan.end_round();
  if (!tree.is_root()) {
    plan.send(tree.parent(), Piece{});
    plan.end_round();
    plan.receive(tree.parent(), Piece{}, Arrival::kCopy);
    plan.end_round();
  }
  for (std::size_t c = children.size(); c-- > 0;) plan.send(children[c], Piece{});
  plan.end_round();
}

}  // namespace vef::tracelib::coll
