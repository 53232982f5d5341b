// SPDX-License-Identifier: Apache-2.0
// TraceReader over VEF text: `ID src dst size Dep time IDdep` for messages and marks,
// `G<ID> C<comm> op task send_size recv_size Dep time IDdep` for collectives (docs/vef3.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "record_counts.h"
#include "vef/formats/trace_io.h"
#include "vef_text_buffer.h"

namespace vef::formats {

class VefTextReader final : public TraceReader {
 public:
  /// `file` stands at its begin.
  static Result<std::unique_ptr<TraceReader>> open(std::unique_ptr<InputFile> file);
  /// Has read header and communicator lines.
  static Result<std::unique_ptr<VefTextReader>> open(std::unique_ptr<ByteSource> source);
  /// Reads a part of a trace with this header that begins with the record of `first_line`: without
  /// communicators, and its records are not counted.
  static std::unique_ptr<VefTextReader> open_part(const TraceHeader& header, std::uint64_t first_line,
                                                  std::unique_ptr<ByteSource> source);

  const TraceHeader& header() const override { return header_; }
  const Communicators& communicators() const override { return communicators_; }
  const Metadata& metadata() const override { return metadata_; }
  Result<bool> next(Record& record) override;
  std::uint64_t line() const override { return line_; }
  const std::string& path() const override;
  std::uint64_t bytes_read() const override;
  std::uint64_t bytes_total() const override;

 private:
  enum class Field : std::uint8_t {
    kMessageId,
    kSource,
    kDestination,
    kSize,
    kDep,
    kTime,
    kDepId,
    kCollectiveId,
    kCommunicator,
    kOperation,
    kTask,
    kSendSize,
    kReceiveSize,
  };
  class Scanner;

  explicit VefTextReader(std::unique_ptr<ByteSource> source) : text_(std::move(source)) {}

  Status read_metadata();
  Status read_header();
  Status set_header_field(std::size_t index, std::string_view field);
  Status read_communicators();
  Status read_world();
  Status read_communicator(std::uint64_t id, std::vector<std::uint64_t>& seen_in);
  Status read_communicator_name(std::uint64_t id, std::string& field);

  Result<bool> fill_lines();
  bool scan_message(Scanner& scan, Record& record);
  bool scan_collective(Scanner& scan, Record& record);
  bool scan_dependency(Scanner& scan, Record& record, bool& real_message);
  bool scan_task(Scanner& scan, TaskId& task, Field field);
  bool scan_operation(Scanner& scan, CollectiveOp& op);
  bool scan_line_end(Scanner& scan);
  bool count(const Record& record, bool as_promised);
  Result<bool> end_of_text();

  // All return false, having set error_.
  bool fault(const std::string& message);
  bool field_fault(Field field, const char* token);
  std::string expectation(Field field) const;
  Error at_line(const std::string& message) const { return input_error(path(), line_, message); }

  VefTextBuffer text_;
  TraceHeader header_;
  Communicators communicators_;
  Metadata metadata_;
  bool is_part_ = false;
  std::uint64_t line_ = 0;
  RecordCounts counts_;
  DepKind dep_ = DepKind::kIndependent;  // of the record being read, for messages
  std::optional<Error> error_;
};

}  // namespace vef::formats
