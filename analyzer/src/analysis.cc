// SPDX-License-Identifier: Apache-2.0
#include "vef/analyzer/analysis.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "time_bins.h"
#include "vef/base/units.h"
#include "vef/formats/validate.h"
#include "vef/tracelib/ideal_network.h"

namespace vef::analyzer {
namespace {

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// The larger of the buffers that the MPI call behind a collective record names.
std::uint64_t call_bytes(const formats::Record& record, std::uint64_t members) {
  if (record.op != formats::CollectiveOp::kAlltoall) return std::max(record.send_bytes, record.recv_bytes);
  // VEF: receive size 0: send size goes to each task; 1: send size is the total.
  return record.recv_bytes == 0 ? saturating_multiply(record.send_bytes, members) : record.send_bytes;
}

void count_collective(const formats::Record& record, Analysis& analysis) {
  CommunicatorCounts& communicator = analysis.communicators[static_cast<std::size_t>(record.comm)];
  OperationCounts& operation = analysis.operations[static_cast<std::size_t>(operation_of(record.op))];
  const std::uint64_t bytes = call_bytes(record, communicator.members);
  ++operation.calls;
  ++communicator.calls;
  saturating_add_to(operation.call_bytes, bytes);
  saturating_add_to(communicator.call_bytes, bytes);
}

/// What the records say by themselves: calls, sizes at the call, communicators.
void count_records(const formats::Trace& trace, Analysis& analysis) {
  analysis.records = trace.records.size();
  analysis.communicators.resize(trace.communicators.size());
  for (std::size_t c = 0; c < trace.communicators.size(); ++c) {
    analysis.communicators[c].members = trace.communicators[c].size();
  }
  // Calls per communicator and operation; every member of a communicator takes part in each of its operations
  // once.
  std::vector<std::array<std::uint64_t, kOperations>> calls(trace.communicators.size());
  for (const formats::Record& record : trace.records) {
    switch (record.kind) {
      case formats::RecordKind::kMark:
        ++analysis.marks;
        break;
      case formats::RecordKind::kMessage:
        ++analysis.operations[kSend].calls;
        ++analysis.operations[kSend].operations;
        saturating_add_to(analysis.operations[kSend].call_bytes, record.send_bytes);
        break;
      case formats::RecordKind::kCollective:
        count_collective(record, analysis);
        ++calls[static_cast<std::size_t>(record.comm)][static_cast<std::size_t>(operation_of(record.op))];
        break;
    }
  }
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const std::uint64_t members = std::max<std::uint64_t>(analysis.communicators[c].members, 1);
    for (std::size_t op = 0; op < kOperations; ++op) {
      analysis.operations[op].operations += calls[c][op] / members;
      analysis.communicators[c].operations += calls[c][op] / members;
    }
  }
}

TrafficMatrix make_matrix(std::int64_t tasks, std::int64_t max_side) {
  TrafficMatrix matrix;
  max_side = std::max<std::int64_t>(max_side, 1);
  matrix.tasks = tasks;
  matrix.block = std::max<std::int64_t>((tasks + max_side - 1) / max_side, 1);
  matrix.side = (tasks + matrix.block - 1) / matrix.block;
  const auto cells = static_cast<std::size_t>(matrix.side * matrix.side);
  matrix.messages.resize(cells);
  matrix.bytes.resize(cells);
  return matrix;
}

void count_message(const tracelib::Message& message, TimeBins& bins, Analysis& analysis) {
  const auto operation = static_cast<std::size_t>(message.op + 1);
  OperationCounts& counts = analysis.operations[operation];
  ++counts.messages;
  saturating_add_to(counts.message_bytes, message.bytes);
  if (message.src_task == message.dst_task) ++counts.self_messages;
  ++analysis.sizes.messages[operation][static_cast<std::size_t>(std::bit_width(message.bytes))];
  TrafficMatrix& matrix = analysis.matrix;
  const std::int64_t row = message.src_task / matrix.block;
  const auto cell = static_cast<std::size_t>(row * matrix.side + message.dst_task / matrix.block);
  ++matrix.messages[cell];
  saturating_add_to(matrix.bytes[cell], message.bytes);
  bins.add(static_cast<int>(operation), message.time, message.bytes);
}

Error stuck_error(const std::vector<tracelib::Waiting>& waiting, const std::string& path) {
  if (waiting.empty())
    return input_error(path, 0, "the trace does not finish; expected every record to fire");
  return input_error(path, waiting[0].line, waiting[0].what + "; expected every record to fire");
}

/// Executes the trace; a message arrives at the instant it is handed out.
Status play(const std::shared_ptr<const formats::Trace>& trace, const std::string& path,
            const AnalysisOptions& options, Analysis& analysis) {
  std::vector<tracelib::PlayedTrace> traces(1);
  traces[0].trace = trace;
  tracelib::Player player(std::move(traces), tracelib::PlayerConfig{options.expansion});
  TimeBins bins(options.max_intervals);
  bool any = false;
  const auto on_message = [&](const tracelib::Message& message) {
    if (!any) analysis.first_message = message.time;
    any = true;
    analysis.last_message = message.time;
    count_message(message, bins, analysis);
  };
  const auto on_progress = [&](std::uint64_t fired) {
    if (options.progress) options.progress(fired, analysis.records);
  };
  const tracelib::IdealRun run = tracelib::run_on_ideal_network(player, on_message, on_progress);
  if (!run.finished) return stuck_error(run.stuck, path);
  analysis.ideal_time = run.time;
  analysis.over_time = bins.finish();
  return {};
}

}  // namespace

std::string_view operation_name(int operation) {
  return operation == kSend ? "send"
                            : formats::collective_name(static_cast<formats::CollectiveOp>(operation - 1));
}

OperationCounts Analysis::total() const {
  OperationCounts sum;
  for (const OperationCounts& counts : operations) {
    sum.calls += counts.calls;
    sum.operations += counts.operations;
    saturating_add_to(sum.call_bytes, counts.call_bytes);
    sum.messages += counts.messages;
    saturating_add_to(sum.message_bytes, counts.message_bytes);
    sum.self_messages += counts.self_messages;
  }
  return sum;
}

Result<Analysis> analyze(std::shared_ptr<const formats::Trace> trace, const std::string& path,
                         const AnalysisOptions& options) {
  const std::vector<formats::TraceFault> faults = formats::validate(*trace, 1);
  if (!faults.empty()) return input_error(path, faults[0].line, faults[0].message);
  Analysis analysis;
  analysis.source = file_name(path);
  analysis.header = trace->header;
  analysis.metadata = trace->metadata;
  analysis.expansion = options.expansion;
  analysis.matrix = make_matrix(trace->header.tasks, options.max_matrix_side);
  count_records(*trace, analysis);
  if (Status played = play(trace, path, options, analysis); !played) return played.error();
  return analysis;
}

}  // namespace vef::analyzer
