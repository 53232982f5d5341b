// SPDX-License-Identifier: Apache-2.0
// The reader of indexed files: every part is decoded by itself. The parts follow each other without a gap up
// to the index; records that lay before the first part would be missed, and missing in the header's counts.
#include <algorithm>
#include <utility>

#include "blocks_reader.h"
#include "byte_file.h"
#include "little_endian.h"
#include "record_counts.h"
#include "trace_tail.h"
#include "vef_text_reader.h"
#include "vefb_block.h"
#include "zstd_memory_source.h"

namespace vef::formats {

namespace {

/// No writer makes parts nearly as large; an index that claims them must not claim the memory.
constexpr std::uint64_t kMostPartBytes = std::uint64_t{1} << 28;
constexpr std::size_t kMostPartRecords = std::size_t{1} << 24;

struct Part {
  std::uint64_t number = 0;
  std::uint64_t begin = 0;  // in the file
  std::uint64_t end = 0;
  std::uint64_t first_line = 0;

  std::string name() const { return "part " + std::to_string(number); }
};

/// Decodes parts, one after the other.
class PartDecoder {
 public:
  virtual ~PartDecoder() = default;
  virtual RecordBlock decode(const InputFile& file, const Part& part) = 0;
};

class TextPartDecoder final : public PartDecoder {
 public:
  explicit TextPartDecoder(const TraceHeader& header) : header_(header) {}

  RecordBlock decode(const InputFile& file, const Part& part) override {
    RecordBlock block;
    auto bytes = file.read_at(part.begin, part.end - part.begin);
    if (!bytes) {
      block.error = bytes.error();
      return block;
    }
    const auto reader = VefTextReader::open_part(
        header_, part.first_line, std::make_unique<ZstdMemorySource>(file, std::move(*bytes), part.name()));
    block.records.reserve(expected_);
    while (block.records.size() < kMostPartRecords) {
      Record& record = block.records.emplace_back();
      const auto more = reader->next(record);
      if (more && *more) continue;
      if (!more) block.error = more.error();
      block.records.pop_back();
      expected_ = block.records.size();
      return block;
    }
    block.error = input_error(
        file.path(), reader->line(),
        part.name() + " has more than " + std::to_string(kMostPartRecords) + " records; expected fewer");
    return block;
  }

 private:
  TraceHeader header_;
  std::size_t expected_ = 0;
};

class BinaryPartDecoder final : public PartDecoder {
 public:
  explicit BinaryPartDecoder(const TraceHeader& header) : decoder_(header) {}

  RecordBlock decode(const InputFile& file, const Part& part) override {
    RecordBlock block;
    const auto bytes = file.read_at(part.begin, part.end - part.begin);
    if (!bytes) {
      block.error = bytes.error();
      return block;
    }
    const std::string_view all = *bytes;
    const std::string_view payload = all.substr(std::min(all.size(), vefb::kBlockHeadBytes));
    const bool sound = all.starts_with(vefb::kRecordBlock) && all.size() >= vefb::kBlockHeadBytes &&
                       get_number(all, 4, 4) == payload.size() &&
                       get_number(all, 8, 4) == vefb::checksum(payload) &&
                       decoder_.decode(payload, block.records);
    if (!sound) {
      block.records.clear();
      block.error = input_error(file.path(), 0,
                                part.name() + " from byte " + std::to_string(part.begin) +
                                    " on is damaged; expected one sound block of records up to byte " +
                                    std::to_string(part.end));
    }
    return block;
  }

 private:
  vefb::BlockDecoder decoder_;
};

class PartsReader final : public BlocksReader {
 public:
  PartsReader(std::unique_ptr<TraceReader> head, std::unique_ptr<InputFile> file, std::vector<Part> parts,
              bool binary, const ReadOptions& options)
      : BlocksReader(std::move(head), options.from_line),
        file_(std::move(file)),
        parts_(std::move(parts)),
        binary_(binary),
        jobs_(options.threads == 0 ? 0 : options.threads + 1) {
    counts_.expect(header());
    const auto behind =
        std::upper_bound(parts_.begin(), parts_.end(), options.from_line,
                         [](std::uint64_t line, const Part& part) { return line < part.first_line; });
    if (behind != parts_.begin()) started_ = taken_ = static_cast<std::size_t>(behind - parts_.begin()) - 1;
    counted_ = taken_ == 0;
  }

