// SPDX-License-Identifier: Apache-2.0
// Whatever form a writer gives to a trace, it is read as the same trace and written as the one text that
// docs/vef3.md calls what is written; in every container.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "test_files.h"
#include "test_random_trace.h"

namespace vef::formats {
namespace {

using testing::random_trace;
using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The same text as another writer may have it.
class OtherWriter {
 public:
  OtherWriter(TraceVersion version, unsigned seed) : version_(version), random_(seed) {}

  std::string rewrite(const std::string& canonical) {
    const bool crlf = flip();
    std::istringstream in(canonical);
    std::string text;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line); ++number) {
      std::vector<std::string> words = words_of(line);
      if (number == 0) {
        words[6] = flag(words[6]);
      } else if (words[0][0] == 'G') {
        if (flip()) words[1].erase(0, 1);  // the C
        words[6] = other_dep(words[6]);
      } else if (words[0][0] != 'C') {
        change_message(words);
      }
      text += join(words) + (crlf ? "\r\n" : "\n");
    }
    if (flip()) text.resize(text.size() - (crlf ? 2 : 1));
    return text;
  }

 private:
  bool flip() { return random_() % 2 == 0; }

  std::string flag(const std::string& written) {
    const bool set = written == "1" || written == "TRUE";
    if (flip()) return set ? "1" : "0";
    return set ? "TRUE" : "FALSE";
  }

  /// With or without the 4, which says nothing here.
  std::string other_dep(const std::string& dep) {
    return dep.size() == 1 && flip() ? std::to_string((dep[0] - '0') ^ 4) : dep;
  }

  void change_message(std::vector<std::string>& words) {
    // From a task to itself without bytes: there the 4 tells messages from marks.
    const bool may_be_mark = version_ >= TraceVersion::kVef3 && words[1] == words[2] && words[3] == "0";
    if (!may_be_mark) words[4] = other_dep(words[4]);
  }

  std::string join(const std::vector<std::string>& words) {
    std::string line = random_() % 8 == 0 ? " " : "";
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i != 0) line += random_() % 8 == 0 ? (flip() ? "\t" : "  ") : " ";
      line += words[i];
    }
    return line + (random_() % 8 == 0 ? " " : "");
  }

  TraceVersion version_;
  std::mt19937 random_;
};

TEST(VefVariants, EveryWritersFormIsTheSameTrace) {
  const TemporaryFolder folder;
  std::size_t versions[5] = {};
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Trace trace = random_trace(seed, 200);
    ++versions[static_cast<std::size_t>(trace.header.version)];
    ASSERT_TRUE(write_trace(folder.file("canonical.vef"), trace).ok());
    const std::string canonical = read_file(folder.file("canonical.vef"));
    const std::string other = OtherWriter(trace.header.version, seed).rewrite(canonical);
    ASSERT_NE(other, canonical);
    const auto read = read_trace(write_file(folder.file("other.vef"), other));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->header, trace.header);
    EXPECT_EQ(read->communicators, trace.communicators);
    ASSERT_TRUE(read->records == trace.records);
    for (const char* name : {"t.vef", "t.vef.gz", "t.vef.zst", "t.vefb"}) {
      ASSERT_TRUE(write_trace(folder.file(name), *read).ok());
      const auto back = read_trace(folder.file(name));
      ASSERT_TRUE(back.ok()) << back.error().message;
      ASSERT_TRUE(write_trace(folder.file("back.vef"), *back).ok());
      ASSERT_EQ(read_file(folder.file("back.vef")), canonical) << name;
    }
  }
  for (std::size_t version = 1; version <= 4; ++version) EXPECT_GT(versions[version], 2U) << version;
}

}  // namespace
}  // namespace vef::formats
