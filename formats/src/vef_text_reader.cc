// SPDX-License-Identifier: Apache-2.0
// The part of the reader that runs for every record. It only tells good lines from bad ones; what is wrong
// with a bad one is worked out off the fast path, in field_fault().
#include "vef_text_reader.h"

#include <algorithm>
#include <limits>

#include "byte_file.h"

namespace vef::formats {

namespace {

constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

bool ends_field(char c) { return is_space(c) || c == '\n'; }

std::string_view token_at(const char* start) {
  const char* end = start;
  while (!ends_field(*end)) ++end;
  return {start, static_cast<std::size_t>(end - start)};
}

std::string zero_to(std::uint64_t highest) { return "0 to " + std::to_string(highest); }

}  // namespace

/// Walks the fields of one line. The line ends with LF, which no field contains: no other bound is needed.
class VefTextReader::Scanner {
 public:
  explicit Scanner(const char* position) : position_(position) {}

  const char* position() const { return position_; }
  /// Start of the field last looked for.
  const char* token() const { return token_; }

  void skip_spaces() {
    while (is_space(*position_)) ++position_;
    token_ = position_;
  }
  bool take(char c) {
    if (*position_ != c) return false;
    ++position_;
    return true;
  }

  bool number(std::uint64_t& value) {
    skip_spaces();
    return digits(value);
  }
  bool number(std::uint64_t& value, std::uint64_t highest) { return number(value) && value <= highest; }

  /// The number from here to the end of the field.
  bool digits(std::uint64_t& value) {
    const char* const start = position_;
    std::uint64_t number = 0;
    for (unsigned digit; (digit = static_cast<unsigned>(*position_) - '0') <= 9; ++position_) {
      number = number * 10 + digit;
    }
    const auto length = position_ - start;
    if (length == 0 || !ends_field(*position_)) return false;
    // Up to 19 digits cannot overflow.
    if (length > 19 && !parse_number({start, static_cast<std::size_t>(length)}, kMaxNumber, number))
      return false;
    value = number;
    return true;
  }

  /// One digit 0 to 7.
  bool octal_digit(unsigned& value) {
    skip_spaces();
    value = static_cast<unsigned>(*position_) - '0';
    if (value > 7 || !ends_field(position_[1])) return false;
    ++position_;
    return true;
  }

  /// The Dep of an answer, 14; else nothing is taken.
  bool answer() {
    skip_spaces();
    if (position_[0] != '1' || position_[1] != '4' || !ends_field(position_[2])) return false;
    position_ += 2;
    return true;
  }

  bool minus_one() {
    skip_spaces();
    if (position_[0] != '-' || position_[1] != '1' || !ends_field(position_[2])) return false;
    position_ += 2;
    return true;
  }

