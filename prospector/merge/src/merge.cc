// SPDX-License-Identifier: Apache-2.0
// The merge of a directory: finds what lies there, loads it, and writes the trace.
#include "vef/merge/merge.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "capture_info.h"
#include "clock_offsets.h"
#include "find_worlds.h"
#include "load_capture.h"
#include "log_directory.h"
#include "metadata.h"
#include "prepared.h"
#include "remote_source.h"
#include "unmatched_sites.h"
#include "vef/formats/trace_io.h"
#include "writer_thread.h"

namespace vef::merge {

namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status write_file(const Prepared& prepared, const MergeOptions& options, const Means& means,
                  MergeReport& report) {
  const auto start = std::chrono::steady_clock::now();
  auto writer =
      formats::TraceWriter::create(report.output, prepared.plan.header, prepared.lines, prepared.metadata,
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
                  RankSource& source, Loaded& all, MergeReport& report) {
  auto ranks = load_directory(directory, info.selection, options, source, report.damage);
  if (!ranks.ok()) return ranks.error();
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
                   RankSource& source, Loaded& all, MergeReport& report) {
  std::vector<Capture> captures = find_worlds(directories, options.alone);
  std::vector<std::string> merged;
  for (const Capture& capture : captures) merged.push_back(capture.directory);
  for (const Capture& capture : captures) {
    const auto others = other_recordings(capture.directory, merged);
    if (!others.empty() && all.worlds.empty()) {
      report.notes.push_back(capture.directory +
                             ": there are further recordings, each a world of its own: " + listed(others));
    }
    if (auto status = load_world(capture.directory, capture.info, options, source, all, report); !status.ok())
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
    const std::unique_ptr<RankSource> source = make_source(options.transport, means);
    if (auto status = load_worlds(directories, options, *source, loaded, report); !status.ok())
      return status.error();
  }
  if (auto status = store.status(); !status.ok()) return status.error();
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
