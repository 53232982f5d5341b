// SPDX-License-Identifier: Apache-2.0
#include "vef_text_writer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

namespace vef::formats {

namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kLongestRecord = 256;  // nine fields of at most 21 characters, and spaces
constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

char* put_number(char* out, std::uint64_t value) {
  constexpr std::ptrdiff_t kMostDigits = 20;
  return std::to_chars(out, out + kMostDigits, value).ptr;
}

char* put_field(char* out, std::uint64_t value) {
  out = put_number(out, value);
  *out++ = ' ';
  return out;
}

Status check_header(const std::string& path, const TraceHeader& header, const Communicators& communicators) {
  const auto refuse = [&](const std::string& what) {
    return Status{input_error(path, 0, "cannot write: " + what)};
  };
  if (magic_of(header.version).empty())
    return refuse("an unknown trace version; expected VEF, VEF2, VEF3 or VEF4");
  if (header.tasks < 1) return refuse(std::to_string(header.tasks) + " tasks; expected at least 1");
  if (header.clock < 1 || header.clock > kMaxSize)
    return refuse("a clock of " + std::to_string(header.clock) + " ps");
  if (header.communicators != communicators.size() || communicators.empty()) {
    return refuse(std::to_string(communicators.size()) + " communicators; expected the header's " +
                  std::to_string(header.communicators) + " and at least C0");
  }
  if (communicators.front().size() != static_cast<std::size_t>(header.tasks)) {
    return refuse("C0 with " + std::to_string(communicators.front().size()) +
                  " tasks; expected the header's " + std::to_string(header.tasks));
  }
  TaskId expected = 0;
  for (const TaskId task : communicators.front()) {
    if (task != expected++) return refuse("C0 that does not list every task in order");
  }
  std::vector<std::size_t> seen_in(static_cast<std::size_t>(header.tasks), 0);
  for (std::size_t id = 1; id < communicators.size(); ++id) {
    if (communicators[id].empty()) return refuse("C" + std::to_string(id) + " without tasks");
    for (const TaskId task : communicators[id]) {
      if (task < 0 || task >= header.tasks ||
          std::exchange(seen_in[static_cast<std::size_t>(task)], id) == id) {
        return refuse("task " + std::to_string(task) + " in C" + std::to_string(id) +
                      "; expected each task once and from 0 to " + std::to_string(header.tasks - 1));
      }
    }
  }
  return {};
}

}  // namespace

VefTextWriter::VefTextWriter(std::string path, const TraceHeader& header, std::unique_ptr<ByteSink> sink)
    : path_(std::move(path)), header_(header), sink_(std::move(sink)), block_(kBlockBytes + kLongestRecord) {
  end_ = block_.data();
  if (sink_->compression() == Compression::kZstd) task_time_.resize(static_cast<std::size_t>(header.tasks));
}

Result<std::unique_ptr<TraceWriter>> VefTextWriter::create(const std::string& path, const TraceHeader& header,
                                                           const Communicators& communicators,
                                                           const Metadata& metadata, int level) {
  if (Status status = check_header(path, header, communicators); !status) return status.error();
  auto sink = ByteSink::create(path, level);
  if (!sink) return sink.error();
  std::unique_ptr<VefTextWriter> writer(new VefTextWriter(path, header, std::move(*sink)));
  writer->tail_.metadata = metadata;
  if (Status status = writer->write_header(communicators); !status) return status.error();
  return std::unique_ptr<TraceWriter>(std::move(writer));
}

/// Header and communicator lines, as one block of their own: they have no bound but the number of tasks.
Status VefTextWriter::write_header(const Communicators& communicators) {
  const bool has_clock = has_program_order(header_.version);
  std::string text(magic_of(header_.version));
  for (const std::uint64_t value : {static_cast<std::uint64_t>(header_.tasks), header_.messages,
                                    header_.communicators, header_.collectives, header_.collective_records}) {
    text += ' ';
    text += std::to_string(value);
  }
  if (has_clock) {
    text += header_.only_send_deps ? " 1 " : " 0 ";
    text += std::to_string(header_.clock);
  } else {
    text += header_.only_send_deps ? " TRUE" : " FALSE";
  }
  text += '\n';
  for (std::size_t id = 0; id < communicators.size(); ++id) {
    text += 'C';
    text += std::to_string(id);
    for (const TaskId task : communicators[id]) {
      text += ' ';
      text += std::to_string(task);
    }
    text += '\n';
  }
  tail_.frames.push_back({0, 1, 0, 0});
  line_ = 2 + communicators.size();
  frame_ = {};
  return sink_->write_block(text);
}

