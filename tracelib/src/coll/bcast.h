// SPDX-License-Identifier: Apache-2.0
// Broadcast: at the start the root's kOut holds the vector; at the end everybody's does.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_bcast.c; MPICH 4.0, src/mpi/coll/bcast/.
#pragma once

#include "blocks.h"
#include "trees.h"

namespace vef::tracelib::coll {

/// n - 1 messages of the vector, all from the root.
template <class Plan>
void bcast_linear(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Piece all{0, bytes};
  if (!role.is_root()) {
    plan.receive(role.root, all, Arrival::kCopy);
  } else {
    for (std::int32_t peer = 0; peer < role.size; ++peer) {
      if (peer != role.root) plan.send(peer, all);
    }
  }
  plan.end_round();
}

/// Down `tree`, segment after segment: while one segment comes in, the one before it goes out. (n - 1)
/// messages per segment; every rank receives each byte once. With a tree of trees.h this is Open MPI's chain,
/// pipeline, binary, binomial and k-nomial broadcast, and with binomial_tree_low, farthest child first,
/// MPICH's binomial.
template <class Plan>
void bcast_tree(Plan& plan, const Tree& tree, std::uint64_t bytes, std::uint64_t segment,
                bool farthest_first = false) {
  const Segments segments{bytes, segment};
  const auto children = tree.children();
  const std::uint64_t lag = tree.is_root() ? 0 : 1;
  const std::uint64_t rounds = segments.count() + (children.empty() ? 0 : lag);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (!tree.is_root() && round < segments.count()) {
      plan.receive(tree.parent(), segments.piece(round), Arrival::kCopy);
    }
    if (round >= lag) {
      const Piece piece = segments.piece(round - lag);
      for (std::size_t c = 0; c < children.size(); ++c) {
        plan.send(farthest_first ? children[children.size() - 1 - c] : children[c], piece);
      }
    }
    plan.end_round();
  }
}

/// The first half of the vector down the left side of a binary tree, the second down the right side; then
/// each rank swaps halves with its twin on the other side. Messages (one segment per half): n - 1 down the
/// tree, then n - 1 swapped, 2(n - 1) in all. `segment` is in bytes, a multiple of the element. The vector
/// must have two elements at least.
template <class Plan>
void bcast_split_binary(Plan& plan, const Role& role, const Elements& vector, std::uint64_t segment) {
  if (role.size == 1) return;
  const std::uint64_t count = vector.count(), middle = count - count / 2;
  const Piece half[2] = {vector.range(0, middle), vector.range(middle, count)};
  const Tree tree = binary_tree(role);
  const auto children = tree.children();
  const std::int32_t v = role.relative();
  const int side = v % 2 != 0 ? 0 : 1;  // which half comes down to this rank
  const auto segments = [&](int h) { return Segments{half[h].count, segment}; };
  if (role.is_root()) {
    for (std::uint64_t s = 0; s < segments(0).count(); ++s) {
      for (int c = 0; c < static_cast<int>(children.size()); ++c) {
        if (s < segments(c).count()) plan.send(children[c], segments(c).piece(s, half[c].offset));
      }
      plan.end_round();
    }
  } else {
    const std::uint64_t n = segments(side).count();
    for (std::uint64_t s = 0; s < n + (children.empty() ? 0 : 1); ++s) {
      if (s < n) plan.receive(tree.parent(), segments(side).piece(s, half[side].offset), Arrival::kCopy);
      for (std::int32_t child : children) {
        if (s > 0) plan.send(child, segments(side).piece(s - 1, half[side].offset));
      }
      plan.end_round();
    }
  }
  // In a communicator of even size the last rank has no twin: the root sends it the right half.
  const std::int32_t unpaired = role.size % 2 == 0 ? role.size - 1 : 0;
  if (v == 0 && unpaired != 0) {
    plan.send(role.absolute(unpaired), half[1]);
    plan.end_round();
  } else if (v != 0 && v == unpaired) {
    plan.receive(role.root, half[1], Arrival::kCopy);
    plan.end_round();
  } else if (v != 0) {
    const std::int32_t twin = role.absolute(side == 0 ? v + 1 : v - 1);
    exchange(plan, twin, half[side], twin, half[1 - side]);
  }
}

