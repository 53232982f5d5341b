// SPDX-License-Identifier: Apache-2.0
// The container .vef.zst: other tools see plain VEF, the index leads to lines, metadata come back.
#include "trace_tail.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdio>

#include "byte_file.h"
#include "test_files.h"

namespace vef::formats {
namespace {

using testing::kSmallTrace;
using testing::read_file;
using testing::TemporaryFolder;
using testing::test_data;
using testing::write_file;

Trace long_trace() {
  Trace trace;
  trace.header.tasks = 2;
  trace.header.only_send_deps = true;
  trace.communicators = {{0, 1}};
  trace.header.messages = 200'000;
  for (std::uint64_t id = 0; id < trace.header.messages; ++id) {
    trace.records.push_back(
        {.task = static_cast<TaskId>(id % 2), .peer = 0, .id = id, .send_bytes = 1000 + id * id, .time = 10});
  }
  return trace;
}

TraceTail tail_of(const std::string& path) {
  const auto file = InputFile::open(path);
  EXPECT_TRUE(file.ok());
  auto tail = read_tail(**file);
  EXPECT_TRUE(tail.ok()) << tail.error().message;
  return tail ? *tail : TraceTail{};
}

std::string frame_at(const std::string& file, std::size_t offset) {
  const std::size_t size = ZSTD_findFrameCompressedSize(file.data() + offset, file.size() - offset);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  std::string text(ZSTD_getFrameContentSize(file.data() + offset, size), '\0');
  EXPECT_EQ(ZSTD_decompress(text.data(), text.size(), file.data() + offset, size), text.size());
  return text;
}

TEST(TraceTail, TheIndexLeadsToTheLines) {
  const TemporaryFolder folder;
  const Trace trace = long_trace();
  ASSERT_TRUE(write_trace(folder.file("t.vef"), trace).ok());
  ASSERT_TRUE(write_trace(folder.file("t.vef.zst"), trace).ok());
  const std::string plain = read_file(folder.file("t.vef"));
  const std::string packed = read_file(folder.file("t.vef.zst"));

  const TraceTail tail = tail_of(folder.file("t.vef.zst"));
  ASSERT_GE(tail.frames.size(), 4U);  // the header's and several of 1 MiB
  std::string text;
  std::uint64_t line = 1;
  for (const TracePart& entry : tail.frames) {
    EXPECT_EQ(entry.first_line, line);
    const std::string frame = frame_at(packed, entry.offset);
    EXPECT_EQ(frame.back(), '\n');
    line += static_cast<std::uint64_t>(std::count(frame.begin(), frame.end(), '\n'));
    if (entry.first_line > 1) {
      // Both tasks take turns and each of their records adds 10: record r (from 0) is at 10 * (r / 2 + 1).
      // Records begin on line 3, behind header and C0.
      EXPECT_EQ(entry.earliest, 10 * ((entry.first_line - 3) / 2 + 1));
      EXPECT_EQ(entry.latest, 10 * ((line - 1 - 3) / 2 + 1));
    }
    text += frame;
  }
  EXPECT_EQ(text, plain);
}

TEST(TraceTail, TheZstdProgramSeesPlainVef) {
  if (std::system("zstd --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no zstd program";
  const TemporaryFolder folder;
  ASSERT_TRUE(write_trace(folder.file("t.vef"), long_trace()).ok());
  ASSERT_TRUE(write_trace(folder.file("t.vef.zst"), long_trace()).ok());
  const std::string command = "zstd -dcq " + folder.file("t.vef.zst") + " | cmp - " + folder.file("t.vef");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(TraceTail, MetadataComeBack) {
  const TemporaryFolder folder;
  const auto trace = read_trace(write_file(folder.file("t.vef"), kSmallTrace));
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace->metadata.empty());
  Trace with_metadata = *trace;
  with_metadata.metadata = {{"program", "lmp \"quoted\" \n \xc3\xa9"}, {"warning", "first"}, {"empty", ""}};
  ASSERT_TRUE(write_trace(folder.file("t.vef.zst"), with_metadata).ok());
  auto reader = TraceReader::open(folder.file("t.vef.zst"));
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->metadata(), with_metadata.metadata);

  // Keys that occur several times keep their order and stand where the first stood.
  with_metadata.metadata = {{"a", "1"}, {"b", "2"}, {"a", "3"}, {"a", "4"}};
  ASSERT_TRUE(write_trace(folder.file("t.vef.zst"), with_metadata).ok());
  const Metadata expected = {{"a", "1"}, {"a", "3"}, {"a", "4"}, {"b", "2"}};
  EXPECT_EQ(tail_of(folder.file("t.vef.zst")).metadata, expected);

  // Text that is no UTF-8 is written with replacement characters, not refused.
  with_metadata.metadata = {{"host", "caf\xe9"}};
  ASSERT_TRUE(write_trace(folder.file("t.vef.zst"), with_metadata).ok());
  const Metadata replaced = {{"host", "caf\xef\xbf\xbd"}};
  EXPECT_EQ(tail_of(folder.file("t.vef.zst")).metadata, replaced);
}

TEST(TraceTail, FilesOfOtherToolsHaveNone) {
  const TemporaryFolder folder;
  const std::string text(kSmallTrace);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  const auto trace = read_trace(write_file(folder.file("t"), packed));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->records.size(), 7U);
  EXPECT_TRUE(trace->metadata.empty());
}

TEST(TraceTail, EveryChangedByteIsNoticed) {
  const TemporaryFolder folder;
  const std::string bytes = *encode_tail({{{0, 1, 2, 3}, {40, 5, 6, 7}}, {{"key", "value"}}});
  const std::string path = folder.file("t");
  EXPECT_EQ(tail_of(write_file(path, bytes)).frames[1], (TracePart{40, 5, 6, 7}));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const auto file = InputFile::open(write_file(path, changed));
    ASSERT_TRUE(file.ok());
    const auto tail = read_tail(**file);
    // With another signature at the very end it is no tail at all.
    EXPECT_TRUE(!tail.ok() || (i + 8 >= bytes.size() && tail->frames.empty())) << "byte " << i;
  }
}

}  // namespace
}  // namespace vef::formats
