// SPDX-License-Identifier: Apache-2.0
// The binary form: every trace comes back as it was, whatever its ids, times and tasks; the bytes are those
// of docs/vefb.md; what contradicts itself is refused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "byte_file.h"
#include "little_endian.h"
#include "test_files.h"
#include "trace_tail.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/verify.h"
#include "vefb_block.h"

namespace vef::formats {
namespace {

using testing::read_file;
using testing::TemporaryFolder;
using testing::test_data;
using testing::write_file;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

void expect_back(const Trace& trace) {
  const TemporaryFolder folder;
  const Status written = write_trace(folder.file("t.vefb"), trace);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto back = read_trace(folder.file("t.vefb"));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->header, trace.header);
  EXPECT_EQ(back->communicators, trace.communicators);
  EXPECT_EQ(back->metadata, trace.metadata);
  EXPECT_TRUE(back->records == trace.records);
}

TEST(Vefb, FilesOfTheOriginalComeBackByteForByte) {
  const TemporaryFolder folder;
  for (const char* name :
       {"allreduce-large-4", "collectives-4", "ring-4-send-recv-a", "ring-4-send-recv-b"}) {
    const std::string original = test_data(std::string("vef3/") + name + ".vef");
    auto trace = read_trace(original);
    ASSERT_TRUE(trace.ok());
    const auto lines = trace->lines;
    ASSERT_TRUE(write_trace(folder.file("t.vefb"), *trace).ok());
    trace = read_trace(folder.file("t.vefb"));
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_EQ(trace->lines, lines);
    ASSERT_TRUE(write_trace(folder.file("t.vef"), *trace).ok());
    EXPECT_EQ(read_file(folder.file("t.vef")), read_file(original)) << name;
  }
}

/// Records of no sense, but in range: far ids, far dependencies, times and sizes of every length.
Trace wild_trace(TaskId tasks, std::uint64_t seed, std::size_t records) {
  std::mt19937_64 random(seed);
  const auto number = [&] { return random() >> random() % 64; };
  const auto task = [&] { return static_cast<TaskId>(random() % static_cast<std::uint64_t>(tasks)); };
  Trace trace;
  trace.header.version = TraceVersion::kVef4;
  trace.header.tasks = tasks;
  trace.communicators.resize(1);
  for (TaskId id = 0; id < tasks; ++id) trace.communicators[0].push_back(id);
  trace.communicators.push_back({tasks - 1});
  trace.header.communicators = 2;
  trace.metadata = {{"program", "wild"}};
  while (trace.records.size() < records) {
    Record record;
    record.kind = static_cast<RecordKind>(random() % 3);
    record.dep = static_cast<DepKind>(random() % 4);
    record.task = task();
    record.id = random() % 2 == 0 ? trace.records.size() : number();
    record.time = number();
    if (record.dep != DepKind::kIndependent)
      record.dep_id = random() % 2 == 0 ? trace.records.size() / 2 : number();
    if (record.kind == RecordKind::kMark) {
      record.peer = record.task;
    } else {
      record.send_bytes = number() >> 1;
    }
    if (record.kind == RecordKind::kMessage) {
      record.peer = task();
      record.answer = record.dep == DepKind::kReceive && random() % 2 == 0;
    }
    if (record.kind == RecordKind::kCollective) {
      // Each collective is one of its own, so that their number is that of the records.
      record.id = kMost - trace.header.collectives++;
      ++trace.header.collective_records;
      record.op = static_cast<CollectiveOp>(random() % kCollectiveOps);
      record.comm = static_cast<CommId>(random() % 2);
      record.recv_bytes = number() >> 1;
    } else {
      ++trace.header.messages;
    }
    trace.records.push_back(record);
  }
  return trace;
}

TEST(Vefb, IsNamedAmongTheFormsThatKeepMetadata) {
  for (const char* path : {"t.vefb", "t.vef.zst"}) EXPECT_TRUE(TraceWriter::keeps_metadata(path)) << path;
  for (const char* path : {"t.vef", "t.vef.gz"}) EXPECT_FALSE(TraceWriter::keeps_metadata(path)) << path;
  // And so they do.
  const TemporaryFolder folder;
  Trace trace;
  trace.header.tasks = 1;
  trace.communicators = {{0}};
  trace.metadata = {{"program", "one"}};
  for (const char* name : {"t.vefb", "t.vef.zst", "t.vef", "t.vef.gz"}) {
    const std::string path = folder.file(name);
    ASSERT_TRUE(write_trace(path, trace).ok());
    const auto back = read_trace(path);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(!back->metadata.empty(), TraceWriter::keeps_metadata(path)) << path;
  }
}

TEST(Vefb, WhateverIsInRangeComesBack) {
  expect_back(wild_trace(1, 1, 500));
  expect_back(wild_trace(256, 2, 5'000));
  expect_back(wild_trace(257, 3, 5'000));
  expect_back(wild_trace(70'000, 4, 5'000));
  // Several blocks, and one that is just full.
  expect_back(wild_trace(7, 5, 2 * vefb::kMostRecords + 1));
  expect_back(wild_trace(7, 6, vefb::kMostRecords));
  expect_back(wild_trace(3, 7, 0));
}

TEST(Vefb, TimesOfEveryLength) {
  for (unsigned length = 0; length <= 64; ++length) {
    for (const std::uint64_t low : {std::uint64_t{0}, std::uint64_t{1}, kMost}) {
      const std::uint64_t top = length == 0 ? 0 : std::uint64_t{1} << (length - 1);
      const std::uint64_t time = top | (top == 0 ? 0 : low & (top - 1));
      const unsigned time_class = vefb::TimeClass::of(time);
      ASSERT_LE(time_class, vefb::TimeClass::kMostClass);
      const std::uint64_t offset = time - vefb::TimeClass::lowest(time_class);
      EXPECT_LE(std::bit_width(offset), static_cast<int>(vefb::TimeClass::bits(time_class))) << time;
    }
  }
  // By hand: 100 is 1100100 in binary, 7 bits; class 8 + (7 - 4) * 4 + binary 10 = 22; 4 bits below, 0100.
  EXPECT_EQ(vefb::TimeClass::of(100), 22U);
  EXPECT_EQ(vefb::TimeClass::bits(22), 4U);
  EXPECT_EQ(vefb::TimeClass::lowest(22), 96U);
}

/// The example of docs/vefb.md: task 0 sends 64 bytes to task 1 at time 5, which enters its receive at time
/// 100 and, 3 later, sends 64 bytes back.
TEST(Vefb, TheBytesAreThoseOfTheDocument) {
  std::vector<Record> records(3);
  records[0] = {.task = 0, .peer = 1, .id = 0, .send_bytes = 64, .time = 5};
  records[1] = {.kind = RecordKind::kMark, .task = 1, .peer = 1, .id = 1, .time = 100};
  records[2] = {
      .dep = DepKind::kReceive, .task = 1, .peer = 0, .id = 2, .send_bytes = 64, .time = 3, .dep_id = 0};
  const std::array<std::string, vefb::kColumns> columns = {
      std::string("\0\1\1", 3),    // tasks
      std::string("\0\1\x08", 3),  // heads: message; mark; message with a receive dependency
      std::string("\1\1", 2),      // peers: 1 - 0; 0 - 1 modulo 2
      "",                          // operations
      "",                          // communicators
      std::string("\x40\x40", 2),  // sizes
      std::string("\5\x16\3", 3),  // time classes: 5; 22, see above; 3
      std::string("\4", 1),        // the 4 bits below class 22
      std::string("\0", 1),        // the oldest arrival
      "",                          // ids
      "",                          // dependencies
  };
  std::string expected;
  put_number(expected, 3, 4);
  put_number(expected, 0, 8);
  put_number(expected, 0, 8);
  for (const std::string& column : columns) {
    put_number(expected, column.size(), 4);
    put_number(expected, column.size(), 4);  // too short for zstd
  }
  for (const std::string& column : columns) expected += column;

  vefb::BlockEncoder encoder(2, 0);
  const auto payload = encoder.encode(records);
  ASSERT_TRUE(payload.ok());
  EXPECT_EQ(*payload, expected);

  TraceHeader header;
  header.tasks = 2;
  std::vector<Record> back;
  ASSERT_TRUE(vefb::BlockDecoder(header).decode(expected, back));
  EXPECT_TRUE(back == records);
  // Each bit of it changed: no crash, and nothing out of range.
  for (std::size_t bit = 0; bit < expected.size() * 8; ++bit) {
    std::string changed = expected;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    if (!vefb::BlockDecoder(header).decode(changed, back)) continue;
    for (const Record& record : back) {
      EXPECT_LT(record.task, 2);
      EXPECT_LT(record.peer, 2);
    }
  }
}

TEST(Vefb, SizesThatABlockCannotHaveAreRefusedBeforeMemoryIsTaken) {
  TraceHeader header;
  header.tasks = 2;
  vefb::BlockDecoder decoder(header);
  std::vector<Record> records;
  std::string payload;
  put_number(payload, 0xffffffff, 4);
  payload.resize(vefb::kPayloadHeadBytes);
  EXPECT_FALSE(decoder.decode(payload, records));
  payload.clear();
  put_number(payload, 1, 4);
  payload.resize(vefb::kPayloadHeadBytes);
  payload.replace(20, 8, "\xff\xff\xff\xff\x01\0\0\0", 8);  // 4 GiB of tasks in 1 byte
  EXPECT_FALSE(decoder.decode(payload + '\0', records));
}

TEST(Vefb, AChangedByteInABlockIsNoticed) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_trace(folder.file("t.vefb"), wild_trace(4, 8, 40)).ok());
  const std::string bytes = read_file(folder.file("t.vefb"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x04);
    const auto trace = read_trace(write_file(folder.file("u.vefb"), changed));
    // A tail that is not recognised as one is none: no metadata.
    EXPECT_TRUE(!trace.ok() || (i + 8 >= bytes.size() && trace->metadata.empty())) << "byte " << i;
  }
}

TEST(Verify, TheIndexIsRecomputed) {
  const TemporaryFolder folder;
  Trace trace;
  trace.header.tasks = 1;
  trace.communicators = {{0}};
  trace.header.messages = 200'000;
  for (std::uint64_t id = 0; id < trace.header.messages; ++id)
    trace.records.push_back({.id = id, .time = 10});
  for (const char* name : {"t.vefb", "t.vef.zst"}) {
    const std::string path = folder.file(name);
    ASSERT_TRUE(write_trace(path, trace).ok());
    const auto parts = verify_index(path);
    ASSERT_TRUE(parts.ok()) << parts.error().message;
    EXPECT_GE(*parts, 4U);
    const std::uint64_t blocks_of_records = (200'000 + 65'535) / 65'536;
    if (std::string(name) == "t.vefb") {
      EXPECT_EQ(*parts, 1 + blocks_of_records);
    }

    // Another index with a right checksum: each number of its third entry changed.
    std::string bytes = read_file(path);
    const auto file = InputFile::open(path);
    ASSERT_TRUE(file.ok());
    const auto tail = read_tail(**file);
    ASSERT_TRUE(tail.ok());
    const std::size_t begin = bytes.size() - encode_tail(*tail)->size();
    for (std::uint64_t TracePart::*number :
         {&TracePart::offset, &TracePart::first_line, &TracePart::earliest, &TracePart::latest}) {
      TraceTail changed = *tail;
      ++(changed.frames[2].*number);
      write_file(folder.file("u"), bytes.substr(0, begin) + *encode_tail(changed));
      EXPECT_TRUE(read_trace(folder.file("u")).ok());
      EXPECT_FALSE(verify_index(folder.file("u")).ok());
    }
    TraceTail shorter = *tail;
    shorter.frames.pop_back();
    write_file(folder.file("u"), bytes.substr(0, begin) + *encode_tail(shorter));
    EXPECT_FALSE(verify_index(folder.file("u")).ok());
  }
  ASSERT_TRUE(write_trace(folder.file("t.vef"), trace).ok());
  const auto none = verify_index(folder.file("t.vef"));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, 0U);
}

}  // namespace
}  // namespace vef::formats
