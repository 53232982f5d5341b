// SPDX-License-Identifier: Apache-2.0
#include "archive.h"

#include <gtest/gtest.h>

#include "transfer.h"

namespace vef::merge {
namespace {

RankData example() {
  RankData rank;
  rank.rank = 7;
  rank.host = "node7";
  rank.ending = Ending::kAborted;
  rank.hole.any = true;
  rank.hole.sends.end = 3;
  rank.threads.resize(2);
  rank.threads[1].push_back({10, 20, 5, 1, 2, OpKind::kComplete});
  rank.sends.push_back({});
  rank.sends[0].tag = 17;
  rank.comms.resize(1);
  rank.comms[0].text = "world";
  rank.comms[0].members = {{0, 1, 4}};
  rank.regions["solve"] = {3, 400};
  rank.notes = {"a", "", "c"};
  return rank;
}

std::string written(const RankData& rank) {
  ArchiveWriter writer;
  writer(rank);
  return writer.take();
}

TEST(Archive, GivesBackWhatWasPutIn) {
  const std::string bytes = written(example());
  RankData back;
  ArchiveReader reader(bytes);
  reader(back);
  EXPECT_TRUE(reader.finished());
  EXPECT_EQ(back.rank, 7);
  EXPECT_EQ(back.host, "node7");
  EXPECT_EQ(back.ending, Ending::kAborted);
  EXPECT_TRUE(back.hole.any);
  EXPECT_EQ(back.hole.sends.end, 3U);
  ASSERT_EQ(back.threads.size(), 2U);
  EXPECT_TRUE(back.threads[0].empty());
  ASSERT_EQ(back.threads[1].size(), 1U);
  EXPECT_EQ(back.threads[1][0].end, 20);
  EXPECT_EQ(back.threads[1][0].kind, OpKind::kComplete);
  EXPECT_EQ(back.sends[0].tag, 17);
  EXPECT_EQ(back.comms[0].text, "world");
  EXPECT_EQ(back.comms[0].members, (std::vector<formats::RankRun>{{0, 1, 4}}));
  EXPECT_EQ(back.regions.at("solve").time, 400U);
  EXPECT_EQ(back.notes, (std::vector<std::string>{"a", "", "c"}));
}

TEST(Archive, ReadsNothingThatIsNotThere) {
  const std::string bytes = written(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    RankData back;
    ArchiveReader reader(std::string_view(bytes).substr(0, size));
    reader(back);
    EXPECT_FALSE(reader.finished()) << size;
  }
  RankData back;
  const std::string longer = bytes + "x";
  ArchiveReader reader(longer);
  reader(back);
  EXPECT_FALSE(reader.finished());
}

TEST(Archive, TakesNoMemoryForACountThatCannotBe) {
  ArchiveWriter writer;
  writer(std::uint64_t{1} << 60);
  const std::string bytes = writer.take();
  std::vector<std::string> texts;
  ArchiveReader reader(bytes);
  reader(texts);
  EXPECT_FALSE(reader.finished());
  EXPECT_TRUE(texts.empty());
}

}  // namespace
}  // namespace vef::merge
