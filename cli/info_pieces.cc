// SPDX-License-Identifier: Apache-2.0
#include "info_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "command.h"
#include "output.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"

namespace vef::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Both ends belong to it.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = kMost;
};

Result<std::uint64_t> parse_line(std::string_view text) {
  std::uint64_t line = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), line);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size() && line > 0) return line;
  return usage_error("'" + std::string(text) + "' is no line");
}

template <class Parse>
Result<Range> parse_range(const std::string& option, const std::string& text, const char* expected,
                          Parse parse) {
  const std::size_t colon = text.find(':');
  const std::string from = text.substr(0, colon);
  const std::string to = colon == std::string::npos ? from : text.substr(colon + 1);
  Range range;
  const auto take = [&](const std::string& end, std::uint64_t& value) {
    if (end.empty()) return colon != std::string::npos;
    const auto parsed = parse(end);
    if (parsed) value = *parsed;
    return parsed.ok();
  };
  if (take(from, range.first) && take(to, range.last) && range.first <= range.last) return range;
  return usage_error(option + " '" + text + "'; expected " + expected);
}

/// The lines of the parts whose times overlap with `times`, which are in units of the trace. Nothing: none
/// do.
std::optional<Range> lines_of_times(const std::vector<formats::TracePart>& parts, const Range& times) {
  std::optional<Range> lines;
  for (std::size_t i = 1; i < parts.size(); ++i) {  // the head has no records
    if (parts[i].latest < times.first || parts[i].earliest > times.last) continue;
    if (!lines) lines = Range{parts[i].first_line, 0};
    lines->last = i + 1 < parts.size() ? parts[i + 1].first_line - 1 : kMost;
  }
  return lines;
}

int print_parts(const PiecesOptions& options, const std::vector<formats::TracePart>& parts,
                std::uint64_t clock) {
  Json all = Json::array();
  if (!options.json)
    fmt::print("{:>8} {:>16} {:>16} {:>14} {:>14}\n", "part", "byte", "first line", "earliest", "latest");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const formats::TracePart& part = parts[i];
    const auto picoseconds = [&](std::uint64_t time) {
      return time > static_cast<std::uint64_t>(kNever) / clock ? kNever
                                                               : static_cast<Picoseconds>(time * clock);
    };
    if (options.json) {
      all.push_back({{"offset", part.offset},
                     {"first_line", part.first_line},
                     {"earliest_ps", picoseconds(part.earliest)},
                     {"latest_ps", picoseconds(part.latest)}});
    } else {
      fmt::print("{:>8} {:>16} {:>16} {:>14} {:>14}\n", i, part.offset, part.first_line,
                 format_time(picoseconds(part.earliest)), format_time(picoseconds(part.latest)));
    }
  }
  if (options.json) fmt::print("{}\n", json_text({{"file", options.file}, {"parts", all}}));
  return kDone;
}

int print_lines(const PiecesOptions& options, const Range& lines) {
  auto opened =
      formats::TraceReader::open(options.file, {.threads = options.threads, .from_line = lines.first});
  if (!opened) return report_error(opened.error());
  formats::TraceReader& reader = **opened;
  const std::uint64_t first_record = 2 + reader.header().communicators;
  formats::Record record;
  Json all = Json::array();
  std::uint64_t printed = 0;
  while (reader.line() < lines.last) {
    const auto more = reader.next(record);
    if (!more) return report_error(more.error());
    if (!*more || reader.line() > lines.last) break;
    ++printed;
    const std::string text = formats::text_of(record, reader.header().version);
    if (options.json) {
      all.push_back({{"line", reader.line()}, {"record", text}});
    } else {
      fmt::print("{}\t{}\n", reader.line(), text);
    }
  }
  if (printed == 0) {
    const std::uint64_t records = reader.header().messages + reader.header().collective_records;
    return report_error(input_error(options.file, 0,
                                    "no record there; its records are in the lines " +
                                        std::to_string(first_record) + " to " +
                                        std::to_string(first_record + records - 1)));
  }
  if (options.json) fmt::print("{}\n", json_text({{"file", options.file}, {"records", all}}));
  return kDone;
}

}  // namespace

int print_pieces(const PiecesOptions& options) {
  if (!options.lines.empty()) {
    const auto lines = parse_range("--lines", options.lines, "FIRST:LAST, FIRST:, :LAST or LINE", parse_line);
    return lines ? print_lines(options, *lines) : report_error(lines.error());
  }
  const auto reader = formats::TraceReader::open(options.file);
  if (!reader) return report_error(reader.error());
  const auto parts = formats::read_index(options.file);
  if (!parts) return report_error(parts.error());
  if (parts->empty())
    return report_error(input_error(options.file, 0,
                                    "no index; expected a .vef.zst or .vefb that `vef` wrote (vef convert)"));
  const std::uint64_t clock = (*reader)->header().clock;
  if (options.parts) return print_parts(options, *parts, clock);
  auto times = parse_range("--times", options.times, "FROM:TO, FROM:, :TO or one time, such as 1.5s:2s",
                           [](const std::string& text) -> Result<std::uint64_t> {
                             const auto time = parse_time(text);
                             if (!time) return time.error();
                             return static_cast<std::uint64_t>(*time);
                           });
  if (!times) return report_error(times.error());
  times->first /= clock;
  if (times->last != kMost) times->last /= clock;
  const auto lines = lines_of_times(*parts, *times);
  if (!lines)
    return report_error(input_error(options.file, 0, "no record in these times (--parts shows them)"));
  return print_lines(options, *lines);
}

}  // namespace vef::cli
