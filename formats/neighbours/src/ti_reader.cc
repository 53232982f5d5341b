// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "format_list.h"
#include "named_files.h"
#include "text_scanner.h"
#include "ti.h"
#include "ti_actions.h"

namespace vef::neighbours {

namespace {

constexpr std::uint64_t kMostRanks = 1U << 24;

/// The words of a line; none if it is a comment or empty.
void split(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t at = 0; at < text.size();) {
    if (formats::is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !formats::is_space(text[at])) ++at;
    words.push_back(text.substr(begin, at - begin));
  }
  if (!words.empty() && words[0].front() == '#') words.clear();
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

struct Files {
  std::vector<std::string> paths;  // of one rank each; or one of all
  bool shared = false;
};

/// Reads an index. A file of actions is one itself.
Result<Files> read_index(const std::string& path, bool allow_outside) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.error();
  Files files;
  std::vector<std::string_view> words;
  for (;;) {
    const auto more = (*lines)->next();
    if (!more) return more.error();
    if (!*more) break;
    split((*lines)->text(), words);
    if (words.empty()) continue;
    if (files.paths.empty() && is_ti_line((*lines)->text())) return Files{{path}, true};
    if (words.size() != 1)
      return (*lines)->fault("found " + std::to_string(words.size()) + " words; expected the name of a file");
    if (files.paths.size() == kMostRanks)
      return (*lines)->fault("one file more than " + std::to_string(kMostRanks));
    auto found = find_named_file(path, (*lines)->line(), words[0], allow_outside);
    if (!found) return found.error();
    files.paths.push_back(std::move(*found));
  }
  if (files.paths.empty())
    return input_error(path, 0, "names no file; expected one for each rank, or one for all");
  files.shared = files.paths.size() == 1;
  return files;
}

/// The number of ranks that a file of all ranks speaks of.
Result<formats::TaskId> count_ranks(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.error();
  std::vector<std::string_view> words;
  std::uint64_t ranks = 0;
  for (;;) {
    const auto more = (*lines)->next();
    if (!more) return more.error();
    if (!*more) break;
    split((*lines)->text(), words);
    if (words.empty()) continue;
    std::uint64_t rank = 0;
    if (!formats::parse_number(words[0], kMostRanks - 1, rank))
      return (*lines)->fault("rank " + formats::quoted(words[0]) + "; expected 0 to " +
                             std::to_string(kMostRanks - 1));
    ranks = std::max(ranks, rank + 1);
  }
  if (ranks == 0) return input_error(path, 0, "holds no action; expected lines of a rank and an action");
  return static_cast<formats::TaskId>(ranks);
}

class TiSource final : public RecordSource {
 public:
  TiSource(Files files, formats::TaskId ranks, const Options& options, Losses& losses)
      : files_(std::move(files)), ranks_(ranks), actions_(ranks, options, losses) {}

  Result<bool> next(formats::Record& record) override {
    while (actions_.ready().empty()) {
      const auto more = next_line();
      if (!more) return more.error();
      if (!*more) return false;
    }
    record = actions_.ready().front().record;
    line_ = actions_.ready().front().line;
    actions_.ready().pop_front();
    return true;
  }

  std::uint64_t line() const override { return line_; }
  formats::Communicators communicators() const override { return world_only(ranks_); }
  std::uint64_t bytes_read() const override { return next_file_; }
  std::uint64_t bytes_total() const override { return files_.paths.size(); }

 private:
  Result<bool> next_line() {
    if (!lines_) {
      if (next_file_ == files_.paths.size()) {
        if (Status status = actions_.finish(); !status)
          return input_error(files_.paths.back(), 0, status.error().message);
        return false;
      }
      auto opened = LineReader::open(files_.paths[next_file_++]);
      if (!opened) return opened.error();
      lines_ = std::move(*opened);
    }
    const auto more = lines_->next();
    if (!more) return more.error();
    if (!*more) {
      lines_.reset();
      return true;
    }
    split(lines_->text(), words_);
    if (words_.empty()) return true;
    std::uint64_t rank = 0;
    if (!files_.shared && (!formats::parse_number(words_[0], kMostRanks, rank) || rank != next_file_ - 1))
      return lines_->fault("rank " + formats::quoted(words_[0]) + "; expected " +
                           std::to_string(next_file_ - 1) + " in the file of that rank");
    if (Status status = actions_.take(words_, lines_->line()); !status)
      return lines_->fault(status.error().message);
    return true;
  }

  Files files_;
  formats::TaskId ranks_;
  TiActions actions_;
  std::size_t next_file_ = 0;
  std::unique_ptr<LineReader> lines_;
  std::vector<std::string_view> words_;
  std::uint64_t line_ = 0;
};

}  // namespace

bool is_ti_line(std::string_view line) {
  std::vector<std::string_view> words;
  split(line, words);
  return words.size() >= 2 && is_number(words[0]) && TiActions::knows(words[1]);
}

Result<std::unique_ptr<RecordSource>> open_ti(const std::string& path, const Options& options,
                                              Losses& losses) {
  auto files = read_index(path, options.allow_outside);
  if (!files) return files.error();
  auto ranks = static_cast<formats::TaskId>(files->paths.size());
  if (files->shared) {
    const auto counted = count_ranks(files->paths[0]);
    if (!counted) return counted.error();
    ranks = *counted;
  }
  return std::unique_ptr<RecordSource>(new TiSource(std::move(*files), ranks, options, losses));
}

Format simgrid_format() {
  Format format;
  format.name = "simgrid-ti";
  format.title =
      "time-independent trace of SimGrid's SMPI: an index, and a file for each rank or one for all";
  format.endings = {".ti"};
  format.keeps = "messages, sizes, computing, order, collectives of all ranks";
  format.loses =
      "in: tags, tests, sizes per pair; out: collectives of other communicators (as messages), absolute "
      "times, metadata";
  format.recognises = [](std::string_view head) {
    for (std::size_t end; !head.empty(); head.remove_prefix(std::min(head.size(), end + 1))) {
      end = std::min(head.find('\n'), head.size());
      std::vector<std::string_view> words;
      split(head.substr(0, end), words);
      if (!words.empty()) return is_ti_line(head.substr(0, end));
    }
    return false;
  };
  format.open = [](const std::string& path, const Options& options, Losses& losses) {
    return open_counted(
        path, [path, options](Losses& counted) { return open_ti(path, options, counted); }, losses,
        options.progress);
  };
  format.create = [](const std::string& path, const formats::TraceReader& trace, const Options& options,
                     Losses& losses) -> Result<std::unique_ptr<formats::TraceWriter>> {
    if (Status status = refuse_compressed(path); !status) return status.error();
    return create_ti(path, trace, options, losses);
  };
  return format;
}

}  // namespace vef::neighbours
