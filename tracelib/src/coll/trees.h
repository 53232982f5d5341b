// SPDX-License-Identifier: Apache-2.0
// The trees along which rooted collectives run, as one rank sees them: its parent and its children, in the
// order in which the library names serves them. Shapes and orders are those of Open MPI 4.1.4,
// ompi/mca/coll/base/coll_base_topo.c; the low-bit binomial tree is MPICH's too.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plan.h"

namespace vef::tracelib::coll {

inline constexpr std::int32_t kMaxChainFanout = 32;  // Open MPI's MAXTREEFANOUT
inline constexpr std::int32_t kMaxRadix = 16;

class Tree {
 public:
  bool is_root() const { return parent_ < 0; }
  std::int32_t parent() const { return parent_; }
  std::span<const std::int32_t> children() const { return std::span(children_).first(count_); }

  void set_parent(std::int32_t rank) { parent_ = rank; }
  void add_child(std::int32_t rank) { children_[count_++] = rank; }

 private:
  // Most children: k-nomial, radix 16: 15 for each of the 8 digits of a 31-bit rank; then the chains' 32.
  std::int32_t parent_ = -1;
  std::size_t count_ = 0;
  std::array<std::int32_t, 128> children_;  // the first count_ are set
};

/// Parent: the lowest set bit cleared. The subtree below relative rank v is v .. v + lowest bit - 1; children
/// nearest (smallest subtree) first. Open MPI's "in-order binomial" tree.
Tree binomial_tree_low(const Role& role);

/// Parent: the highest set bit cleared; children nearest first. Open MPI's broadcast tree.
Tree binomial_tree_high(const Role& role);

/// Level L holds the relative ranks 2^L - 1 .. 2^(L+1) - 2; children of v are v + 2^L and v + 2^(L+1): odd
/// relative ranks are left of the root, even ones right.
Tree binary_tree(const Role& role);

/// Parent: the lowest non-zero digit to base `radix` (2..16) cleared; children farthest digit first.
Tree knomial_tree(const Role& role, std::int32_t radix);

/// `fanout` chains of equal length, the first ones one longer; fanout 1 is the pipeline. Below 1 counts as 1.
Tree chain_tree(const Role& role, std::int32_t fanout);

/// Binary tree rooted at rank size - 1 in whose post-order the ranks fall: for reductions that must not
/// commute.
Tree in_order_binary_tree(std::int32_t rank, std::int32_t size);

/// How many ranks the subtree of relative rank `v` holds in binomial_tree_low, itself included.
std::int32_t binomial_subtree(std::int32_t v, std::int32_t size);

}  // namespace vef::tracelib::coll
