// SPDX-License-Identifier: Apache-2.0
// vef report: the static analysis of a trace as one page, as data files, or as JSON.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "command.h"
#include "neighbours.h"
#include "progress.h"
#include "vef/analyzer/analysis.h"
#include "vef/analyzer/report.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"

namespace vef::cli {
namespace {

struct Options {
  std::string file;
  std::string output;
  std::string data;
  InputOptions reading;
  std::string expansion = "n";
  std::size_t bins = 1000;
  bool json = false;
  bool quiet = false;
};

void print_row(std::string_view name, const analyzer::OperationCounts& counts) {
  fmt::print("  {:<16} {:>14} {:>12} {:>16} {:>12}\n", name, format_count(counts.calls),
             format_bytes(counts.call_bytes), format_count(counts.messages),
             format_bytes(counts.message_bytes));
}

void print_text(const Options& options, const analyzer::Analysis& analysis) {
  fmt::print("{}: {} tasks, {} records, time on an ideal network {}\n", options.file, analysis.header.tasks,
             format_count(analysis.records), format_time(analysis.ideal_time));
  fmt::print("  {:<16} {:>14} {:>12} {:>16} {:>12}   (collectives expanded: {})\n", "operation", "calls",
             "buffers", "messages", "their bytes", options.expansion);
  for (int op = 0; op < analyzer::kOperations; ++op) {
    const auto& counts = analysis.operations[static_cast<std::size_t>(op)];
    if (counts.calls > 0) print_row(analyzer::operation_name(op), counts);
  }
  print_row("all", analysis.total());
  if (!options.output.empty()) fmt::print("report: {}\n", options.output);
  if (!options.data.empty()) fmt::print("data:   {}\n", options.data);
}

Result<analyzer::Analysis> analyze_file(const Options& options, tracelib::Expansion expansion) {
  auto read = read_any_trace(options.file, options.reading);
  if (!read) return read.error();
  Progress progress("analysing", !options.quiet);
  analyzer::AnalysisOptions analysis;
  analysis.expansion = expansion;
  analysis.max_intervals = options.bins;
  analysis.progress = [&progress](std::uint64_t done, std::uint64_t records) {
    progress.update(done, records);
  };
  return analyzer::analyze(std::make_shared<const formats::Trace>(std::move(*read)), options.file, analysis);
}

int run_report(const Options& options) {
  if (options.output.empty() && options.data.empty() && !options.json) {
    return report_error(usage_error("nothing to write; expected -o FILE, --data DIR or --json"));
  }
  const auto expansion = tracelib::parse_expansion(options.expansion);
  if (!expansion) return report_error(expansion.error());
  const auto analysis = analyze_file(options, *expansion);
  if (!analysis) return report_error(analysis.error());
  if (!options.output.empty()) {
    if (Status s = analyzer::write_report(*analysis, options.output); !s) return report_error(s.error());
  }
  if (!options.data.empty()) {
    if (Status s = analyzer::write_data(*analysis, options.data); !s) return report_error(s.error());
  }
  if (options.json) {
    fmt::print("{}", analyzer::summary_json(*analysis));
  } else if (!options.quiet) {
    print_text(options, *analysis);
  }
  return kDone;
}

}  // namespace

Command add_report(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("report", "Show what a trace communicates: one HTML page, data files");
  app->add_option("FILE", options->file,
                  "a trace: VEF (plain, .gz or .zst) or of another format (vef convert --list)")
      ->required();
  app->add_option("-o,--output", options->output, "write the report page here");
  app->add_option("--data", options->data, "write the CSV file behind each figure into this folder");
  add_input_options(*app, options->reading);
  app->add_option("--expansion", options->expansion,
                  "how collectives become messages: n (stars), log-n (trees), or as "
                  "the library does: openmpi, mpich")
      ->capture_default_str();
  app->add_option("--bins", options->bins, "most intervals of the figures over time")
      ->check(CLI::Range(analyzer::kMinIntervals, analyzer::kMaxIntervals))
      ->capture_default_str();
  app->add_flag("--json", options->json, "print the counts as JSON");
  app->add_flag("--quiet", options->quiet, "no progress bar, no summary");
  app->footer(
      "The page opens in any browser, without a network.\n"
      "Examples:\n"
      "  vef report app.vef.zst -o app.html\n"
      "  vef report app.vef.zst -o app.html --data app-data --expansion log-n\n"
      "  vef report app.vef --json");
  return {app, [options] { return run_report(*options); }};
}

}  // namespace vef::cli
