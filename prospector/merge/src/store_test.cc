// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "flat_map.h"
#include "workers.h"

namespace vef::merge {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(Store, KeepsWhatDoesNotFitInAFileWithoutAName) {
  const auto directory = std::filesystem::temp_directory_path() / "vef-store-test";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  {
    Store store(directory.string(), 4 * kMiB);  // half of it for the heap: the fourth MiB no longer fits
    Column<std::uint64_t> column(&store);
    constexpr std::uint64_t kCount = 4 * kMiB;  // 32 MiB
    for (std::uint64_t i = 0; i < kCount; ++i) {
      column.push_back(3 * i);
      if (i % Store::kTrimStep == 0) store.trim();
    }
    store.trim();
    ASSERT_EQ(column.size(), kCount);
    EXPECT_FALSE(column.in_heap());
    for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(column[i], 3 * i);
    EXPECT_GE(store.most_file_bytes(), 32 * kMiB);
    EXPECT_TRUE(store.status().ok());
    EXPECT_TRUE(std::filesystem::is_empty(directory));  // no name
  }
  std::filesystem::remove_all(directory);
}

TEST(Store, WithoutABoundAllIsOfTheHeap) {
  Store store("/dev/null/no", 0);
  Column<int> column(&store);
  column.assign(2 * kMiB, 7);
  EXPECT_TRUE(column.in_heap());
  EXPECT_EQ(column[2 * kMiB - 1], 7);
  EXPECT_EQ(store.most_file_bytes(), 0U);
}

TEST(Store, SaysThatNoFileCanBeMadeAndGoesOn) {
  Store store("/dev/null/no", 1);
  Column<int> column(&store);
  column.assign(kMiB, 7);
  EXPECT_EQ(column[kMiB - 1], 7);
  ASSERT_FALSE(store.status().ok());
  EXPECT_EQ(store.status().error().message, "/dev/null/no: cannot create a temporary file: Not a directory");
}

TEST(Store, AColumnThatSettledGrowsAgain) {
  Store store(std::filesystem::temp_directory_path().string(), kMiB);
  Column<int> column(&store);
  for (int i = 0; i < 100; ++i) column.push_back(i);
  const Store::Block place = store.take_of_file(column.bytes());
  EXPECT_EQ(column.settle(place.data), 400U);
  EXPECT_FALSE(column.in_heap());
  EXPECT_EQ(reinterpret_cast<std::byte*>(column.data()), place.data);
  column.push_front(-1);
  ASSERT_EQ(column.size(), 101U);
  for (int i = 0; i < 101; ++i) EXPECT_EQ(column[static_cast<std::size_t>(i)], i - 1);
}

TEST(FlatMap, FindsWhatIsLeftAfterRemovals) {
  // Against arithmetic: of 0 to 9999 the multiples of 3 are removed; then those of 5 added again.
  FlatMap<std::uint64_t> map;
  std::uint64_t value = 0;
  EXPECT_EQ(map.find(1), nullptr);
  EXPECT_FALSE(map.take(1, value));
  for (std::uint64_t i = 0; i < 10'000; ++i) map[i << 20] = i;
  for (std::uint64_t i = 0; i < 10'000; i += 3) {
    ASSERT_TRUE(map.take(i << 20, value));
    ASSERT_EQ(value, i);
  }
  for (std::uint64_t i = 0; i < 10'000; i += 5) map[i << 20] = 2 * i;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t* found = map.find(i << 20);
    if (i % 5 == 0) {
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(*found, 2 * i);
    } else if (i % 3 == 0) {
      ASSERT_EQ(found, nullptr);
    } else {
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(*found, i);
    }
  }
}

TEST(Workers, DoEverythingOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    std::vector<int> done(1000);  // each item by one thread alone
    workers.for_each(done.size(), [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(1000, 1)) << threads;
    std::vector<int> jobs(100);
    for (std::size_t i = 0; i < jobs.size(); ++i) workers.submit([&jobs, i] { ++jobs[i]; });
    workers.wait();
    EXPECT_EQ(jobs, std::vector<int>(100, 1)) << threads;
  }
}

}  // namespace
}  // namespace vef::merge
