// SPDX-License-Identifier: Apache-2.0
// Jellyfish (Singla et al. 2012): a random regular graph. Ends of links are drawn in pairs; where none fits
// any more, a link that is there gives way, as the paper has it. The same seed gives the same network
// everywhere: the generator and all that is made of it are fixed by the C++ standard.
#include <algorithm>
#include <random>
#include <utility>

#include "switch_graph.h"

namespace vef::replayer {
namespace {

class Drawing {
 public:
  explicit Drawing(const TopologyConfig& c) : degree_(c.network_ports), random_(c.seed), graph_(c.switches) {}

  /// False: the last ends could not be joined; another try draws on.
  bool draw() {
    for (auto& links : graph_.neighbours) links.clear();
    for (int in_vain = 0; in_vain < 1000;) {
      const std::vector<SwitchId> open = open_switches();
      if (open.empty()) return connected();
      const SwitchId a = pick(open), b = pick(open);
      if (a != b && !linked(a, b)) {
        join(a, b);
        in_vain = 0;
      } else if (++in_vain % 50 == 0) {
        give_way(a, b);
      }
    }
    return false;
  }

  SwitchGraph take() {
    for (SwitchId s = 0; s < graph_.size(); ++s) {
      std::sort(graph_.neighbours[s].begin(), graph_.neighbours[s].end());
      graph_.names[s] = "switch " + std::to_string(s);
    }
    return std::move(graph_);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  SwitchId pick(const std::vector<SwitchId>& from) { return from[below(from.size())]; }
  bool linked(SwitchId a, SwitchId b) const {
    const auto& links = graph_.neighbours[a];
    return std::find(links.begin(), links.end(), b) != links.end();
  }
  void join(SwitchId a, SwitchId b) {
    graph_.neighbours[a].push_back(b);
    graph_.neighbours[b].push_back(a);
  }
  void part(SwitchId a, SwitchId b) {
    auto& from_a = graph_.neighbours[a];
    auto& from_b = graph_.neighbours[b];
    from_a.erase(std::find(from_a.begin(), from_a.end(), b));
    from_b.erase(std::find(from_b.begin(), from_b.end(), a));
  }
  std::vector<SwitchId> open_switches() const {
    std::vector<SwitchId> open;
    for (SwitchId s = 0; s < graph_.size(); ++s) {
      if (graph_.neighbours[s].size() < degree_) open.push_back(s);
    }
    return open;
  }
  /// A link c - d elsewhere becomes a - c and d - b.
  void give_way(SwitchId a, SwitchId b) {
    const auto c = static_cast<SwitchId>(below(graph_.size()));
    if (graph_.neighbours[c].empty()) return;
    const SwitchId d = pick(graph_.neighbours[c]);
    // One switch with one open end needs two, which it has if it is both a and b.
    if (a == b && graph_.neighbours[a].size() + 2 > degree_) return;
    if (c == a || c == b || d == a || d == b || linked(a, c) || linked(b, d)) return;
    part(c, d);
    join(a, c);
    join(b, d);
  }
  bool connected() const {
    const std::vector<std::uint16_t> all = distances(graph_);
    return std::find(all.begin(), all.end(), kFar) == all.end();
  }

  std::size_t degree_;
  std::mt19937_64 random_;
  SwitchGraph graph_;
};

}  // namespace

Status check_jellyfish(const TopologyConfig& c) {
  const std::uint64_t ends = std::uint64_t{c.switches} * c.network_ports;
  // With two ports each the graph would hardly ever be connected.
  if (c.switches < 4 || c.switches > 4096 || c.network_ports < 3 || c.network_ports >= c.switches ||
      ends % 2 != 0) {
    return config_error(
        "[topology] has " + std::to_string(c.switches) + " switches with " + std::to_string(c.network_ports) +
        " network-ports; expected 4 to 4096 switches, at least 3 ports, fewer than switches, and an "
        "even product of the two");
  }
  return {};
}

RoutedGraph make_jellyfish(const TopologyConfig& config) {
  Drawing drawing(config);
  while (!drawing.draw()) continue;
  return route_minimally(drawing.take());
}

}  // namespace vef::replayer
