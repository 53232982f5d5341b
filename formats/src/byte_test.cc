// SPDX-License-Identifier: Apache-2.0
// The byte layer: what compressed files are read as, and what becomes of files that are not finished. The
// compressed inputs are made with zlib and zstd themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <csignal>

#include "byte_file.h"
#include "byte_sink.h"
#include "byte_source.h"
#include "test_files.h"

namespace vef::formats {
namespace {

using ::testing::HasSubstr;
using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

const std::string kSkippable("\x50\x2a\x4d\x18\x04\x00\x00\x00junk", 12);

/// More than the buffers hold, and not of one kind.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += std::to_string(i * 7919LL % 100'003) + '\n';
  return text;
}

Result<std::string> read_all(const std::string& path, std::size_t piece = 4096) {
  auto source = ByteSource::open(path);
  if (!source) return source.error();
  std::string text;
  std::string buffer(piece, '\0');
  for (;;) {
    const auto count = (*source)->read(buffer.data(), buffer.size());
    if (!count) return count.error();
    if (*count == 0) return text;
    text.append(buffer, 0, *count);
  }
}

std::string read_bytes(const std::string& bytes, std::size_t piece = 4096) {
  const TemporaryFolder folder;
  const auto text = read_all(write_file(folder.file("t"), bytes), piece);
  return text ? *text : text.error().message.substr(folder.file("t").size());
}

TEST(ByteSource, TheContentTellsTheCompression) {
  const std::string text = long_text();
  for (const std::size_t piece : {1000UL, 1UL << 20}) {
    EXPECT_EQ(read_bytes(text, piece), text);
    EXPECT_EQ(read_bytes(gzip(text), piece), text);
    EXPECT_EQ(read_bytes(zstd(text), piece), text);
  }
  EXPECT_EQ(read_bytes(""), "");
  EXPECT_EQ(read_bytes("\x1f"), "\x1f");
  EXPECT_EQ(read_bytes(gzip("")), "");
  EXPECT_EQ(read_bytes(zstd("")), "");
}

TEST(ByteSource, MembersAndFramesFollowOneAnother) {
  const std::string text = long_text();
  EXPECT_EQ(read_bytes(gzip(text) + gzip("") + gzip("end\n")), text + "end\n");
  EXPECT_EQ(read_bytes(gzip("a\n") + std::string(5000, '\0')), "a\n");
  EXPECT_EQ(read_bytes(zstd(text) + zstd("") + zstd("end\n")), text + "end\n");
  EXPECT_EQ(read_bytes(kSkippable + zstd("a\n") + kSkippable + kSkippable + zstd("b\n") + kSkippable),
            "a\nb\n");
}

TEST(ByteSource, EveryTruncationIsAnError) {
  for (const std::string& whole : {gzip("0123456789\n"), zstd("0123456789\n"), zstd("a") + kSkippable}) {
    // The kind of shorter pieces cannot be told.
    for (std::size_t size = 4; size < whole.size(); ++size) {
      if (whole.size() - size == kSkippable.size() && whole.ends_with(kSkippable))
        continue;  // between frames
      EXPECT_THAT(read_bytes(whole.substr(0, size)), HasSubstr("truncated: the file ends at byte")) << size;
    }
  }
}

TEST(ByteSource, WhatFollowsMustBeDataToo) {
  EXPECT_EQ(read_bytes(gzip("a") + std::string(3, '\0') + gzip("b")).substr(0, 25),
            ": no gzip data at byte " + std::to_string(gzip("a").size() + 3));
  EXPECT_THAT(read_bytes(zstd("a") + "text"), HasSubstr("damaged zstd data"));
}

TEST(ByteSink, TheNameTellsTheCompression) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  for (const char* name : {"t.vef", "t.vef.gz", "t.vef.zst"}) {
    auto sink = ByteSink::create(folder.file(name), 0);
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE((*sink)->write_block(text).ok());
    ASSERT_TRUE((*sink)->write_block("end\n").ok());
    ASSERT_TRUE((*sink)->finish().ok());
    const auto back = read_all(folder.file(name));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, text + "end\n");
  }
  EXPECT_EQ(read_file(folder.file("t.vef")), text + "end\n");
  EXPECT_EQ(read_file(folder.file("t.vef.gz")).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_file(folder.file("t.vef.zst")).substr(0, 4), "\x28\xb5\x2f\xfd");
}

TEST(ByteSink, LevelsOutOfRangeAreWrongUsage) {
  const TemporaryFolder folder;
  for (const auto& [name, level] : {std::pair("t.gz", 10), std::pair("t.zst", 20), std::pair("t.zst", -1)}) {
    const auto sink = ByteSink::create(folder.file(name), level);
    ASSERT_FALSE(sink.ok());
    EXPECT_EQ(sink.error().kind, ErrorKind::kUsage);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(OutputFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  write_file(folder.file("t"), "old");
  {
    auto file = OutputFile::create(folder.file("t"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->write("new").ok());
    EXPECT_EQ(folder.entries(), 2U);
  }
  EXPECT_EQ(read_file(folder.file("t")), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(OutputFile, CommitReplacesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  write_file(folder.file("t"), "old");
  std::filesystem::create_symlink(folder.file("t"), folder.file("link"));
  auto file = OutputFile::create(folder.file("link"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->write("new").ok());
  ASSERT_TRUE((*file)->commit().ok());
  EXPECT_EQ(read_file(folder.file("t")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(OutputFile, NewFilesObeyTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  auto file = OutputFile::create(folder.file("t"));
  ::umask(before);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->commit().ok());
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("t").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(OutputFile, DevicesAreWrittenAndNotReplaced) {
  auto file = OutputFile::create("/dev/full");
  ASSERT_TRUE(file.ok());
  const Status status = (*file)->write("x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(OutputFile, AFileThatCannotGrowIsReportedAndRemoved) {
  const TemporaryFolder folder;
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    auto file = OutputFile::create(folder.file("t"));
    ASSERT_TRUE(file.ok());
    const Status status = (*file)->write(std::string(10'000, 'x'));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, folder.file("t") + ": cannot write: File too large");
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(OutputFile, AFolderThatDoesNotExistIsReported) {
  const TemporaryFolder folder;
  const std::string path = folder.file("absent") + "/t";
  const auto file = OutputFile::create(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message, path + ": cannot create a file in its folder: No such file or directory");
}

}  // namespace
}  // namespace vef::formats
