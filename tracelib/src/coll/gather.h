// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of one block per rank. Gather: at the start everybody's kOut holds the own block in its
// place, at the end the root's holds all. Scatter: the other way round.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_{gather,scatter}.c and ompi/mca/coll/basic/ for the
// vector forms; MPICH 4.0, src/mpi/coll/{gather,scatter}/, whose binomial trees are the same.
#pragma once

#include "blocks.h"
#include "trees.h"

namespace vef::tracelib::coll {

/// n - 1 messages straight to the root. The vector forms leave out empty blocks.
template <class Plan>
void gather_linear(Plan& plan, const Role& role, const BlockLayout& blocks, bool skip_empty) {
  const auto wanted = [&](std::int32_t i) { return !skip_empty || blocks.bytes(i) != 0; };
  if (!role.is_root()) {
    if (wanted(role.rank)) plan.send(role.root, blocks.block(role.rank));
  } else {
    for (std::int32_t peer = 0; peer < role.size; ++peer) {
      if (peer != role.root && wanted(peer)) plan.receive(peer, blocks.block(peer), Arrival::kCopy);
    }
  }
  plan.end_round();
}

/// The root asks one rank after the other with an empty message; the answer comes in two messages, of which
/// the root waits for the first before it asks the next. 3 (n - 1) messages. `segment`: bytes of the first
/// one; 0: the whole block, the second is empty.
template <class Plan>
void gather_linear_sync(Plan& plan, const Role& role, const BlockLayout& blocks, std::uint64_t segment) {
  const auto part = [&](std::int32_t i, bool first) {
    const Piece block = blocks.block(i);
    const std::uint64_t cut = segment == 0 ? block.count : std::min(segment, block.count);
    return first ? Piece{block.offset, cut} : Piece{block.offset + cut, block.count - cut};
  };
  if (!role.is_root()) {
    plan.receive(role.root, Piece{}, Arrival::kCopy);
    plan.end_round();
    plan.send(role.root, part(role.rank, true));
    plan.send(role.root, part(role.rank, false));
    plan.end_round();
    return;
  }
  for (std::int32_t peer = 0; peer < role.size; ++peer) {
    if (peer == role.rank) continue;
    plan.receive(peer, part(peer, true), Arrival::kCopy);
    plan.send(peer, Piece{});
    plan.end_round();
  }
  for (std::int32_t peer = 0; peer < role.size; ++peer) {
    if (peer != role.rank) plan.receive(peer, part(peer, false), Arrival::kCopy);
  }
  plan.end_round();
}

/// The blocks of a subtree of the binomial tree whose top is `top` (a rank).
inline BlockRange subtree_blocks(const Role& role, const BlockLayout& blocks, std::int32_t top) {
  return {blocks, top, binomial_subtree(Role{top, role.size, role.root}.relative(), role.size)};
}

/// Up the low-bit binomial tree: n - 1 messages; a block travels once per set bit of its relative rank.
template <class Plan>
void gather_binomial(Plan& plan, const Role& role, const BlockLayout& blocks) {
  const Tree tree = binomial_tree_low(role);
  for (std::int32_t child : tree.children()) {
    plan.receive(child, subtree_blocks(role, blocks, child), Arrival::kCopy);
  }
  plan.end_round();
  if (!tree.is_root()) plan.send(tree.parent(), subtree_blocks(role, blocks, role.rank));
  plan.end_round();
}

/// n - 1 messages straight from the root. Open MPI's basic linear (blocking sends) and non-blocking linear
/// scatter send the same messages in the same order. The vector forms leave out empty blocks.
template <class Plan>
void scatter_linear(Plan& plan, const Role& role, const BlockLayout& blocks, bool skip_empty) {
  const auto wanted = [&](std::int32_t i) { return !skip_empty || blocks.bytes(i) != 0; };
  if (!role.is_root()) {
    if (wanted(role.rank)) plan.receive(role.root, blocks.block(role.rank), Arrival::kCopy);
  } else {
    for (std::int32_t peer = 0; peer < role.size; ++peer) {
      if (peer != role.root && wanted(peer)) plan.send(peer, blocks.block(peer));
    }
  }
  plan.end_round();
}

/// Down the low-bit binomial tree, largest subtree first: the messages of gather_binomial turned round.
template <class Plan>
void scatter_binomial(Plan& plan, const Role& role, const BlockLayout& blocks) {
  const Tree tree = binomial_tree_low(role);
  if (!tree.is_root()) {
    plan.receive(tree.parent(), subtree_blocks(role, blocks, role.rank), Arrival::kCopy);
    plan.end_round();
  }
  const auto children = tree.children();
  for (std::size_t c = children.size(); c-- > 0;) {
    plan.send(children[c], subtree_blocks(role, blocks, children[c]));
  }
  plan.end_round();
}

}  // namespace vef::tracelib::coll
