// SPDX-License-Identifier: Apache-2.0
#include "vefb_writer.h"

#include <zstd.h>

#include <utility>

#include "byte_sink.h"
#include "little_endian.h"

namespace vef::formats {

VefbWriter::VefbWriter(std::unique_ptr<OutputFile> file, const TraceHeader& header, const Metadata& metadata,
                       int level)
    : CheckedWriter(file->path(), header, metadata, /*indexed=*/true),
      file_(std::move(file)),
      encoder_(header.tasks, level) {
  records_.reserve(vefb::kMostRecords);
}

Result<std::unique_ptr<TraceWriter>> VefbWriter::create(const std::string& path, const TraceHeader& header,
                                                        const Communicators& communicators,
                                                        const Metadata& metadata, int level) {
  if (Status status = check_writable(path, header, communicators); !status) return status.error();
  if (Status status = check_zstd_level(path, level); !status) return status.error();
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  std::unique_ptr<VefbWriter> writer(new VefbWriter(std::move(*file), header, metadata, level));
  const std::string text = head_text(header, communicators);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(size) != 0) return Error{ErrorKind::kSystem, path + ": zstd: " + ZSTD_getErrorName(size)};
  packed.resize(size);
  if (Status status = writer->file_->write(vefb::kSignature); !status) return status.error();
  if (Status status = writer->write_block(vefb::kHeadBlock, packed); !status) return status.error();
  return std::unique_ptr<TraceWriter>(std::move(writer));
}

Status VefbWriter::write_block(std::string_view name, std::string_view payload) {
  if (payload.size() > vefb::kMostPayload)
    return input_error(path(), 0,
                       "cannot write: a block of " + std::to_string(payload.size()) +
                           " bytes (too many communicators); expected at most " +
                           std::to_string(vefb::kMostPayload));
  std::string head(name);
  put_number(head, payload.size(), 4);
  put_number(head, vefb::checksum(payload), 4);
  if (Status status = file_->write(head); !status) return status;
  return file_->write(payload);
}

Status VefbWriter::append(const Record& record) {
  if (records_.size() == vefb::kMostRecords) {
    if (Status status = flush(); !status) return status;
  }
  records_.push_back(record);
  return {};
}

Status VefbWriter::flush() {
  if (records_.empty()) return {};
  end_part(file_->offset());
  const auto payload = encoder_.encode(records_);
  if (!payload) return Error{payload.error().kind, path() + ": " + payload.error().message};
  records_.clear();
  return write_block(vefb::kRecordBlock, *payload);
}

Status VefbWriter::close_file() {
  if (Status status = flush(); !status) return status;
  const auto encoded = encode_tail(tail());
  if (!encoded) return input_error(path(), 0, encoded.error().message);
  if (Status status = file_->write(*encoded); !status) return status;
  return file_->commit();
}

}  // namespace vef::formats
