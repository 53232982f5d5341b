// SPDX-License-Identifier: Apache-2.0
// Reading and writing VEF text, plain, .gz or .zst, as streams of records.
//
// The reader checks syntax and ranges line by line (every number is range-checked; the first fault ends the
// stream with FILE:LINE: what; expected ...) and, at the end, the header's counts. What only the whole trace
// can tell (duplicate ids, missing dependencies, ...) is vef/formats/validate.h. Not thread safe; one object
// per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::formats {

struct ReadOptions {
  /// Beside the caller's. More than one: parts of an indexed file are decoded at the same time, other files
  /// ahead of the caller. What is read is the same.
  unsigned threads = 0;
  /// The first record wanted: that of this line, or the first one after it. The part of an indexed file that
  /// holds it is found without reading those before; in other files they are read and dropped.
  std::uint64_t from_line = 0;
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// Opens a trace and reads header and communicator lines. The compression is found from the content, not
  /// the name. Accepts magic VEF/VEF2/VEF3, flag TRUE/FALSE/1/0, `C0` or `0` as ID_COMM, Dep with or without
  /// bit 2, CRLF, a missing last newline, further spaces.
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path, const ReadOptions& options = {});

  virtual const TraceHeader& header() const = 0;
  virtual const Communicators& communicators() const = 0;
  /// Metadata of a .vef.zst; empty for other files.
  virtual const Metadata& metadata() const = 0;

  /// Reads the next record. True: `record` is filled; false: the end, and every count of the header was
  /// right (what ReadOptions::from_line left out cannot be counted).
  virtual Result<bool> next(Record& record) = 0;

  /// Line of the record last returned (the header is line 1).
  virtual std::uint64_t line() const = 0;
  virtual const std::string& path() const = 0;
  /// Compressed bytes consumed and total (0: unknown), for progress bars.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

struct WriteOptions {
  int level = 0;  // of the compression; 0: the default
  /// Beside the caller's, for the compression of a .vef.zst. The bytes are the same.
  unsigned threads = 0;
};

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  /// Creates PATH (compression by the ending .gz or .zst) as a temporary file beside it that finish()
  /// renames, so that PATH is whole or absent. The header's counts must be those of the records that will be
  /// written; finish() checks it.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const TraceHeader& header,
                                                     const Communicators& communicators,
                                                     const Metadata& metadata = {},
                                                     const WriteOptions& options = {});
  /// Whether the form that create() chooses for PATH has room for metadata.
  static bool keeps_metadata(const std::string& path);

  virtual Status write(const Record& record) = 0;
  /// Writes what is buffered, syncs the metadata and renames. Without it the destructor removes the temporary
  /// file.
  virtual Status finish() = 0;
};

/// The record's line in the text form, without LF.
std::string text_of(const Record& record, TraceVersion version);

/// A part of a file that can be read by itself: its place, its first line (of the text form), and the
/// smallest and largest sum of a task's `time` fields up to one of its records. 0 and 0 where it has none.
struct TracePart {
  std::uint64_t offset = 0;
  std::uint64_t first_line = 0;
  std::uint64_t earliest = 0;
  std::uint64_t latest = 0;

  bool operator==(const TracePart&) const = default;
};

/// The index of a .vef.zst or .vefb, the head of the file first; empty where there is none.
Result<std::vector<TracePart>> read_index(const std::string& path);

/// A whole trace in memory, for tests and for consumers that need random access.
struct Trace {
  TraceHeader header;
  Communicators communicators;
  Metadata metadata;
  std::vector<Record> records;       // file order
  std::vector<std::uint64_t> lines;  // line of each record; empty for a trace that is not from a file
};

Result<Trace> read_trace(const std::string& path);
/// What `reader` has left.
Result<Trace> read_trace(TraceReader& reader);
Status write_trace(const std::string& path, const Trace& trace);

}  // namespace vef::formats
