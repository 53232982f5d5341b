// SPDX-License-Identifier: Apache-2.0
#include "vef/analyzer/analysis.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

#include "test_traces.h"

namespace vef::analyzer {
namespace {

using formats::CollectiveOp;
using tracelib::Expansion;

Analysis analysed(const TraceMaker& maker, const AnalysisOptions& options = {}) {
  Result<Analysis> analysis = analyze(maker.make(), "folder/made.vef", options);
  EXPECT_TRUE(analysis.ok()) << (analysis.ok() ? "" : analysis.error().message);
  return analysis.ok() ? std::move(*analysis) : Analysis{};
}

AnalysisOptions expanded(Expansion expansion) {
  AnalysisOptions options;
  options.expansion = expansion;
  return options;
}

const OperationCounts& counts(const Analysis& analysis, CollectiveOp op) {
  return analysis.operations[static_cast<std::size_t>(operation_of(op))];
}

std::uint64_t row_sum(const Analysis& analysis, const std::vector<std::uint64_t>& values, std::int64_t row) {
  const auto begin = values.begin() + row * analysis.matrix.side;
  return std::accumulate(begin, begin + analysis.matrix.side, std::uint64_t{0});
}

std::uint64_t column_sum(const Analysis& analysis, const std::vector<std::uint64_t>& values,
                         std::int64_t column) {
  std::uint64_t sum = 0;
  for (std::int64_t row = 0; row < analysis.matrix.side; ++row) {
    sum += values[static_cast<std::size_t>(row * analysis.matrix.side + column)];
  }
  return sum;
}

TEST(Analysis, CountsPointToPointMessagesSelfMessagesAndMarks) {
  TraceMaker maker(3);
  maker.send(0, 1, 100, 10);
  maker.send(0, 1, 50, 20);
  maker.send(2, 2, 7, 5);   // to itself: a message
  maker.send(1, 1, 0, 30);  // empty and to itself, but a message, not a mark
  maker.mark(1, 40);
  const Analysis analysis = analysed(maker);
  const OperationCounts& sends = analysis.operations[kSend];
  EXPECT_EQ(analysis.source, "made.vef");
  EXPECT_EQ(analysis.records, 5U);
  EXPECT_EQ(analysis.marks, 1U);
  EXPECT_EQ(sends.calls, 4U);
  EXPECT_EQ(sends.call_bytes, 157U);
  EXPECT_EQ(sends.messages, 4U);
  EXPECT_EQ(sends.message_bytes, 157U);
  EXPECT_EQ(sends.self_messages, 2U);
  EXPECT_EQ(analysis.matrix.messages, (std::vector<std::uint64_t>{0, 2, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(analysis.matrix.bytes, (std::vector<std::uint64_t>{0, 150, 0, 0, 0, 0, 0, 0, 7}));
  EXPECT_EQ(analysis.ideal_time, 40'000);  // the mark at 40 ns
  EXPECT_EQ(analysis.first_message, 5'000);
  EXPECT_EQ(analysis.last_message, 30'000);
}

// n delivery: the root's row holds one message of s bytes to each other task, n-1 messages and (n-1)*s bytes.
TEST(Analysis, ExpandsABroadcastToStarsFromItsRoot) {
  constexpr std::uint64_t kBytes = 1000;
  TraceMaker maker(5);
  maker.collective(CollectiveOp::kBroadcast, 0,
                   {{0, kBytes}, {0, kBytes}, {kBytes, 0}, {0, kBytes}, {0, kBytes}}, 3);
  const Analysis analysis = analysed(maker);
  const OperationCounts& broadcast = counts(analysis, CollectiveOp::kBroadcast);
  EXPECT_EQ(broadcast.calls, 5U);
  EXPECT_EQ(broadcast.operations, 1U);
  EXPECT_EQ(broadcast.call_bytes, 5 * kBytes);  // MPI_Bcast has the same buffer on all five
  EXPECT_EQ(broadcast.messages, 4U);
  EXPECT_EQ(broadcast.message_bytes, 4 * kBytes);
  EXPECT_EQ(row_sum(analysis, analysis.matrix.messages, 2), 4U);
  EXPECT_EQ(row_sum(analysis, analysis.matrix.bytes, 2), 4 * kBytes);
  for (std::int64_t task : {0, 1, 3, 4}) EXPECT_EQ(column_sum(analysis, analysis.matrix.bytes, task), kBytes);
  EXPECT_EQ(analysis.sizes.messages[1 + 0][10], 4U);  // 512 ... 1023 bytes is class 10
}

// A binomial tree of n tasks has n-1 messages in all; ceil(log2 n) of them leave the root.
TEST(Analysis, ExpandsABroadcastToATree) {
  constexpr std::uint64_t kBytes = 64;
  for (formats::TaskId tasks : {2, 5, 8}) {
    TraceMaker maker(tasks);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes(static_cast<std::size_t>(tasks), {0, kBytes});
    sizes[0] = {kBytes, 0};
    maker.collective(CollectiveOp::kBroadcast, 0, sizes, 0);
    const Analysis analysis = analysed(maker, expanded(Expansion::kLogN));
    const auto others = static_cast<std::uint64_t>(tasks) - 1;
    EXPECT_EQ(counts(analysis, CollectiveOp::kBroadcast).messages, others);
    EXPECT_EQ(counts(analysis, CollectiveOp::kBroadcast).message_bytes, others * kBytes);
    EXPECT_EQ(row_sum(analysis, analysis.matrix.messages, 0), tasks == 2 ? 1U : 3U);
  }
}

// All-reduce = reduction to task 0 of the communicator, then broadcast from it.
TEST(Analysis, ExpandsAnAllReduceOnASubCommunicator) {
  TraceMaker maker(6);
  const formats::CommId comm = maker.communicator({4, 1, 5});
  maker.collective(CollectiveOp::kAllreduce, comm, {{8, 8}, {8, 8}, {8, 8}}, 0);
  const Analysis analysis = analysed(maker);
  const OperationCounts& all_reduce = counts(analysis, CollectiveOp::kAllreduce);
  EXPECT_EQ(all_reduce.calls, 3U);
  EXPECT_EQ(all_reduce.messages, 4U);
  EXPECT_EQ(all_reduce.message_bytes, 32U);
  EXPECT_EQ(row_sum(analysis, analysis.matrix.messages, 4), 2U);  // rank 0 of {4, 1, 5} is task 4
  EXPECT_EQ(column_sum(analysis, analysis.matrix.messages, 4), 2U);
  EXPECT_EQ(row_sum(analysis, analysis.matrix.bytes, 1), 8U);
  EXPECT_EQ(row_sum(analysis, analysis.matrix.bytes, 5), 8U);
  ASSERT_EQ(analysis.communicators.size(), 2U);
  EXPECT_EQ(analysis.communicators[0].operations, 0U);
  EXPECT_EQ(analysis.communicators[1].members, 3U);
  EXPECT_EQ(analysis.communicators[1].operations, 1U);
  EXPECT_EQ(analysis.communicators[1].calls, 3U);
  EXPECT_EQ(analysis.communicators[1].call_bytes, 24U);
}

TEST(Analysis, TakesTheLargerBufferOfACall) {
  TraceMaker maker(2);
  maker.collective(CollectiveOp::kGather, 0, {{10, 20}, {10, 0}}, 0);   // 20 + 10
  maker.collective(CollectiveOp::kAlltoall, 0, {{10, 0}, {10, 0}}, 1);  // to each task: 2 x 10, twice
  maker.collective(CollectiveOp::kAlltoall, 0, {{30, 1}, {50, 1}}, 2);  // totals: 30 + 50
  maker.collective(CollectiveOp::kBarrier, 0, {{0, 0}, {0, 0}}, 3);
  const Analysis analysis = analysed(maker);
  EXPECT_EQ(counts(analysis, CollectiveOp::kGather).call_bytes, 30U);
  EXPECT_EQ(counts(analysis, CollectiveOp::kAlltoall).call_bytes, 40U + 80U);
  EXPECT_EQ(counts(analysis, CollectiveOp::kAlltoall).operations, 2U);
  EXPECT_EQ(counts(analysis, CollectiveOp::kBarrier).call_bytes, 0U);
  EXPECT_EQ(counts(analysis, CollectiveOp::kBarrier).calls, 2U);
  EXPECT_EQ(analysis.communicators[0].operations, 4U);
}

// Message 1 leaves 7 ns after message 0 arrived, which on the ideal network is when it left, at 100 ns.
TEST(Analysis, TimesFollowDependencies) {
  TraceMaker maker(2);
  const formats::MessageId first = maker.send(0, 1, 5, 100);
  maker.send_after(first, 1, 0, 6, 7);
  const Analysis analysis = analysed(maker);
  EXPECT_EQ(analysis.last_message, 107'000);
  const TimeSeries& series = analysis.over_time;
  // 7,000 ps in at most 1000 intervals: the width becomes 10 ps.
  EXPECT_EQ(series.width, 10);
  EXPECT_EQ(series.begin, 100'000);
  ASSERT_EQ(series.intervals, 701U);
  EXPECT_EQ(series.messages[kSend].front(), 1U);
  EXPECT_EQ(series.bytes[kSend].front(), 5U);
  EXPECT_EQ(series.messages[kSend].back(), 1U);
  EXPECT_EQ(series.bytes[kSend].back(), 6U);
}

TEST(Analysis, SumsTasksInBlocks) {
  TraceMaker maker(5);
  maker.send(0, 4, 10, 0);
  maker.send(1, 4, 20, 0);
  maker.send(4, 3, 40, 0);
  AnalysisOptions options;
  options.max_matrix_side = 4;  // 5 tasks: blocks of 2, 3 of them
  const Analysis analysis = analysed(maker, options);
  EXPECT_EQ(analysis.matrix.block, 2);
  EXPECT_EQ(analysis.matrix.side, 3);
  EXPECT_EQ(analysis.matrix.bytes, (std::vector<std::uint64_t>{0, 0, 30, 0, 0, 0, 0, 40, 0}));
}

TEST(Analysis, SaturatesInsteadOfWrapping) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  TraceMaker maker(2);
  maker.send(0, 1, kMost - 1, 0);
  maker.send(0, 1, 5, 0);
  const Analysis analysis = analysed(maker);
  EXPECT_EQ(analysis.operations[kSend].message_bytes, kMost);
  EXPECT_EQ(analysis.matrix.bytes[1], kMost);
  EXPECT_EQ(analysis.sizes.messages[kSend][64], 1U);
}

TEST(Analysis, AnEmptyTraceIsFine) {
  const Analysis analysis = analysed(TraceMaker(1));
  EXPECT_EQ(analysis.total().calls, 0U);
  EXPECT_EQ(analysis.over_time.intervals, 0U);
}

TEST(Analysis, RefusesAFaultyTrace) {
  TraceMaker maker(2);
  maker.send_after(99, 0, 1, 5, 0);
  const Result<Analysis> analysis = analyze(maker.make(), "bad.vef");
  ASSERT_FALSE(analysis.ok());
  EXPECT_EQ(analysis.error().kind, ErrorKind::kInput);
  EXPECT_EQ(analysis.error().message.rfind("bad.vef:", 0), 0U) << analysis.error().message;
}

// Two tasks that each wait for the other's message before sending.
TEST(Analysis, RefusesADeadlock) {
  TraceMaker maker(2);
  maker.send_after(1, 0, 1, 5, 0);
  maker.send_after(0, 1, 0, 5, 0);
  const Result<Analysis> analysis = analyze(maker.make(), "cycle.vef");
  ASSERT_FALSE(analysis.ok());
  EXPECT_EQ(analysis.error().message.rfind("cycle.vef:", 0), 0U) << analysis.error().message;
}

/// What a loop over the columns says about a VEF3 file of four tasks with no collectives but barriers and at
/// most one gather: independent of our reader and of the expansion.
struct TextCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t marks = 0;
  std::uint64_t collective_records = 0;
  std::vector<std::uint64_t> bytes_between = std::vector<std::uint64_t>(16);
};

TextCounts count_text(const std::string& path) {
  TextCounts text;
  std::ifstream file(path);
  std::string line;
  std::uint64_t gather_root = 0;
  std::vector<std::uint64_t> gathered(4);
  std::getline(file, line);  // header
  std::getline(file, line);  // the world
  while (std::getline(file, line)) {
    if (line[0] == 'G') {
      ++text.collective_records;
      std::istringstream fields(line);
      std::string id, comm;
      std::uint64_t op = 0, task = 0, send = 0, receive = 0;
      fields >> id >> comm >> op >> task >> send >> receive;
      if (op != 3) continue;  // a gather: all but the root send to the root, which is the one that receives
      if (receive > 0) gather_root = task;
      gathered[task] += send;
      continue;
    }
    std::istringstream fields(line);
    std::uint64_t id = 0, from = 0, to = 0, bytes = 0, dep = 0;
    fields >> id >> from >> to >> bytes >> dep;
    if (dep < 4) {
      ++text.marks;
      continue;
    }
    ++text.messages;
    text.bytes += bytes;
    text.bytes_between[from * 4 + to] += bytes;
  }
  for (std::uint64_t task = 0; task < 4; ++task) {
    if (task != gather_root) text.bytes_between[task * 4 + gather_root] += gathered[task];
  }
  return text;
}

class RealTrace : public testing::TestWithParam<const char*> {};

TEST_P(RealTrace, AgreesWithTheColumnsOfTheFile) {
  const std::string path = std::string(VEF_SOURCE_DIR) + "/tests/data/vef3/" + GetParam();
  const TextCounts text = count_text(path);
  ASSERT_GT(text.messages, 0U);
  auto trace = formats::read_trace(path);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto analysis = analyze(std::make_shared<const formats::Trace>(std::move(*trace)), path);
  ASSERT_TRUE(analysis.ok()) << analysis.error().message;
  const OperationCounts& sends = analysis->operations[kSend];
  EXPECT_EQ(sends.messages, text.messages);
  EXPECT_EQ(sends.message_bytes, text.bytes);
  EXPECT_EQ(analysis->marks, text.marks);
  EXPECT_EQ(analysis->total().calls, text.messages + text.collective_records);
  std::uint64_t in_series = 0;
  for (const std::uint64_t bytes : analysis->over_time.bytes[kSend]) in_series += bytes;
  EXPECT_EQ(in_series, text.bytes);
  EXPECT_EQ(analysis->matrix.bytes, text.bytes_between);
}

INSTANTIATE_TEST_SUITE_P(Vef3, RealTrace,
                         testing::Values("collectives-4.vef", "allreduce-large-4.vef",
                                         "ring-4-send-recv-a.vef", "ring-4-send-recv-b.vef"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace vef::analyzer
