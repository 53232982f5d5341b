// SPDX-License-Identifier: Apache-2.0
// The host loop between the trace player and the network.
#include <algorithm>
#include <cmath>

#include "vef/replayer/results.h"

namespace vef::replayer {
namespace {

// Beyond half of what 63 bits hold (53 days) sums of times are no longer safe.
constexpr Picoseconds kLongestRun = kNever / 2;
constexpr std::size_t kProgressInterval = 4096;

std::string trace_name(const std::vector<std::string>& names, std::int32_t trace) {
  const auto index = static_cast<std::size_t>(trace);
  return index < names.size() ? names[index] : "trace " + std::to_string(trace);
}

Error explain_stop(const tracelib::Player& player, const Simulation& simulation,
                   const std::vector<std::string>& names) {
  if (simulation.messages_under_way() > 0) {
    return {ErrorKind::kInput, simulation.config().name + ": " +
                                   std::to_string(simulation.messages_under_way()) +
                                   " messages cannot arrive; " + simulation.describe_deadlock()};
  }
  const std::vector<tracelib::Waiting> stuck = player.stuck(1);
  if (stuck.empty()) return {ErrorKind::kInput, trace_name(names, 0) + ": nothing can go on"};
  return input_error(trace_name(names, stuck[0].trace), stuck[0].line, stuck[0].what);
}

void add_link_figures(const Simulation& simulation, ReplayResults& results) {
  const Topology& topology = simulation.topology();
  const double time = static_cast<double>(results.execution_time);
  std::uint64_t links = 0;
  for (PortId port = 0; port < topology.ports(); ++port) {
    if (topology.peer[port] == kNoPort) continue;
    ++links;
    const double busy = static_cast<double>(simulation.link_counts(port).busy);
    const double utilisation = time > 0 ? busy / time : 0;
    results.mean_utilisation += utilisation;
    if (results.busiest != kNoPort && utilisation <= results.max_utilisation) continue;
    results.max_utilisation = utilisation;
    results.busiest = port;
  }
  if (links > 0) results.mean_utilisation /= static_cast<double>(links);
}

/// Messages under way by the player's id, which is a small index.
class UnderWay {
 public:
  void add(const tracelib::Message& message) {
    if (message.id >= messages_.size()) messages_.resize(message.id + 1);
    messages_[message.id] = message;
  }
  const tracelib::Message& operator[](std::uint64_t id) const { return messages_[id]; }

 private:
  std::vector<tracelib::Message> messages_;
};

}  // namespace

Picoseconds nearest_rank(std::span<const Picoseconds> ascending, double share) {
  if (ascending.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(ascending.size()));
  const auto index = static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(ascending.size())));
  return ascending[index - 1];
}

FctStatistics summarise_fct(std::vector<Picoseconds>& fct) {
  std::sort(fct.begin(), fct.end());
  FctStatistics statistics;
  statistics.count = fct.size();
  if (fct.empty()) return statistics;
  double sum = 0;
  for (const Picoseconds value : fct) sum += static_cast<double>(value);
  statistics.mean = sum / static_cast<double>(fct.size());
  statistics.median = nearest_rank(fct, 0.5);
  statistics.p99 = nearest_rank(fct, 0.99);
  statistics.max = fct.back();
  return statistics;
}

Result<ReplayResults> run_replay(tracelib::Player& player, Simulation& simulation,
                                 const std::vector<std::string>& trace_names, const OnMessage& on_message,
                                 const OnProgress& on_progress) {
  ReplayResults results;
  UnderWay under_way;
  std::vector<Delivery> deliveries;
  std::size_t rounds = 0;
  Picoseconds now = 0;
  for (;;) {
    while (const auto message = player.next(now)) {
      if (serialisation_time(message->bytes, simulation.config().link.bandwidth) > kLongestRun) {
        return Error{ErrorKind::kInput, trace_name(trace_names, message->trace) + ": a message of " +
                                            format_bytes(message->bytes) + " from task " +
                                            std::to_string(message->src_task) + " to task " +
                                            std::to_string(message->dst_task) +
                                            " needs more than 53 days of link time"};
      }
      simulation.inject({message->id, static_cast<NodeIndex>(message->src_node),
                         static_cast<NodeIndex>(message->dst_node), message->bytes},
                        now);
      under_way.add(*message);
    }
    if (player.done()) break;
    now = simulation.run_until(player.next_time(), deliveries);
    if (now == kNever) return explain_stop(player, simulation, trace_names);
    if (now > kLongestRun) {
      return Error{ErrorKind::kInput, trace_name(trace_names, 0) +
                                          ": simulated time has passed 53 days; expected a shorter run"};
    }
    for (const Delivery& delivery : deliveries) {
      const tracelib::Message& message = under_way[delivery.id];
      if (!delivery.local) results.fct.push_back(delivery.time - message.time);
      if (on_message) on_message(message, delivery.time);
      player.delivered(delivery.id, delivery.time);
    }
    deliveries.clear();
    if (on_progress && ++rounds % kProgressInterval == 0) on_progress(player.counts().records);
  }
  results.execution_time = player.last_time();
  (void)simulation.run_until(kNever, deliveries);  // the last credits and pauses
  results.network = simulation.counts();
  results.trace = player.counts();
  results.fct_statistics = summarise_fct(results.fct);
  if (results.network.packets > 0) {
    results.mean_hops =
        static_cast<double>(results.network.hops) / static_cast<double>(results.network.packets);
  }
  add_link_figures(simulation, results);
  return results;
}

}  // namespace vef::replayer
