// SPDX-License-Identifier: Apache-2.0
// The merge of a directory: finds what lies there, loads it, and writes the trace.
#include "vef/merge/merge.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "capture_info.h"
#include "clock_offsets.h"
#include "find_worlds.h"
#include "load_capture.h"
#include "load_log.h"
#include "metadata.h"
#include "prepared.h"
#include "unmatched_sites.h"
#include "vef/base/text.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/formats/trace_io.h"
#include "vef/settings/settings.h"
#include "writer_thread.h"

namespace vef::merge {

namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kMaxTasks = 1 << 22;

using Logs = std::vector<std::unique_ptr<formats::RankLogReader>>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Loads the logs of a directory rank by rank, with those of few ranks open at a time.
class LogDirectory {
 public:
  LogDirectory(std::string directory, Selection selection, const MergeOptions& options, const Means& means)
      : directory_(std::move(directory)),
        selection_(std::move(selection)),
        options_(options),
        store_(*means.store),
        workers_(*means.workers) {}

  Result<std::vector<RankData>> load() {
    auto paths = formats::list_rank_logs(directory_);
    if (!paths.ok()) return paths.error();
    if (paths->empty()) {
      const std::string others = listed(other_recordings(directory_, {}));
      return input_error(directory_, 0,
                         "no rank logs and no VEFT.main; expected a directory that `vef record` wrote" +
                             (others.empty() ? "" : ", as these are: " + others));
    }
    auto status = read_all(*paths);
    // What was begun must end; of several faults the first in the order of the logs counts.
    workers_.wait();
    if (!fault_.ok()) return fault_.error();
    if (!status.ok()) return status.error();
    if (status = store_.status(); !status.ok()) return status.error();
    if (loaded_.empty()) return input_error(directory_, 0, "no readable log; expected one of each rank");
    for (RankData& data : loaded_) ranks_.push_back(std::move(data));
    if (status = fill_missing(); !status.ok()) return status.error();
    for (RankData& data : ranks_) data.partial = data.partial || selection_.leaves_out_calls;
    return std::move(ranks_);
  }

  /// Logs that are no logs any more, one line each.
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  Status read_all(const std::vector<std::string>& paths) {
    Logs logs;
    for (const std::string& path : paths) {
      auto log = formats::RankLogReader::open(path);
      if (!log.ok()) {
        if (!options_.allow_unmatched) return log.error();
        unreadable_.push_back(log.error().message);
        continue;
      }
      if (auto status = check((*log)->info()); !status.ok()) return status;
      if (!logs.empty() && logs.front()->info().rank != (*log)->info().rank) {
        if (auto status = add(std::move(logs)); !status.ok()) return status;
        logs.clear();
      }
      logs.push_back(std::move(*log));
    }
    return logs.empty() ? Status{} : add(std::move(logs));
  }

