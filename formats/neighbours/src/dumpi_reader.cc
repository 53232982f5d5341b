// SPDX-License-Identifier: Apache-2.0
// Traces of DUMPI (SST): a .meta of `key=value` lines that names the files of the ranks,
// `<fileprefix>-<rank, four digits or more>.bin`. They are read side by side, in the order of their clocks.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "counted_reader.h"
#include "dumpi_functions.h"
#include "dumpi_records.h"
#include "format_list.h"
#include "named_files.h"
#include "text_scanner.h"

namespace vef::neighbours {

using formats::TaskId;

namespace {

constexpr std::uint64_t kMostRanks = 1U << 24;
constexpr std::size_t kBuffers = std::size_t{256} << 20;  // bytes, of all ranks
constexpr std::size_t kLargestBuffer = 64 * 1024;
constexpr std::size_t kSmallestBuffer = 1024;

struct Meta {
  std::uint64_t ranks = 0;
  std::uint64_t ranks_line = 0;
  std::string prefix;
  std::uint64_t prefix_line = 0;
  formats::Metadata about;
};

Result<Meta> read_meta(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.error();
  Meta meta;
  for (;;) {
    const auto more = (*lines)->next();
    if (!more) return more.error();
    if (!*more) break;
    std::string_view text = (*lines)->text();
    if (text.starts_with(kDumpiMagic))
      return input_error(path, 0, "the file of one rank; expected the .meta that names all of them");
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      return (*lines)->fault(formats::quoted(text) + "; expected a line of the form key=value");
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    if (key == "numprocs") {
      if (!formats::parse_number(value, kMostRanks, meta.ranks) || meta.ranks == 0)
        return (*lines)->fault("numprocs " + formats::quoted(value) + "; expected 1 to " +
                               std::to_string(kMostRanks));
      meta.ranks_line = (*lines)->line();
    } else if (key == "fileprefix") {
      meta.prefix = value;
      meta.prefix_line = (*lines)->line();
    } else if (key == "hostname" || key == "startime") {
      meta.about.emplace_back(key == "startime" ? "start_time" : key, value);
    }
  }
  if (meta.ranks_line == 0 || meta.prefix_line == 0)
    return input_error(path, 0, "lacks numprocs or fileprefix; expected both");
  return meta;
}

/// What is known before the calls are converted.
struct DumpiTrace {
  std::vector<DumpiFile> files;
  std::optional<DumpiComms> comms;
  formats::Metadata about;
};

Status read_comms(const std::string& path, DumpiTrace& trace, Losses& losses) {
  trace.comms.emplace(static_cast<TaskId>(trace.files.size()), losses);
  DumpiCall call;
  for (std::size_t rank = 0; rank < trace.files.size(); ++rank) {
    DumpiFile file = trace.files[rank];
    for (;;) {
      const auto more = file.next(call);
      if (!more) return more.error();
      if (!*more) break;
      trace.comms->add(static_cast<TaskId>(rank), call);
    }
  }
  if (Status status = trace.comms->resolve(); !status) return input_error(path, 0, status.error().message);
  return {};
}

Result<std::shared_ptr<DumpiTrace>> open_dumpi(const std::string& path, const Options& options,
                                               Losses& losses) {
  auto meta = read_meta(path);
  if (!meta) return meta.error();
  auto trace = std::make_shared<DumpiTrace>();
  trace->about = std::move(meta->about);
  const std::size_t buffer = std::clamp(kBuffers / meta->ranks, kSmallestBuffer, kLargestBuffer);
  for (std::uint64_t rank = 0; rank < meta->ranks; ++rank) {
    std::string number = std::to_string(rank);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    const auto name =
        find_named_file(path, meta->prefix_line, meta->prefix + "-" + number + ".bin", options.allow_outside);
    if (!name) return name.error();
    auto file = DumpiFile::open(*name, buffer);
    if (!file) return file.error();
    trace->files.push_back(std::move(*file));
  }
  if (Status status = read_comms(path, *trace, losses); !status) return status.error();
  return trace;
}

class DumpiSource final : public RecordSource {
 public:
  DumpiSource(std::string path, std::shared_ptr<const DumpiTrace> trace, Losses& losses)
      : path_(std::move(path)),
        trace_(std::move(trace)),
        files_(trace_->files),
        records_(files_, *trace_->comms, losses) {
    for (std::size_t rank = 0; rank < files_.size(); ++rank) {
      total_ += files_[rank].bytes_total();
      clocks_.emplace(0, rank);
    }
  }

  Result<bool> next(formats::Record& record) override {
    while (records_.ready().empty()) {
      if (clocks_.empty()) {
        if (std::exchange(finished_, true)) return false;
        if (Status status = records_.finish(); !status) return input_error(path_, 0, status.error().message);
        continue;
      }
      if (Status status = next_call(); !status) return status.error();
    }
    record = records_.ready().front().record;
    records_.ready().pop_front();
    return true;
  }

  std::uint64_t line() const override { return 0; }
  formats::Communicators communicators() const override { return records_.communicators(); }
  formats::Metadata metadata() const override { return trace_->about; }
  std::uint64_t bytes_read() const override { return read_; }
  std::uint64_t bytes_total() const override { return total_; }

 private:
  /// Of the rank whose clock is behind the others'.
  Status next_call() {
    const std::size_t rank = clocks_.top().second;
    clocks_.pop();
    DumpiFile& file = files_[rank];
    const std::uint64_t before = file.bytes_read();
    const auto more = file.next(call_);
    if (!more) return more.error();
    read_ += file.bytes_read() - before;
    if (!*more) return {};
    clocks_.emplace(call_.end, rank);
    if (Status status = records_.take(static_cast<TaskId>(rank), call_); !status)
      return file.fault(call_.offset,
                        "MPI_" + std::string(dumpi_name(call_.function)) + ": " + status.error().message);
    return {};
  }

  using Clock = std::pair<std::uint64_t, std::size_t>;

  std::string path_;
  std::shared_ptr<const DumpiTrace> trace_;
  std::vector<DumpiFile> files_;
  DumpiRecords records_;
  std::priority_queue<Clock, std::vector<Clock>, std::greater<>> clocks_;
  DumpiCall call_;
  bool finished_ = false;
  std::uint64_t read_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

Format dumpi_format() {
  Format format;
  format.name = "dumpi";
  format.title = "DUMPI trace of SST: a .meta, and a binary file for each rank";
  format.endings = {".meta"};
  format.keeps = "messages, sizes, computing, order, collectives, communicators";
  format.loses = "tags, one-sided communication, threads";
  format.recognises = [](std::string_view head) {
    return head.starts_with(kDumpiMagic) ||
           (head.find("numprocs=") != std::string_view::npos &&
            head.find("fileprefix=") != std::string_view::npos && head.find('=') < head.find('\n'));
  };
  format.open = [](const std::string& path, const Options& options,
                   Losses& losses) -> Result<std::unique_ptr<formats::TraceReader>> {
    const auto trace = open_dumpi(path, options, losses);
    if (!trace) return trace.error();
    return open_counted(
        path,
        [path, trace = *trace](Losses& counted) -> Result<std::unique_ptr<RecordSource>> {
          return std::unique_ptr<RecordSource>(new DumpiSource(path, trace, counted));
        },
        losses, options.progress);
  };
  return format;
}

}  // namespace vef::neighbours
