// SPDX-License-Identifier: Apache-2.0
#include "clock_offsets.h"

#include <gtest/gtest.h>

#include <fstream>

#include "capture_info.h"
#include "temporary_folder.h"

namespace vef::merge {
namespace {

RankData rank_on(const char* host, formats::TaskId number, std::int64_t init_end) {
  RankData rank;
  rank.rank = number;
  rank.host = host;
  rank.present = true;
  rank.init_end = init_end;
  rank.threads = {{{.start = init_end + 10, .end = init_end + 30}}};
  return rank;
}

TEST(ClockOffsetsTest, AreReadFromTheDescription) {
  const test_support::TemporaryFolder folder;
  EXPECT_TRUE(read_capture_info(folder.path()).clock_offsets.empty());
  std::ofstream(folder.file("capture.json"))
      << R"({"clock_offsets": [{"rank": 2, "offset_ns": -1000, "round_trip_ns": 8, "end_offset_ns": -990,
             "end_round_trip_ns": 6}, {"rank": "three"}, 7, {"rank": 4, "offset_ns": 5, "round_trip_ns": 3}]})";
  const auto offsets = read_capture_info(folder.path()).clock_offsets;
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_EQ(offsets[0].rank, 2);
  EXPECT_EQ(offsets[0].offset, -1000);
  EXPECT_EQ(offsets[0].end_offset, -990);
  EXPECT_EQ(offsets[1].offset, 5);
  EXPECT_EQ(offsets[1].end_round_trip, 0U);
  std::ofstream(folder.file("capture.json")) << "no json";
  EXPECT_TRUE(read_capture_info(folder.path()).clock_offsets.empty());
}

TEST(ClockOffsetsTest, BringAllTimesOntoOneClock) {
  std::vector<RankData> ranks = {rank_on("n1", 0, 100), rank_on("n1", 1, 120), rank_on("n2", 2, 5100),
                                 rank_on("n2", 3, 5110)};
  const std::vector<ClockOffset> offsets = {{.rank = 2, .offset = -5000, .round_trip = 8}};
  ASSERT_TRUE(apply_clock_offsets(offsets, ranks));
  EXPECT_EQ(ranks[0].init_end, 100);
  EXPECT_EQ(ranks[2].init_end, 100);
  EXPECT_EQ(ranks[3].threads[0][0].start, 120);
  EXPECT_EQ(ranks[3].threads[0][0].end, 140);
  EXPECT_TRUE(ranks[1].common_clock);
  EXPECT_EQ(describe_clock_offsets(offsets, ranks), "n2 -5000 ns, round trip 8 ns");
}

TEST(ClockOffsetsTest, AHostThatDidNotAnswerLeavesAllClocksAsTheyAre) {
  std::vector<RankData> ranks = {rank_on("n1", 0, 100), rank_on("n2", 1, 5100), rank_on("n3", 2, 9100)};
  EXPECT_FALSE(apply_clock_offsets({{.rank = 1, .offset = -5000, .round_trip = 8}}, ranks));
  EXPECT_EQ(ranks[1].init_end, 5100);
  EXPECT_FALSE(ranks[1].common_clock);
}

}  // namespace
}  // namespace vef::merge
