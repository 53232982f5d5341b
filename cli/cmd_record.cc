// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "output.h"
#include "vef/base/units.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/launch/launch.h"

namespace vef::cli {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string directory;
  std::string buffer;
  std::string poll_gap;
  std::string family;
  bool quiet = false;
  bool json = false;
  std::vector<std::string> command;
};

struct CaptureSummary {
  std::size_t ranks = 0;
  std::size_t cut_off = 0;  // logs that the program did not complete
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> events;
};

// Above this the events are not counted: that means to read everything.
constexpr std::uint64_t kMostCounted = 256U << 20;

Result<launch::Request> make_request(const RecordOptions& options) {
  launch::Request request{.directory = options.directory, .command = options.command};
  if (!options.buffer.empty()) {
    const auto bytes = parse_bytes(options.buffer);
    if (!bytes.ok()) return bytes.error();
    if (*bytes < (1U << 20))
      return usage_error("--buffer: found " + options.buffer + "; expected at least 1MiB");
    request.buffer_bytes = *bytes;
  }
  if (!options.poll_gap.empty()) {
    const auto gap = parse_time(options.poll_gap);
    if (!gap.ok()) return gap.error();
    if (*gap > kPicosPerSecond)
      return usage_error("--poll-gap: found " + options.poll_gap + "; expected at most 1s");
    request.poll_gap_ns = static_cast<std::uint64_t>(*gap / kPicosPerNano);
  }
  if (!options.family.empty()) {
    const auto family = launch::parse_family(options.family);
    if (!family.ok()) return family.error();
    request.family = *family;
  }
  return request;
}

Result<std::uint64_t> count_events(const std::string& log) {
  auto reader = formats::RankLogReader::open(log);
  if (!reader.ok()) return reader.error();
  formats::RankEvent event;
  std::uint64_t events = 0;
  for (;;) {
    const auto more = (*reader)->next(event);
    if (!more.ok()) return more.error();
    if (!*more) return events;
    ++events;
  }
}

Result<CaptureSummary> summarize(const std::string& directory) {
  const auto logs = formats::list_rank_logs(directory);
  if (!logs.ok()) return logs.error();
  CaptureSummary summary;
  std::set<std::int32_t> ranks;
  for (const std::string& log : *logs) {
    auto reader = formats::RankLogReader::open(log);
    if (!reader.ok()) return reader.error();
    ranks.insert((*reader)->info().rank);
    summary.cut_off += (*reader)->info().complete ? 0 : 1;
    summary.bytes += (*reader)->info().file_bytes;
  }
  summary.ranks = ranks.size();
  if (summary.bytes > kMostCounted) return summary;
  std::uint64_t events = 0;
  for (const std::string& log : *logs) {
    const auto counted = count_events(log);
    if (!counted.ok()) return counted.error();
    events += *counted;
  }
  summary.events = events;
  return summary;
}

void print_summary(const CaptureSummary& summary, const std::string& directory) {
  const std::string shown = fs::path(directory).lexically_proximate(fs::current_path()).string();
  const std::string where = shown.starts_with("..") ? directory : shown;
  std::string events;
  if (summary.events) events = format_count(*summary.events) + " events, ";
  std::string damage;
  if (summary.cut_off != 0)
    damage = " (" + std::to_string(summary.cut_off) + " of the logs cut off by the job's end)";
  std::fprintf(stderr, "vef: %zu ranks, %s%s in %s%s; next: vef merge %s -o %s.vef.zst\n", summary.ranks,
               events.c_str(), format_bytes(summary.bytes).c_str(), where.c_str(), damage.c_str(),
               where.c_str(), where.c_str());
}

void print_json(const CaptureSummary& summary, const launch::Plan& plan, int status) {
  nlohmann::ordered_json json = {{"directory", plan.directory},
                                 {"mpi", plan.family == launch::MpiFamily::kOpenMpi ? "openmpi" : "mpich"},
                                 {"exit_status", status},
                                 {"ranks", summary.ranks},
                                 {"logs_cut_off", summary.cut_off},
                                 {"bytes", summary.bytes}};
  json["events"] = summary.events ? nlohmann::ordered_json(*summary.events) : nlohmann::ordered_json();
  std::printf("%s\n", json_text(json, -1).c_str());
}

/// Open MPI's mpirun does nothing for root unless told so twice.
void explain_root(const launch::Plan& plan) {
  const bool told = std::getenv("OMPI_ALLOW_RUN_AS_ROOT") != nullptr &&
                    std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") != nullptr;
  if (geteuid() != 0 || told || plan.family != launch::MpiFamily::kOpenMpi) return;
  std::fprintf(stderr,
               "vef: mpirun of Open MPI refuses to run as root unless OMPI_ALLOW_RUN_AS_ROOT=1 and "
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 are set\n");
}

/// No rank has written a log: says so, and leaves no empty directory behind.
int report_nothing(const launch::Plan& plan, int status) {
  std::error_code ignored;
  fs::remove(fs::path(plan.directory) / "capture.job", ignored);
  fs::remove(plan.directory, ignored);
  if (status != 0) explain_root(plan);
  std::fprintf(
      stderr,
      "vef: nothing was recorded: no process called MPI_Init of %s with the recorder loaded (is the program "
      "statically linked, or does it open MPI by itself?)\n",
      std::string(launch::family_name(plan.family)).c_str());
  return status != 0 ? status : static_cast<int>(kFailed);
}

int record(const RecordOptions& options) {
  const auto request = make_request(options);
  if (!request.ok()) return report_error(request.error());
  const auto plan = launch::plan(*request);
  if (!plan.ok()) return report_error(plan.error());
  const auto status = launch::run(*plan);
  if (!status.ok()) return report_error(status.error());
  const auto summary = summarize(plan->directory);
  if (!summary.ok() || summary->ranks == 0) return report_nothing(*plan, *status);
  if (options.json) {
    print_json(*summary, *plan, *status);
  } else if (!options.quiet) {
    print_summary(*summary, plan->directory);
  }
  return *status;
}

}  // namespace

Command add_record(CLI::App& root) {
  CLI::App* app = root.add_subcommand("record", "Run an MPI job and record its communication");
  auto options = std::make_shared<RecordOptions>();
  app->add_option("-o,--output", options->directory, "Directory for the rank logs [<program>-<date>-<time>]");
  app->add_option("--buffer", options->buffer, "Memory of the recorder in each rank [4MiB]");
  app->add_option("--poll-gap", options->poll_gap,
                  "Failed polls at most this far apart count as waiting, not as computing [1us]");
  app->add_option("--mpi", options->family, "openmpi or mpich, where it cannot be found out");
  app->add_flag("-q,--quiet", options->quiet, "No summary at the end");
  app->add_flag("--json", options->json, "The summary as JSON on standard output");
  app->add_option("command", options->command, "The job: mpirun, mpiexec or srun with its arguments")
      ->required();
  app->positionals_at_end();
  app->prefix_command();
  app->footer(
      "The exit status is that of the job. The recorder is preloaded into the ranks only.\n"
      "Examples:\n"
      "  vef record -- mpirun -n 8 lmp -in in.melt\n"
      "  vef record -o run --buffer 16MiB -- mpiexec.mpich -n 4 ./app --steps 100\n"
      "  vef record -o run -- srun -n 64 ./app");
  return {app, [options] { return record(*options); }};
}

}  // namespace vef::cli