/// Blocks of ceil(count / n) elements, by relative rank; the last ones may be short or empty.
class ScatterBlocks {
 public:
  ScatterBlocks(const Elements& vector, std::int32_t size)
      : vector_(vector), size_(size), block_((vector.count() + n() - 1) / n()) {}
  /// Blocks first .. last - 1, as far as they exist.
  Piece blocks(std::int32_t first, std::int32_t last) const {
    const std::int32_t end = std::min(last, size_);
    return vector_.range(static_cast<std::uint64_t>(first) * block_,
                         static_cast<std::uint64_t>(end) * block_);
  }

 private:
  std::uint64_t n() const { return static_cast<std::uint64_t>(size_); }

  Elements vector_;
  std::int32_t size_;
  std::uint64_t block_;  // elements
};

/// Down the binomial tree, to every subtree its blocks; nothing is sent to subtrees whose blocks are all
/// empty.
template <class Plan>
void bcast_scatter_phase(Plan& plan, const Role& role, const ScatterBlocks& blocks) {
  const std::int32_t v = role.relative();
  const Tree tree = binomial_tree_low(role);
  const auto subtree = [&](std::int32_t top) {
    return blocks.blocks(top, top + binomial_subtree(top, role.size));
  };
  if (v != 0 && subtree(v).count != 0) {
    plan.receive(tree.parent(), subtree(v), Arrival::kCopy);
    plan.end_round();
  }
  const auto children = tree.children();
  for (std::size_t c = children.size(); c-- > 0;) {
    const std::int32_t child = Role{children[c], role.size, role.root}.relative();
    if (subtree(child).count != 0) plan.send(children[c], subtree(child));
  }
  plan.end_round();
}

/// Recursive doubling of the scattered blocks for any number of ranks: where a group of `width` ranks meets
/// an incomplete one, those who had a partner pass the result on inside their group, by recursive halving.
template <class Plan>
void bcast_doubling_phase(Plan& plan, const Role& role, const ScatterBlocks& blocks) {
  const std::int32_t v = role.relative();
  for (std::int32_t width = 1; width < role.size; width <<= 1) {
    const std::int32_t mine = v & -width, theirs = mine ^ width;
    const Piece received = blocks.blocks(std::min(theirs, role.size), theirs + width);
    if ((v ^ width) < role.size) {
      const std::int32_t peer = role.absolute(v ^ width);
      exchange(plan, peer, blocks.blocks(mine, mine + width), peer, received);
    }
    if (theirs + width <= role.size) continue;
    const std::int32_t have = role.size - mine - width;  // how many ranks of my group had a partner
    for (std::int32_t half = width >> 1; half > 0; half >>= 1) {
      const std::int32_t other = v ^ half;
      const std::int32_t limit = (v & -(half << 1)) + have;
      if (other > v && v < limit && other >= limit) {
        plan.send(role.absolute(other), received);
        plan.end_round();
      } else if (other < v && other < limit && v >= limit) {
        plan.receive(role.absolute(other), received, Arrival::kCopy);
        plan.end_round();
      }
    }
  }
}

/// Scatter, then all-gather by recursive doubling. Needs count >= n (Open MPI: elements; MPICH cuts bytes).
/// n = 2^k, n blocks of b: (n - 1) messages and k n / 2 blocks down the tree, k n messages and n (n - 1)
/// blocks in the all-gather.
template <class Plan>
void bcast_scatter_allgather(Plan& plan, const Role& role, const Elements& vector) {
  const ScatterBlocks blocks(vector, role.size);
  bcast_scatter_phase(plan, role, blocks);
  bcast_doubling_phase(plan, role, blocks);
}

/// Scatter, then a ring: n (n - 1) messages, of which each rank forwards every block but one.
template <class Plan>
void bcast_scatter_ring(Plan& plan, const Role& role, const Elements& vector) {
  const ScatterBlocks blocks(vector, role.size);
  bcast_scatter_phase(plan, role, blocks);
  const std::int32_t v = role.relative();
  for (std::int32_t k = 0; k < role.size - 1; ++k) {
    const std::int32_t out = v >= k ? v - k : v - k + role.size, in = out == 0 ? role.size - 1 : out - 1;
    exchange(plan, role.right(), blocks.blocks(out, out + 1), role.left(), blocks.blocks(in, in + 1));
  }
}

}  // namespace vef::tracelib::coll
