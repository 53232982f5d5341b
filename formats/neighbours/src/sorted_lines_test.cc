// SPDX-License-Identifier: Apache-2.0
#include "sorted_lines.h"

#include <algorithm>

#include "test_traces.h"

namespace vef::neighbours {
namespace {

class SortedLinesTest : public testing::NeighbourTest {};

TEST_F(SortedLinesTest, ComeBackInTheOrderOfTheirKeys) {
  // With little memory, many runs in the file; with much, none. Every key is there once, mixed by a fixed
  // step.
  constexpr std::uint64_t kLines = 5000;
  std::string expected;
  for (std::uint64_t i = 0; i < kLines; ++i)
    expected += std::to_string(i / 3) + " " + std::to_string(i) + "\n";
  for (const std::size_t memory : {std::size_t{1000}, std::size_t{100'000}, std::size_t{100'000'000}}) {
    SortedLines lines(path("out"), memory);
    for (std::uint64_t i = 0; i < kLines; ++i) {
      const std::uint64_t k = i * 1999 % kLines;
      EXPECT_TRUE(lines.add({k / 3, k}, std::to_string(k / 3) + " " + std::to_string(k) + "\n"));
    }
    std::string found;
    EXPECT_TRUE(lines.take([&](std::string_view text) -> Status {
      found += text;
      return {};
    }));
    EXPECT_EQ(found, expected);
  }
}

TEST_F(SortedLinesTest, AFolderThatTakesNoFileIsAnError) {
  SortedLines lines(path("no/such/folder/out"), 10);
  Status status;
  for (int i = 0; i < 3 && status; ++i) status = lines.add({0, static_cast<std::uint64_t>(i)}, "123456789");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("cannot create a temporary file"), std::string::npos);
}

}  // namespace
}  // namespace vef::neighbours
