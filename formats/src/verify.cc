// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/verify.h"

#include <zstd.h>

#include <algorithm>
#include <vector>

#include "byte_file.h"
#include "little_endian.h"
#include "trace_index.h"
#include "trace_tail.h"
#include "vef/formats/trace_io.h"
#include "vefb_format.h"

namespace vef::formats {

namespace {

/// Whether a part of the file can begin at the place.
Result<bool> begins_part(const InputFile& file, std::uint64_t offset, bool binary) {
  constexpr std::size_t kNameBytes = 4;
  if (file.size() < kNameBytes || offset > file.size() - kNameBytes) return false;
  const auto start = file.read_at(offset, kNameBytes);
  if (!start) return start.error();
  return binary ? *start == vefb::kRecordBlock : get_number(*start, 0, kNameBytes) == ZSTD_MAGICNUMBER;
}

Status check_offsets(InputFile& file, const std::vector<TracePart>& parts) {
  const auto signature = file.peek(vefb::kSignature.size());
  if (!signature) return signature.error();
  const bool binary = signature->starts_with(vefb::kSignature);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto good = begins_part(file, parts[i].offset, binary);
    if (!good) return good.error();
    if (!*good || parts[i].offset <= parts[i - 1].offset)
      return input_error(file.path(), 0,
                         "the index has part " + std::to_string(i) + " at byte " +
                             std::to_string(parts[i].offset) + ", where none begins");
  }
  return {};
}

std::string describe(const TracePart& part) {
  return "line " + std::to_string(part.first_line) + ", times " + std::to_string(part.earliest) + " to " +
         std::to_string(part.latest);
}

}  // namespace

Result<std::uint64_t> verify_index(const std::string& path) {
  const auto file = InputFile::open(path);
  if (!file) return file.error();
  const auto tail = read_tail(**file);
  if (!tail) return tail.error();
  const std::vector<TracePart>& parts = tail->frames;
  if (parts.empty()) return std::uint64_t{0};
  if (Status status = check_offsets(**file, parts); !status) return status.error();

  auto reader = TraceReader::open(path);
  if (!reader) return reader.error();
  PartTimes times((*reader)->header().tasks);
  TracePart found{0, 1, 0, 0};  // the head's
  std::size_t at = 0;
  const auto compare = [&]() -> Status {
    found.offset = parts[at].offset;
    if (found == parts[at]) return {};
    return input_error(path, found.first_line,
                       "the index has " + describe(parts[at]) + " for part " + std::to_string(at) +
                           "; expected " + describe(found));
  };
  Record record;
  for (;;) {
    const auto more = (*reader)->next(record);
    if (!more) return more.error();
    if (!*more) break;
    const std::uint64_t line = (*reader)->line();
    if (at + 1 < parts.size() &&
        line == (at == 0 ? 2 + (*reader)->header().communicators : parts[at + 1].first_line)) {
      if (Status status = compare(); !status) return status.error();
      ++at;
      times.begin(found, 0, line);
    }
    times.add(found, record);
  }
  if (Status status = compare(); !status) return status.error();
  if (at + 1 != parts.size())
    return input_error(
        path, 0,
        "the index has " + std::to_string(parts.size()) + " parts; expected " + std::to_string(at + 1));
  return std::uint64_t{parts.size()};
}

}  // namespace vef::formats
