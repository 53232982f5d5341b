// SPDX-License-Identifier: Apache-2.0
// The merge of a directory: finds what lies there, loads it, and writes the trace.
#include "vef/merge/merge.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "capture_info.h"
#include "load_capture.h"
#include "load_log.h"
#include "metadata.h"
#include "prepared.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/formats/trace_io.h"

namespace vef::merge {

namespace {

constexpr std::int32_t kMaxTasks = 1 << 22;

using Logs = std::vector<std::unique_ptr<formats::RankLogReader>>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Loads the logs of a directory rank by rank, with those of one rank open at a time.
class LogDirectory {
 public:
  LogDirectory(std::string directory, const MergeOptions& options)
      : directory_(std::move(directory)), options_(options) {}

  Result<std::vector<RankData>> load() {
    auto paths = formats::list_rank_logs(directory_);
    if (!paths.ok()) return paths.error();
    if (paths->empty()) {
      return input_error(directory_, 0,
                         "no rank logs and no VEFT.main; expected a directory that `vef record` wrote");
    }
    Logs logs;
    for (const std::string& path : *paths) {
      auto log = formats::RankLogReader::open(path);
      if (!log.ok()) return log.error();
      if (auto status = check((*log)->info()); !status.ok()) return status.error();
      if (!logs.empty() && logs.front()->info().rank != (*log)->info().rank) {
        if (auto status = add(std::move(logs)); !status.ok()) return status.error();
        logs.clear();
      }
      logs.push_back(std::move(*log));
    }
    if (auto status = add(std::move(logs)); !status.ok()) return status.error();
    if (auto status = fill_missing(); !status.ok()) return status.error();
    return std::move(ranks_);
  }

 private:
  Status check(const formats::RankLogInfo& info) {
    if (first_path_.empty()) {
      first_path_ = info.path;
      world_size_ = info.world_size;
    }
    if (info.world_size < 1 || info.world_size > kMaxTasks || info.rank < 0 || info.rank >= info.world_size) {
      return input_error(info.path, 0,
                         "rank " + std::to_string(info.rank) + " of " + std::to_string(info.world_size) +
                             "; expected a rank of a world of 1 to " + std::to_string(kMaxTasks));
    }
    if (info.world_size != world_size_) {
      return input_error(info.path, 0,
                         "a world of " + std::to_string(info.world_size) + " ranks; expected " +
                             std::to_string(world_size_) + " as in " + first_path_);
    }
    return {};
  }

  Status add(Logs logs) {
    const formats::RankLogInfo info = logs.front()->info();
    for (std::size_t i = 1; i < logs.size(); ++i) {
      if (logs[i]->info().thread == logs[i - 1]->info().thread) {
        return input_error(logs[i]->info().path, 0,
                           "a second log of rank " + std::to_string(info.rank) + ", thread " +
                               std::to_string(logs[i]->info().thread) + "; expected one");
      }
    }
    auto data = load_rank(std::move(logs), world_size_);
    if (!data.ok()) return data.error();
    if (!ranks_.empty() && ranks_.back().rank >= info.rank) {
      return input_error(
          info.path, 0,
          "holds rank " + std::to_string(info.rank) + "; expected file names in the order of ranks");
    }
    ranks_.push_back(std::move(*data));
    if (options_.progress) {
      options_.progress("reading", ranks_.size(), static_cast<std::uint64_t>(world_size_));
    }
    return {};
  }

  /// Every rank gets its place, with or without a log.
  Status fill_missing() {
    if (ranks_.size() == static_cast<std::size_t>(world_size_)) return {};
    std::vector<RankData> all(static_cast<std::size_t>(world_size_));
    for (std::int32_t rank = 0; rank < world_size_; ++rank) all[static_cast<std::size_t>(rank)].rank = rank;
    for (RankData& data : ranks_) all[static_cast<std::size_t>(data.rank)] = std::move(data);
    std::vector<std::uint64_t> missing;
    for (const RankData& data : all) {
      if (!data.present) missing.push_back(static_cast<std::uint64_t>(data.rank));
    }
    if (!options_.allow_unmatched) {
      return input_error(directory_, 0,
                         "no log of rank " + ranges(missing) + "; expected one of each of the " +
                             std::to_string(world_size_) + " ranks");
    }
    ranks_ = std::move(all);
    return {};
  }

