// SPDX-License-Identifier: Apache-2.0
#include "cycle.h"

#include <algorithm>
#include <utility>

namespace vef::replayer {

std::vector<std::uint32_t> find_cycle(const std::vector<std::vector<std::uint32_t>>& edges) {
  enum class State : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<State> state(edges.size(), State::kNew);
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // vertex, edges followed
  for (std::uint32_t root = 0; root < edges.size(); ++root) {
    if (state[root] != State::kNew) continue;
    state[root] = State::kOnPath;
    path.assign(1, {root, 0});
    while (!path.empty()) {
      auto& [at, followed] = path.back();
      if (followed == edges[at].size()) {
        state[at] = State::kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = edges[at][followed++];
      if (state[next] == State::kNew) {
        state[next] = State::kOnPath;
        path.emplace_back(next, 0);
      } else if (state[next] == State::kOnPath) {
        std::vector<std::uint32_t> cycle;
        auto step = std::find_if(path.begin(), path.end(), [next](const auto& s) { return s.first == next; });
        for (; step != path.end(); ++step) cycle.push_back(step->first);
        return cycle;
      }
    }
  }
  return {};
}

}  // namespace vef::replayer
