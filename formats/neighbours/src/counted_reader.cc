// SPDX-License-Identifier: Apache-2.0
#include "counted_reader.h"

#include <numeric>
#include <utility>

#include "trace_ids.h"

namespace vef::neighbours {

using formats::Record;
using formats::RecordKind;
using formats::TraceHeader;

namespace {

class CountedReader final : public formats::TraceReader {
 public:
  CountedReader(std::string path, SourceOpener open) : path_(std::move(path)), open_(std::move(open)) {}

  Status count(Losses& losses, const ProgressFunction& progress) {
    auto source = open_(losses);
    if (!source) return source.error();
    const Status records = read_all(**source, progress);
    if (!records) return records.error();
    header_.version = (*source)->version();
    communicators_ = (*source)->communicators();
    header_.tasks = static_cast<formats::TaskId>(communicators_.front().size());
    header_.communicators = communicators_.size();
    metadata_ = (*source)->metadata();
    return start();
  }

  const TraceHeader& header() const override { return header_; }
  const formats::Communicators& communicators() const override { return communicators_; }
  const formats::Metadata& metadata() const override { return metadata_; }
  std::uint64_t line() const override { return source_->line(); }
  const std::string& path() const override { return path_; }
  std::uint64_t bytes_read() const override { return source_->bytes_read(); }
  std::uint64_t bytes_total() const override { return source_->bytes_total(); }

  Result<bool> next(Record& record) override {
    const auto more = source_->next(record);
    if (!more) return more.error();
    const std::uint64_t expected = header_.messages + header_.collective_records;
    given_ += *more ? 1 : 0;
    if (given_ > expected || (!*more && given_ < expected)) {
      return input_error(path_, 0,
                         "record " + std::to_string(given_) + " of " + std::to_string(expected) +
                             " is not what it was a moment ago; expected a file that nothing changes");
    }
    return *more;
  }

 private:
  /// Counts what the header must say.
  Status read_all(RecordSource& source, const ProgressFunction& progress) {
    formats::DistinctIds collectives;
    Record record;
    header_.only_send_deps = true;
    for (std::uint64_t count = 0;; ++count) {
      constexpr std::uint64_t kBetweenUpdates = 1 << 16;
      if (progress && count % kBetweenUpdates == 0) progress(source.bytes_read(), source.bytes_total());
      const auto more = source.next(record);
      if (!more) return more.error();
      if (!*more) break;
      if (record.kind == RecordKind::kCollective) {
        ++header_.collective_records;
        collectives.insert(record.id);
      } else {
        ++header_.messages;
        if (record.dep != formats::DepKind::kIndependent && record.dep != formats::DepKind::kSend)
          header_.only_send_deps = false;
      }
    }
    header_.collectives = collectives.size();
    return {};
  }

  Status start() {
    auto source = open_(again_);
    if (!source) return source.error();
    source_ = std::move(*source);
    return {};
  }

  std::string path_;
  SourceOpener open_;
  TraceHeader header_;
  formats::Communicators communicators_;
  formats::Metadata metadata_;
  std::unique_ptr<RecordSource> source_;
  Losses again_;  // of the second reading, which are those of the first
  std::uint64_t given_ = 0;
};

}  // namespace

Result<std::unique_ptr<formats::TraceReader>> open_counted(const std::string& path, SourceOpener open,
                                                           Losses& losses, const ProgressFunction& progress) {
  auto reader = std::make_unique<CountedReader>(path, std::move(open));
  if (Status status = reader->count(losses, progress); !status) return status.error();
  return std::unique_ptr<formats::TraceReader>(std::move(reader));
}

formats::Communicators world_only(formats::TaskId tasks) {
  std::vector<formats::TaskId> members(static_cast<std::size_t>(tasks));
  std::iota(members.begin(), members.end(), 0);
  return {std::move(members)};
}

}  // namespace vef::neighbours