  std::string directory_;
  const MergeOptions& options_;
  std::string first_path_;
  std::int32_t world_size_ = 0;
  std::vector<RankData> ranks_;
};

Status write_file(const Prepared& prepared, const MergeOptions& options, MergeReport& report) {
  const auto start = std::chrono::steady_clock::now();
  auto writer = formats::TraceWriter::create(report.output, prepared.plan.header, prepared.lines,
                                             prepared.metadata, options.compression_level);
  if (!writer.ok()) return writer.error();
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  if (options.progress) {
    progress = [&](std::uint64_t done, std::uint64_t total) { options.progress("writing", done, total); };
  }
  auto status = write_records(prepared.model(), prepared.zero, prepared.plan, **writer, progress);
  if (!status.ok()) return status;
  if (status = (*writer)->finish(); !status.ok()) return status;
  std::error_code code;
  report.output_bytes = std::filesystem::file_size(report.output, code);
  report.written = true;
  report.seconds.emplace_back("write", seconds_since(start));
  return {};
}

std::string kind_verb(Unmatched::Kind kind) {
  switch (kind) {
    case Unmatched::Kind::kSend:
      return " bytes to rank ";
    case Unmatched::Kind::kReceive:
      return " bytes from ";
    case Unmatched::Kind::kProbe:
      return " bytes from ";
    case Unmatched::Kind::kCollective:
      return " bytes";
  }
  return "";
}

}  // namespace

std::string describe(const Unmatched& entry) {
  std::string text = "rank " + std::to_string(entry.rank) + ", call " + std::to_string(entry.event) + ": " +
                     entry.call + " of " + std::to_string(entry.bytes) + kind_verb(entry.kind);
  if (entry.kind == Unmatched::Kind::kSend) {
    text += std::to_string(entry.peer);
  } else if (entry.kind != Unmatched::Kind::kCollective) {
    text += entry.peer == formats::kAnySource ? "any rank" : "rank " + std::to_string(entry.peer);
  } else if (entry.peer >= 0) {
    text += ", root rank " + std::to_string(entry.peer);
  }
  if (entry.kind != Unmatched::Kind::kCollective) {
    text += entry.tag == formats::kAnyTag ? ", any tag" : ", tag " + std::to_string(entry.tag);
  }
  return text + ", " + entry.communicator + ": " + entry.why;
}

Result<MergeReport> merge(const std::string& directory, const std::string& output,
                          const MergeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  MergeReport report;
  report.output = output;
  std::vector<RankData> ranks;
  formats::Metadata metadata;
  TimeZero zero = TimeZero::kLatestInit;
  if (const std::string capture = find_capture(directory); !capture.empty()) {
    auto loaded = load_capture(capture, report.warnings);
    if (!loaded.ok()) return loaded.error();
    ranks = std::move(*loaded);
    zero = TimeZero::kOwnInit;
  } else {
    auto loaded = LogDirectory(directory, options).load();
    if (!loaded.ok()) return loaded.error();
    ranks = std::move(*loaded);
    std::string note;
    metadata = read_capture_info(directory, note);
    if (!note.empty()) report.warnings.push_back(note);
  }
  report.seconds.emplace_back("read", seconds_since(start));
  auto prepared = prepare(std::move(ranks), zero, std::move(metadata), report);
  if (!prepared.ok()) return prepared.error();
  if (report.faults == 0 || options.allow_unmatched) {
    if (auto status = write_file(**prepared, options, report); !status.ok()) return status.error();
  }
  return report;
}

}  // namespace vef::merge
