// SPDX-License-Identifier: Apache-2.0
// A TraceReader for formats that do not say beforehand how much they hold. The file is read twice: once to
// count, once for the records; so nothing of it has to be kept.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "vef/formats/trace_io.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// Reads a file once, front to back. The same file gives the same records.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// True: `record` is filled; false: the end, and all was well.
  virtual Result<bool> next(formats::Record& record) = 0;
  /// Of the record last returned; 0 where the format has no lines.
  virtual std::uint64_t line() const = 0;

  /// What follows is asked for after the last record, and after any (bytes).
  virtual formats::TraceVersion version() const { return formats::TraceVersion::kVef3; }
  /// C0 is the world.
  virtual formats::Communicators communicators() const = 0;
  virtual formats::Metadata metadata() const { return {}; }
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

using SourceOpener = std::function<Result<std::unique_ptr<RecordSource>>(Losses&)>;

/// `losses` are those of the first reading; `progress` is of it, too.
Result<std::unique_ptr<formats::TraceReader>> open_counted(const std::string& path, SourceOpener open,
                                                           Losses& losses,
                                                           const ProgressFunction& progress = {});

/// Communicators of a trace that has none but the world.
formats::Communicators world_only(formats::TaskId tasks);

}  // namespace vef::neighbours
