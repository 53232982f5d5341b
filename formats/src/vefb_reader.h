// SPDX-License-Identifier: Apache-2.0
// TraceReader of the binary form, .vefb (docs/vefb.md). line() is that of the same trace as text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_file.h"
#include "record_counts.h"
#include "vef/formats/trace_io.h"
#include "vefb_block.h"

namespace vef::formats {

class VefbReader final : public TraceReader {
 public:
  /// Whether a file that begins so is one.
  static bool recognises(std::string_view start) { return start.starts_with(vefb::kSignature); }

  /// `file` stands at its begin.
  static Result<std::unique_ptr<TraceReader>> open(std::unique_ptr<InputFile> file);

  const TraceHeader& header() const override { return head_->header(); }
  const Communicators& communicators() const override { return head_->communicators(); }
  const Metadata& metadata() const override { return metadata_; }
  Result<bool> next(Record& record) override;
  std::uint64_t line() const override { return line_; }
  const std::string& path() const override { return file_->path(); }
  std::uint64_t bytes_read() const override { return file_->offset(); }
  std::uint64_t bytes_total() const override { return file_->size(); }

 private:
  explicit VefbReader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

  Status read_head();
  /// Puts the next block's name and payload in place. False: the file has no more blocks.
  Result<bool> read_block();
  Result<bool> fill();
  Status take(std::string& out, std::size_t size);
  Error damaged(const std::string& what) const;

  std::unique_ptr<InputFile> file_;
  std::unique_ptr<TraceReader> head_;  // header and communicators, which are text
  std::unique_ptr<vefb::BlockDecoder> decoder_;
  Metadata metadata_;
  std::string block_head_;
  std::string payload_;
  std::vector<Record> records_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  RecordCounts counts_;
  std::optional<Error> error_;
};

}  // namespace vef::formats