 private:
  struct Decoded {
    std::unique_ptr<PartDecoder> decoder;
    RecordBlock block;
  };

  Decoded decode(std::unique_ptr<PartDecoder> decoder, const Part& part) const {
    if (!decoder && binary_) decoder = std::make_unique<BinaryPartDecoder>(header());
    if (!decoder) decoder = std::make_unique<TextPartDecoder>(header());
    RecordBlock block = decoder->decode(*file_, part);
    block.first_line = part.first_line;
    block.bytes_read = part.end;
    return {std::move(decoder), std::move(block)};
  }

  void start_jobs() {
    for (; !jobs_.full() && started_ < parts_.size(); ++started_) {
      const auto decoder = std::make_shared<std::unique_ptr<PartDecoder>>(std::move(idle_));
      const Part& part = parts_[started_];
      jobs_.start([this, decoder, &part] { return decode(std::move(*decoder), part); });
    }
  }

  bool next_block(RecordBlock& block) override {
    start_jobs();
    if (taken_ == parts_.size()) return end(block);
    Decoded decoded = jobs_.empty() ? decode(std::move(idle_), parts_[started_++]) : jobs_.take();
    idle_ = std::move(decoded.decoder);
    block = std::move(decoded.block);
    ++taken_;
    if (counted_) count(block);
    if (!block.error && taken_ < parts_.size()) check_lines(block, parts_[taken_]);
    return true;
  }

  void count(RecordBlock& block) {
    for (std::size_t i = 0; i < block.records.size(); ++i) {
      if (counts_.add(block.records[i])) continue;
      block.error = input_error(path(), block.first_line + i, counts_.excess(block.records[i]));
      block.records.resize(i);
      return;
    }
  }

  void check_lines(RecordBlock& block, const Part& next) const {
    const std::uint64_t line = block.first_line + block.records.size();
    if (next.first_line == line) return;
    block.error = input_error(path(), line,
                              "the index has line " + std::to_string(next.first_line) + " for " +
                                  next.name() + "; expected " + std::to_string(line));
  }

  bool end(RecordBlock& block) {
    if (ended_ || !counted_) return false;
    ended_ = true;
    const std::string lack = counts_.lack();
    if (lack.empty()) return false;
    block = {};
    block.error = input_error(path(), line(), lack);
    return true;
  }

  std::unique_ptr<InputFile> file_;
  std::vector<Part> parts_;
  bool binary_;
  std::size_t started_ = 0;
  std::size_t taken_ = 0;
  bool counted_ = true;
  bool ended_ = false;
  RecordCounts counts_;
  std::unique_ptr<PartDecoder> idle_;
  OrderedJobs<Decoded> jobs_;  // last: ends first
};

/// The parts that the index names but the head; empty if they cannot be right.
std::vector<Part> parts_of(const TraceTail& tail, const TraceHeader& header) {
  std::vector<Part> parts;
  const std::vector<TracePart>& frames = tail.frames;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::uint64_t end = i + 1 < frames.size() ? frames[i + 1].offset : tail.offset;
    if (frames[i].offset <= frames[i - 1].offset || end <= frames[i].offset || end > tail.offset ||
        end - frames[i].offset > kMostPartBytes ||
        (i > 1 && frames[i].first_line <= frames[i - 1].first_line))
      return {};
    parts.push_back({i, frames[i].offset, end, frames[i].first_line});
  }
  if (!parts.empty() && parts.front().first_line != 2 + header.communicators) return {};
  return parts;
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_parts(std::unique_ptr<TraceReader>& head,
                                                const ReadOptions& options) {
  auto file = InputFile::open(head->path());
  if (!file) return file.error();
  const auto tail = read_tail(**file);
  if (!tail) return tail.error();
  std::vector<Part> parts = parts_of(*tail, head->header());
  if (parts.empty()) return std::unique_ptr<TraceReader>();
  const auto start = (*file)->peek(vefb::kSignature.size());
  if (!start) return start.error();
  const bool binary = start->starts_with(vefb::kSignature);
  return std::unique_ptr<TraceReader>(
      new PartsReader(std::move(head), std::move(*file), std::move(parts), binary, options));
}

}  // namespace vef::formats
