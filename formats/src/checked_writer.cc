// SPDX-License-Identifier: Apache-2.0
#include "checked_writer.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vef::formats {

namespace {

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

}  // namespace

Status check_writable(const std::string& path, const TraceHeader& header,
                      const Communicators& communicators) {
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

std::string head_text(const TraceHeader& header, const Communicators& communicators) {
  const bool has_clock = has_program_order(header.version);
  std::string text(magic_of(header.version));
  for (const std::uint64_t value : {static_cast<std::uint64_t>(header.tasks), header.messages,
                                    header.communicators, header.collectives, header.collective_records}) {
    text += ' ';
    text += std::to_string(value);
  }
  if (has_clock) {
    text += header.only_send_deps ? " 1 " : " 0 ";
    text += std::to_string(header.clock);
  } else {
    text += header.only_send_deps ? " TRUE" : " FALSE";
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
  return text;
}

CheckedWriter::CheckedWriter(std::string path, const TraceHeader& header, const Metadata& metadata,
                             bool indexed)
    : path_(std::move(path)),
      header_(header),
      indexed_(indexed),
      line_(2 + header.communicators),
      times_(indexed ? header.tasks : 0) {
  counts_.expect(header);
  tail_.metadata = metadata;
  if (indexed) tail_.frames.push_back({0, 1, 0, 0});
}

bool CheckedWriter::fits(const Record& record) const {
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
             static_cast<int>(record.op) < collective_ops(header_.version) && record.recv_bytes <= kMaxSize;
  }
  return false;
}

Status CheckedWriter::refuse(const Record& record) const {
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

Status CheckedWriter::closed() const {
  return input_error(path_, 0,
                     "cannot write: the writer is finished, or an earlier record could not be written");
}

Status CheckedWriter::write(const Record& record) {
  if (failed_) [[unlikely]]
    return closed();
  if (!fits(record)) [[unlikely]] {
    failed_ = true;
    return refuse(record);
  }
  if (Status status = append(record); !status) {
    failed_ = true;
    return status;
  }
  counts_.add(record);
  if (indexed_) note_time(record);
  ++line_;
  return {};
}

void CheckedWriter::note_time(const Record& record) {
  if (!part_has_records_) times_.begin(part_, 0, line_);
  part_has_records_ = true;
  times_.add(part_, record);
}

void CheckedWriter::end_part(std::uint64_t offset) {
  part_.offset = offset;
  if (part_has_records_) tail_.frames.push_back(part_);
  part_has_records_ = false;
}

Status CheckedWriter::finish() {
  if (failed_) return closed();
  failed_ = true;  // whatever comes after finish() is refused
  if (const std::string different = counts_.difference(); !different.empty())
    return input_error(path_, 0, "cannot write: " + different);
  return close_file();
}

}  // namespace vef::formats
