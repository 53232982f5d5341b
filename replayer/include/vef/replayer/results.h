// SPDX-License-Identifier: Apache-2.0
// A replay and what it yields: execution time, flow completion times, link utilisation; and the directory of
// files in which they are kept.
//
// The flow completion time (FCT) of a message runs from its generation to the arrival of its last bit.
// Statistics are exact: every FCT is kept (8 bytes per message), percentiles are by nearest rank. Messages
// between tasks of one node never enter the network; they are counted apart and have no part in FCT.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "vef/base/result.h"
#include "vef/base/units.h"
#include "vef/replayer/simulation.h"
#include "vef/tracelib/player.h"

namespace vef::replayer {

struct FctStatistics {
  std::uint64_t count = 0;
  double mean = 0;  // ps
  Picoseconds median = 0;
  Picoseconds p99 = 0;
  Picoseconds max = 0;
};

/// The smallest value that at least `share` (0..1) of the ascending values do not exceed; 0 for none.
Picoseconds nearest_rank(std::span<const Picoseconds> ascending, double share);

/// Sorts `fct` and summarises it.
FctStatistics summarise_fct(std::vector<Picoseconds>& fct);

struct ReplayResults {
  Picoseconds execution_time = 0;
  SimulationCounts network;
  tracelib::PlayerCounts trace;
  std::vector<Picoseconds> fct;  // ascending; messages through the network
  FctStatistics fct_statistics;
  double mean_hops = 0;  // links crossed by a packet
  // Share of the execution time for which a link was busy; each direction counts as a link.
  double mean_utilisation = 0;
  double max_utilisation = 0;
  PortId busiest = kNoPort;
};

/// Sees every message as it arrives.
using OnMessage = std::function<void(const tracelib::Message& message, Picoseconds arrived)>;
/// Now and then: records fired so far.
using OnProgress = std::function<void(std::uint64_t records)>;

/// Plays the traces of `player` on the network to their end. An error says who waits for what: `trace_names`
/// are the files, for its text.
Result<ReplayResults> run_replay(tracelib::Player& player, Simulation& simulation,
                                 const std::vector<std::string>& trace_names,
                                 const OnMessage& on_message = {}, const OnProgress& on_progress = {});

/// What a result file says of how it came about: name and value, in order.
using RunValue = std::variant<std::string, std::uint64_t, double, std::vector<std::string>>;
using RunDescription = std::vector<std::pair<std::string, RunValue>>;

/// The text of summary.json: times in ps, sizes in bytes. Depends on its arguments alone.
std::string summary_json(const ReplayResults& results, const Simulation& simulation,
                         const RunDescription& run);

/// The directory of one replay's results:
///   summary.json   everything in numbers
///   fct_cdf.csv    share of messages, FCT in ns: at most 1001 points, nearest rank
///   links.csv      one line per direction of each link
///   messages.csv   only if asked for: one line per message, in the order of arrival
/// A directory that exists is kept; of what is in it, only files of these names are replaced.
class ResultsDirectory {
 public:
  /// Makes the directory if need be and begins messages.csv if `with_messages`.
  static Result<ResultsDirectory> open(const std::string& path, bool with_messages);
  ~ResultsDirectory();
  ResultsDirectory(ResultsDirectory&&) noexcept;
  ResultsDirectory& operator=(ResultsDirectory&&) noexcept;

  void add_message(const tracelib::Message& message, Picoseconds arrived);
  /// Writes all files; says which one failed.
  Status finish(const ReplayResults& results, const Simulation& simulation, const RunDescription& run);

 private:
  class Impl;
  explicit ResultsDirectory(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vef::replayer
