// SPDX-License-Identifier: Apache-2.0
#include "vef_text_writer.h"

#include <charconv>
#include <cstring>
#include <utility>

namespace vef::formats {

namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kLongestRecord = 256;  // nine fields of at most 21 characters, and spaces

char* put_number(char* out, std::uint64_t value) {
  constexpr std::ptrdiff_t kMostDigits = 20;
  return std::to_chars(out, out + kMostDigits, value).ptr;
}

char* put_field(char* out, std::uint64_t value) {
  out = put_number(out, value);
  *out++ = ' ';
  return out;
}

char* put_dependency(char* out, const Record& record, unsigned flag) {
  out = put_field(out, static_cast<unsigned>(record.dep) | flag);
  out = put_field(out, record.time);
  if (record.dep == DepKind::kIndependent) {
    *out++ = '-';
    *out++ = '1';
    return out;
  }
  if (record.dep == DepKind::kCollective) *out++ = 'G';
  return put_number(out, record.dep_id);
}

char* put_message(char* out, const Record& record, TraceVersion version) {
  constexpr unsigned kRealMessage = 4;
  constexpr unsigned kAnswer = 8;
  out = put_field(out, record.id);
  out = put_field(out, static_cast<std::uint64_t>(record.task));
  out = put_field(out, static_cast<std::uint64_t>(record.peer));
  out = put_field(out, record.send_bytes);
  const bool flagged = record.kind == RecordKind::kMessage && has_program_order(version);
  return put_dependency(out, record, (flagged ? kRealMessage : 0) | (record.answer ? kAnswer : 0));
}

char* put_collective(char* out, const Record& record) {
  *out++ = 'G';
  out = put_field(out, record.id);
  *out++ = 'C';
  out = put_field(out, static_cast<std::uint64_t>(record.comm));
  out = put_field(out, static_cast<std::uint64_t>(record.op));
  out = put_field(out, static_cast<std::uint64_t>(record.task));
  out = put_field(out, record.send_bytes);
  out = put_field(out, record.recv_bytes);
  return put_dependency(out, record, 0);
}

/// At most kLongestRecord characters.
char* put_record(char* out, const Record& record, TraceVersion version) {
  return record.kind == RecordKind::kCollective ? put_collective(out, record)
                                                : put_message(out, record, version);
}

}  // namespace

VefTextWriter::VefTextWriter(std::string path, const TraceHeader& header, const Metadata& metadata,
                             std::unique_ptr<ByteSink> sink)
    : CheckedWriter(std::move(path), header, metadata, sink->compression() == Compression::kZstd),
      sink_(std::move(sink)),
      block_(kBlockBytes + kLongestRecord) {
  end_ = block_.data();
}

Result<std::unique_ptr<TraceWriter>> VefTextWriter::create(const std::string& path, const TraceHeader& header,
                                                           const Communicators& communicators,
                                                           const Metadata& metadata,
                                                           const WriteOptions& options) {
  if (Status status = check_writable(path, header, communicators); !status) return status.error();
  auto sink = ByteSink::create(path, options.level, options.threads);
  if (!sink) return sink.error();
  std::unique_ptr<VefTextWriter> writer(new VefTextWriter(path, header, metadata, std::move(*sink)));
  // As one block of their own: they have no bound but the number of tasks.
  if (Status status = writer->sink_->write_block(head_text(header, communicators)); !status)
    return status.error();
  return std::unique_ptr<TraceWriter>(std::move(writer));
}

Status VefTextWriter::append(const Record& record) {
  if (static_cast<std::size_t>(end_ - block_.data()) >= kBlockBytes) {
    if (Status status = flush_block(); !status) return status;
  }
  end_ = put_record(end_, record, header().version);
  *end_++ = '\n';
  return {};
}

std::string text_of(const Record& record, TraceVersion version) {
  std::string text(kLongestRecord, '\0');
  text.resize(static_cast<std::size_t>(put_record(text.data(), record, version) - text.data()));
  return text;
}

Status VefTextWriter::flush_block() {
  const auto size = static_cast<std::size_t>(end_ - block_.data());
  end_ = block_.data();
  if (size == 0) return {};
  end_part(0);  // known when all blocks are written
  return sink_->write_block({block_.data(), size});
}

Status VefTextWriter::close_file() {
  if (Status status = flush_block(); !status) return status;
  const auto offsets = sink_->end_blocks();
  if (!offsets) return offsets.error();
  if (indexed()) {
    for (std::size_t part = 0; part < tail().frames.size(); ++part)
      tail().frames[part].offset = (*offsets)[part];
    const auto encoded = encode_tail(tail());
    if (!encoded) return input_error(path(), 0, encoded.error().message);
    if (Status status = sink_->write_raw(*encoded); !status) return status;
  }
  return sink_->finish();
}

}  // namespace vef::formats
