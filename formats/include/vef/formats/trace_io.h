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

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::formats {

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// Opens a trace and reads header and communicator lines. The compression is found from the content, not
  /// the name. Accepts magic VEF/VEF2/VEF3, flag TRUE/FALSE/1/0, `C0` or `0` as ID_COMM, Dep with or without
  /// bit 2, CRLF, a missing last newline, further spaces.
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path);

  virtual const TraceHeader& header() const = 0;
  virtual const Communicators& communicators() const = 0;
  /// Metadata of a .vef.zst; empty for other files.
  virtual const Metadata& metadata() const = 0;

  /// Reads the next record. True: `record` is filled; false: the end, and every count of the header was
  /// right.
  virtual Result<bool> next(Record& record) = 0;

  /// Line of the record last returned (the header is line 1).
  virtual std::uint64_t line() const = 0;
  virtual const std::string& path() const = 0;
  /// Compressed bytes consumed and total (0: unknown), for progress bars.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  /// Creates PATH (compression by the ending .gz or .zst) as a temporary file beside it that finish()
  /// renames, so that PATH is whole or absent. The header's counts must be those of the records that will be
  /// written; finish() checks it. `level`: compression level, 0 for the default.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const TraceHeader& header,
                                                     const Communicators& communicators,
                                                     const Metadata& metadata = {}, int level = 0);
  /// Whether the form that create() chooses for PATH has room for metadata.
  static bool keeps_metadata(const std::string& path);

  virtual Status write(const Record& record) = 0;
  /// Writes what is buffered, syncs the metadata and renames. Without it the destructor removes the temporary
  /// file.
  virtual Status finish() = 0;
};

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
