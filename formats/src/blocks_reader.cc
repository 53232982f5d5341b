// SPDX-License-Identifier: Apache-2.0
#include "blocks_reader.h"

#include <algorithm>
#include <utility>

namespace vef::formats {

Result<bool> BlocksReader::next(Record& record) {
  if (at_ == block_.records.size() && !fill()) {
    if (block_.error) return *block_.error;
    return false;
  }
  line_ = block_.first_line + at_;
  record = block_.records[at_++];
  return true;
}

/// Goes on to the next record that is wanted. False: there is none, or a fault.
bool BlocksReader::fill() {
  while (!block_.error) {
    at_ = 0;
    if (!next_block(block_)) {
      block_.records.clear();
      return false;
    }
    if (from_line_ > block_.first_line)
      at_ = static_cast<std::size_t>(
          std::min<std::uint64_t>(from_line_ - block_.first_line, block_.records.size()));
    if (at_ < block_.records.size()) return true;
  }
  return false;
}

AheadReader::AheadReader(std::unique_ptr<TraceReader> reader, const ReadOptions& options)
    : BlocksReader(std::move(reader), options.from_line), jobs_(options.threads > 0 ? 1 : 0) {}

/// In any thread, one at a time.
RecordBlock AheadReader::read_block() {
  constexpr std::size_t kRecords = 1 << 14;
  RecordBlock block;
  block.first_line = head().line() + 1;
  block.records.reserve(kRecords);
  while (block.records.size() < kRecords) {
    Record& record = block.records.emplace_back();
    const auto more = head().next(record);
    if (more && *more) continue;
    if (!more) block.error = more.error();
    block.records.pop_back();
    break;
  }
  block.bytes_read = head().bytes_read();
  return block;
}

bool AheadReader::next_block(RecordBlock& block) {
  if (ended_) return false;
  block = jobs_.empty() ? read_block() : jobs_.take();
  ended_ = block.records.empty() || block.error.has_value();
  if (!ended_ && !jobs_.full()) jobs_.start([this] { return read_block(); });
  return !block.records.empty() || block.error.has_value();
}

}  // namespace vef::formats
