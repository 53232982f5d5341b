// SPDX-License-Identifier: Apache-2.0
// The CSV files behind the figures, one function per file.
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "output_file.h"
#include "vef/analyzer/report.h"

namespace vef::analyzer {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

/// Collects the lines of one CSV file. Cells are numbers and names of ours: nothing needs quoting.
class CsvFile {
 public:
  CsvFile(const std::string& folder, const char* name) : file_(folder + "/" + name) {}

  CsvFile& cell(std::uint64_t value) {
    char digits[20];  // of 2^64 - 1
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return cell(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  CsvFile& cell(std::string_view text) {
    if (!at_line_start_) buffer_ += ',';
    at_line_start_ = false;
    buffer_ += text;
    return *this;
  }
  void end_line() {
    buffer_ += '\n';
    at_line_start_ = true;
    if (buffer_.size() < kBufferBytes) return;
    file_.write(buffer_);
    buffer_.clear();
  }
  Status finish() {
    file_.write(buffer_);
    return file_.finish();
  }

 private:
  OutputFile file_;
  std::string buffer_;
  bool at_line_start_ = true;
};

/// Seconds with all twelve decimals: exact.
std::string seconds(Picoseconds time) {
  std::string fraction = std::to_string(time % kPicosPerSecond);
  fraction.insert(0, 12 - fraction.size(), '0');
  return std::to_string(time / kPicosPerSecond) + "." + fraction;
}

void operation_header(CsvFile& csv) {
  for (int op = 0; op < kOperations; ++op) csv.cell(operation_name(op));
  csv.end_line();
}

Status write_calls(const Analysis& analysis, const std::string& folder) {
  CsvFile csv(folder, "calls.csv");
  csv.cell("operation").cell("calls").cell("operations").end_line();
  for (int op = 0; op < kOperations; ++op) {
    const OperationCounts& counts = analysis.operations[static_cast<std::size_t>(op)];
    csv.cell(operation_name(op)).cell(counts.calls).cell(counts.operations).end_line();
  }
  return csv.finish();
}

Status write_bytes(const Analysis& analysis, const std::string& folder) {
  CsvFile csv(folder, "bytes.csv");
  csv.cell("operation")
      .cell("call_bytes")
      .cell("messages")
      .cell("message_bytes")
      .cell("self_messages")
      .end_line();
  for (int op = 0; op < kOperations; ++op) {
    const OperationCounts& counts = analysis.operations[static_cast<std::size_t>(op)];
    csv.cell(operation_name(op)).cell(counts.call_bytes).cell(counts.messages).cell(counts.message_bytes);
    csv.cell(counts.self_messages).end_line();
  }
  return csv.finish();
}

Status write_series(const TimeSeries& series,
                    const std::array<std::vector<std::uint64_t>, kOperations>& values,
                    const std::string& folder, const char* name) {
  CsvFile csv(folder, name);
  csv.cell("begin_s").cell("end_s");
  operation_header(csv);
  for (std::size_t i = 0; i < series.intervals; ++i) {
    // The end of the last interval may lie beyond 64 bits of picoseconds.
    const Picoseconds begin = series.begin + static_cast<Picoseconds>(i) * series.width;
    csv.cell(seconds(begin)).cell(seconds(saturating_add(begin, series.width)));
    for (const std::vector<std::uint64_t>& operation : values) csv.cell(operation[i]);
    csv.end_line();
  }
  return csv.finish();
}

/// A row per source: its first task, then a cell per destination. The line of column heads is a comment, so
/// that readers of plain matrices take the file as it is.
Status write_matrix(const TrafficMatrix& matrix, const std::vector<std::uint64_t>& values,
                    const std::string& folder, const char* name) {
  CsvFile csv(folder, name);
  csv.cell("# source \\ destination");
  for (std::int64_t column = 0; column < matrix.side; ++column) {
    csv.cell(static_cast<std::uint64_t>(column * matrix.block));
  }
  csv.end_line();
  for (std::int64_t row = 0; row < matrix.side; ++row) {
    csv.cell(static_cast<std::uint64_t>(row * matrix.block));
    for (std::int64_t column = 0; column < matrix.side; ++column) {
      csv.cell(values[static_cast<std::size_t>(row * matrix.side + column)]);
    }
    csv.end_line();
  }
  return csv.finish();
}

Status write_sizes(const Analysis& analysis, const std::string& folder) {
  CsvFile csv(folder, "message_sizes.csv");
  csv.cell("first_bytes").cell("last_bytes");
  operation_header(csv);
  for (int size_class = 0; size_class < kSizeClasses; ++size_class) {
    std::uint64_t all = 0;
    for (const auto& operation : analysis.sizes.messages)
      all += operation[static_cast<std::size_t>(size_class)];
    if (all == 0) continue;
    const std::uint64_t begin = size_class_begin(size_class);
    csv.cell(begin).cell(begin == 0 ? 0 : begin + (begin - 1));
    for (const auto& operation : analysis.sizes.messages)
      csv.cell(operation[static_cast<std::size_t>(size_class)]);
    csv.end_line();
  }
  return csv.finish();
}

Status write_communicators(const Analysis& analysis, const std::string& folder) {
  CsvFile csv(folder, "communicators.csv");
  csv.cell("communicator").cell("members").cell("operations").cell("calls").cell("call_bytes").end_line();
  for (std::size_t c = 0; c < analysis.communicators.size(); ++c) {
    const CommunicatorCounts& counts = analysis.communicators[c];
    csv.cell(c)
        .cell(counts.members)
        .cell(counts.operations)
        .cell(counts.calls)
        .cell(counts.call_bytes)
        .end_line();
  }
  return csv.finish();
}

Status write_readme(const Analysis& analysis, const std::string& folder) {
  OutputFile file(folder + "/README.txt");
  file.write("Static analysis of " + analysis.source + "\n\n");
  file.write("Collectives are expanded into messages as: " +
             std::string(tracelib::expansion_name(analysis.expansion)) + ".\n");
  file.write(
      "Times are those on an ideal network (infinite bandwidth, zero latency), from the start of the "
      "trace.\n\n"
      "calls.csv               calls per operation; a collective is one operation and a call per member\n"
      "bytes.csv               call_bytes: sum of the larger buffer of each call; messages after expansion\n"
      "messages_over_time.csv  messages per interval and operation\n"
      "bytes_over_time.csv     bytes of these messages\n"
      "matrix_messages.csv     messages: a row per source task, named in its first cell; a column per "
      "destination\n"
      "matrix_bytes.csv        bytes, in the same form\n"
      "message_sizes.csv       messages of first_bytes ... last_bytes bytes, per operation; empty classes "
      "left out\n"
      "communicators.csv       collectives per communicator\n");
  if (analysis.matrix.block > 1) {
    file.write("\nIn the matrices rows and columns are named after the first task of a block of " +
               std::to_string(analysis.matrix.block) + " tasks whose messages are summed.\n");
  }
  return file.finish();
}

}  // namespace

Status write_data(const Analysis& analysis, const std::string& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) return system_error(folder, "cannot create the folder", fault.value());
  const TimeSeries& series = analysis.over_time;
  const TrafficMatrix& matrix = analysis.matrix;
  if (Status s = write_calls(analysis, folder); !s) return s;
  if (Status s = write_bytes(analysis, folder); !s) return s;
  if (Status s = write_series(series, series.messages, folder, "messages_over_time.csv"); !s) return s;
  if (Status s = write_series(series, series.bytes, folder, "bytes_over_time.csv"); !s) return s;
  if (Status s = write_matrix(matrix, matrix.messages, folder, "matrix_messages.csv"); !s) return s;
  if (Status s = write_matrix(matrix, matrix.bytes, folder, "matrix_bytes.csv"); !s) return s;
  if (Status s = write_sizes(analysis, folder); !s) return s;
  if (Status s = write_communicators(analysis, folder); !s) return s;
  return write_readme(analysis, folder);
}

}  // namespace vef::analyzer
