// SPDX-License-Identifier: Apache-2.0
// vef merge: rank logs, or a capture of the original recorder, -> one VEF trace.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "merge_transport.h"
#include "output.h"
#include "progress.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/merge/merge.h"

namespace vef::cli {
namespace {

using merge::MergeReport;
using merge::Unmatched;

constexpr std::size_t kListed = 20;
constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 20;

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  bool allow_unmatched = false;
  bool alone = false;
  int level = 0;
  std::string memory = "1GiB";
  unsigned threads = 0;
  bool mpi = false;
  std::string mpi_library;
  bool json = false;
  bool quiet = false;
};

/// DIR.vef.zst beside the first DIR; of a VEFT.main, the directory it lies in.
std::string default_output(const std::string& input) {
  std::error_code code;
  std::filesystem::path directory = std::filesystem::absolute(input, code).lexically_normal();
  if (directory.filename() == "VEFT.main" || directory.filename().empty())
    directory = directory.parent_path();
  return (directory.filename().empty() ? "trace" : directory.filename().string()) + ".vef.zst";
}

double total_seconds(const MergeReport& report) {
  double total = 0;
  for (const auto& [stage, seconds] : report.seconds) total += seconds;
  return total;
}

const char* kind_name(Unmatched::Kind kind) {
  switch (kind) {
    case Unmatched::Kind::kSend:
      return "send";
    case Unmatched::Kind::kReceive:
      return "receive";
    case Unmatched::Kind::kProbe:
      return "probe";
    case Unmatched::Kind::kCollective:
      return "collective";
  }
  return "";
}

nlohmann::ordered_json unmatched_json(const Unmatched& entry) {
  return {{"kind", kind_name(entry.kind)},
          {"rank", entry.rank},
          {"call_number", entry.event},
          {"call", entry.call},
          {"peer", entry.peer},
          {"tag", entry.tag},
          {"communicator", entry.communicator},
          {"bytes", entry.bytes},
          {"call_site", entry.site},
          {"why", entry.why},
          {"explained", entry.excused}};
}

void print_json(const Options& options, const MergeReport& report) {
  nlohmann::ordered_json out;
  out["input"] = options.inputs.front();
  out["output"] = report.output;
  out["written"] = report.written;
  out["output_bytes"] = report.output_bytes;
  out["worlds"] = nlohmann::ordered_json::array();
  for (const merge::MergedWorld& world : report.worlds) {
    out["worlds"].push_back({{"directory", world.directory},
                             {"first_task", world.first_task},
                             {"tasks", world.tasks},
                             {"how", world.how}});
  }
  out["tasks"] = report.tasks;
  out["logs"] = report.threads;
  out["events"] = report.events;
  out["model_bytes"] = report.model_bytes;
  out["temporary_file_bytes"] = report.file_bytes;
  out["records"] = report.header.messages + report.header.collective_records;
  out["messages"] = report.messages;
  out["message_bytes"] = report.message_bytes;
  out["marks"] = report.marks;
  out["communicators"] = report.header.communicators;
  out["collectives"] = report.header.collectives;
  out["collective_records"] = report.header.collective_records;
  for (int op = 0; op < formats::kCollectiveOps; ++op) {
    const auto name = formats::collective_name(static_cast<formats::CollectiveOp>(op));
    out["collectives_by_operation"][std::string(name)] = report.collectives_by_op[op];
  }
  out["truncated_ranks"] = report.truncated;
  out["endings"] = report.endings;
  out["damaged_ranks"] = report.damaged;
  out["missing_ranks"] = report.missing;
  out["unrecorded_ranks"] = report.unrecorded;
  out["damage"] = report.damage;
  out["notes"] = report.notes;
  out["warnings"] = report.warnings;
  out["faults"] = report.faults;
  out["unmatched"] = nlohmann::ordered_json::array();
  for (const Unmatched& entry : report.unmatched) out["unmatched"].push_back(unmatched_json(entry));
  for (const auto& [stage, seconds] : report.seconds) out["seconds"][stage] = seconds;
  fmt::print("{}\n", json_text(out));
}

/// Which rank of which world is which task, where there are several.
void print_worlds(const std::vector<merge::MergedWorld>& worlds) {
  for (std::size_t i = 0; worlds.size() > 1 && i < worlds.size(); ++i) {
    const merge::MergedWorld& world = worlds[i];
    if (i == kListed) {
      fmt::print("    ... and {} worlds more\n", worlds.size() - kListed);
      return;
    }
    const formats::TaskId last = world.first_task + world.tasks - 1;
    const std::string tasks =
        world.tasks == 1 ? std::to_string(last) : fmt::format("{}-{}", world.first_task, last);
    fmt::print("    world {:<6} {:>14}   {}{}{}\n", i, tasks, world.directory, world.how.empty() ? "" : ", ",
               world.how);
  }
}

void print_text(const MergeReport& report) {
  const std::uint64_t records = report.header.messages + report.header.collective_records;
  if (report.written) {
    fmt::print("{}: {} in {:.2f} s\n", report.output, format_bytes(report.output_bytes),
               total_seconds(report));
  }
  fmt::print("  tasks          {:>14}   from {} {}, {} calls\n", report.tasks, report.threads,
             report.threads == 1 ? "log" : "logs", format_count(report.events));
  print_worlds(report.worlds);
  fmt::print("  records        {:>14}\n", format_count(records));
  fmt::print("  messages       {:>14}   {}\n", format_count(report.messages),
             format_bytes(report.message_bytes));
  fmt::print("  marks          {:>14}\n", format_count(report.marks));
  fmt::print("  communicators  {:>14}\n", report.header.communicators);
  fmt::print("  collectives    {:>14}\n", format_count(report.header.collectives));
  for (int op = 0; op < formats::kCollectiveOps; ++op) {
    if (report.collectives_by_op[op] == 0) continue;
    fmt::print("    {:<12} {:>14}\n", formats::collective_name(static_cast<formats::CollectiveOp>(op)),
               format_count(report.collectives_by_op[op]));
  }
}

std::string ranks_text(const std::vector<formats::TaskId>& ranks) {
  return fmt::format("{} {}", ranks.size(), ranks.size() == 1 ? "rank" : "ranks");
}

/// "1, 2, 3 and 13 more".
std::string some_ranks(const std::vector<formats::TaskId>& ranks) {
  constexpr std::size_t kSome = 8;
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < kSome; ++i) {
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > kSome) text += fmt::format(" and {} more", ranks.size() - kSome);
  return text;
}

