// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "output.h"
#include "vef/base/text.h"
#include "vef/base/units.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/launch/launch.h"
#include "vef/settings/settings.h"

namespace vef::cli {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string directory;
  std::vector<std::string> settings = std::vector<std::string>(settings::definitions().size());
  std::string family;
  bool quiet = false;
  bool json = false;
  std::vector<std::string> command;
};

/// One directory: what one job recorded.
struct CaptureSummary {
  std::string directory;
  std::size_t ranks = 0;
  std::size_t world_size = 0;
  std::size_t cut_off = 0;  // logs that the program did not complete
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> events{};
  bool spawned = false;  // by another of these: merged with it
};

// Above this the events are not counted: that means to read everything.
constexpr std::uint64_t kMostCounted = 256U << 20;

Result<launch::Request> make_request(const RecordOptions& options) {
  launch::Request request{.directory = options.directory, .command = options.command};
  settings::Settings checked;
  for (std::size_t i = 0; i < options.settings.size(); ++i) {
    const settings::Definition& definition = settings::definitions()[i];
    const std::string& text = options.settings[i];
    if (text.empty()) {
      const char* given = std::getenv(definition.variable);
      if (given != nullptr && *given != '\0' && !definition.set(checked, given)) {
        return usage_error(std::string(definition.variable) + ": found '" + escaped(given) + "'; expected " +
                           definition.expected);
      }
      continue;
    }
    if (!definition.set(checked, text.c_str())) {
      return usage_error(std::string(definition.option) + ": found '" + text + "'; expected " +
                         definition.expected);
    }
    request.settings.emplace_back(definition.variable, text);
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

/// A name that capture.json tells; "": it does not.
std::string described(const std::string& directory, const char* key) {
  std::ifstream file(fs::path(directory) / "capture.json", std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void find_spawned(std::vector<CaptureSummary>& summaries) {
  std::set<std::string> jobs;
  for (const CaptureSummary& summary : summaries) jobs.insert(described(summary.directory, "job"));
  for (CaptureSummary& summary : summaries) {
    const std::string parent = described(summary.directory, "spawned_by");
    summary.spawned = !parent.empty() && jobs.contains(parent);
  }
}

Result<CaptureSummary> summarize(const std::string& directory) {
  const auto logs = formats::list_rank_logs(directory);
  if (!logs.ok()) return logs.error();
  CaptureSummary summary;
  summary.directory = directory;
  std::set<std::int32_t> ranks;
  for (const std::string& log : *logs) {
    auto reader = formats::RankLogReader::open(log);
    if (!reader.ok()) return reader.error();
    ranks.insert((*reader)->info().rank);
    summary.world_size = std::max(summary.world_size, static_cast<std::size_t>((*reader)->info().world_size));
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

void print_summary(const CaptureSummary& summary) {
  const std::string shown = fs::path(summary.directory).lexically_proximate(fs::current_path()).string();
  const std::string where = shown.starts_with("..") ? summary.directory : shown;
  std::string ranks = std::to_string(summary.ranks);
  if (summary.world_size > summary.ranks) ranks += " of " + std::to_string(summary.world_size);
  std::string events;
  if (summary.events) events = format_count(*summary.events) + " events, ";
  std::string damage;
  if (summary.cut_off != 0)
    damage = " (" + std::to_string(summary.cut_off) + " of the logs cut off by the job's end)";
  std::string next = "spawned, and merged with what spawned it";
  if (!summary.spawned) {
    // A name may have 255 bytes.
    const bool fits = fs::path(where).filename().string().size() + std::strlen(".vef.zst") <= 255;
    const std::string trace = fits ? where + ".vef.zst" : "trace.vef.zst";
    next = "next: vef merge " + shell_word(where) + " -o " + shell_word(trace);
  }
  std::fprintf(stderr, "vef: %s rank%s, %s%s in %s%s; %s\n", ranks.c_str(), ranks == "1" ? "" : "s",
               events.c_str(), format_bytes(summary.bytes).c_str(), where.c_str(), damage.c_str(),
               next.c_str());
}

nlohmann::ordered_json to_json(const CaptureSummary& summary) {
  nlohmann::ordered_json json = {{"directory", summary.directory},
                                 {"ranks", summary.ranks},
                                 {"world_size", summary.world_size},
                                 {"logs_cut_off", summary.cut_off},
                                 {"bytes", summary.bytes}};
  json["events"] = summary.events ? nlohmann::ordered_json(*summary.events) : nlohmann::ordered_json();
  return json;
}

/// The first job's figures, and under "captures" those of each, where spawned processes or further jobs of
/// the command were recorded too.
void print_json(const std::vector<CaptureSummary>& summaries, const launch::Plan& plan, int status) {
  nlohmann::ordered_json json = to_json(summaries[0]);
  json["mpi"] = plan.family == launch::MpiFamily::kOpenMpi ? "openmpi" : "mpich";
  json["exit_status"] = status;
  json["captures"] = nlohmann::ordered_json::array();
  for (const CaptureSummary& summary : summaries) json["captures"].push_back(to_json(summary));
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

/// No rank has written a log: says so, and leaves no empty directory behind. The job is what it was all the
/// same.
int report_nothing(const launch::Plan& plan, bool recorder_ran, int status) {
  std::error_code ignored;
  if (!fs::exists(plan.directory, ignored)) {
    std::fprintf(stderr, "vef: nothing was recorded: %s was removed while the job ran\n",
                 plan.directory.c_str());
    return status;
  }
  launch::remove_unused(plan);
  if (recorder_ran) {
    std::fprintf(stderr, "vef: nothing was recorded in %s, for the reasons above\n", plan.directory.c_str());
    return status;
  }
  if (status != 0) explain_root(plan);
  std::fprintf(
      stderr,
      "vef: nothing was recorded: no process called MPI_Init of %s with the recorder loaded (is the program "
      "statically linked, or does it open MPI by itself?)\n",
      std::string(launch::family_name(plan.family)).c_str());
  return status;
}

int record(const RecordOptions& options) {
  const auto request = make_request(options);
  if (!request.ok()) return report_error(request.error());
  const auto plan = launch::plan(*request);
  if (!plan.ok()) return report_error(plan.error());
  const auto status = launch::run(*plan);
  if (!status.ok()) return report_error(status.error());
  std::vector<CaptureSummary> summaries;
  const std::vector<std::string> captures = launch::find_captures(*plan);
  for (const std::string& directory : captures) {
    auto summary = summarize(directory);
    if (!summary.ok()) {
      report_error(summary.error());
    } else if (summary->ranks != 0) {
      summaries.push_back(*std::move(summary));
    }
  }
  find_spawned(summaries);
  if (summaries.empty()) return report_nothing(*plan, !captures.empty(), *status);
  if (options.json) {
    print_json(summaries, *plan, *status);
  } else if (!options.quiet) {
    for (const CaptureSummary& summary : summaries) print_summary(summary);
  }
  return *status;
}

}  // namespace

Command add_record(CLI::App& root) {
  CLI::App* app = root.add_subcommand("record", "Run an MPI job and record its communication");
  auto options = std::make_shared<RecordOptions>();
  app->add_option("-o,--output", options->directory, "Directory for the rank logs [<program>-<date>-<time>]");
  for (std::size_t i = 0; i < options->settings.size(); ++i) {
    const settings::Definition& definition = settings::definitions()[i];
    if (definition.option == nullptr) continue;
    if (definition.alone != nullptr) {
      app->add_flag(std::string(definition.option) + "{" + definition.alone + "}", options->settings[i],
                    definition.help);
    } else {
      app->add_option(definition.option, options->settings[i], definition.help);
    }
  }
  app->add_option("--mpi", options->family, "openmpi or mpich, where it cannot be found out");
  app->add_flag("-q,--quiet", options->quiet, "No summary at the end");
  app->add_flag("--json", options->json, "The summary as JSON on standard output");
  app->add_option("command", options->command, "The job: mpirun, mpiexec or srun with its arguments")
      ->required();
  app->positionals_at_end();
  app->prefix_command();
  app->footer(
      "The exit status is that of the job, also where nothing could be recorded. The recorder is preloaded "
      "into the ranks only.\n"
      "Examples:\n"
      "  vef record -- mpirun -n 8 lmp -in in.melt\n"
      "  vef record -o run --buffer 16MiB -- mpiexec.mpich -n 4 ./app --steps 100\n"
      "  vef record --call-sites=4 --ranks 0-15 -- mpirun -n 64 ./app\n"
      "  vef record -o run -- srun -n 64 ./app");
  return {
      app, [app, options] {
        // What stands before the command and is no option of ours.
        for (const std::string& unknown : app->remaining()) {
          if (unknown == "--") break;
          return report_error(usage_error("'" + unknown + "' is no option of record; see vef record --help"));
        }
        return record(*options);
      }};
}

}  // namespace vef::cli
