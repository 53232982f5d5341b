// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/ideal_network.h"

namespace vef::tracelib {

IdealRun run_on_ideal_network(Player& player, const std::function<void(const Message&)>& on_message,
                              const std::function<void(std::uint64_t)>& on_progress) {
  IdealRun run;
  constexpr std::uint64_t kProgressEvery = 1 << 16;
  std::uint64_t messages = 0;
  Picoseconds now = 0;
  while (!player.done() && now != kNever) {
    while (std::optional<Message> message = player.next(now)) {
      OperationTraffic& traffic =
          message->op < 0 ? run.point_to_point : run.collectives[static_cast<std::size_t>(message->op)];
      ++traffic.messages;
      saturating_add_to(traffic.bytes, message->bytes);
      if (on_message) on_message(*message);
      player.delivered(message->id, now);
      if (on_progress && ++messages % kProgressEvery == 0) on_progress(player.counts().records);
    }
    now = player.next_time();
  }
  run.finished = player.done();
  run.time = player.last_time();
  run.counts = player.counts();
  if (!run.finished) run.stuck = player.stuck();
  return run;
}

}  // namespace vef::tracelib
