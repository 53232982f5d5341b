// SPDX-License-Identifier: Apache-2.0
#include "vefb_reader.h"

#include <algorithm>
#include <utility>

#include "little_endian.h"
#include "trace_tail.h"
#include "vef_text_reader.h"
#include "zstd_memory_source.h"

namespace vef::formats {

Result<std::unique_ptr<TraceReader>> VefbReader::open(std::unique_ptr<InputFile> file) {
  std::unique_ptr<VefbReader> reader(new VefbReader(std::move(file)));
  if (Status status = reader->read_head(); !status) return status.error();
  auto tail = read_tail(*reader->file_);
  if (!tail) return tail.error();
  reader->metadata_ = std::move(tail->metadata);
  return std::unique_ptr<TraceReader>(std::move(reader));
}

Error VefbReader::damaged(const std::string& what) const {
  return input_error(path(), 0, what + " before byte " + std::to_string(file_->offset()));
}

Status VefbReader::take(std::string& out, std::size_t size) {
  out.clear();
  while (out.size() < size) {
    const auto bytes = file_->peek();
    if (!bytes) return bytes.error();
    if (bytes->empty())
      return input_error(path(), 0,
                         "truncated: the file ends at byte " + std::to_string(file_->offset()) +
                             " inside a block; expected a whole file");
    const std::size_t count = std::min(size - out.size(), bytes->size());
    out.append(bytes->data(), count);
    file_->consume(count);
  }
  return {};
}

Result<bool> VefbReader::read_block() {
  const auto start = file_->peek(4);
  if (!start) return start.error();
  if (start->empty() || starts_tail(*start)) return false;
  if (Status status = take(block_head_, vefb::kBlockHeadBytes); !status) return status.error();
  const std::uint64_t size = get_number(block_head_, 4, 4);
  if (size > vefb::kMostPayload)
    return damaged("a block of " + std::to_string(size) + " bytes; expected at most " +
                   std::to_string(vefb::kMostPayload));
  if (Status status = take(payload_, size); !status) return status.error();
  if (vefb::checksum(payload_) != get_number(block_head_, 8, 4))
    return damaged("a block with a wrong checksum");
  return true;
}

Status VefbReader::read_head() {
  if (Status status = take(payload_, vefb::kSignature.size()); !status) return status;
  const auto more = read_block();
  if (!more) return more.error();
  if (!*more || !block_head_.starts_with(vefb::kHeadBlock)) return damaged("no head; expected one");
  auto head = VefTextReader::open(std::make_unique<ZstdMemorySource>(*file_, std::move(payload_), "head"));
  if (!head) return head.error();
  head_ = std::move(*head);
  counts_.expect(header());
  line_ = 1 + header().communicators;
  decoder_ = std::make_unique<vefb::BlockDecoder>(header());
  return {};
}

/// The next block's records. False: the end.
Result<bool> VefbReader::fill() {
  const auto more = read_block();
  if (!more) return more.error();
  if (!*more) {
    const std::string lack = counts_.lack();
    if (lack.empty()) return false;
    return input_error(path(), line_, lack);
  }
  if (!block_head_.starts_with(vefb::kRecordBlock)) return damaged("no block of records; expected one");
  if (!decoder_->decode(payload_, records_))
    return damaged("a block whose numbers are out of range or contradict each other");
  at_ = 0;
  return true;
}

Result<bool> VefbReader::next(Record& record) {
  if (error_) [[unlikely]]
    return *error_;
  if (at_ == records_.size()) {
    const auto filled = fill();
    if (!filled) {
      error_ = filled.error();
      return *error_;
    }
    if (!*filled) return false;
  }
  record = records_[at_++];
  ++line_;
  if (counts_.add(record)) [[likely]]
    return true;
  error_ = input_error(path(), line_, counts_.excess(record));
  return *error_;
}

}  // namespace vef::formats
