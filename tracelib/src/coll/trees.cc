// SPDX-License-Identifier: Apache-2.0
#include "trees.h"

#include <algorithm>
#include <bit>

namespace vef::tracelib::coll {
namespace {

std::int64_t ceil_power_of_two(std::int32_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint32_t>(n)));
}

}  // namespace

std::int32_t binomial_subtree(std::int32_t v, std::int32_t size) {
  if (v == 0) return size;
  return std::min(v & -v, size - v);
}

Tree binomial_tree_low(const Role& role) {
  Tree tree;
  const std::int32_t v = role.relative();
  if (v != 0) tree.set_parent(role.absolute(v & (v - 1)));
  const std::int64_t extent = v == 0 ? ceil_power_of_two(role.size) : (v & -v);
  for (std::int64_t bit = 1; bit < extent && v + bit < role.size; bit <<= 1) {
    tree.add_child(role.absolute(static_cast<std::int32_t>(v + bit)));
  }
  return tree;
}

Tree binomial_tree_high(const Role& role) {
  Tree tree;
  const std::int32_t v = role.relative();
  const std::int64_t above = ceil_power_of_two(v + 1);  // the first power of two that exceeds v
  if (v != 0) tree.set_parent(role.absolute(static_cast<std::int32_t>(v - (above >> 1))));
  for (std::int64_t bit = above; v + bit < role.size; bit <<= 1) {
    tree.add_child(role.absolute(static_cast<std::int32_t>(v + bit)));
  }
  return tree;
}

Tree binary_tree(const Role& role) {
  Tree tree;
  const std::int64_t v = role.relative();
  std::int64_t width = 1;  // of v's level, which begins at width - 1
  while (v >= 2 * width - 1) width *= 2;
  if (v != 0) {
    const std::int64_t above = width / 2;
    tree.set_parent(role.absolute(static_cast<std::int32_t>(above - 1 + (v - (above - 1)) % above)));
  }
  for (std::int64_t child : {v + width, v + 2 * width}) {
    if (child < role.size) tree.add_child(role.absolute(static_cast<std::int32_t>(child)));
  }
  return tree;
}

Tree knomial_tree(const Role& role, std::int32_t radix) {
  Tree tree;
  const std::int64_t v = role.relative();
  std::int64_t digit = 1;  // weight of v's lowest non-zero digit; for the root the first beyond the size
  while (digit < role.size && v % (digit * radix) == 0) digit *= radix;
  if (v != 0) tree.set_parent(role.absolute(static_cast<std::int32_t>(v - v % (digit * radix))));
  for (digit /= radix; digit > 0; digit /= radix) {
    for (std::int64_t k = 1; k < radix && v + k * digit < role.size; ++k) {
      tree.add_child(role.absolute(static_cast<std::int32_t>(v + k * digit)));
    }
  }
  return tree;
}

Tree chain_tree(const Role& role, std::int32_t fanout) {
  Tree tree;
  const std::int32_t others = role.size - 1;
  if (others == 0) return tree;
  const std::int32_t chains = std::min(std::clamp(fanout, 1, kMaxChainFanout), others);
  const std::int32_t length = others / chains, longer = others % chains;
  const auto head = [&](std::int32_t chain) { return 1 + chain * length + std::min(chain, longer); };
  const std::int32_t v = role.relative();
  if (v == 0) {
    for (std::int32_t c = 0; c < chains; ++c) tree.add_child(role.absolute(head(c)));
    return tree;
  }
  const std::int32_t in_longer = longer * (length + 1);  // ranks 1..in_longer are in the longer chains
  const std::int32_t chain = v <= in_longer ? (v - 1) / (length + 1) : longer + (v - 1 - in_longer) / length;
  tree.set_parent(v == head(chain) ? role.root : role.absolute(v - 1));
  if (v + 1 < role.size && v + 1 != head(chain + 1)) tree.add_child(role.absolute(v + 1));
  return tree;
}

Tree in_order_binary_tree(std::int32_t rank, std::int32_t size) {
  Tree tree;
  std::int32_t first = 0, count = size;  // the subtree that holds `rank`; its root is its last rank
  while (true) {
    const std::int32_t root = first + count - 1;
    const std::int32_t right = count < 3 ? 0 : count / 2;  // ranks of the right subtree, which come first
    if (rank == root) {
      if (count >= 2) tree.add_child(root - 1);
      if (right > 0) tree.add_child(first + right - 1);
      return tree;
    }
    tree.set_parent(root);
    if (rank < first + right) {
      count = right;
    } else {
      first += right;
      count -= right + 1;
    }
  }
}

}  // namespace vef::tracelib::coll