bool VefTextWriter::fits(const Record& record) const {
  const auto is_task = [this](TaskId task) { return task >= 0 && task < header_.tasks; };
  if (!is_task(record.task) || record.dep > DepKind::kCollective || record.send_bytes > kMaxSize)
    return false;
  if (record.answer && (header_.version != TraceVersion::kVef4 || record.kind != RecordKind::kMessage ||
                        record.dep != DepKind::kReceive)) {
    return false;
  }
  switch (record.kind) {
    case RecordKind::kMessage:
      return is_task(record.peer);
    case RecordKind::kMark:
      return has_program_order(header_.version) && record.peer == record.task && record.send_bytes == 0;
    case RecordKind::kCollective:
      return record.comm >= 0 && static_cast<std::uint64_t>(record.comm) < header_.communicators &&
             static_cast<int>(record.op) < kCollectiveOps && record.recv_bytes <= kMaxSize;
  }
  return false;
}

Status VefTextWriter::refuse(const Record& record) const {
  const bool collective = record.kind == RecordKind::kCollective;
  const bool mark = record.kind == RecordKind::kMark;
  return input_error(
      path_, line_,
      "cannot write " +
          std::string(collective ? "G"
                      : mark     ? "mark "
                                 : "message ") +
          std::to_string(record.id) + " of task " + std::to_string(record.task) +
          (mark ? "; expected source = destination, 0 bytes, VEF3 or VEF4"
                : "; expected tasks, communicator, operation, sizes and dependency within range"));
}

Status VefTextWriter::closed() const {
  return input_error(path_, 0,
                     "cannot write: the writer is finished, or an earlier record could not be written");
}

Status VefTextWriter::write(const Record& record) {
  if (failed_) [[unlikely]]
    return closed();
  if (!fits(record)) [[unlikely]] {
    failed_ = true;
    return refuse(record);
  }
  if (static_cast<std::size_t>(end_ - block_.data()) >= kBlockBytes) {
    if (Status status = flush_block(); !status) return status;
  }
  if (record.kind == RecordKind::kCollective) {
    format_collective(record);
    ++collective_records_;
    collectives_.insert(record.id);
  } else {
    format_message(record);
    ++messages_;
  }
  if (!task_time_.empty()) note_time(record);
  ++line_;
  return {};
}

void VefTextWriter::format_message(const Record& record) {
  constexpr unsigned kRealMessage = 4;
  end_ = put_field(end_, record.id);
  end_ = put_field(end_, static_cast<std::uint64_t>(record.task));
  end_ = put_field(end_, static_cast<std::uint64_t>(record.peer));
  end_ = put_field(end_, record.send_bytes);
  constexpr unsigned kAnswer = 8;
  const bool flagged = record.kind == RecordKind::kMessage && has_program_order(header_.version);
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

void VefTextWriter::note_time(const Record& record) {
  std::uint64_t& sum = task_time_[static_cast<std::size_t>(record.task)];
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  sum = sum > kMost - record.time ? kMost : sum + record.time;
  if (!frame_has_records_) frame_ = {sink_->offset(), line_, sum, sum};
  frame_has_records_ = true;
  frame_.earliest = std::min(frame_.earliest, sum);
  frame_.latest = std::max(frame_.latest, sum);
}

Status VefTextWriter::flush_block() {
  const auto size = static_cast<std::size_t>(end_ - block_.data());
  end_ = block_.data();
  if (size == 0) return {};
  if (frame_has_records_) tail_.frames.push_back(frame_);
  frame_has_records_ = false;
  Status status = sink_->write_block({block_.data(), size});
  if (!status) failed_ = true;
  return status;
}

Status VefTextWriter::check_counts() const {
  const auto compare = [this](std::uint64_t written, std::uint64_t promised, const char* what) -> Status {
    if (written == promised) return {};
    return input_error(path_, 0,
                       "cannot write: " + std::to_string(written) + " " + what + "; expected the header's " +
                           std::to_string(promised));
  };
  if (Status status = compare(messages_, header_.messages, "point-to-point records"); !status) return status;
  if (Status status = compare(collectives_.size(), header_.collectives, "collectives"); !status)
    return status;
  return compare(collective_records_, header_.collective_records, "collective records");
}

Status VefTextWriter::finish() {
  if (failed_) return closed();
  failed_ = true;  // whatever comes after finish() is refused
  if (Status status = check_counts(); !status) return status;
  if (Status status = flush_block(); !status) return status;
  if (sink_->compression() == Compression::kZstd) {
    const auto tail = encode_tail(tail_);
    if (!tail) return input_error(path_, 0, tail.error().message);
    if (Status status = sink_->write_raw(*tail); !status) return status;
  }
  return sink_->finish();
}

}  // namespace vef::formats
