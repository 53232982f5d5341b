// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "counted_reader.h"
#include "format_list.h"
#include "paraver_tasks.h"
#include "paraver_writer.h"

namespace vef::neighbours {

namespace {

class ParaverSource final : public RecordSource {
 public:
  ParaverSource(std::unique_ptr<LineReader> lines, bool more, paraver::Header header, Losses& losses)
      : lines_(std::move(lines)), more_(more), tasks_(std::move(header), losses) {}

  Result<bool> next(formats::Record& record) override {
    while (tasks_.ready().empty()) {
      if (!more_) {
        if (std::exchange(finished_, true)) return false;
        if (Status status = tasks_.finish(); !status)
          return input_error(lines_->path(), 0, status.error().message);
        continue;
      }
      if (Status status = take_line(); !status) return status.error();
    }
    record = tasks_.ready().front().record;
    line_ = tasks_.ready().front().line;
    tasks_.ready().pop_front();
    return true;
  }

  std::uint64_t line() const override { return line_; }
  formats::Communicators communicators() const override { return tasks_.communicators(); }
  std::uint64_t bytes_read() const override { return lines_->bytes_read(); }
  std::uint64_t bytes_total() const override { return lines_->bytes_total(); }

 private:
  /// The line at hand; then the next is.
  Status take_line() {
    std::string_view text = lines_->text();
    if (text.ends_with('\r')) text.remove_suffix(1);
    Status status;
    if (text.starts_with("2:")) {
      status = tasks_.events(text.substr(2), lines_->line());
    } else if (text.starts_with("3:")) {
      status = tasks_.message(text.substr(2), lines_->line());
    } else if (!text.empty() && !text.starts_with("1:") && !text.starts_with("#")) {
      return lines_->fault(formats::quoted(text) + "; expected a line that begins with 1:, 2: or 3:");
    }
    if (!status) return lines_->fault(status.error().message);
    const auto more = lines_->next();
    if (!more) return more.error();
    more_ = *more;
    return {};
  }

  std::unique_ptr<LineReader> lines_;
  bool more_;
  bool finished_ = false;
  paraver::Tasks tasks_;
  std::uint64_t line_ = 0;
};

Result<std::unique_ptr<RecordSource>> open_paraver(const std::string& path, Losses& losses) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.error();
  bool more = false;
  auto header = paraver::read_header(**lines, more);
  if (!header) return header.error();
  return std::unique_ptr<RecordSource>(
      new ParaverSource(std::move(*lines), more, std::move(*header), losses));
}

}  // namespace

Format paraver_format() {
  Format format;
  format.name = "paraver";
  format.title = "Paraver trace as Extrae writes it (.gz and .zst compress); out with .pcf and .row";
  format.endings = {".prv"};
  format.keeps = "messages, sizes, computing, collectives, communicators; out: times of an ideal network";
  format.loses =
      "in: tags, one-sided communication, waits for non-blocking collectives; out: dependencies, metadata";
  format.recognises = [](std::string_view head) { return head.starts_with("#Paraver"); };
  format.open = [](const std::string& path, const Options& options, Losses& losses) {
    return open_counted(
        path, [path](Losses& counted) { return open_paraver(path, counted); }, losses, options.progress);
  };
  format.create = create_paraver;
  return format;
}

}  // namespace vef::neighbours