  Status check(const formats::RankLogInfo& info) {
    if (first_path_.empty()) {
      first_path_ = info.path;
      world_size_ = info.world_size;
      job_ = info.job;
    }
    if (info.job != job_) {
      return input_error(info.path, 0,
                         "a log of another run than " + first_path_ +
                             "; expected the logs of one run, each run in a directory of its own");
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
    if (last_rank_ >= info.rank) {
      return input_error(
          info.path, 0,
          "holds rank " + std::to_string(info.rank) + "; expected file names in the order of ranks");
    }
    last_rank_ = info.rank;
    RankData& place = loaded_.emplace_back();
    // A job can be copied, logs cannot.
    const auto shared = std::make_shared<Logs>(std::move(logs));
    workers_.submit([this, shared, &place, number = loaded_.size()] { load_one(*shared, place, number); });
    const std::lock_guard lock(mutex_);
    return fault_.ok() ? Status{} : Status(fault_.error());
  }

  /// In any thread.
  void load_one(Logs& logs, RankData& place, std::size_t number) {
    auto data = load_rank(std::move(logs), world_size_, &store_);
    const std::lock_guard lock(mutex_);
    if (data.ok()) {
      place = std::move(*data);
    } else if (fault_.ok() || number < fault_number_) {
      fault_ = data.error();
      fault_number_ = number;
    }
    ++done_;
    if (options_.progress) options_.progress("reading", done_, static_cast<std::uint64_t>(world_size_));
  }

  const char* ranks_to_record() const {
    return selection_.ranks.empty() ? nullptr : selection_.ranks.c_str();
  }

  /// Where logs lie that cannot be read from here.
  std::string logs_elsewhere() const {
    std::string text;
    const auto notes = formats::list_scratch_notes(directory_);
    if (!notes.ok()) return text;
    for (const formats::ScratchNote& note : *notes) {
      if (!note.is_here)
        text += (text.empty() ? "; those of host " : ", of ") + note.host + " lie there in " + note.path;
    }
    return text;
  }

  /// Every rank gets its place, with or without a log.
  Status fill_missing() {
    if (ranks_.size() == static_cast<std::size_t>(world_size_)) return {};
    std::vector<RankData> all(static_cast<std::size_t>(world_size_));
    for (std::int32_t rank = 0; rank < world_size_; ++rank) all[static_cast<std::size_t>(rank)].rank = rank;
    for (RankData& data : ranks_) all[static_cast<std::size_t>(data.rank)] = std::move(data);
    std::vector<std::uint64_t> missing;
    for (RankData& data : all) {
      data.unrecorded = !data.present && !settings::in_ranks(ranks_to_record(), data.rank);
      if (!data.present && !data.unrecorded) missing.push_back(static_cast<std::uint64_t>(data.rank));
    }
    if (!missing.empty() && !options_.allow_unmatched) {
      return input_error(directory_, 0,
                         "no log of rank " + ranges(missing) + "; expected one of each of the " +
                             std::to_string(world_size_) + " ranks" + logs_elsewhere());
    }
    ranks_ = std::move(all);
    return {};
  }

  std::string directory_;
  Selection selection_;
  const MergeOptions& options_;
  std::string first_path_;
  std::int32_t world_size_ = 0;
  std::uint64_t job_ = 0;
  std::vector<RankData> ranks_;
  std::vector<std::string> unreadable_;
  Store& store_;
  Workers& workers_;
  formats::TaskId last_rank_ = -1;
  std::deque<RankData> loaded_;  // of the ranks that have logs, in their order
  std::mutex mutex_;             // of all below
  std::uint64_t done_ = 0;
  Status fault_;
  std::size_t fault_number_ = 0;  // of the rank, in loaded_
};

Status write_file(const Prepared& prepared, const MergeOptions& options, const Means& means,
                  MergeReport& report) {
  const auto start = std::chrono::steady_clock::now();
  auto writer = formats::TraceWriter::create(report.output, prepared.plan.header, prepared.lines,
                                             prepared.metadata,
                                             {options.compression_level, means.workers->threads() - 1});
  if (!writer.ok()) return writer.error();
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  if (options.progress) {
    progress = [&](std::uint64_t done, std::uint64_t total) { options.progress("writing", done, total); };
  }
  std::unique_ptr<formats::TraceWriter> threaded;
  if (means.workers->threads() > 1) threaded = std::make_unique<WriterThread>(**writer);
  formats::TraceWriter& out = threaded ? *threaded : **writer;
  auto status = write_records(prepared.model(), prepared.zero, prepared.plan, out, means.store, progress);
  if (!status.ok()) return status;
  if (status = out.finish(); !status.ok()) return status;
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
  if (!entry.site.empty()) return text + ", " + entry.communicator + ", at " + entry.site + ": " + entry.why;
  return text + ", " + entry.communicator + ": " + entry.why;
}

namespace {

/// What was loaded of all the worlds.
struct Loaded {
  std::vector<RankData> ranks;
  std::vector<World> worlds;
  formats::Metadata metadata;
};

Status load_world(const std::string& directory, CaptureInfo info, const MergeOptions& options,
                  const Means& means, Loaded& all, MergeReport& report) {
  LogDirectory logs(directory, std::move(info.selection), options, means);
  auto ranks = logs.load();
  if (!ranks.ok()) return ranks.error();
  report.damage.insert(report.damage.end(), logs.unreadable().begin(), logs.unreadable().end());
  if (!info.note.empty()) report.warnings.push_back(info.note);
  if (all.worlds.empty()) {  // the offsets are to a clock of the world's own
    all.metadata = std::move(info.metadata);
    if (apply_clock_offsets(info.clock_offsets, *ranks)) {
      all.metadata.emplace_back("clocks compared", describe_clock_offsets(info.clock_offsets, *ranks));
    }
  }
  World world;
  world.directory = directory;
  world.job = info.job;
  world.parent_job = info.spawned_by;
  world.parent_rank = info.spawned_by_rank;
  world.first = static_cast<formats::TaskId>(all.ranks.size());
  world.size = static_cast<std::int32_t>(ranks->size());
  if (all.ranks.size() + ranks->size() > static_cast<std::size_t>(kMaxTasks)) {
    return input_error(directory, 0,
                       "more than " + std::to_string(kMaxTasks) + " ranks in all; expected fewer");
  }
  for (RankData& rank : *ranks) {
    rank.world = static_cast<std::uint32_t>(all.worlds.size());
    all.ranks.push_back(std::move(rank));
  }
  all.worlds.push_back(std::move(world));
  return {};
}

Status load_worlds(const std::vector<std::string>& directories, const MergeOptions& options,
                   const Means& means, Loaded& all, MergeReport& report) {
  std::vector<Capture> captures = find_worlds(directories, options.alone);
  std::vector<std::string> merged;
  for (const Capture& capture : captures) merged.push_back(capture.directory);
  for (const Capture& capture : captures) {
    const auto others = other_recordings(capture.directory, merged);
    if (!others.empty() && all.worlds.empty()) {
      report.notes.push_back(capture.directory +
                             ": there are further recordings, each a world of its own: " + listed(others));
    }
    if (auto status = load_world(capture.directory, capture.info, options, means, all, report); !status.ok())
      return status;
  }
  return {};
}

}  // namespace

Result<MergeReport> merge(const std::vector<std::string>& directories, const std::string& output,
                          const MergeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  MergeReport report;
  report.output = output;
  Store store(fs::path(output).parent_path().string(), options.memory);
  Workers workers(options.threads != 0 ? options.threads : std::thread::hardware_concurrency());
  const Means means{&store, &workers};
  Loaded loaded;
  TimeZero zero = TimeZero::kLatestInit;
  for (const std::string& directory : directories) {
    const std::string capture = find_capture(directory);
    if (capture.empty()) continue;
    if (directories.size() > 1) {
      return input_error(capture, 0, "a capture of the original recorder; expected it alone, or rank logs");
    }
    auto ranks = load_capture(capture, report.warnings);
    if (!ranks.ok()) return ranks.error();
    loaded.ranks = std::move(*ranks);
    loaded.worlds.emplace_back();
    loaded.worlds[0].directory = directory;
    loaded.worlds[0].size = static_cast<std::int32_t>(loaded.ranks.size());
    zero = TimeZero::kOwnInit;
  }
  if (loaded.worlds.empty()) {
    if (auto status = load_worlds(directories, options, means, loaded, report); !status.ok())
      return status.error();
  }
  report.seconds.emplace_back("read", seconds_since(start));
  auto prepared = prepare(std::move(loaded.ranks), std::move(loaded.worlds), zero, std::move(loaded.metadata),
                          report, means);
  if (!prepared.ok()) return prepared.error();
  find_call_sites((*prepared)->ranks, workers, report.unmatched);
  if ((report.faults == 0 && report.damaged.empty()) || options.allow_unmatched) {
    if (auto status = write_file(**prepared, options, means, report); !status.ok()) return status.error();
  }
  report.file_bytes = store.most_file_bytes();
  return report;
}

}  // namespace vef::merge
