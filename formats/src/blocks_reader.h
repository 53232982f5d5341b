// SPDX-License-Identifier: Apache-2.0
// Readers that decode whole blocks of records, beside their caller where they are given threads: the parts of
// an indexed file, several at a time, or any other file ahead of its caller. They give what the plain readers
// give, errors and lines included. One object per thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ordered_jobs.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {

/// Records whose lines follow each other, and what ended them if that was a fault.
struct RecordBlock {
  std::vector<Record> records;
  std::uint64_t first_line = 0;
  std::uint64_t bytes_read = 0;  // of the file, at the block's end
  std::optional<Error> error;
};

class BlocksReader : public TraceReader {
 public:
  const TraceHeader& header() const override { return head_->header(); }
  const Communicators& communicators() const override { return head_->communicators(); }
  const Metadata& metadata() const override { return head_->metadata(); }
  Result<bool> next(Record& record) final;
  std::uint64_t line() const override { return line_; }
  const std::string& path() const override { return head_->path(); }
  std::uint64_t bytes_read() const override { return block_.bytes_read; }
  std::uint64_t bytes_total() const override { return head_->bytes_total(); }

 protected:
  /// `head` stands behind the head of the file. Records of lines before `from_line` are dropped.
  BlocksReader(std::unique_ptr<TraceReader> head, std::uint64_t from_line)
      : head_(std::move(head)), from_line_(from_line), line_(1 + head_->header().communicators) {}

  TraceReader& head() { return *head_; }
  /// The next block in the order of the file. False: there is none.
  virtual bool next_block(RecordBlock& block) = 0;

 private:
  bool fill();

  std::unique_ptr<TraceReader> head_;
  std::uint64_t from_line_;
  RecordBlock block_;
  std::size_t at_ = 0;
  std::uint64_t line_;
};

/// A reader ahead of its caller, by a block.
class AheadReader final : public BlocksReader {
 public:
  AheadReader(std::unique_ptr<TraceReader> reader, const ReadOptions& options);

 private:
  bool next_block(RecordBlock& block) override;
  RecordBlock read_block();

  OrderedJobs<RecordBlock> jobs_;
  bool ended_ = false;
};

/// Opens a reader of the parts of the file of `head`. Null: it has no index.
Result<std::unique_ptr<TraceReader>> open_parts(std::unique_ptr<TraceReader>& head,
                                                const ReadOptions& options);

}  // namespace vef::formats
