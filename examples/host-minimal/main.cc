// SPDX-License-Identifier: Apache-2.0
// The smallest host of the trace library: runs a trace on a network where every message takes one
// microsecond, whatever its size and whatever else is under way. host_minimal TRACE
#include <algorithm>
#include <cstdio>
#include <memory>
#include <queue>
#include <utility>

#include "vef/formats/validate.h"
#include "vef/tracelib/player.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto trace = vef::formats::read_trace(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  if (!vef::formats::validate(*trace).empty()) return 1;
  vef::tracelib::Player player({{std::make_shared<const vef::formats::Trace>(std::move(*trace)), {}, 1.0, 0}},
                               {});

  constexpr vef::Picoseconds kLatency = 1'000'000;
  std::queue<std::pair<vef::Picoseconds, std::uint64_t>> wire;  // when a message arrives, and its id
  vef::Picoseconds now = 0;
  while (!player.done()) {
    while (auto message = player.next(now)) wire.emplace(now + kLatency, message->id);
    now = std::min(player.next_time(), wire.empty() ? vef::kNever : wire.front().first);
    if (now == vef::kNever) break;  // nothing is under way and nothing will be due
    for (; !wire.empty() && wire.front().first == now; wire.pop()) player.delivered(wire.front().second, now);
  }

  for (const vef::tracelib::Waiting& waiting : player.stuck())
    std::fprintf(stderr, "%s\n", waiting.what.c_str());
  if (!player.done()) return 1;
  std::printf("%llu messages, %lld ps\n", static_cast<unsigned long long>(player.counts().delivered),
              static_cast<long long>(player.last_time()));
}