void print_some(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size() && i < kListed; ++i) fmt::print(stderr, "vef: {}\n", lines[i]);
  if (lines.size() > kListed) {
    fmt::print(stderr, "vef: ... and {} more (--json lists all)\n", lines.size() - kListed);
  }
}

/// Where the metadata are kept that tell of ranks and their ends.
std::string keeper(const MergeReport& report) {
  if (formats::TraceWriter::keeps_metadata(report.output)) return "the trace says so";
  return report.output + " has no room to say so, a .vef.zst has";
}

/// The calls of worlds that did not meet have nothing to do with each other.
void print_strangers(const std::vector<merge::MergedWorld>& worlds) {
  for (std::size_t i = 1; i < worlds.size(); ++i) {
    if (!worlds[i].how.empty()) continue;
    fmt::print(stderr,
               "vef: {} met no other of these jobs: its tasks stand beside the others' in the trace\n",
               worlds[i].directory);
  }
}

const char* outcome(const MergeReport& report) {
  return report.written ? "written as --allow-unmatched asks" : "no trace is written (see --allow-unmatched)";
}

/// All that a person should know besides the result, on stderr.
void print_notes(const MergeReport& report) {
  print_some(report.damage);
  if (!report.damaged.empty()) {
    fmt::print(stderr, "vef: the logs of {} are damaged ({}); {}\n", ranks_text(report.damaged),
               some_ranks(report.damaged), outcome(report));
  }
  print_some(report.notes);
  if (!report.truncated.empty()) {
    fmt::print(stderr, "vef: the logs of {} end early ({}); {}\n", ranks_text(report.truncated),
               some_ranks(report.truncated), keeper(report));
  }
  print_some(report.endings);
  if (!report.missing.empty()) {
    fmt::print(stderr, "vef: no log of {} ({}); {}\n", ranks_text(report.missing), some_ranks(report.missing),
               keeper(report));
  }
  print_some(report.warnings);
  print_strangers(report.worlds);
  for (std::size_t i = 0; i < report.unmatched.size() && i < kListed; ++i) {
    fmt::print(stderr, "vef: {}{}\n", report.unmatched[i].excused ? "(explained) " : "",
               merge::describe(report.unmatched[i]));
  }
  if (report.unmatched.size() > kListed) {
    fmt::print(stderr, "vef: ... and {} more (--json lists all)\n", report.unmatched.size() - kListed);
  }
  if (report.faults > 0) {
    fmt::print(stderr, "vef: {} {} no counterpart in the other ranks' logs; {}\n",
               format_count(report.faults), report.faults == 1 ? "call has" : "calls have", outcome(report));
  }
}

