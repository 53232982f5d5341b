// SPDX-License-Identifier: Apache-2.0
// Reading and writing of whole traces: what lines mean, what variants are read, and text -> model -> text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "test_files.h"
#include "test_random_trace.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {
namespace {

using testing::kSmallTrace;
using testing::random_trace;
using testing::read_file;
using testing::TemporaryFolder;
using testing::test_data;
using testing::write_file;

Trace parse(std::string_view text) {
  TemporaryFolder folder;
  auto trace = read_trace(write_file(folder.file("t.vef"), text));
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? *trace : Trace{};
}

TEST(VefText, FieldsGoWhereTheFormatSays) {
  const Trace trace = parse(kSmallTrace);
  const TraceHeader header{.version = TraceVersion::kVef3,
                           .tasks = 2,
                           .messages = 5,
                           .communicators = 2,
                           .collectives = 1,
                           .collective_records = 2,
                           .only_send_deps = false,
                           .clock = 1000};
  EXPECT_EQ(trace.header, header);
  EXPECT_EQ(trace.communicators, (Communicators{{0, 1}, {1, 0}}));
  ASSERT_EQ(trace.records.size(), 7U);
  EXPECT_EQ(trace.records[0], (Record{.kind = RecordKind::kMessage,
                                      .dep = DepKind::kIndependent,
                                      .task = 0,
                                      .peer = 1,
                                      .id = 0,
                                      .send_bytes = 100,
                                      .time = 50}));
  EXPECT_EQ(trace.records[1], (Record{.kind = RecordKind::kMark,
                                      .dep = DepKind::kIndependent,
                                      .task = 1,
                                      .peer = 1,
                                      .id = 1,
                                      .time = 20}));
  EXPECT_EQ(trace.records[2], (Record{.kind = RecordKind::kMessage,
                                      .dep = DepKind::kReceive,
                                      .task = 1,
                                      .peer = 0,
                                      .id = 2,
                                      .time = 7,
                                      .dep_id = 0}));
  EXPECT_EQ(trace.records[3], (Record{.kind = RecordKind::kCollective,
                                      .dep = DepKind::kSend,
                                      .op = CollectiveOp::kAllreduce,
                                      .task = 1,
                                      .comm = 1,
                                      .id = 0,
                                      .send_bytes = 8,
                                      .recv_bytes = 8,
                                      .time = 3,
                                      .dep_id = 2}));
  EXPECT_EQ(trace.records[6].dep, DepKind::kCollective);
  EXPECT_EQ(trace.lines, (std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9, 10}));
}

TEST(VefText, VariantsOfOtherWritersMeanTheSame) {
  const Trace expected = parse(kSmallTrace);
  // CRLF, tabs and further spaces, TRUE/FALSE, a communicator id without C, no last newline, blank lines at
  // the end.
  const Trace trace = parse(
      "VEF3  2 5 2 1 2 FALSE 1000\r\n"
      "C0 0 1 \r\n"
      "C1\t1 0\r\n"
      " 0 0 1 100 4 50 -1\r\n"
      "1 1 1 0 0 20 -1 \r\n"
      "2 1 0 0 6 7 0\r\n"
      "G0 1 2 1 8 8 1 3 2\r\n"
      "G0 1 2 0  8 8 2 4 2\r\n"
      "3 0 0 0 3 1 G0\r\n"
      "4 1 1 0 3 2 G0\r\n\r\n  ");
  EXPECT_EQ(trace.header, expected.header);
  EXPECT_EQ(trace.communicators, expected.communicators);
  EXPECT_EQ(trace.records, expected.records);
  EXPECT_EQ(parse(kSmallTrace.substr(0, kSmallTrace.size() - 1)).records, expected.records);
}

TEST(VefText, TheFirstVersionHasSevenFieldsAndNoMarks) {
  const Trace trace = parse(
      "VEF 2 3 1 0 0 TRUE\n"
      "C0 0 1\n"
      "0 0 0 0 0 5 -1\n"
      "1 0 1 10 1 5 0\n"
      "2 0 1 10 5 5 1\n");
  EXPECT_EQ(trace.header.version, TraceVersion::kVef);
  EXPECT_TRUE(trace.header.only_send_deps);
  EXPECT_EQ(trace.header.clock, 1000U);
  ASSERT_EQ(trace.records.size(), 3U);
  // In VEF3 it would be a mark.
  EXPECT_EQ(trace.records[0].kind, RecordKind::kMessage);
  EXPECT_EQ(trace.records[2].dep, DepKind::kSend);
}

