// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace vef::shim {

bool threads_are_concurrent = true;  // so that the lock is used; the recorder has its own

namespace {

struct TestedTable : RequestTable {
  ~TestedTable() { release(); }
};

Operation numbered(std::uint64_t number) { return {.number = number}; }

TEST(RequestTableTest, EqualHandlesAreAQueue) {
  TestedTable table;
  ASSERT_TRUE(table.start());
  for (std::uint64_t i = 1; i <= 4; ++i) ASSERT_TRUE(table.push(7, numbered(i)));
  ASSERT_TRUE(table.push(7, numbered(9), true));
  Operation operation;
  for (const std::uint64_t expected : {9, 1, 2, 3, 4}) {
    ASSERT_TRUE(table.pop(7, operation));
    EXPECT_EQ(operation.number, expected);
  }
  EXPECT_FALSE(table.pop(7, operation));
  EXPECT_EQ(table.size(), 0U);
}

TEST(RequestTableTest, UpdateChangesTheOldestInPlace) {
  TestedTable table;
  ASSERT_TRUE(table.start());
  table.push(1, numbered(5));
  table.push(1, numbered(6));
  EXPECT_TRUE(table.update(1, [](Operation& first) {
    first.active = false;
    return false;
  }));
  Operation operation;
  ASSERT_TRUE(table.pop(1, operation));
  EXPECT_EQ(operation.number, 5U);
  EXPECT_FALSE(operation.active);
  ASSERT_TRUE(table.pop(1, operation));
  EXPECT_TRUE(operation.active);
  EXPECT_FALSE(table.update(1, [](Operation&) { return true; }));
}

// Against a map of queues, with handles as they are: pointers, small numbers, many that are equal; grows far
// beyond its first size and shrinks to nothing.
TEST(RequestTableTest, AgreesWithAMapOfQueues) {
  TestedTable table;
  ASSERT_TRUE(table.start());
  std::map<std::uint64_t, std::deque<std::uint64_t>> model;
  std::mt19937_64 random(11);
  for (std::uint64_t step = 1; step <= 200'000; ++step) {
    const bool growing = step % 40'000 < 25'000;
    const std::uint64_t handle = 0x98000000 + random() % 6000 * (random() % 3 == 0 ? 1 : 64);
    Operation operation;
    if (random() % 10 < (growing ? 7U : 3U)) {
      const bool front = random() % 8 == 0;
      ASSERT_TRUE(table.push(handle, numbered(step), front));
      front ? model[handle].push_front(step) : model[handle].push_back(step);
    } else if (const auto found = model.find(handle); found == model.end()) {
      ASSERT_FALSE(table.pop(handle, operation));
    } else {
      ASSERT_TRUE(table.pop(handle, operation));
      ASSERT_EQ(operation.number, found->second.front());
      found->second.pop_front();
      if (found->second.empty()) model.erase(found);
    }
  }
  std::size_t left = 0;
  for (const auto& [handle, queue] : model) left += queue.size();
  EXPECT_EQ(table.size(), left);
  for (const auto& [handle, queue] : model) {
    Operation operation;
    for (const std::uint64_t number : queue) {
      ASSERT_TRUE(table.pop(handle, operation));
      ASSERT_EQ(operation.number, number);
    }
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(RequestTableTest, ThreadsShareIt) {
  const auto table = std::make_unique<TestedTable>();
  ASSERT_TRUE(table->start());
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> popped{0};
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 20'000; ++i) {
        Operation operation;
        table->push(i % 50 * 8, numbered(t * 100'000 + i + 1));
        if (table->pop(i % 50 * 8, operation)) popped += operation.number != 0 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(popped.load(), 80'000U);
  EXPECT_EQ(table->size(), 0U);
}

}  // namespace
}  // namespace vef::shim