int run_merge(const Options& options, const VefMergeTransport* transport) {
  merge::MergeOptions merge_options;
  merge_options.transport = transport;
  merge_options.allow_unmatched = options.allow_unmatched;
  merge_options.alone = options.alone;
  merge_options.compression_level = options.level;
  merge_options.threads = options.threads;
  const auto memory = parse_bytes(options.memory);
  if (!memory) return report_error(usage_error("--memory: " + memory.error().message));
  if (*memory != 0 && *memory < kLeastMemory) {
    return report_error(usage_error("--memory: '" + options.memory + "'; expected at least " +
                                    format_bytes(kLeastMemory) + ", or 0 for no bound"));
  }
  merge_options.memory = *memory;
  std::unique_ptr<Progress> progress;
  std::string shown;
  merge_options.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    if (!progress || shown != stage) {
      shown = stage;
      progress.reset();
      progress = std::make_unique<Progress>(shown, !options.quiet);
    }
    progress->update(done, total);
  };
  if (options.output == "-") {
    return report_error(usage_error("-o -: standard output has the summary; expected a file's name"));
  }
  const std::string output = options.output.empty() ? default_output(options.inputs.front()) : options.output;
  const auto report = merge::merge(options.inputs, output, merge_options);
  progress.reset();
  if (!report) return report_error(report.error());
  if (options.json) {
    print_json(options, *report);
  } else {
    print_text(*report);
  }
  print_notes(*report);
  return report->written ? kDone : kFailed;
}

int run(const Options& options) {
  if (!options.mpi) return run_merge(options, nullptr);
  const auto transport = start_transport(options.mpi_library);
  if (!transport) return report_error(transport.error());
  int status = kDone;
  if ((*transport)->rank == 0) {
    status = run_merge(options, *transport);
    merge::release(**transport);
  } else {
    merge::serve(**transport);
  }
  (*transport)->finish();
  return status;
}

}  // namespace

Command add_merge(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("merge", "Merge what the ranks recorded into one VEF trace");
  app->add_option("DIR", options->inputs,
                  "directory of rank logs, several of jobs that met (MPI_Comm_connect, ...), or an original "
                  "capture (or its VEFT.main)")
      ->required();
  app->add_option("-o,--output", options->output,
                  "the trace; .gz and .zst compress (default: DIR.vef.zst in the current directory)");
  app->add_flag("--allow-unmatched", options->allow_unmatched,
                "write the trace even if calls have no counterpart, or logs are damaged or missing");
  app->add_flag("--alone", options->alone,
                "only what is given, not the recordings beside it of the processes that it spawned");
  app->add_option("--level", options->level, "compression level (default: the compressor's)")
      ->check(CLI::Range(1, 19));
  app->add_option("--memory", options->memory,
                  "memory to stay within, 0: no bound; the rest goes to a temporary file beside the trace")
      ->capture_default_str();
  app->add_option("--threads", options->threads, "threads to work with (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  CLI::Option* mpi =
      app->add_flag("--mpi", options->mpi,
                    "as an MPI job, whose processes read the logs that they see: those of their "
                    "own hosts as well; process 0 puts them together");
  app->add_option("--mpi-library", options->mpi_library,
                  "that of the job, openmpi or mpich (default: by its environment)")
      ->needs(mpi);
  app->add_flag("--json", options->json, "print the result as JSON, every unmatched call included");
  app->add_flag("--quiet", options->quiet, "no progress bar");
  app->footer(
      "Exit status 1: calls without a counterpart (each is named on stderr), or damaged or missing logs.\n"
      "The log of a rank that was killed merely ends early: the trace says so, status 0.\n"
      "Examples:\n"
      "  vef merge run/ -o app.vef.zst\n"
      "  vef merge server/ client/ -o both.vef.zst\n"
      "  vef merge large-run/ -o /scratch/large.vef.zst --memory 4GiB --threads 8\n"
      "  mpirun -n 16 vef merge --mpi run/ -o app.vef.zst      # where logs lie on the hosts' own disks\n"
      "  vef merge killed-run/ -o killed.vef --allow-unmatched\n"
      "  vef merge dummy_test-2025-5-5-16-15-38/VEFT.main -o dummy.vef");
  return {app, [options] { return run(*options); }};
}

}  // namespace vef::cli
