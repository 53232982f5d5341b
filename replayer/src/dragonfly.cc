// SPDX-License-Identifier: Apache-2.0
// Dragonfly (Kim, Dally, Scott and Abts 2008): groups of switches that are all linked to each other, every
// group linked to every other. Global link x of a group is at its switch x / h (h: global links of a switch);
// with g groups the links x, x + g-1, x + 2(g-1), ... go to the same group, which one is the wiring's
// (Hastings et al. 2015): link j (j < g-1) of group G goes to
//   absolute   group j, counted without G itself
//   relative   group G + j + 1
//   circulant  group G + 1, G - 1, G + 2, G - 2, ...
//
// Ports of a switch: its nodes, the other switches of its group, its global links.
//
// Routing, minimal: to the switch of the own group that has a link to the destination's (oneself, if so; else
// one of them by a hash of the own group and the destination), over it, and on to the destination.
//
// A tie of an even circulant: at the farthest distance g/2 both ends take their last link.
//
// Deadlock freedom with two classes of channels: the first until the global link is passed, the second in the
// destination's group. A way takes local, global (first class), local (second): in that order, each once.
#include <utility>

#include "switch_graph.h"

namespace vef::replayer {
namespace {

/// The other end of link j < groups - 1 of a group: group, and its j.
struct Far {
  std::uint32_t group, link;
};

Far far_end(GlobalWiring wiring, std::uint32_t groups, std::uint32_t group, std::uint32_t link) {
  if (wiring == GlobalWiring::kAbsolute) {
    const std::uint32_t other = link < group ? link : link + 1;
    return {other, group < other ? group : group - 1};
  }
  if (wiring == GlobalWiring::kRelative) return {(group + link + 1) % groups, groups - 2 - link};
  const std::uint32_t distance = link / 2 + 1;
  if (distance * 2 == groups) return {(group + distance) % groups, link};
  if (link % 2 == 0) return {(group + distance) % groups, link + 1};
  return {(group + groups - distance) % groups, link - 1};
}

class Dragonfly {
 public:
  explicit Dragonfly(const TopologyConfig& c)
      : groups_(c.groups), size_(c.switches_per_group), globals_(c.global_links), wiring_(c.wiring) {
    to_group_.resize(std::size_t{groups_} * groups_);
    for (std::uint32_t group = 0; group < groups_; ++group) {
      for (std::uint32_t link = 0; link + 1 < groups_; ++link)
        to_group_[group * groups_ + far_end(wiring_, groups_, group, link).group] = link;
    }
  }

  std::uint32_t links_per_pair() const { return groups_ > 1 ? size_ * globals_ / (groups_ - 1) : 0; }

  SwitchGraph graph() const {
    SwitchGraph graph(std::size_t{groups_} * size_);
    for (std::uint32_t group = 0; group < groups_; ++group) {
      for (std::uint32_t s = 0; s < size_; ++s) {
        const SwitchId id = group * size_ + s;
        graph.names[id] = "group " + std::to_string(group) + " switch " + std::to_string(s);
        for (std::uint32_t other = 0; other < size_; ++other) {
          if (other != s) graph.neighbours[id].push_back(group * size_ + other);
        }
        for (std::uint32_t i = 0; groups_ > 1 && i < globals_; ++i) {
          const std::uint32_t x = s * globals_ + i;
          const Far end = far_end(wiring_, groups_, group, x % (groups_ - 1));
          const std::uint32_t there = x / (groups_ - 1) * (groups_ - 1) + end.link;
          graph.neighbours[id].push_back(end.group * size_ + there / globals_);
        }
      }
    }
    return graph;
  }

  Step step(SwitchId at, SwitchId to) const {
    const std::uint32_t here = at / size_, there = to / size_;
    if (here == there) return {local(at % size_, to % size_), groups_ > 1 ? 1u : 0u};
    const std::uint32_t first = to_group_[here * groups_ + there];
    std::vector<std::uint32_t> own;
    for (std::uint32_t n = 0; n < links_per_pair(); ++n) {
      const std::uint32_t x = first + n * (groups_ - 1);
      if (x / globals_ == at % size_) own.push_back(x % globals_);
    }
    if (!own.empty()) return {size_ - 1 + own[pair_hash(here, to) % own.size()], 0};
    const auto n = static_cast<std::uint32_t>(pair_hash(here, to) % links_per_pair());
    return {local(at % size_, (first + n * (groups_ - 1)) / globals_), 0};
  }

 private:
  static std::uint32_t local(std::uint32_t at, std::uint32_t to) { return to < at ? to : to - 1; }

  std::uint32_t groups_, size_, globals_;
  GlobalWiring wiring_;
  std::vector<std::uint32_t> to_group_;  // [group * groups + other]: the first link there
};

}  // namespace

Status check_dragonfly(const TopologyConfig& c) {
  if (c.groups == 0 || c.switches_per_group == 0)
    return config_error(
        "[topology] has a 0 for groups or switches-per-group; expected numbers of at least 1");
  if (c.lanes != 1) return config_error("[topology] a dragonfly has no lanes; expected more global-links");
  if (c.groups == 1) return {};
  if (c.groups > 1 << 16) return config_error("[topology] has more than 65536 groups; expected fewer");
  const std::uint64_t links = bounded_product(c.switches_per_group, c.global_links);
  if (links == 0 || links % (c.groups - 1) != 0) {
    return config_error("[topology] switches-per-group x global-links is " + std::to_string(links) +
                        "; expected a multiple of groups - 1 = " + std::to_string(c.groups - 1));
  }
  return {};
}

RoutedGraph make_dragonfly(const TopologyConfig& config) {
  Dragonfly dragonfly(config);
  RoutedGraph routed{dragonfly.graph(), switch_graph_classes(config), {}};
  routed.step = [dragonfly = std::move(dragonfly)](SwitchId at, SwitchId to) {
    return dragonfly.step(at, to);
  };
  return routed;
}

}  // namespace vef::replayer
