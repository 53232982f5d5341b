// SPDX-License-Identifier: Apache-2.0
// The part of the reader that runs once: header line, communicator lines, metadata.
#include <algorithm>
#include <array>
#include <limits>

#include "byte_file.h"
#include "trace_tail.h"
#include "vef_text_reader.h"

namespace vef::formats {

namespace {

constexpr std::uint64_t kMaxTasks = std::numeric_limits<TaskId>::max();
constexpr std::uint64_t kMaxCommunicators = std::numeric_limits<CommId>::max();
constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

struct HeaderField {
  const char* name;
  std::uint64_t lowest;
  std::uint64_t highest;
};

// Fields 2 to 6 and 8; field 7 is a flag.
constexpr std::array<HeaderField, 8> kHeaderFields = {{
    {"magic", 0, 0},
    {"number of tasks", 1, kMaxTasks},
    {"number of point-to-point records", 0, kMaxCount},
    {"number of communicators", 1, kMaxCommunicators},
    {"number of collectives", 0, kMaxCount},
    {"number of collective records", 0, kMaxCount},
    {"only-send flag", 0, 1},
    {"clock (picoseconds per unit of time)", 1, kMaxCount},
}};

std::size_t header_size(TraceVersion version) { return has_program_order(version) ? 8 : 7; }

}  // namespace

Result<std::unique_ptr<TraceReader>> VefTextReader::open(std::unique_ptr<InputFile> file) {
  auto source = ByteSource::open(std::move(file));
  if (!source) return source.error();
  auto reader = open(std::move(*source));
  if (!reader) return reader.error();
  if (Status status = (*reader)->read_metadata(); !status) return status.error();
  return std::unique_ptr<TraceReader>(std::move(*reader));
}

Result<std::unique_ptr<VefTextReader>> VefTextReader::open(std::unique_ptr<ByteSource> source) {
  std::unique_ptr<VefTextReader> reader(new VefTextReader(std::move(source)));
  if (Status status = reader->read_header(); !status) return status.error();
  if (Status status = reader->read_communicators(); !status) return status.error();
  reader->counts_.expect(reader->header_);
  return reader;
}

std::unique_ptr<VefTextReader> VefTextReader::open_part(const TraceHeader& header, std::uint64_t first_line,
                                                        std::unique_ptr<ByteSource> source) {
  std::unique_ptr<VefTextReader> reader(new VefTextReader(std::move(source)));
  reader->header_ = header;
  reader->line_ = first_line - 1;
  TraceHeader unbounded = header;
  unbounded.messages = unbounded.collectives = unbounded.collective_records = kMaxCount;
  reader->counts_.expect(unbounded);
  reader->is_part_ = true;
  return reader;
}

Status VefTextReader::read_metadata() {
  if (text_.source().compression() != Compression::kZstd) return {};
  auto tail = read_tail(text_.source().file());
  if (!tail) return tail.error();
  metadata_ = std::move(tail->metadata);
  return {};
}

Status VefTextReader::set_header_field(std::size_t index, std::string_view field) {
  if (index == 0) {
    if (field == "VEF") {
      header_.version = TraceVersion::kVef;
    } else if (field == "VEF2") {
      header_.version = TraceVersion::kVef2;
    } else if (field == "VEF3") {
      header_.version = TraceVersion::kVef3;
    } else if (field == "VEF4") {
      header_.version = TraceVersion::kVef4;
    } else {
      return at_line("magic " + quoted(field) + "; expected VEF, VEF2, VEF3 or VEF4 (this is no VEF trace)");
    }
    return {};
  }
  const HeaderField& expected = kHeaderFields[index];
  std::uint64_t value = 0;
  bool good = parse_number(field, expected.highest, value) && value >= expected.lowest;
  if (index == 6 && (field == "TRUE" || field == "FALSE")) {
    value = field == "TRUE" ? 1 : 0;
    good = true;
  }
  if (!good) {
    const std::string range =
        index == 6 ? std::string("TRUE, FALSE, 1 or 0")
                   : std::to_string(expected.lowest) + " to " + std::to_string(expected.highest);
    return at_line(std::string(expected.name) + " " + quoted(field) + "; expected " + range);
  }
  switch (index) {
    case 1:
      header_.tasks = static_cast<TaskId>(value);
      break;
    case 2:
      header_.messages = value;
      break;
    case 3:
      header_.communicators = value;
      break;
    case 4:
      header_.collectives = value;
      break;
    case 5:
      header_.collective_records = value;
      break;
    case 6:
      header_.only_send_deps = value != 0;
      break;
    default:
      header_.clock = value;
      break;
  }
  return {};
}

Status VefTextReader::read_header() {
  const auto empty = text_.at_end();
  if (!empty) return empty.error();
  if (*empty) return input_error(path(), 0, "empty file; expected a VEF header");
  line_ = 1;
  std::string field;
  std::size_t count = 0;
  for (;; ++count) {
    const auto more = text_.next_field(field);
    if (!more) return more.error();
    if (!*more) break;
    if (count > 0 && count == header_size(header_.version)) {
      return at_line("a further header field " + quoted(field) + "; expected " + std::to_string(count) +
                     " fields after magic " + std::string(magic_of(header_.version)));
    }
    if (Status status = set_header_field(count, field); !status) return status;
  }
  if (count == 0) return at_line("an empty line; expected a VEF header");
  if (count < header_size(header_.version)) {
    return at_line("the header ends after " + std::to_string(count) + " fields; expected " +
                   std::to_string(header_size(header_.version)) + ", next the " + kHeaderFields[count].name);
  }
  if (header_.collectives > header_.collective_records) {
    return at_line(std::to_string(header_.collectives) + " collectives but " +
                   std::to_string(header_.collective_records) +
                   " collective records; expected at least one record for each");
  }
  return {};
}

Status VefTextReader::read_communicator_name(std::uint64_t id, std::string& field) {
  ++line_;
  const std::string expected = "C" + std::to_string(id);
  const auto end = text_.at_end();
  if (!end) return end.error();
  if (*end) {
    --line_;
    return at_line("ends after " + std::to_string(id) + " communicator lines; the header promises " +
                   std::to_string(header_.communicators));
  }
  const auto more = text_.next_field(field);
  if (!more) return more.error();
  if (*more && field == expected) return {};
  return at_line((*more ? quoted(field) : std::string("an empty line")) + "; expected communicator line " +
                 expected + " (the header promises " + std::to_string(header_.communicators) +
                 ", ids from 0)");
}

Status VefTextReader::read_world() {
  std::string field;
  if (Status status = read_communicator_name(0, field); !status) return status;
  // Not reserved: the header's number of tasks is a claim until this line has shown them.
  std::vector<TaskId> members;
  for (;;) {
    const auto more = text_.next_field(field);
    if (!more) return more.error();
    if (!*more) break;
    if (members.size() == static_cast<std::size_t>(header_.tasks)) {
      return at_line("C0 lists a further task " + quoted(field) + "; expected the " +
                     std::to_string(header_.tasks) + " tasks of the header");
    }
    std::uint64_t task = 0;
    if (!parse_number(field, kMaxTasks, task) || task != members.size()) {
      return at_line("task " + quoted(field) + " in C0; expected " + std::to_string(members.size()) +
                     " (the world lists every task in order)");
    }
    members.push_back(static_cast<TaskId>(task));
  }
  if (members.size() != static_cast<std::size_t>(header_.tasks)) {
    return at_line("C0 lists " + std::to_string(members.size()) + " tasks; expected the " +
                   std::to_string(header_.tasks) + " of the header");
  }
  communicators_.push_back(std::move(members));
  return {};
}

Status VefTextReader::read_communicator(std::uint64_t id, std::vector<std::uint64_t>& seen_in) {
  std::string field;
  if (Status status = read_communicator_name(id, field); !status) return status;
  const std::string name = "C" + std::to_string(id);
  std::vector<TaskId> members;
  for (;;) {
    const auto more = text_.next_field(field);
    if (!more) return more.error();
    if (!*more) break;
    std::uint64_t task = 0;
    if (!parse_number(field, static_cast<std::uint64_t>(header_.tasks) - 1, task)) {
      return at_line("task " + quoted(field) + " in " + name + "; expected 0 to " +
                     std::to_string(header_.tasks - 1));
    }
    if (seen_in[task] == id) {
      return at_line("task " + std::to_string(task) + " twice in " + name + "; expected each task once");
    }
    seen_in[task] = id;
    members.push_back(static_cast<TaskId>(task));
  }
  if (members.empty()) return at_line(name + " has no tasks; expected at least one");
  communicators_.push_back(std::move(members));
  return {};
}

Status VefTextReader::read_communicators() {
  if (Status status = read_world(); !status) return status;
  if (header_.communicators == 1) return {};
  std::vector<std::uint64_t> seen_in(static_cast<std::size_t>(header_.tasks), 0);
  for (std::uint64_t id = 1; id < header_.communicators; ++id) {
    if (Status status = read_communicator(id, seen_in); !status) return status;
  }
  return {};
}

}  // namespace vef::formats
