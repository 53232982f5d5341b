// SPDX-License-Identifier: Apache-2.0
// vef check: executes a trace on the ideal network.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.h"
#include "neighbours.h"
#include "output.h"
#include "progress.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"
#include "vef/tracelib/ideal_network.h"

namespace vef::cli {
namespace {

using tracelib::IdealRun;
using tracelib::OperationTraffic;

struct Options {
  std::string file;
  InputOptions reading;
  std::string expansion = "n";
  bool json = false;
  bool quiet = false;
};

nlohmann::ordered_json traffic_json(const OperationTraffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}};
}

OperationCounter count_operations(const formats::Trace& trace) {
  OperationCounter counter(trace.communicators);
  for (const formats::Record& record : trace.records) {
    if (record.kind == formats::RecordKind::kCollective) counter.add(record);
  }
  return counter;
}

/// Smallest, mean and largest; and the sum, of which something is a share.
struct Spread {
  Picoseconds least = kNever;
  Picoseconds most = 0;
  double sum = 0;
  std::size_t count = 0;

  void add(Picoseconds time) {
    least = std::min(least, time);
    most = std::max(most, time);
    sum += static_cast<double>(time);
    ++count;
  }
  Picoseconds mean() const { return static_cast<Picoseconds>(sum / static_cast<double>(count)); }
};

void print_times(const std::vector<tracelib::TaskTimes>& times) {
  if (times.empty()) return;
  Spread computing, waiting, end;
  for (const tracelib::TaskTimes& task : times) {
    computing.add(task.computing);
    waiting.add(task.waiting);
    end.add(task.end);
  }
  const auto row = [&](const char* name, const Spread& spread) {
    fmt::print("    {:<26} {:>12} {:>12} {:>12}   {:5.1f} %\n", name, format_time(spread.least),
               format_time(spread.mean()), format_time(spread.most),
               end.sum > 0 ? 100 * spread.sum / end.sum : 0.0);
  };
  fmt::print("    {:<26} {:>12} {:>12} {:>12}\n", "of a task", "at least", "mean", "at most");
  row("computing", computing);
  row("waiting for others", waiting);
}

void print_json(const Options& options, const formats::Trace& trace, const IdealRun& run,
                const std::vector<tracelib::TaskTimes>& times) {
  nlohmann::ordered_json out;
  out["file"] = options.file;
  out["passed"] = run.finished;
  out["tasks"] = trace.header.tasks;
  out["communicators"] = trace.communicators.size();
  out["records"] = trace.records.size();
  out["records_fired"] = run.counts.records;
  out["collective_operations"] = trace.header.collectives;
  out["expansion"] = options.expansion;
  out["messages_generated"] = run.counts.messages + run.counts.collective_messages;
  out["messages_received"] = run.counts.delivered;
  out["ideal_time_ps"] = run.time;
  out["point_to_point"] = traffic_json(run.point_to_point);
  const OperationCounter counter = count_operations(trace);
  for (std::size_t op = 0; op < run.collectives.size(); ++op) {
    nlohmann::ordered_json entry = {{"operations", counter.operations(op)}};
    entry.update(traffic_json(run.collectives[op]));
    out["collectives"][std::string(formats::collective_name(static_cast<formats::CollectiveOp>(op)))] = entry;
  }
  out["task_times"] = nlohmann::ordered_json::array();
  for (const tracelib::TaskTimes& task : times) {
    out["task_times"].push_back(
        {{"computing_ps", task.computing}, {"waiting_ps", task.waiting}, {"end_ps", task.end}});
  }
  fmt::print("{}\n", json_text(out));
}

void print_row(std::string_view name, std::uint64_t calls, std::uint64_t messages, std::uint64_t bytes) {
  fmt::print("  {:<16} {:>14} {:>14} {:>18}\n", name, format_count(calls), format_count(messages),
             format_count(bytes));
}

void print_text(const Options& options, const formats::Trace& trace, const IdealRun& run,
                const std::vector<tracelib::TaskTimes>& times) {
  fmt::print("{}: {} tasks, {} communicators, {} records, {} collective operations\n", options.file,
             trace.header.tasks, trace.communicators.size(), format_count(trace.records.size()),
             format_count(trace.header.collectives));
  fmt::print("  {:<16} {:>14} {:>14} {:>18}   (collectives expanded: {})\n", "", "operations", "messages",
             "bytes", options.expansion);
  print_row("point-to-point", run.point_to_point.messages, run.point_to_point.messages,
            run.point_to_point.bytes);
  const OperationCounter counter = count_operations(trace);
  for (std::size_t op = 0; op < run.collectives.size(); ++op) {
    if (counter.operations(op) == 0) continue;
    print_row(formats::collective_name(static_cast<formats::CollectiveOp>(op)), counter.operations(op),
              run.collectives[op].messages, run.collectives[op].bytes);
  }
  print_row("all", run.point_to_point.messages + trace.header.collectives,
            run.counts.messages + run.counts.collective_messages,
            run.counts.message_bytes + run.counts.collective_bytes);
  fmt::print("  time on an ideal network: {} (the critical path)\n", format_time(run.time));
  print_times(times);
  if (run.finished) {
    fmt::print("passed: every record fired, every message was generated and received once\n");
  } else {
    fmt::print("FAILED: {} of {} records fired, {} of {} messages received\n",
               format_count(run.counts.records), format_count(trace.records.size()),
               format_count(run.counts.delivered),
               format_count(run.counts.messages + run.counts.collective_messages));
  }
}

int run_check(const Options& options) {
  const auto expansion = tracelib::parse_expansion(options.expansion);
  if (!expansion) return report_error(expansion.error());
  auto read = read_any_trace(options.file, options.reading);
  if (!read) return report_error(read.error());
  const auto trace = std::make_shared<const formats::Trace>(std::move(*read));
  const auto faults = formats::validate(*trace);
  for (const formats::TraceFault& fault : faults)
    (void)report_error(input_error(options.file, fault.line, fault.message));
  if (!faults.empty()) return kFailed;

  tracelib::Player player({{trace, {}, 1.0, 0}}, {*expansion});
  IdealRun run;
  {
    Progress progress("executing", !options.quiet);
    run = tracelib::run_on_ideal_network(
        player, {}, [&](std::uint64_t fired) { progress.update(fired, trace->records.size()); });
  }
  for (const tracelib::Waiting& waiting : run.stuck) {
    (void)report_error(input_error(options.file, waiting.line, waiting.what));
  }
  if (options.json) {
    print_json(options, *trace, run, player.task_times(0));
  } else {
    print_text(options, *trace, run, player.task_times(0));
  }
  return run.finished ? kDone : kFailed;
}

}  // namespace

Command add_check(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("check", "Execute a trace on an ideal network: does every message arrive?");
  app->add_option("FILE", options->file,
                  "a trace: VEF (plain, .gz or .zst) or of another format (vef convert --list)")
      ->required();
  add_input_options(*app, options->reading);
  app->add_option("--expansion", options->expansion,
                  "how collectives become messages: n (stars), log-n (trees), or as "
                  "the library does: openmpi, mpich")
      ->capture_default_str();
  app->add_flag("--json", options->json, "print the result as JSON");
  app->add_flag("--quiet", options->quiet, "no progress bar");
  app->footer(
      "Exit status 1 names each fault as FILE:LINE: what was found; what was expected.\n"
      "Examples:\n"
      "  vef check app.vef.zst\n"
      "  vef check app.vef --expansion log-n --json");
  return {app, [options] { return run_check(*options); }};
}

}  // namespace vef::cli