 private:
  const char* position_;
  const char* token_ = nullptr;
};

const std::string& VefTextReader::path() const { return text_.source().file().path(); }
std::uint64_t VefTextReader::bytes_read() const { return text_.source().file().offset(); }
std::uint64_t VefTextReader::bytes_total() const { return text_.source().file().size(); }

Result<bool> VefTextReader::next(Record& record) {
  if (error_) return *error_;
  for (;;) {
    if (text_.cursor() >= text_.lines_end()) {
      const auto filled = fill_lines();
      if (!filled) return filled.error();
      if (!*filled) return end_of_text();
    }
    ++line_;
    Scanner scan(text_.cursor());
    scan.skip_spaces();
    const char first = *scan.position();
    if (first == '\n') {
      // Empty lines are let pass where all records have been read.
      if (!counts_.all_records()) {
        fault("an empty line; expected a record");
        return *error_;
      }
      text_.advance_to(scan.position() + 1);
      continue;
    }
    const bool good = first == 'G' ? scan_collective(scan, record) : scan_message(scan, record);
    if (!good) return *error_;
    text_.advance_to(scan.position());
    return true;
  }
}

Result<bool> VefTextReader::fill_lines() {
  const auto filled = text_.fill_lines();
  if (!filled) {
    error_ = filled.error();
    return *error_;
  }
  if (*filled != VefTextBuffer::Fill::kLineTooLong) return *filled == VefTextBuffer::Fill::kLines;
  ++line_;
  fault("a line longer than " + std::to_string(VefTextBuffer::kWindowBytes) + " bytes; expected a record");
  return *error_;
}

bool VefTextReader::scan_message(Scanner& scan, Record& record) {
  if (!scan.number(record.id)) return field_fault(Field::kMessageId, scan.token());
  if (!scan_task(scan, record.task, Field::kSource)) return false;
  if (!scan_task(scan, record.peer, Field::kDestination)) return false;
  if (!scan.number(record.send_bytes, kMaxSize)) return field_fault(Field::kSize, scan.token());
  bool real_message = false;
  if (!scan_dependency(scan, record, real_message)) return false;
  const bool mark = has_program_order(header_.version) && !real_message && record.task == record.peer &&
                    record.send_bytes == 0;
  record.kind = mark ? RecordKind::kMark : RecordKind::kMessage;
  record.op = CollectiveOp::kBroadcast;
  record.comm = 0;
  record.recv_bytes = 0;
  return count(record, counts_.add_message());
}

bool VefTextReader::scan_collective(Scanner& scan, Record& record) {
  scan.take('G');
  if (!scan.digits(record.id)) return field_fault(Field::kCollectiveId, scan.token());
  scan.skip_spaces();
  scan.take('C');  // other writers leave it out
  std::uint64_t comm = 0;
  if (!scan.digits(comm) || comm >= header_.communicators)
    return field_fault(Field::kCommunicator, scan.token());
  CollectiveOp op{};
  if (!scan_operation(scan, op)) return field_fault(Field::kOperation, scan.token());
  if (!scan_task(scan, record.task, Field::kTask)) return false;
  if (!scan.number(record.send_bytes, kMaxSize)) return field_fault(Field::kSendSize, scan.token());
  if (!scan.number(record.recv_bytes, kMaxSize)) return field_fault(Field::kReceiveSize, scan.token());
  bool real_message = false;
  if (!scan_dependency(scan, record, real_message)) return false;
  if (record.answer) return fault("Dep '14' of a collective; expected 0 to 7");
  record.kind = RecordKind::kCollective;
  record.op = op;
  record.comm = static_cast<CommId>(comm);
  record.peer = 0;
  return count(record, counts_.add_collective(record.id));
}

/// The last three fields of every record, and the end of the line.
bool VefTextReader::scan_dependency(Scanner& scan, Record& record, bool& real_message) {
  constexpr unsigned kRealMessage = 4;  // what VEF3 adds to Dep
  constexpr unsigned kAnswer = 14;      // what Dep is in an answer of VEF4
  unsigned dep = 0;
  record.answer = header_.version == TraceVersion::kVef4 && scan.answer();
  if (record.answer) {
    dep = kAnswer;
  } else if (!scan.octal_digit(dep)) {
    return field_fault(Field::kDep, scan.token());
  }
  real_message = (dep & kRealMessage) != 0;
  record.dep = dep_ = static_cast<DepKind>(dep & 3);
  if (!scan.number(record.time)) return field_fault(Field::kTime, scan.token());
  record.dep_id = 0;
  bool good = false;
  if (record.dep == DepKind::kIndependent) {
    good = scan.minus_one();
  } else {
    scan.skip_spaces();
    good = record.dep != DepKind::kCollective || scan.take('G');
    good = good && scan.digits(record.dep_id);
  }
  if (!good) return field_fault(Field::kDepId, scan.token());
  return scan_line_end(scan);
}

bool VefTextReader::scan_task(Scanner& scan, TaskId& task, Field field) {
  std::uint64_t value = 0;
  if (!scan.number(value, static_cast<std::uint64_t>(header_.tasks) - 1))
    return field_fault(field, scan.token());
  task = static_cast<TaskId>(value);
  return true;
}

bool VefTextReader::scan_operation(Scanner& scan, CollectiveOp& op) {
  unsigned digit = 0;
  if (scan.octal_digit(digit)) {
    op = static_cast<CollectiveOp>(digit);
    return true;
  }
  std::uint64_t number = 0;
  if (header_.version != TraceVersion::kVef4 || !scan.number(number, kCollectiveOps - 1)) return false;
  op = static_cast<CollectiveOp>(number);
  return true;
}

bool VefTextReader::scan_line_end(Scanner& scan) {
  if (scan.take('\n')) return true;
  scan.skip_spaces();
  if (scan.take('\n')) return true;
  return fault("a further field " + quoted(token_at(scan.token())) + "; expected the end of the line");
}

bool VefTextReader::count(const Record& record, bool as_promised) {
  return as_promised || fault(counts_.excess(record));
}

Result<bool> VefTextReader::end_of_text() {
  const std::string lack = is_part_ ? "" : counts_.lack();
  if (lack.empty()) return false;
  fault(lack);
  return *error_;
}

bool VefTextReader::fault(const std::string& message) {
  error_ = at_line(message);
  return false;
}

bool VefTextReader::field_fault(Field field, const char* token) {
  static constexpr const char* kNames[] = {
      "message id", "source task",   "destination task", "size",         "Dep",
      "time",       "dependency id", "collective id",    "communicator", "operation",
      "task",       "send size",     "receive size"};
  const std::string name = kNames[static_cast<std::size_t>(field)];
  const std::string_view found = token_at(token);
  if (found.empty()) return fault("the line ends before its " + name + "; expected " + expectation(field));
  return fault(name + " " + quoted(found) + "; expected " + expectation(field));
}

std::string VefTextReader::expectation(Field field) const {
  switch (field) {
    case Field::kSource:
    case Field::kDestination:
    case Field::kTask:
      return zero_to(static_cast<std::uint64_t>(header_.tasks) - 1);
    case Field::kSize:
    case Field::kSendSize:
    case Field::kReceiveSize:
      return zero_to(kMaxSize);
    case Field::kDep:
      return header_.version == TraceVersion::kVef4 ? "0 to 7, or 14 in a message that is an answer"
                                                    : "0 to 7";
    case Field::kMessageId:
    case Field::kTime:
      return zero_to(kMaxNumber);
    case Field::kCollectiveId:
      return "G and a number " + zero_to(kMaxNumber);
    case Field::kCommunicator:
      return "C0 to C" + std::to_string(header_.communicators - 1);
    case Field::kOperation:
      return header_.version == TraceVersion::kVef4 ? "0 to 10" : "0 to 7 (8 to 10 are VEF4's)";
    case Field::kDepId:
      break;
  }
  if (dep_ == DepKind::kIndependent) return "-1, as the record depends on nothing (Dep 0 or 4)";
  if (dep_ == DepKind::kCollective) return "G and a collective's number (Dep 3 or 7)";
  return "a message id " + zero_to(kMaxNumber) + " (Dep 1, 2, 5 or 6)";
}

}  // namespace vef::formats
