// SPDX-License-Identifier: Apache-2.0
// Fat trees as extended generalised fat trees XGFT(h; m1..mh; 1, w2..wh) (Oehring et al. 1995): a switch of
// level l has m_l children and w_(l+1) parents; m = `down`, w2.. = `up`. k-ary n-trees and two-level
// leaf-spine networks are special cases.
//
// A switch of level l is the pair (a, b): a says which of the m_(l+1)..m_h subtrees of that level it serves,
// b which of its W_l = w_1..w_l twins it is. Its parents are (a / m_(l+1), b + W_l u), u = 0..w_(l+1)-1,
// reached through up port u.
//
// D-mod-K (Zahavi 2012): up port u = floor(d / W_l) mod w_(l+1) towards destination d; down by the digits of
// d. All packets to d that leave a subtree meet in one path down, and on a full-bisection tree every shift
// permutation is free of contention.
//
// Deadlock freedom with one virtual channel: a route goes up zero or more links and then down only. Order the
// channels by (up before down, up by rising level, down by falling level): every packet asks for channels in
// rising order, so no cycle of waiting can close.
#include <algorithm>
#include <string>

#include "topologies.h"

namespace vef::replayer {
namespace {

struct Shape {
  explicit Shape(const TopologyConfig& config)
      : down(config.down),
        up(config.up),
        height(config.down.size()),
        children(height + 1, 1),
        twins(height + 1, 1) {
    for (std::size_t l = 1; l <= height; ++l) {
      children[l] = bounded_product(children[l - 1], down[l - 1]);
      twins[l] = l == 1 ? 1 : bounded_product(twins[l - 1], up[l - 2]);
    }
    nodes = children[height];
  }
  std::uint64_t subtrees(std::size_t level) const { return nodes / children[level]; }
  std::uint64_t switches(std::size_t level) const { return bounded_product(subtrees(level), twins[level]); }
  std::uint32_t parents(std::size_t level) const { return level < height ? up[level - 1] : 0; }

  const std::vector<std::uint32_t>& down;
  const std::vector<std::uint32_t>& up;
  std::size_t height;
  std::vector<std::uint64_t> children;  // nodes below a switch of level l; [0] = 1
  std::vector<std::uint64_t> twins;     // W_l
  std::uint64_t nodes = 0;
};

std::string level_name(std::size_t level, std::size_t height, std::uint64_t number) {
  if (level == 1) return "leaf " + std::to_string(number);
  if (height == 2) return "spine " + std::to_string(number);
  return "level-" + std::to_string(level) + " switch " + std::to_string(number);
}

std::uint32_t route_port(const Shape& shape, std::size_t level, std::uint64_t subtree,
                         std::uint64_t destination) {
  if (destination / shape.children[level] == subtree) {
    return static_cast<std::uint32_t>(destination / shape.children[level - 1] % shape.down[level - 1]);
  }
  return shape.down[level - 1] +
         static_cast<std::uint32_t>(destination / shape.twins[level] % shape.parents(level));
}

}  // namespace

Result<TopologySizes> fat_tree_sizes(const TopologyConfig& config) {
  if (config.down.empty() || config.down.size() > 8 || config.up.size() + 1 != config.down.size()) {
    return config_error("[topology] has " + std::to_string(config.down.size()) + " numbers in 'down' and " +
                        std::to_string(config.up.size()) +
                        " in 'up'; expected 1 to 8 levels in 'down' and one number less in 'up'");
  }
  const auto zero = [](std::uint32_t n) { return n == 0; };
  if (std::any_of(config.down.begin(), config.down.end(), zero) ||
      std::any_of(config.up.begin(), config.up.end(), zero)) {
    return config_error("[topology] 'down' or 'up' holds a 0; expected numbers of at least 1");
  }
  const Shape shape(config);
  TopologySizes sizes{shape.nodes, 0, 0};
  for (std::size_t l = 1; l <= shape.height; ++l) {
    sizes.switches += shape.switches(l);
    sizes.radix = std::max<std::uint64_t>(sizes.radix, std::uint64_t{config.down[l - 1]} + shape.parents(l));
  }
  return sizes;
}

Topology make_fat_tree(const TopologyConfig& config) {
  const Shape shape(config);
  TopologyBuilder builder(static_cast<std::uint32_t>(shape.nodes));
  std::vector<SwitchId> first(shape.height + 1, 0);  // first switch of each level
  for (std::size_t level = 1; level <= shape.height; ++level) {
    for (std::uint64_t i = 0; i < shape.switches(level); ++i) {
      const SwitchId s = builder.add_switch(shape.down[level - 1] + shape.parents(level),
                                            level_name(level, shape.height, i));
      if (i == 0) first[level] = s;
      const std::uint64_t subtree = i / shape.twins[level];
      for (NodeIndex d = 0; d < shape.nodes; ++d)
        builder.set_route(s, d, route_port(shape, level, subtree, d));
    }
  }
  for (NodeIndex d = 0; d < shape.nodes; ++d) {
    builder.connect_node(d, first[1] + d / shape.down[0], d % shape.down[0]);
  }
  for (std::size_t level = 1; level < shape.height; ++level) {
    for (std::uint64_t i = 0; i < shape.switches(level); ++i) {
      const std::uint64_t a = i / shape.twins[level];
      const std::uint64_t b = i % shape.twins[level];
      for (std::uint32_t u = 0; u < shape.parents(level); ++u) {
        const std::uint64_t parent =
            a / shape.down[level] * shape.twins[level + 1] + b + shape.twins[level] * u;
        builder.connect(first[level] + static_cast<SwitchId>(i), shape.down[level - 1] + u,
                        first[level + 1] + static_cast<SwitchId>(parent),
                        static_cast<std::uint32_t>(a % shape.down[level]));
      }
    }
  }
  return builder.build();
}

void set_bisection(const TopologyConfig& config, TopologySummary& summary) {
  if (config.kind == TopologyKind::kFatTree) {
    // Half the links of the thinnest level, if the subtrees of the top can be shared out evenly.
    const Shape shape(config);
    if (shape.height < 2 || config.down.back() % 2 != 0) return;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::size_t l = 1; l < shape.height; ++l) {
      fewest = std::min(fewest, shape.switches(l) * shape.parents(l));
    }
    summary.bisection_links = fewest / 2;
  } else if (config.kind == TopologyKind::kMegafly && config.groups > 1) {
    const std::uint64_t per_pair = std::uint64_t{config.spines} * config.global_links / (config.groups - 1);
    const std::uint64_t half = config.groups / 2;
    summary.bisection_links = half * (config.groups - half) * per_pair;
    summary.bisection_note =
        "between " + std::to_string(half) + " and " + std::to_string(config.groups - half) + " whole groups";
  } else if (config.kind == TopologyKind::kTorus || config.kind == TopologyKind::kMesh) {
    // Across the longest dimension, where it has halves; in a ring of more than two switches there are two
    // cuts.
    const std::uint32_t longest = *std::max_element(config.dimensions.begin(), config.dimensions.end());
    if (longest % 2 != 0) return;
    const std::uint64_t cuts = config.kind == TopologyKind::kTorus && longest > 2 ? 2 : 1;
    summary.bisection_links = summary.switches / longest * cuts * config.lanes;
  }
}

}  // namespace vef::replayer
