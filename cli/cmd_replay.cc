// SPDX-License-Identifier: Apache-2.0
// vef replay: plays traces on a simulated network.
#include <fmt/format.h>
#include <cmath>

#include <memory>
#include <optional>

#include "command.h"
#include "jobs.h"
#include "neighbours.h"
#include "progress.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"
#include "vef/replayer/results.h"
#include "vef/tracelib/mapping.h"

namespace vef::cli {
namespace {

using replayer::ReplayResults;
using replayer::Simulation;
using TracePtr = std::shared_ptr<const formats::Trace>;

struct Options {
  std::vector<std::string> files;
  std::string network;
  std::string results;
  std::string mapping = "linear";
  std::uint64_t seed = 1;
  InputOptions reading;
  std::string expansion = "openmpi";
  double compute_scale = 1;
  bool messages = false;
  bool json = false;
  bool quiet = false;
};

/// Reads and validates a trace; faults are printed with their lines.
std::optional<TracePtr> load_trace(const std::string& file, const InputOptions& reading) {
  auto read = read_any_trace(file, reading);
  if (!read) {
    (void)report_error(read.error());
    return std::nullopt;
  }
  const auto faults = formats::validate(*read);
  for (const formats::TraceFault& fault : faults) {
    (void)report_error(input_error(file, fault.line, fault.message));
  }
  if (!faults.empty()) return std::nullopt;
  return std::make_shared<const formats::Trace>(std::move(*read));
}

replayer::RunDescription describe(const Options& options) {
  replayer::RunDescription run;
  run.emplace_back("traces", options.files);
  run.emplace_back("network_file", options.network);
  run.emplace_back("mapping", options.mapping);
  run.emplace_back("seed", options.seed);
  run.emplace_back("expansion", options.expansion);
  run.emplace_back("compute_scale", options.compute_scale);
  return run;
}

template <class... Values>
void row(const char* name, fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("  {:<18} {}\n", name, fmt::format(format, std::forward<Values>(values)...));
}

void print_text(const Options& options, const ReplayResults& r, const Simulation& simulation) {
  fmt::print("{} on {}, {} mapping\n", fmt::join(options.files, " "), simulation.config().name,
             options.mapping);
  row("execution time", "{}", format_time(r.execution_time));
  row("messages", "{}, {} ({} inside a node, {})", format_count(r.network.messages),
      format_bytes(r.network.message_bytes), format_count(r.network.local_messages),
      format_bytes(r.network.local_bytes));
  const auto& fct = r.fct_statistics;
  if (fct.count > 0) {
    row("FCT mean", "{}", format_time(static_cast<Picoseconds>(fct.mean)));
    row("    median", "{}", format_time(fct.median));
    row("    99 %", "{}", format_time(fct.p99));
    row("    max", "{}", format_time(fct.max));
  }
  row("packets", "{}, {}, {:.2f} links each", format_count(r.network.packets),
      format_bytes(r.network.wire_bytes), r.mean_hops);
  row("links busy", "{:.3g} % on average, at most {:.3g} % ({})", 100 * r.mean_utilisation,
      100 * r.max_utilisation,
      r.busiest == replayer::kNoPort ? "none" : simulation.topology().port_name(r.busiest));
  if (!options.results.empty()) row("written to", "{}", options.results);
}

int run_replay(const Options& options) {
  if (std::isnan(options.compute_scale)) {  // passes every range
    return report_error(usage_error("--compute-scale nan; expected a number from 0 to 1000"));
  }
  const auto expansion = tracelib::parse_expansion(options.expansion);
  if (!expansion) return report_error(expansion.error());
  if (options.messages && options.results.empty()) {
    return report_error(usage_error("--messages writes RESULTS/messages.csv; expected -o RESULTS"));
  }
  const auto config = replayer::read_network_config(options.network);
  if (!config) return report_error(config.error());
  auto simulation = Simulation::create(*config);
  if (!simulation) return report_error(simulation.error());

  const auto mapping = tracelib::parse_mapping(options.mapping);
  if (!mapping) return report_error(mapping.error());
  std::vector<Job> jobs;
  std::vector<TracePtr> traces;
  std::uint64_t records = 0;
  for (const std::string& file : options.files) {
    auto job = parse_job(file);
    if (!job) return report_error(job.error());
    jobs.push_back(std::move(*job));
  }
  for (const Job& job : jobs) {
    auto trace = load_trace(job.file, options.reading);
    if (!trace) return kFailed;
    records += (*trace)->records.size();
    traces.push_back(std::move(*trace));
  }
  auto played = place_jobs(jobs, traces,
                           {*mapping, options.seed, options.compute_scale,
                            static_cast<std::int32_t>(simulation->topology().nodes), options.network});
  if (!played) return report_error(played.error());

  std::optional<replayer::ResultsDirectory> directory;
  replayer::OnMessage on_message;
  if (!options.results.empty()) {
    auto opened = replayer::ResultsDirectory::open(options.results, options.messages);
    if (!opened) return report_error(opened.error());
    directory.emplace(std::move(*opened));
    if (options.messages) {
      on_message = [&](const tracelib::Message& m, Picoseconds time) { directory->add_message(m, time); };
    }
  }

  tracelib::Player player(std::move(*played), {*expansion});
  const auto results = [&] {
    Progress progress("replaying", !options.quiet);
    return replayer::run_replay(player, *simulation, options.files, on_message,
                                [&](std::uint64_t fired) { progress.update(fired, records); });
  }();
  if (!results) return report_error(results.error());
  if (directory) {
    if (Status status = directory->finish(*results, *simulation, describe(options)); !status) {
      return report_error(status.error());
    }
  }
  if (options.json) {
    fmt::print("{}", replayer::summary_json(*results, *simulation, describe(options)));
  } else {
    print_text(options, *results, *simulation);
  }
  return kDone;
}

}  // namespace

Command add_replay(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("replay", "Play traces on a simulated network, packet by packet");
  app->add_option(
         "FILE", options->files,
         "traces; several run side by side on nodes of their own. FILE@start=2ms,scale=0.5,nodes=0-63,"
         "mapping=block:4 says how one of them runs: when it starts, what its computing is "
         "multiplied by, which nodes it may use, and how")
      ->required();
  app->add_option("--network", options->network, "network file (TOML)")->required();
  app->add_option("-o,--output", options->results, "directory for summary.json, fct_cdf.csv, links.csv");
  app->add_option(
         "--mapping", options->mapping,
         "tasks to nodes: linear, round-robin, block:K (K tasks a node), interleaved:K (every K-th node "
         "first), random, file:PATH (lines: task node), hosts (as recorded)")
      ->capture_default_str();
  app->add_option("--seed", options->seed, "of the random mapping")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_input_options(*app, options->reading);
  app->add_option("--expansion", options->expansion,
                  "how collectives become messages: n (stars), log-n (trees), or as "
                  "the library does: openmpi, mpich")
      ->capture_default_str();
  app->add_option("--compute-scale", options->compute_scale, "multiplies the time between communications")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  app->add_flag("--messages", options->messages, "also write messages.csv, one line per message");
  app->add_flag("--json", options->json, "print the summary as JSON");
  app->add_flag("--quiet", options->quiet, "no progress bar");
  app->footer(
      "FCT, the flow completion time of a message: from its generation to the arrival of its last bit.\n"
      "Examples:\n"
      "  vef replay app.vef.zst --network networks/fat-tree-256-conf1.toml -o results/\n"
      "  vef replay app.vef --network net.toml --mapping random --seed 7 --json\n"
      "  vef replay big.vef@nodes=0-199 small.vef@nodes=200-255,start=1ms --network net.toml\n"
      "  vef replay a.vef b.vef --network net.toml --compute-scale 0 -o back-to-back/ --messages");
  return {app, [options] { return run_replay(*options); }};
}

}  // namespace vef::cli
