// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/trace_io.h"

#include <algorithm>
#include <utility>

#include "blocks_reader.h"
#include "byte_file.h"
#include "byte_sink.h"
#include "trace_tail.h"
#include "vef_text_reader.h"
#include "vef_text_writer.h"
#include "vefb_reader.h"
#include "vefb_writer.h"

namespace vef::formats {

namespace {

/// Records to make room for: what the header promises, but no more than a file of this size can hold.
std::size_t records_to_expect(const TraceReader& reader) {
  constexpr std::uint64_t kShortestRecord = 15;  // "0 0 0 0 0 0 -1\n"
  constexpr std::uint64_t kMostAhead = 1 << 24;
  const TraceHeader& header = reader.header();
  const std::uint64_t promised = header.messages + header.collective_records;
  return static_cast<std::size_t>(std::min(
      {promised, std::max<std::uint64_t>(reader.bytes_total() / kShortestRecord, 1024), kMostAhead}));
}

bool is_binary(const std::string& path) { return path.ends_with(".vefb"); }

Result<std::unique_ptr<TraceReader>> open_plain(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  const auto start = (*file)->peek(vefb::kSignature.size());
  if (!start) return start.error();
  if (VefbReader::recognises(*start)) return VefbReader::open(std::move(*file));
  return VefTextReader::open(std::move(*file));
}

}  // namespace

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path, const ReadOptions& options) {
  auto reader = open_plain(path);
  if (!reader || (options.threads == 0 && options.from_line == 0)) return reader;
  if ((*reader)->bytes_total() != 0) {  // else no file that can be read in pieces
    auto parts = open_parts(*reader, options);
    if (!parts || *parts) return parts;
  }
  return std::unique_ptr<TraceReader>(std::make_unique<AheadReader>(std::move(*reader), options));
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path, const TraceHeader& header,
                                                         const Communicators& communicators,
                                                         const Metadata& metadata,
                                                         const WriteOptions& options) {
  if (is_binary(path)) return VefbWriter::create(path, header, communicators, metadata, options.level);
  return VefTextWriter::create(path, header, communicators, metadata, options);
}

bool TraceWriter::keeps_metadata(const std::string& path) {
  return is_binary(path) || compression_of_name(path) == Compression::kZstd;
}

Result<std::vector<TracePart>> read_index(const std::string& path) {
  const auto file = InputFile::open(path);
  if (!file) return file.error();
  auto tail = read_tail(**file);
  if (!tail) return tail.error();
  return std::move(tail->frames);
}

Result<Trace> read_trace(const std::string& path) {
  auto reader = TraceReader::open(path);
  if (!reader) return reader.error();
  return read_trace(**reader);
}

Result<Trace> read_trace(TraceReader& reader) {
  Trace trace;
  trace.header = reader.header();
  trace.communicators = reader.communicators();
  trace.metadata = reader.metadata();
  trace.records.reserve(records_to_expect(reader));
  trace.lines.reserve(records_to_expect(reader));
  Record record;
  for (;;) {
    const auto more = reader.next(record);
    if (!more) return more.error();
    if (!*more) return trace;
    trace.records.push_back(record);
    trace.lines.push_back(reader.line());
  }
}

Status write_trace(const std::string& path, const Trace& trace) {
  auto writer = TraceWriter::create(path, trace.header, trace.communicators, trace.metadata);
  if (!writer) return writer.error();
  for (const Record& record : trace.records) {
    if (Status status = (*writer)->write(record); !status) return status;
  }
  return (*writer)->finish();
}

}  // namespace vef::formats
