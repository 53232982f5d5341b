// SPDX-License-Identifier: Apache-2.0
#include "info_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "command.h"
#include "output.h"
#include "progress.h"
#include "vef/base/text.h"
#include "vef/base/units.h"
#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log_reader.h"

namespace vef::cli {
namespace {

namespace fs = std::filesystem;
using formats::EventKind;
using Json = nlohmann::ordered_json;

struct CallSum {
  std::uint64_t count = 0;
  std::uint64_t nanoseconds = 0;  // inside it
};

struct LogSummary {
  formats::RankLogInfo info;
  formats::RankLogDamage damage;
  std::uint64_t events = 0;
  std::uint64_t inside = 0;  // nanoseconds in MPI
  std::uint64_t end = 0;     // of the last event, nanoseconds since the start of the log

  const char* state() const {
    if (info.complete) return "complete";
    if (info.stopped) return "recording stopped";
    return info.exited ? "exited without MPI_Finalize" : "killed, or still running";
  }
};

struct Recording {
  std::vector<LogSummary> logs;
  std::map<std::uint16_t, CallSum> calls;
  bool damaged = false;
};

/// What stands for no call of its own: described communicators, notes, time that was not recorded.
bool is_call(const formats::RankEvent& event) {
  switch (event.kind) {
    case EventKind::kCommDefine:
    case EventKind::kPause:
      return false;
    default:
      return !formats::find_mpi_call_name(event.call).empty();
  }
}

void add(const formats::RankEvent& event, LogSummary& log, std::map<std::uint16_t, CallSum>& calls) {
  ++log.events;
  if (!is_call(event)) return;
  // Polls that found nothing are one event: what lies between the first and the last is not all MPI's.
  const bool polls = event.kind == EventKind::kPolls;
  const std::uint64_t inside = polls ? event.polls.inside : event.duration;
  CallSum& sum = calls[event.call];
  sum.count += polls ? event.polls.count : 1;
  sum.nanoseconds += inside;
  log.inside += inside;
}

Status read_log(const std::string& path, Recording& recording) {
  auto reader = formats::RankLogReader::open(path);
  if (!reader) return reader.error();
  LogSummary log;
  formats::RankEvent event;
  while (true) {
    const Result<bool> more = (*reader)->next(event);
    if (!more) return more.error();
    if (!*more) break;
    add(event, log, recording.calls);
  }
  log.info = (*reader)->info();
  log.damage = (*reader)->damage();
  log.end = (*reader)->event_end();
  recording.damaged = recording.damaged || log.damage.corrupt;
  recording.logs.push_back(std::move(log));
  return {};
}

/// By time inside, then by number.
std::vector<std::pair<std::uint16_t, CallSum>> by_time(const Recording& recording) {
  std::vector<std::pair<std::uint16_t, CallSum>> sorted(recording.calls.begin(), recording.calls.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.nanoseconds > b.second.nanoseconds; });
  return sorted;
}

void print_json(const RecordingOptions& options, const Recording& recording) {
  Json out = {{"file", options.path}, {"format", "rank log"}, {"logs", Json::array()}};
  for (const LogSummary& log : recording.logs) {
    out["logs"].push_back({{"file", log.info.path},
                           {"rank", log.info.rank},
                           {"thread", log.info.thread},
                           {"world_size", log.info.world_size},
                           {"host", log.info.host},
                           {"program", log.info.program},
                           {"mpi_library", log.info.mpi_library},
                           {"state", log.state()},
                           {"events", log.events},
                           {"bytes", log.info.file_bytes},
                           {"nanoseconds", log.end},
                           {"nanoseconds_in_mpi", log.inside},
                           {"damaged", log.damage.corrupt},
                           {"notes", log.damage.notes}});
  }
  out["calls"] = Json::object();
  for (const auto& [call, sum] : by_time(recording)) {
    out["calls"][formats::mpi_call_name(call)] = {{"count", sum.count}, {"nanoseconds", sum.nanoseconds}};
  }
  fmt::print("{}\n", json_text(out));
}

void print_calls(const Recording& recording) {
  std::uint64_t inside = 0;
  for (const auto& [call, sum] : recording.calls) inside += sum.nanoseconds;
  fmt::print("\n  {:<28} {:>14} {:>14} {:>8}\n", "calls", "count", "time inside", "share");
  for (const auto& [call, sum] : by_time(recording)) {
    const double share =
        inside == 0 ? 0 : 100.0 * static_cast<double>(sum.nanoseconds) / static_cast<double>(inside);
    fmt::print("  {:<28} {:>14} {:>14} {:>7.1f}%\n", formats::mpi_call_name(call), format_count(sum.count),
               format_time(saturating_multiply(sum.nanoseconds, kPicosPerNano)), share);
  }
}

void print_logs(const Recording& recording) {
  constexpr std::size_t kShown = 64;
  fmt::print("  {:<10} {:>12} {:>12} {:>8} {:>12} {:>10}  {}\n", "rank", "events", "bytes", "B/event", "time",
             "in MPI", "end");
  for (std::size_t i = 0; i < recording.logs.size(); ++i) {
    if (i == kShown) {
      fmt::print("  ... and {} logs more (--json lists all)\n", recording.logs.size() - kShown);
      return;
    }
    const LogSummary& log = recording.logs[i];
    const std::string name = log.info.thread == 0 ? std::to_string(log.info.rank)
                                                  : fmt::format("{}.{}", log.info.rank, log.info.thread);
    const double bytes = static_cast<double>(log.info.file_bytes);
    const double each = log.events == 0 ? 0 : bytes / static_cast<double>(log.events);
    const double part =
        log.end == 0 ? 0 : 100.0 * static_cast<double>(log.inside) / static_cast<double>(log.end);
    fmt::print("  {:<10} {:>12} {:>12} {:>8.2f} {:>12} {:>9.1f}%  {}{}\n", name, format_count(log.events),
               format_bytes(log.info.file_bytes), each,
               format_time(saturating_multiply(log.end, kPicosPerNano)), part, log.state(),
               log.damage.corrupt ? ", damaged" : "");
  }
}

void print_text(const RecordingOptions& options, const Recording& recording) {
  const formats::RankLogInfo& first = recording.logs.front().info;
  std::uint64_t events = 0, bytes = 0;
  for (const LogSummary& log : recording.logs) {
    events += log.events;
    bytes += log.info.file_bytes;
  }
  fmt::print("{}: {} of {} tasks, {} events, {}\n", escaped(options.path),
             recording.logs.size() == 1 ? "the log of one" : fmt::format("{} logs", recording.logs.size()),
             format_count(static_cast<std::uint64_t>(std::max(first.world_size, 0))), format_count(events),
             format_bytes(bytes));
  fmt::print("  program          {}\n  MPI              {}\n\n", escaped(first.program),
             escaped(first.mpi_library));
  print_logs(recording);
  print_calls(recording);
}

}  // namespace

