// SPDX-License-Identifier: Apache-2.0
// What the writers of all own forms share: they refuse what no reader would take, count, and note which part
// of the file holds which lines and times. Not thread safe.
#pragma once

#include <cstdint>
#include <string>

#include "record_counts.h"
#include "trace_index.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {

/// Whether header and communicators can be written.
Status check_writable(const std::string& path, const TraceHeader& header, const Communicators& communicators);

/// Header and communicator lines as text.
std::string head_text(const TraceHeader& header, const Communicators& communicators);

class CheckedWriter : public TraceWriter {
 public:
  Status write(const Record& record) final;
  Status finish() final;

 protected:
  CheckedWriter(std::string path, const TraceHeader& header, const Metadata& metadata, bool indexed);

  const std::string& path() const { return path_; }
  const TraceHeader& header() const { return header_; }
  TraceTail& tail() { return tail_; }
  bool indexed() const { return indexed_; }

  /// Takes a record that is in range.
  virtual Status append(const Record& record) = 0;
  /// Writes what is gathered and makes the file whole.
  virtual Status close_file() = 0;
  /// To be called when a part is written, with its place in the file (in tail() until close_file() ends).
  void end_part(std::uint64_t offset);

 private:
  bool fits(const Record& record) const;
  Status closed() const;
  Status refuse(const Record& record) const;
  void note_time(const Record& record);

  std::string path_;
  TraceHeader header_;
  bool indexed_;
  TraceTail tail_;
  RecordCounts counts_;
  std::uint64_t line_;  // the next record's
  TracePart part_;      // of the records that are gathered
  bool part_has_records_ = false;
  PartTimes times_;
  bool failed_ = false;
};

}  // namespace vef::formats