TEST(VefText, AnAnswerHasEightMoreInVef4) {
  constexpr std::string_view kText = "VEF4 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 0 4 50 -1\n1 1 0 4096 14 0 0\n";
  const Trace trace = parse(kText);
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.header.version, TraceVersion::kVef4);
  EXPECT_FALSE(trace.records[0].answer);
  EXPECT_EQ(trace.records[1], (Record{.kind = RecordKind::kMessage,
                                      .dep = DepKind::kReceive,
                                      .answer = true,
                                      .task = 1,
                                      .peer = 0,
                                      .id = 1,
                                      .send_bytes = 4096}));
  TemporaryFolder folder;
  ASSERT_TRUE(write_trace(folder.file("t.vef"), trace).ok());
  EXPECT_EQ(read_file(folder.file("t.vef")), kText);
  Trace old = trace;
  old.header.version = TraceVersion::kVef3;
  EXPECT_FALSE(write_trace(folder.file("t3.vef"), old).ok());
}

// 8 and 10: two digits only in VEF4.
TEST(VefText, Vef4HasFurtherOperations) {
  constexpr std::string_view kText =
      "VEF4 1 0 1 3 3 1 1000\nC0 0\nG0 C0 8 0 24 24 0 1 -1\nG1 C0 9 0 8 8 0 2 -1\nG2 C0 10 0 8 8 0 3 -1\n";
  Trace trace = parse(kText);
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[0].op, CollectiveOp::kReduceScatter);
  EXPECT_EQ(trace.records[1].op, CollectiveOp::kScan);
  EXPECT_EQ(trace.records[2].op, CollectiveOp::kExscan);
  EXPECT_EQ(trace.records[2].send_bytes, 8U);
  const TemporaryFolder folder;
  ASSERT_TRUE(write_trace(folder.file("t.vef"), trace).ok());
  EXPECT_EQ(read_file(folder.file("t.vef")), kText);
  for (const char* name : {"t3.vef", "t3.vefb"}) {
    trace.header.version = TraceVersion::kVef3;
    EXPECT_FALSE(write_trace(folder.file(name), trace).ok());
  }
}

TEST(VefText, AMarkIsToOneselfWithoutBytesAndWithoutBitTwo) {
  const Trace trace = parse(
      "VEF3 2 4 1 0 0 1 1000\n"
      "C0 0 1\n"
      "0 0 0 0 0 5 -1\n"
      "1 0 0 0 4 5 -1\n"
      "2 0 0 1 0 5 -1\n"
      "3 0 1 0 0 5 -1\n");
  ASSERT_EQ(trace.records.size(), 4U);
  EXPECT_EQ(trace.records[0].kind, RecordKind::kMark);
  EXPECT_EQ(trace.records[1].kind, RecordKind::kMessage);
  EXPECT_EQ(trace.records[2].kind, RecordKind::kMessage);
  EXPECT_EQ(trace.records[3].kind, RecordKind::kMessage);
}

TEST(VefText, NumbersReachTheirLimits) {
  const Trace trace = parse(
      "VEF3 1 1 1 0 0 1 1000\n"
      "C0 0\n"
      "18446744073709551615 0 0 9223372036854775807 5 18446744073709551615 "
      "000000000000000000000000000000012\n");
  ASSERT_EQ(trace.records.size(), 1U);
  EXPECT_EQ(trace.records[0].id, 18446744073709551615U);
  EXPECT_EQ(trace.records[0].send_bytes, 9223372036854775807U);
  EXPECT_EQ(trace.records[0].time, 18446744073709551615U);
  EXPECT_EQ(trace.records[0].dep_id, 12U);
}

class RealTraces : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTraces, TextToModelToTextIsTheIdentity) {
  const TemporaryFolder folder;
  const std::string original = test_data(std::string("vef3/") + GetParam());
  const auto trace = read_trace(original);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const Status written = write_trace(folder.file("copy.vef"), *trace);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(read_file(folder.file("copy.vef")), read_file(original));
}

INSTANTIATE_TEST_SUITE_P(Files, RealTraces,
                         ::testing::Values("ring-4-send-recv-a.vef", "ring-4-send-recv-b.vef",
                                           "allreduce-large-4.vef", "collectives-4.vef"));

