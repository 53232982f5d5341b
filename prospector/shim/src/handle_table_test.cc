// SPDX-License-Identifier: Apache-2.0
#include "handle_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vef::shim {
namespace {

struct Entry {
  int value = 0;
};

struct TestedTable : HandleTable<Entry> {
  ~TestedTable() { release(); }
};

TEST(HandleTableTest, KnowsNothingBeforeItStarts) {
  TestedTable table;
  Entry found{.value = 7};
  EXPECT_FALSE(table.find(1, found));
  EXPECT_FALSE(table.remove(1, found));
  EXPECT_EQ(found.value, 7);
}

TEST(HandleTableTest, ReplacesTheEntryOfAHandleThatIsGivenAgain) {
  TestedTable table;
  Entry found;
  table.enter(5, {.value = 1});
  table.enter(5, {.value = 2});
  ASSERT_TRUE(table.find(5, found));
  EXPECT_EQ(found.value, 2);
  EXPECT_TRUE(table.remove(5, found));
  EXPECT_FALSE(table.find(5, found));
}

// Many handles in few values, so that runs of slots grow, wrap around and are taken apart; a map knows what
// is right.
TEST(HandleTableTest, AgreesWithAMap) {
  TestedTable table;
  std::map<std::uint64_t, int> known;
  std::mt19937_64 random(11);
  for (int step = 0; step < 200'000; ++step) {
    const std::uint64_t handle = (random() % 3000) * 0x10000;
    Entry found;
    if (random() % 2 == 0) {
      table.enter(handle, {.value = step});
      known[handle] = step;
    } else {
      const auto expected = known.find(handle);
      ASSERT_EQ(table.remove(handle, found), expected != known.end()) << "step " << step;
      if (expected == known.end()) continue;
      ASSERT_EQ(found.value, expected->second) << "step " << step;
      known.erase(expected);
    }
  }
  for (std::uint64_t handle = 0; handle < 3000; ++handle) {
    Entry found;
    const auto expected = known.find(handle * 0x10000);
    ASSERT_EQ(table.find(handle * 0x10000, found), expected != known.end());
    if (expected == known.end()) continue;
    ASSERT_EQ(found.value, expected->second);
  }
}

}  // namespace
}  // namespace vef::shim