Result<std::optional<std::vector<std::string>>> find_recording(const std::string& path) {
  using Found = std::optional<std::vector<std::string>>;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    auto logs = formats::list_rank_logs(path);
    if (!logs) return logs.error();
    return Found(*std::move(logs));
  }
  // A pipe must not lose its beginning, and no recording is one.
  if (!fs::is_regular_file(path, ignored)) return Found();
  constexpr std::string_view kMagic = "\xd6VEFLOG\n";
  std::array<char, kMagic.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  if (!file || std::string_view(begin.data(), begin.size()) != kMagic) return Found();
  return Found({path});
}

int print_recording(const RecordingOptions& options, const std::vector<std::string>& logs) {
  Recording recording;
  Progress progress("reading", !options.quiet);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    progress.update(i, logs.size());
    if (Status status = read_log(logs[i], recording); !status) return report_error(status.error());
  }
  progress.update(logs.size(), logs.size());
  if (options.json) {
    print_json(options, recording);
  } else {
    print_text(options, recording);
  }
  for (const LogSummary& log : recording.logs) {
    for (const std::string& note : log.damage.notes) fmt::print(stderr, "vef: {}\n", note);
  }
  return recording.damaged ? static_cast<int>(kFailed) : static_cast<int>(kDone);
}

}  // namespace vef::cli
