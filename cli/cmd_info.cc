// SPDX-License-Identifier: Apache-2.0
// vef info: what a trace file holds, in one pass and in memory that does not grow with its records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "command.h"
#include "info_pieces.h"
#include "info_recording.h"
#include "neighbours.h"
#include "output.h"
#include "progress.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/verify.h"

namespace vef::cli {
namespace {

using formats::RecordKind;
using Json = nlohmann::ordered_json;

struct Options {
  std::string file;
  InputOptions reading;
  bool json = false;
  bool quiet = false;
  bool verify = false;
  bool parts = false;
  std::string lines;
  std::string times;
};

struct SizeClass {
  const char* name;
  std::uint64_t below;  // bytes
};

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<SizeClass, 7> kSizeClasses = {{{"0 B", 1},
                                                    {"1 B to 255 B", 256},
                                                    {"256 B to 4 KiB", 4096},
                                                    {"4 KiB to 64 KiB", 64 << 10},
                                                    {"64 KiB to 1 MiB", 1 << 20},
                                                    {"1 MiB to 16 MiB", 16 << 20},
                                                    {"16 MiB and more", kNoLimit}}};
constexpr std::array<const char*, 4> kDependencies = {"none", "send", "receive", "collective"};

struct Amount {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  void add(std::uint64_t size) {
    ++count;
    saturating_add_to(bytes, size);
  }
};

class Summary {
 public:
  explicit Summary(const formats::TraceReader& reader)
      : task_time_(reader.communicators().front().size()),
        operations_(reader.communicators()),
        clock_(reader.header().clock) {}

  void add(const formats::Record& record) {
    ++dependencies[static_cast<std::size_t>(record.dep)];
    std::uint64_t& time = task_time_[static_cast<std::size_t>(record.task)];
    if (record.dep == formats::DepKind::kIndependent) {
      time = std::max(time, record.time);  // an absolute time
    } else {
      saturating_add_to(time, record.time);
    }
    if (record.kind == RecordKind::kMark) {
      ++marks;
    } else if (record.kind == RecordKind::kMessage) {
      messages.add(record.send_bytes);
      const auto is_below = [&](const SizeClass& size_class) { return record.send_bytes < size_class.below; };
      const auto found = std::find_if(kSizeClasses.begin(), kSizeClasses.end(), is_below);
      by_size[static_cast<std::size_t>(found - kSizeClasses.begin())].add(record.send_bytes);
    } else {
      collective_records.add(record.send_bytes);
      by_operation[static_cast<std::size_t>(record.op)].add(record.send_bytes);
      operations_.add(record);
    }
  }

  std::uint64_t records() const { return messages.count + marks + collective_records.count; }

  std::uint64_t operations(std::size_t op) const { return operations_.operations(op); }

  /// Smallest, mean and largest time of a task without waiting: its delays added up from its last absolute
  /// time. In picoseconds.
  std::array<Picoseconds, 3> task_times() const {
    const auto [low, high] = std::minmax_element(task_time_.begin(), task_time_.end());
    const double sum = std::accumulate(task_time_.begin(), task_time_.end(), 0.0);
    const double mean = sum / static_cast<double>(task_time_.size()) * static_cast<double>(clock_);
    const bool fits = mean < static_cast<double>(kNever);
    return {picoseconds(*low), fits ? static_cast<Picoseconds>(mean) : kNever, picoseconds(*high)};
  }

  std::string_view format;  // what the file is: the magic of a VEF trace, or the name of another format
  Amount messages;
  Amount collective_records;
  std::uint64_t marks = 0;
  std::array<std::uint64_t, kDependencies.size()> dependencies{};
  std::array<Amount, kSizeClasses.size()> by_size{};
  std::array<Amount, formats::kCollectiveOps> by_operation{};

 private:
  Picoseconds picoseconds(std::uint64_t units) const {
    if (units > static_cast<std::uint64_t>(kNever) / clock_) return kNever;
    return static_cast<Picoseconds>(units * clock_);
  }

