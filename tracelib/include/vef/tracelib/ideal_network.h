// SPDX-License-Identifier: Apache-2.0
// The ideal network: a bus of infinite bandwidth and no latency. Executing a trace on it proves that every
// message is generated and received and that no dependency is broken, and gives the time that computing alone
// takes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "vef/tracelib/player.h"

namespace vef::tracelib {

struct OperationTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct IdealRun {
  bool finished = false;  // every record fired, every message was received exactly once
  Picoseconds time = 0;
  PlayerCounts counts;
  OperationTraffic point_to_point;
  std::array<OperationTraffic, formats::kCollectiveOps> collectives;  // the messages they expand into
  std::vector<Waiting> stuck;                                         // who waits for what, if not finished
};

/// Runs `player` to its end or until it is stuck. `on_message`, if set, sees every message as it is handed
/// out, at Message::time; `on_progress`, if set, is called now and then with the number of records fired.
IdealRun run_on_ideal_network(Player& player, const std::function<void(const Message&)>& on_message = {},
                              const std::function<void(std::uint64_t)>& on_progress = {});

}  // namespace vef::tracelib
