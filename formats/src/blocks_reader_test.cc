// SPDX-License-Identifier: Apache-2.0
// Readers with threads, and readers that begin in the middle, against the plain ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "byte_sink.h"
#include "test_files.h"
#include "trace_tail.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {
namespace {

using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;

/// Of several parts in the compressed text, and two in the binary form.
Trace long_trace() {
  std::mt19937_64 random(5);
  Trace trace;
  trace.header.tasks = 4;
  trace.communicators = {{0, 1, 2, 3}};
  for (std::uint64_t i = 0; i < 70'000; ++i) {
    Record record;
    record.task = static_cast<TaskId>(random() % 4);
    record.time = random() >> 8;
    if (i % 10 == 9) {
      record.kind = RecordKind::kCollective;
      record.op = CollectiveOp::kBarrier;
      record.id = trace.header.collectives++;
      ++trace.header.collective_records;
    } else {
      record.peer = static_cast<TaskId>(random() % 4);
      record.id = trace.header.messages++;
      record.send_bytes = random() >> 40;
    }
    trace.records.push_back(record);
  }
  return trace;
}

/// Everything that a reader gives, its fault included.
struct Read {
  std::vector<Record> records;
  std::vector<std::uint64_t> lines;
  std::string fault;
};

Read read_all(const std::string& path, const ReadOptions& options) {
  Read read;
  const auto reader = TraceReader::open(path, options);
  if (!reader) {
    read.fault = reader.error().message;
    return read;
  }
  Record record;
  for (;;) {
    const auto more = (*reader)->next(record);
    if (!more) read.fault = more.error().message;
    if (!more || !*more) break;
    read.records.push_back(record);
    read.lines.push_back((*reader)->line());
  }
  // What ended it stays.
  const auto again = (*reader)->next(record);
  EXPECT_EQ(again.ok(), read.fault.empty());
  EXPECT_TRUE(!again.ok() || !*again);
  return read;
}

class EveryForm : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryForm, IsReadTheSameWithThreads) {
  const TemporaryFolder folder;
  const Trace trace = long_trace();
  const std::string path = folder.file(GetParam());
  ASSERT_TRUE(write_trace(path, trace).ok());
  const Read plain = read_all(path, {});
  ASSERT_TRUE(plain.fault.empty()) << plain.fault;
  ASSERT_TRUE(plain.records == trace.records);
  EXPECT_EQ(plain.lines.front(), 3U);
  EXPECT_EQ(plain.lines.back(), 2U + trace.records.size());
  for (unsigned threads = 1; threads <= 3; ++threads) {
    const Read read = read_all(path, {.threads = threads});
    EXPECT_TRUE(read.fault.empty()) << read.fault;
    EXPECT_TRUE(read.records == plain.records);
    EXPECT_EQ(read.lines, plain.lines);
  }
}

TEST_P(EveryForm, IsReadFromAnyLineOn) {
  const TemporaryFolder folder;
  const Trace trace = long_trace();
  const std::string path = folder.file(GetParam());
  ASSERT_TRUE(write_trace(path, trace).ok());
  for (const std::uint64_t line : {1U, 4U, 65'539U, 70'003U}) {
    const std::size_t first = line < 3 ? 0 : line - 3;
    for (const unsigned threads : {0U, 2U}) {
      const Read read = read_all(path, {.threads = threads, .from_line = line});
      EXPECT_TRUE(read.fault.empty()) << read.fault;
      ASSERT_EQ(read.records.size(), trace.records.size() - first) << "from line " << line;
      EXPECT_TRUE(std::equal(read.records.begin(), read.records.end(),
                             trace.records.begin() + static_cast<std::ptrdiff_t>(first)));
      EXPECT_TRUE(read.lines.empty() || read.lines.front() == first + 3);
    }
  }
}

