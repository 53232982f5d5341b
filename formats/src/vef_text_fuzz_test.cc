// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes, reading and validating ends with a result or an error of one line, without crash, hang
// or absurd allocation: every truncation, every byte changed in several ways, and random changes of several
// bytes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "test_files.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"

namespace vef::formats {
namespace {

using testing::read_file;
using testing::TemporaryFolder;
using testing::test_data;

class Fuzz : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const TemporaryFolder folder;
    const std::string whole = folder.file(std::string("t.vef") + GetParam());
    auto trace = read_trace(test_data("small.vef"));
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    trace->metadata = {{"program", "ring"}};
    ASSERT_TRUE(write_trace(whole, *trace).ok());
    bytes_ = read_file(whole);
    // A file in memory: tens of thousands of them on a disk would take minutes.
    memory_ = ::memfd_create("fuzz", MFD_CLOEXEC);
    ASSERT_GE(memory_, 0);
    path_ = "/proc/self/fd/" + std::to_string(memory_);
  }
  void TearDown() override { ::close(memory_); }

  /// True if the bytes are a trace.
  bool try_read(const std::string& bytes) {
    EXPECT_EQ(::ftruncate(memory_, 0), 0);
    EXPECT_EQ(::pwrite(memory_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    const auto trace = read_trace(path_);
    if (!trace) {
      const std::string& message = trace.error().message;
      EXPECT_EQ(message.substr(0, path_.size()), path_);
      EXPECT_EQ(message.find('\n'), std::string::npos);
      return false;
    }
    for (const TraceFault& fault : validate(*trace)) EXPECT_FALSE(fault.message.empty());
    return true;
  }

  int memory_ = -1;
  std::string path_;
  std::string bytes_;
};

TEST_P(Fuzz, Truncations) {
  EXPECT_TRUE(try_read(bytes_));
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    const bool good = try_read(bytes_.substr(0, size));
    // Plain text may lack its last LF or a digit of its last field; zstd and the binary form the whole tail.
    const bool has_tail = std::string(GetParam()) == ".zst" || std::string(GetParam()) == "b";
    const bool may_be_good = has_tail || (bytes_.size() - size <= 2 && *GetParam() == '\0');
    EXPECT_TRUE(!good || may_be_good) << "cut to " << size << " bytes";
  }
}

TEST_P(Fuzz, ChangedBytes) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    for (const int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string changed = bytes_;
      changed[i] = static_cast<char>(changed[i] ^ change);
      try_read(changed);
    }
    for (const char c : {'\0', '\n', ' ', '-', 'G', '9'}) {
      std::string changed = bytes_;
      changed[i] = c;
      try_read(changed);
    }
  }
}

TEST_P(Fuzz, RandomEdits) {
  std::mt19937 random(12345);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  for (int round = 0; round < 3000; ++round) {
    std::string changed = bytes_;
    for (std::size_t edits = 1 + below(6); edits > 0 && !changed.empty(); --edits) {
      const std::size_t at = below(changed.size());
      switch (below(4)) {
        case 0:
          changed[at] = static_cast<char>(random());
          break;
        case 1:
          changed.erase(at, 1 + below(8));
          break;
        case 2:
          changed.insert(at, changed.substr(below(changed.size()), below(16)));
          break;
        default:
          changed[at] = "0123456789 \n-GC"[below(15)];
          break;
      }
    }
    try_read(changed);
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, Fuzz, ::testing::Values("", ".gz", ".zst", "b"));

}  // namespace
}  // namespace vef::formats
