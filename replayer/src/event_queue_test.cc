// SPDX-License-Identifier: Apache-2.0
#include "event_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace vef::replayer {
namespace {

TEST(EventQueue, OrdersByTimeThenKey) {
  EventQueue queue(4);
  queue.push(100, 2);
  queue.push(100, 1);
  queue.push(5, 9);
  queue.push(50'000'000, 0);  // far beyond the wheel: 4096 slots of 16 ps
  std::vector<std::pair<Picoseconds, std::uint64_t>> taken;
  while (queue.next_before(kNever) != kNever) {
    const Event e = queue.take();
    taken.emplace_back(e.time, e.key);
  }
  const std::vector<std::pair<Picoseconds, std::uint64_t>> expected = {
      {5, 9}, {100, 1}, {100, 2}, {50'000'000, 0}};
  EXPECT_EQ(taken, expected);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EventQueue, LimitIsExclusiveAndLeavesRoomForEarlierEvents) {
  EventQueue queue(4);
  queue.push(1000, 1);
  EXPECT_EQ(queue.next_before(1000), kNever);
  EXPECT_EQ(queue.next_before(300), kNever);
  queue.push(400, 2);
  EXPECT_EQ(queue.next_before(1001), 400);
  EXPECT_EQ(queue.take().key, 2u);
  EXPECT_EQ(queue.next_before(1001), 1000);
}

// Against a std::multiset: random pushes near, at, and far from the present, random limits and leaps of time.
TEST(EventQueue, AgreesWithASortedSetUnderRandomUse) {
  std::mt19937_64 random(7);
  for (unsigned shift : {0u, 3u, 10u}) {
    EventQueue queue(shift);
    std::multiset<std::pair<Picoseconds, std::uint64_t>> model;
    Picoseconds now = 0;
    for (int step = 0; step < 20'000; ++step) {
      const auto pushes = random() % 3;
      for (std::uint64_t i = 0; i < pushes; ++i) {
        static constexpr Picoseconds kReach[] = {1, 100, 5'000, 10'000'000'000};
        const Picoseconds time =
            now + static_cast<Picoseconds>(random() % static_cast<std::uint64_t>(kReach[random() % 4]));
        const std::uint64_t key = random() % 16;
        queue.push(time, key);
        model.emplace(time, key);
      }
      const Picoseconds limit =
          random() % 8 == 0 ? now + static_cast<Picoseconds>(random() % 2'000'000) : now + 60;
      const Picoseconds next = queue.next_before(limit);
      if (!model.empty() && model.begin()->first < limit) {
        ASSERT_EQ(next, model.begin()->first);
        const Event e = queue.take();
        ASSERT_EQ(std::make_pair(e.time, e.key), *model.begin());
        model.erase(model.begin());
        now = next;
      } else {
        ASSERT_EQ(next, kNever);
        now = limit;
        queue.advance(now);
      }
      ASSERT_EQ(queue.size(), model.size());
    }
  }
}

}  // namespace
}  // namespace vef::replayer
