// SPDX-License-Identifier: Apache-2.0
// Every file in tests/data/broken has a sibling NAME.expected: the error of the reader ("LINE: message",
// without the file's name), or the faults that validate() finds, one a line; empty: the file passes both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "test_files.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"

namespace vef::formats {
namespace {

using testing::kSmallTrace;
using testing::read_file;
using testing::TemporaryFolder;
using testing::test_data;
using testing::write_file;

std::vector<std::string> broken_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("broken"))) {
    if (entry.path().extension() != ".expected") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string faults_of(const std::string& path) {
  const auto trace = read_trace(path);
  if (!trace) {
    const std::string& message = trace.error().message;
    EXPECT_EQ(message.substr(0, path.size() + 1), path + ":");
    const std::size_t start = message.find_first_not_of(": ", path.size());
    return message.substr(std::min(start, message.size())) + "\n";
  }
  std::string faults;
  for (const TraceFault& fault : validate(*trace))
    faults += std::to_string(fault.line) + ": " + fault.message + "\n";
  return faults;
}

class BrokenTraces : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenTraces, AreRefusedWithLineAndReason) {
  const std::string path = test_data("broken/" + GetParam());
  EXPECT_EQ(faults_of(path), read_file(path + ".expected"));
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenTraces, ::testing::ValuesIn(broken_files()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

TEST(VefTextErrors, EveryBrokenTraceIsTested) { EXPECT_GE(broken_files().size(), 70U); }

TEST(VefTextErrors, AMissingFileIsTheSystemsFault) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.vef");
  const auto trace = read_trace(path);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().kind, ErrorKind::kSystem);
  EXPECT_EQ(trace.error().message, path + ": cannot open: No such file or directory");
}

TEST(VefTextErrors, AFolderIsNoTrace) {
  const TemporaryFolder folder;
  const auto trace = read_trace(folder.file(""));
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, ::testing::HasSubstr("Is a directory"));
}

TEST(VefTextErrors, TheStreamStaysBrokenAfterAFault) {
  auto reader = TraceReader::open(test_data("broken/negative-size.vef"));
  ASSERT_TRUE(reader.ok());
  Record record;
  ASSERT_TRUE((*reader)->next(record).ok());
  ASSERT_TRUE((*reader)->next(record).ok());
  EXPECT_EQ((*reader)->line(), 5U);
  const auto first = (*reader)->next(record);
  ASSERT_FALSE(first.ok());
  const auto again = (*reader)->next(record);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(first.error().message, again.error().message);
}

TEST(VefTextErrors, TheEndIsSaidAsOftenAsAsked) {
  const TemporaryFolder folder;
  auto reader = TraceReader::open(write_file(folder.file("t.vef"), kSmallTrace));
  ASSERT_TRUE(reader.ok());
  Record record;
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(*(*reader)->next(record));
  for (int i = 0; i < 3; ++i) {
    const auto more = (*reader)->next(record);
    ASSERT_TRUE(more.ok());
    EXPECT_FALSE(*more);
  }
}

}  // namespace
}  // namespace vef::formats
