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
                                                           const Metadata& metadata, int level) {
  if (Status status = check_writable(path, header, communicators); !status) return status.error();
  auto sink = ByteSink::create(path, level);
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
  if (record.kind == RecordKind::kCollective) {
    format_collective(record);
  } else {
    format_message(record);
  }
  return {};
}

void VefTextWriter::format_message(const Record& record) {
  constexpr unsigned kRealMessage = 4;
  end_ = put_field(end_, record.id);
  end_ = put_field(end_, static_cast<std::uint64_t>(record.task));
  end_ = put_field(end_, static_cast<std::uint64_t>(record.peer));
  end_ = put_field(end_, record.send_bytes);
  constexpr unsigned kAnswer = 8;
  const bool flagged = record.kind == RecordKind::kMessage && has_program_order(header().version);
  format_dependency(record, (flagged ? kRealMessage : 0) | (record.answer ? kAnswer : 0));
}

void VefTextWriter::format_collective(const Record& record) {
  *end_++ = 'G';
  end_ = put_field(end_, record.id);
  *end_++ = 'C';
  end_ = put_field(end_, static_cast<std::uint64_t>(record.comm));
  end_ = put_field(end_, static_cast<std::uint64_t>(record.op));
  end_ = put_field(end_, static_cast<std::uint64_t>(record.task));
  end_ = put_field(end_, record.send_bytes);
  end_ = put_field(end_, record.recv_bytes);
  format_dependency(record, 0);
}

void VefTextWriter::format_dependency(const Record& record, unsigned flag) {
  end_ = put_field(end_, static_cast<unsigned>(record.dep) | flag);
  end_ = put_field(end_, record.time);
  if (record.dep == DepKind::kIndependent) {
    *end_++ = '-';
    *end_++ = '1';
  } else {
    if (record.dep == DepKind::kCollective) *end_++ = 'G';
    end_ = put_number(end_, record.dep_id);
  }
  *end_++ = '\n';
}

Status VefTextWriter::flush_block() {
  const auto size = static_cast<std::size_t>(end_ - block_.data());
  end_ = block_.data();
  if (size == 0) return {};
  end_part();
  return sink_->write_block({block_.data(), size});
}

Status VefTextWriter::close_file() {
  if (Status status = flush_block(); !status) return status;
  if (indexed()) {
    const auto encoded = encode_tail(tail());
    if (!encoded) return input_error(path(), 0, encoded.error().message);
    if (Status status = sink_->write_raw(*encoded); !status) return status;
  }
  return sink_->finish();
}

}  // namespace vef::formats