class RandomTraces : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomTraces, ModelToTextToModelIsTheIdentity) {
  const TemporaryFolder folder;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Trace trace = random_trace(seed);
    const std::string path = folder.file("random" + std::string(GetParam()));
    const Status written = write_trace(path, trace);
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto back = read_trace(path);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->header, trace.header) << "seed " << seed;
    EXPECT_EQ(back->communicators, trace.communicators) << "seed " << seed;
    EXPECT_EQ(back->records, trace.records) << "seed " << seed;
    EXPECT_EQ(folder.entries(), 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, RandomTraces, ::testing::Values(".vef", ".vef.gz", ".vef.zst"));

TEST(VefText, LongCommunicatorLinesAndManyRecordsPassTheWindow) {
  const TemporaryFolder folder;
  Trace trace;
  trace.header.tasks = 100'000;  // a C0 line of about 600 kB
  trace.communicators.resize(2);
  for (TaskId task = 0; task < trace.header.tasks; ++task) trace.communicators[0].push_back(task);
  trace.communicators[1].assign(trace.communicators[0].rbegin(), trace.communicators[0].rend());
  trace.header.communicators = 2;
  trace.header.messages = 100'000;
  for (std::uint64_t id = 0; id < trace.header.messages; ++id) {
    trace.records.push_back(
        {.task = static_cast<TaskId>(id), .peer = 7, .id = id, .send_bytes = id, .time = id * id});
  }
  for (const char* name : {"long.vef", "long.vef.zst", "long.vef.gz"}) {
    ASSERT_TRUE(write_trace(folder.file(name), trace).ok());
    const auto back = read_trace(folder.file(name));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->communicators, trace.communicators);
    EXPECT_EQ(back->records, trace.records);
    EXPECT_EQ(back->lines.back(), 100'003U);
  }
}

// The writer refuses what would not be read again, and leaves nothing behind.

TEST(VefTextWriter, CountsMustBeThoseOfTheHeader) {
  const TemporaryFolder folder;
  Trace trace = parse(kSmallTrace);
  trace.records.pop_back();
  const Status status = write_trace(folder.file("t.vef"), trace);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            folder.file("t.vef") + ": cannot write: 4 point-to-point records; expected the header's 5");
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(VefTextWriter, RecordsOutOfRangeAreRefused) {
  const TemporaryFolder folder;
  const Trace good = parse(kSmallTrace);
  const auto refuses = [&](auto change) {
    Trace trace = good;
    change(trace.records[3]);
    return !write_trace(folder.file("t.vef"), trace).ok();
  };
  EXPECT_FALSE(refuses([](Record&) {}));
  EXPECT_TRUE(refuses([](Record& r) { r.task = 2; }));
  EXPECT_TRUE(refuses([](Record& r) { r.task = -1; }));
  EXPECT_TRUE(refuses([](Record& r) { r.comm = 2; }));
  EXPECT_TRUE(refuses([](Record& r) { r.op = static_cast<CollectiveOp>(8); }));
  EXPECT_TRUE(refuses([](Record& r) { r.recv_bytes = std::uint64_t{1} << 63; }));
  EXPECT_TRUE(refuses([](Record& r) { r = {.kind = RecordKind::kMark, .task = 0, .peer = 1, .id = 9}; }));
  EXPECT_TRUE(refuses([](Record& r) { r = {.kind = RecordKind::kMessage, .task = 0, .peer = 5, .id = 9}; }));
}

TEST(VefTextWriter, HeadersThatContradictTheCommunicatorsAreRefused) {
  const TemporaryFolder folder;
  const Trace good = parse(kSmallTrace);
  const auto refuses = [&](auto change) {
    Trace trace = good;
    change(trace);
    return !write_trace(folder.file("t.vef"), trace).ok();
  };
  EXPECT_TRUE(refuses([](Trace& t) { t.header.tasks = 3; }));
  EXPECT_TRUE(refuses([](Trace& t) { t.header.communicators = 1; }));
  EXPECT_TRUE(refuses([](Trace& t) { t.header.clock = 0; }));
  EXPECT_TRUE(refuses([](Trace& t) { t.communicators[0] = {1, 0}; }));
  EXPECT_TRUE(refuses([](Trace& t) { t.communicators[1] = {1, 1}; }));
  EXPECT_TRUE(refuses([](Trace& t) { t.communicators[1] = {2}; }));
  EXPECT_EQ(folder.entries(), 0U);
}

}  // namespace
}  // namespace vef::formats