TEST_P(EveryForm, CutOffIsTheSameFaultWithThreads) {
  const TemporaryFolder folder;
  const std::string path = folder.file(GetParam());
  ASSERT_TRUE(write_trace(path, long_trace()).ok());
  const std::string bytes = read_file(path);
  for (const std::size_t size : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
    write_file(path, std::string_view(bytes).substr(0, size));
    const Read plain = read_all(path, {});
    const Read threaded = read_all(path, {.threads = 2});
    EXPECT_EQ(threaded.fault, plain.fault);
    EXPECT_TRUE(threaded.records == plain.records);
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryForm, ::testing::Values("t.vef", "t.vef.gz", "t.vef.zst", "t.vefb"));

TEST(ThreadedWriter, WritesTheSameBytes) {
  const TemporaryFolder folder;
  const Trace trace = long_trace();
  const auto write = [&](unsigned threads) {
    const std::string path = folder.file("t.vef.zst");
    auto writer = TraceWriter::create(path, trace.header, trace.communicators, {}, {.threads = threads});
    EXPECT_TRUE(writer.ok());
    for (const Record& record : trace.records) EXPECT_TRUE((*writer)->write(record).ok());
    EXPECT_TRUE((*writer)->finish().ok());
    return read_file(path);
  };
  const std::string alone = write(0);
  for (unsigned threads = 1; threads <= 3; ++threads) EXPECT_TRUE(write(threads) == alone);
}

/// Five records in three parts; `change` makes the index wrong.
template <class Change>
std::string write_parts(const std::string& path, Change change) {
  auto sink = ByteSink::create(path, 0);
  EXPECT_TRUE(sink.ok());
  for (const char* block : {"VEF3 2 5 1 0 0 0 1000\nC0 0 1\n", "0 0 1 8 4 1 -1\n1 0 1 8 4 2 -1\n",
                            "2 1 0 8 4 3 -1\n", "3 1 0 8 4 4 -1\n4 1 1 0 0 5 -1\n"}) {
    EXPECT_TRUE((*sink)->write_block(block).ok());
  }
  const auto offsets = (*sink)->end_blocks();
  EXPECT_TRUE(offsets.ok());
  TraceTail tail;
  tail.frames = {{0, 1, 0, 0}, {(*offsets)[1], 3, 1, 2}, {(*offsets)[2], 5, 3, 3}, {(*offsets)[3], 6, 4, 9}};
  change(tail.frames);
  const auto encoded = encode_tail(tail);
  EXPECT_TRUE(encoded.ok() && (*sink)->write_raw(*encoded).ok() && (*sink)->finish().ok());
  return path;
}

TEST(Parts, AreFoundByTheIndexAlone) {
  const TemporaryFolder folder;
  const std::string path = write_parts(folder.file("t.vef.zst"), [](auto&) {});
  const Read all = read_all(path, {.threads = 2});
  EXPECT_EQ(all.fault, "");
  EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{3, 4, 5, 6, 7}));

  // The first part is damaged: who begins behind it does not see it.
  std::string bytes = read_file(path);
  const std::size_t second = bytes.find("\x28\xb5\x2f\xfd", 4);
  bytes[second + 12] = static_cast<char>(bytes[second + 12] ^ 0x55);
  write_file(path, bytes);
  EXPECT_NE(read_all(path, {}).fault, "");
  EXPECT_NE(read_all(path, {.threads = 2}).fault, "");
  const Read rest = read_all(path, {.from_line = 5});
  EXPECT_EQ(rest.fault, "");
  EXPECT_EQ(rest.lines, (std::vector<std::uint64_t>{5, 6, 7}));
}

TEST(Parts, OfAWrongIndexAreAFaultOrNotUsed) {
  const TemporaryFolder folder;
  const auto fault = [&](auto change) {
    return read_all(write_parts(folder.file("t.vef.zst"), change), {.threads = 2}).fault;
  };
  const std::string path = folder.file("t.vef.zst");
  EXPECT_EQ(fault([](auto& frames) { frames[2].first_line = 4; }),
            path + ":5: the index has line 4 for part 2; expected 5");
  EXPECT_EQ(fault([](auto& frames) { frames[2].offset += 1; }),
            path + ": damaged part 1; expected whole zstd data");
  // One part less is no fault: its records belong to the part before.
  EXPECT_EQ(fault([](auto& frames) { frames.erase(frames.begin() + 2); }), "");
  // Not in the order of the file, beyond its end, or not after the head: the file is read from its begin.
  EXPECT_EQ(fault([](auto& frames) { std::swap(frames[1].offset, frames[2].offset); }), "");
  EXPECT_EQ(fault([](auto& frames) { frames[3].offset = 1 << 20; }), "");
  EXPECT_EQ(fault([](auto& frames) { frames[1].first_line = 9; }), "");
}

TEST(Parts, TellOfMoreAndFewerRecordsThanPromised) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.vef.zst");
  const auto with_header = [&](const char* header) {
    auto sink = ByteSink::create(path, 0);
    EXPECT_TRUE(sink.ok() && (*sink)->write_block(header).ok());
    EXPECT_TRUE((*sink)->write_block("0 0 0 8 4 1 -1\n1 0 0 8 4 2 -1\n").ok());
    const auto offsets = (*sink)->end_blocks();
    EXPECT_TRUE(offsets.ok());
    const auto encoded = encode_tail({{{0, 1, 0, 0}, {(*offsets)[1], 3, 1, 2}}, {}});
    EXPECT_TRUE(encoded.ok() && (*sink)->write_raw(*encoded).ok() && (*sink)->finish().ok());
    const Read plain = read_all(path, {});
    const Read threaded = read_all(path, {.threads = 1});
    EXPECT_EQ(plain.fault, threaded.fault);
    EXPECT_TRUE(plain.records == threaded.records);
    return threaded.fault;
  };
  EXPECT_EQ(with_header("VEF3 1 2 1 0 0 0 1000\nC0 0\n"), "");
  EXPECT_EQ(with_header("VEF3 1 1 1 0 0 0 1000\nC0 0\n"),
            path + ":4: one point-to-point record more; the header promises 1");
  EXPECT_NE(with_header("VEF3 1 3 1 0 0 0 1000\nC0 0\n").find("ends after 2 records"), std::string::npos);
}

}  // namespace
}  // namespace vef::formats
