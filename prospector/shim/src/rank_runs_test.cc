// SPDX-License-Identifier: Apache-2.0
#include "rank_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace vef::shim {
namespace {

using formats::RankRun;
using testing::ElementsAre;

std::vector<RankRun> compress(const std::vector<int>& ranks) {
  std::vector<RankRun> runs(ranks.size() + 1);
  runs.resize(compress_ranks(ranks.data(), ranks.size(), runs.data()));
  return runs;
}

std::vector<int> expand(const std::vector<RankRun>& runs) {
  std::vector<int> ranks;
  for (const RankRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i)
      ranks.push_back(run.first + run.stride * static_cast<int>(i));
  }
  return ranks;
}

TEST(RankRunsTest, FindsStrides) {
  EXPECT_THAT(compress({}), ElementsAre());
  EXPECT_THAT(compress({5}), ElementsAre(RankRun{5, 1, 1}));
  EXPECT_THAT(compress({0, 1, 2, 3}), ElementsAre(RankRun{0, 1, 4}));
  EXPECT_THAT(compress({1, 4, 7}), ElementsAre(RankRun{1, 3, 3}));
  EXPECT_THAT(compress({9, 8, 7}), ElementsAre(RankRun{9, -1, 3}));
  // 0,2 is a run of two; 3 does not go on with it.
  EXPECT_THAT(compress({0, 2, 3}), ElementsAre(RankRun{0, 2, 2}, RankRun{3, 1, 1}));
  EXPECT_THAT(compress({-1, 4, -1, 5}), ElementsAre(RankRun{4, 1, 2}));
}

TEST(RankRunsTest, ExpandsToWhatWasCompressed) {
  std::mt19937 random(7);
  for (int size = 0; size < 200; ++size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (size % 2 == 1) std::shuffle(ranks.begin(), ranks.end(), random);
    EXPECT_EQ(expand(compress(ranks)), ranks);
  }
}

}  // namespace
}  // namespace vef::shim