  std::vector<std::uint64_t> task_time_;
  OperationCounter operations_;
  std::uint64_t clock_;
};

std::string_view operation_name(std::size_t op) {
  return formats::collective_name(static_cast<formats::CollectiveOp>(op));
}

/// Metadata come from files: nothing in them may steer the terminal.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

void print_json(const formats::TraceReader& reader, const Summary& summary,
                const std::optional<std::uint64_t>& verified_parts) {
  const formats::TraceHeader& header = reader.header();
  const formats::Communicators& communicators = reader.communicators();
  Json out;
  out["file"] = reader.path();
  out["file_bytes"] = reader.bytes_total();
  out["format"] = summary.format;
  out["tasks"] = header.tasks;
  out["clock_ps"] = header.clock;
  out["only_send_dependencies"] = header.only_send_deps;
  out["records"] = summary.records();
  out["messages"] = {{"count", summary.messages.count}, {"bytes", summary.messages.bytes}};
  out["marks"] = summary.marks;
  out["collectives"] = {{"operations", header.collectives}, {"records", summary.collective_records.count}};
  for (std::size_t op = 0; op < summary.by_operation.size(); ++op) {
    out["collectives"]["by_operation"][std::string(operation_name(op))] = {
        {"operations", summary.operations(op)},
        {"records", summary.by_operation[op].count},
        {"send_bytes", summary.by_operation[op].bytes}};
  }
  for (std::size_t i = 0; i < kSizeClasses.size(); ++i) {
    Json entry = {{"below", kSizeClasses[i].below}, {"count", summary.by_size[i].count}};
    if (kSizeClasses[i].below == kNoLimit) entry["below"] = nullptr;
    entry["bytes"] = summary.by_size[i].bytes;
    out["messages"]["by_size"].push_back(entry);
  }
  for (std::size_t i = 0; i < kDependencies.size(); ++i) {
    out["dependencies"][kDependencies[i]] = summary.dependencies[i];
  }
  out["communicators"]["count"] = communicators.size();
  for (const auto& members : communicators) out["communicators"]["sizes"].push_back(members.size());
  const auto times = summary.task_times();
  out["task_time_ps"] = {{"min", times[0]}, {"mean", times[1]}, {"max", times[2]}};
  out["metadata"] = Json::array();
  for (const auto& [key, value] : reader.metadata())
    out["metadata"].push_back({{"key", key}, {"value", value}});
  if (verified_parts) out["verified"] = {{"records", summary.records()}, {"indexed_parts", *verified_parts}};
  fmt::print("{}\n", json_text(out));
}

void print_communicators(const formats::Communicators& communicators) {
  constexpr std::size_t kShown = 8;
  fmt::print("  communicators    {}:", format_count(communicators.size()));
  for (std::size_t i = 0; i < std::min(communicators.size(), kShown); ++i) {
    fmt::print("{} C{} ({} tasks)", i == 0 ? "" : ",", i, format_count(communicators[i].size()));
  }
  fmt::print("{}\n", communicators.size() > kShown ? ", ..." : "");
}

void print_text(const formats::TraceReader& reader, const Summary& summary,
                const std::optional<std::uint64_t>& verified_parts) {
  const formats::TraceHeader& header = reader.header();
  // A pipe has no size.
  const std::string size = reader.bytes_total() == 0 ? "" : ", " + format_bytes(reader.bytes_total());
  fmt::print("{}: {}, {} tasks, {} records{}\n", reader.path(), summary.format, format_count(header.tasks),
             format_count(summary.records()), size);
  fmt::print("  time unit        {} ps\n", format_count(header.clock));
  print_communicators(reader.communicators());
  const auto times = summary.task_times();
  fmt::print("  time of a task   {} at least, {} mean, {} at most (sum of its records' times)\n",
             format_time(times[0]), format_time(times[1]), format_time(times[2]));
  fmt::print("  depends on      ");
  for (std::size_t i = 0; i < kDependencies.size(); ++i) {
    fmt::print("{} {} {}", i == 0 ? "" : ",", kDependencies[i], format_count(summary.dependencies[i]));
  }
  fmt::print("{}\n\n", header.only_send_deps ? "; by the header on sends only" : "");

  const auto row = [](std::string_view name, std::uint64_t count, const std::string& bytes) {
    fmt::print("  {:<18} {:>16} {:>14}\n", name, format_count(count), bytes);
  };
  fmt::print("  {:<18} {:>16} {:>14}\n", "messages", "count", "bytes");
  for (std::size_t i = 0; i < kSizeClasses.size(); ++i) {
    const Amount& amount = summary.by_size[i];
    if (amount.count != 0) row(kSizeClasses[i].name, amount.count, format_bytes(amount.bytes));
  }
  row("all", summary.messages.count, format_bytes(summary.messages.bytes));
  fmt::print("  {:<18} {:>16}\n", "marks", format_count(summary.marks));
  if (header.collectives != 0) {
    fmt::print("\n  {:<18} {:>16} {:>14} {:>16}\n", "collectives", "operations", "send sizes", "records");
    for (std::size_t op = 0; op < summary.by_operation.size(); ++op) {
      const Amount& amount = summary.by_operation[op];
      if (amount.count == 0) continue;
      fmt::print("  {:<18} {:>16} {:>14} {:>16}\n", operation_name(op), format_count(summary.operations(op)),
                 format_bytes(amount.bytes), format_count(amount.count));
    }
  }
  if (!reader.metadata().empty()) fmt::print("\n  metadata\n");
  for (const auto& [key, value] : reader.metadata())
    fmt::print("  {:<18} {}\n", one_line(key), one_line(value));
  if (!verified_parts) return;
  fmt::print("\n  verified           counts of {} records; {}\n", format_count(summary.records()),
             *verified_parts == 0 ? "no index in this file"
                                  : "checksums and index of " + format_count(*verified_parts) + " parts");
}

int run_info(const Options& options) {
  const auto recording = find_recording(options.file);
  if (!recording) return report_error(recording.error());
  if (options.verify && (*recording || options.file == "-"))
    return report_error(usage_error("--verify: found " +
                                    std::string(*recording ? "a recording" : "standard input") +
                                    "; expected the file of a trace"));
  if (*recording) {
    if ((*recording)->empty())
      return report_error(
          input_error(options.file, 0, "no rank log in it; expected a trace, or a directory of vef record"));
    return print_recording({options.file, options.json, options.quiet}, **recording);
  }
  neighbours::Losses losses;
  const auto format = neighbours::format_to_read(options.file, options.reading.from);
  if (!format) return report_error(format.error());
  if (options.parts || !options.lines.empty() || !options.times.empty()) {
    if ((*format)->name != "vef")
      return report_error(usage_error(options.file + ": a trace of format " + std::string((*format)->name) +
                                      "; --parts, --lines and --times expect VEF"));
    return print_pieces({options.file, options.parts, options.lines, options.times, options.json,
                         options.reading.reading.threads});
  }
  auto opened = (*format)->open(options.file, options.reading.reading, losses);
  if (!opened) return report_error(opened.error());
  formats::TraceReader& reader = **opened;
  Summary summary(reader);
  const bool is_vef = (*format)->name == "vef";
  summary.format = is_vef ? formats::magic_of(reader.header().version) : (*format)->name;
  {
    Progress progress("reading", !options.quiet);
    formats::Record record;
    for (std::uint64_t count = 0;; ++count) {
      constexpr std::uint64_t kBetweenUpdates = 1 << 16;
      if (count % kBetweenUpdates == 0) progress.update(reader.bytes_read(), reader.bytes_total());
      const auto more = reader.next(record);
      if (!more) return report_error(more.error());
      if (!*more) break;
      summary.add(record);
    }
  }
  std::optional<std::uint64_t> verified_parts;
  if (options.verify) {
    const auto parts = formats::verify_index(options.file);
    if (!parts) return report_error(parts.error());
    verified_parts = *parts;
  }
  print_losses(options.file, losses);
  if (options.json) {
    print_json(reader, summary, verified_parts);
  } else {
    print_text(reader, summary, verified_parts);
  }
  return kDone;
}

}  // namespace

Command add_info(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand(
      "info", "Say what a trace or a recording holds: counts, sizes, times, how it ended");
  app->add_option("FILE", options->file,
                  "a trace: VEF (plain, .gz, .zst or .vefb; - for standard input) or of another format (vef "
                  "convert --list); or a rank's log "
                  "(.vlog), or the directory of vef record")
      ->required();
  add_input_options(*app, options->reading);
  app->add_flag("--json", options->json, "print the result as JSON");
  app->add_flag("--verify", options->verify, "read the trace again and check its index as well");
  CLI::Option* parts = app->add_flag("--parts", options->parts, "print the index: the parts of the file");
  CLI::Option* lines = app->add_option("--lines", options->lines,
                                       "print the records from one line of the text form to another, as "
                                       "FIRST:LAST, FIRST: or LINE");
  app->add_option("--times", options->times,
                  "print the records of the parts of the file that reach into these times, as 1.5s:2s; a "
                  "record's time is the sum of its task's up to it")
      ->excludes(parts)
      ->excludes(lines);
  lines->excludes(parts);
  app->add_flag("--quiet", options->quiet, "no progress bar");
  app->footer(
      "All of the file is read, but for --parts, --lines and --times. Exit status 1 if a line cannot be "
      "read, a checksum or the header's counts "
      "are\n"
      "wrong, or a log is damaged; `vef check` looks deeper.\n"
      "Examples:\n"
      "  vef info app.vef.zst\n"
      "  vef info app.vef --json | jq .messages.bytes\n"
      "  vef info app.vefb --verify\n"
      "  vef info app.vef.zst --lines 1000000:1000020\n"
      "  zstdcat app.vef.zst | vef info -\n"
      "  vef info app-run/");
  return {app, [options] { return run_info(*options); }};
}

}  // namespace vef::cli
