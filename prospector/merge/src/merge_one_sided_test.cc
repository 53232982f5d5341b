// SPDX-License-Identifier: Apache-2.0
// One-sided communication. Messages are counted by hand: an access is one message to its target and one back
// where data come back or, between lock and unlock, an acknowledgement; MPI_Win_post and MPI_Win_complete
// send an empty message to each rank of their group; a fence is a barrier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_checks.h"

namespace vef::merge {
namespace {

using formats::DepKind;
using formats::MpiCall;
using formats::Record;
using formats::RecordKind;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kWindow = 1;

std::vector<Record> messages_of(const Merged& merged) {
  std::vector<Record> messages;
  for (const Record& record : merged.trace.records) {
    if (record.kind == RecordKind::kMessage) messages.push_back(record);
  }
  return messages;
}

/// The messages that the task waits for, by their sizes and sources, in order.
std::vector<std::pair<formats::TaskId, std::uint64_t>> awaited_by(const Merged& merged,
                                                                  formats::TaskId task) {
  std::vector<std::pair<formats::TaskId, std::uint64_t>> awaited;
  for (const Record& record : merged.trace.records) {
    if (record.task != task || record.answer || record.dep != DepKind::kReceive) continue;
    for (const Record& message : messages_of(merged)) {
      if (message.id == record.dep_id) awaited.emplace_back(message.task, message.send_bytes);
    }
  }
  return awaited;
}

using Awaited = std::pair<formats::TaskId, std::uint64_t>;

TEST(MergeOneSided, FencesAwaitWhatCameInAndWhatCameBack) {
  // Every rank puts 8 + rank bytes to the next and gets 100 + rank from it, between two fences.
  constexpr std::int32_t kRanks = 4;
  const auto merged = merge_scripts(all_ranks(kRanks, [](std::int32_t rank, Script& log) {
    const auto own = static_cast<std::uint64_t>(rank);
    log.at(10, 5).win_create(0, kWindow).at(10, 5).sync(MpiCall::kWinFence, kWindow);
    log.at(20, 1).rma(MpiCall::kPut, kWindow, (rank + 1) % kRanks, 8 + own, 0);
    log.at(10, 1).rma(MpiCall::kGet, kWindow, (rank + 1) % kRanks, 0, 100 + own);
    log.at(30, 50).sync(MpiCall::kWinFence, kWindow).at(10, 5).win_free(0, kWindow);
  }));
  expect_sound(merged);
  EXPECT_EQ(merged.trace.header.version, formats::TraceVersion::kVef4);
  // A put is one message, a get two; creation, two fences and the end are four barriers.
  EXPECT_EQ(merged.report.messages, 3u * kRanks);
  EXPECT_EQ(merged.report.message_bytes, 4u * (8 + 100) + 2 * (0 + 1 + 2 + 3));
  EXPECT_EQ(merged.report.collectives_by_op[6], 4u);
  EXPECT_EQ(merged.trace.communicators.size(), 1u);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  // Task 2: task 1's put of 9 and its question, then its own answer of 102 from task 3; the fence's barrier
  // follows that at once, the end of the window 10 later.
  EXPECT_THAT(awaited_by(merged, 2), ElementsAre(Awaited(1, 9), Awaited(1, 0), Awaited(3, 102)));
  std::vector<std::string> tails;
  for (const Record& record : merged.trace.records) {
    if (record.task != 2 || record.answer) continue;
    tails.push_back(std::to_string(static_cast<int>(record.kind)) + " " + std::to_string(record.time));
  }
  // Window, fence, put, get, the fence's marks and barrier, the end of the window, MPI_Finalize.
  EXPECT_THAT(tails, ElementsAre("2 10", "2 10", "0 20", "0 10", "1 30", "1 0", "1 0", "2 0", "2 10", "1 1"));
}

TEST(MergeOneSided, AnAnswerNeedsNothingOfItsTask) {
  // Rank 0 reads 64 bytes of rank 1, which computes for long and then finalizes.
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0].at(0, 100).init().at(1, 1).win_create(0, kWindow);
  logs[0].at(1, 1).sync(MpiCall::kWinLock, kWindow, 1).at(5, 1).rma(MpiCall::kGet, kWindow, 1, 0, 64);
  logs[0].at(2, 90).sync(MpiCall::kWinUnlock, kWindow, 1).at(7, 1).finalize();
  logs[1].at(0, 100).init().at(1, 1).win_create(0, kWindow).at(1'000'000, 1).finalize();
  const auto merged = merge_scripts(logs);
  expect_sound(merged, 10);
  const auto messages = messages_of(merged);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_FALSE(messages[0].answer);
  EXPECT_EQ(messages[0].send_bytes, 0u);
  EXPECT_TRUE(messages[1].answer);
  EXPECT_EQ(messages[1].task, 1);
  EXPECT_EQ(messages[1].peer, 0);
  EXPECT_EQ(messages[1].send_bytes, 64u);
  EXPECT_EQ(messages[1].dep_id, messages[0].id);
  EXPECT_EQ(messages[1].time, 0u);
  EXPECT_THAT(awaited_by(merged, 0), ElementsAre(Awaited(1, 64)));
  EXPECT_THAT(awaited_by(merged, 1), IsEmpty());
}

TEST(MergeOneSided, UnlockAndFlushAwaitAcknowledgements) {
  // Rank 0 under one lock of all: 3 puts to each of 3 targets, flush of target 1, 2 accumulates with result
  // to target 2, flush_local of target 2, unlock of all.
  const auto merged = merge_scripts(all_ranks(4, [](std::int32_t rank, Script& log) {
    log.at(1, 1).win_create(0, kWindow);
    if (rank != 0) return;
    log.at(1, 1).sync(MpiCall::kWinLockAll, kWindow);
    for (std::int32_t target = 1; target < 4; ++target) {
      for (int i = 0; i < 3; ++i) log.at(1, 1).rma(MpiCall::kPut, kWindow, target, 16, 0);
    }
    log.at(1, 9).sync(MpiCall::kWinFlush, kWindow, 1);
    for (int i = 0; i < 2; ++i) log.at(1, 1).rma(MpiCall::kGetAccumulate, kWindow, 2, 24, 32);
    log.at(1, 9).sync(MpiCall::kWinFlushLocal, kWindow, 2);
    log.at(1, 9).sync(MpiCall::kWinUnlockAll, kWindow);
  }));
  expect_sound(merged, 10);
  // 9 puts and 2 accumulates, each with an answer.
  EXPECT_EQ(merged.report.messages, 2u * (9 + 2));
  EXPECT_EQ(merged.report.message_bytes, 9u * 16 + 2 * (24 + 32));
  std::vector<Awaited> expected(3, Awaited(1, 0));     // the flush
  expected.insert(expected.end(), 2, Awaited(2, 32));  // the results
  expected.insert(expected.end(), 3, Awaited(2, 0));   // unlock: what is left
  expected.insert(expected.end(), 3, Awaited(3, 0));
  EXPECT_EQ(awaited_by(merged, 0), expected);
}

TEST(MergeOneSided, PostStartCompleteWait) {
  // Ranks 1 and 2 access rank 0 and rank 3, which expose their windows, twice; each puts 4 bytes to both and
  // reads 40 of rank 3.
  const auto merged = merge_scripts(all_ranks(4, [](std::int32_t rank, Script& log) {
    log.at(1, 1).win_create(0, kWindow);
    for (int epoch = 0; epoch < 2; ++epoch) {
      if (rank == 0 || rank == 3) {
        log.at(5, 1).sync_group(MpiCall::kWinPost, kWindow, {{1, 1, 2}});
        log.at(5, 50).sync(epoch == 0 ? MpiCall::kWinWait : MpiCall::kWinTest, kWindow);
      } else {
        log.at(5, 5).sync_group(MpiCall::kWinStart, kWindow, {{0, 3, 2}});
        log.at(1, 1).rma(MpiCall::kPut, kWindow, 0, 4, 0).at(1, 1).rma(MpiCall::kPut, kWindow, 3, 4, 0);
        log.at(1, 1).rma(MpiCall::kGet, kWindow, 3, 0, 40);
        log.at(1, 9).sync(MpiCall::kWinComplete, kWindow);
      }
    }
    log.at(1, 5).win_free(0, kWindow);
  }));
  expect_sound(merged);
  // Per epoch: 2 x 2 posts, 2 x 2 completes, 2 x (2 puts, 1 get of 2 messages).
  EXPECT_EQ(merged.report.messages, 2u * (4 + 4 + 2 * (2 + 2)));
  EXPECT_EQ(merged.report.message_bytes, 2u * 2 * (4 + 4 + 40));
  EXPECT_EQ(merged.report.collectives_by_op[6], 2u);
  // An origin: both posts, then at complete its data.
  const std::vector<Awaited> origin = {{0, 0}, {3, 0}, {3, 40}, {0, 0}, {3, 0}, {3, 40}};
  EXPECT_EQ(awaited_by(merged, 1), origin);
  // Rank 0 waits for complete and put of each origin; rank 3 for its question, too.
  const std::vector<Awaited> target = {{1, 0}, {1, 4}, {2, 0}, {2, 4}, {1, 0}, {1, 4}, {2, 0}, {2, 4}};
  EXPECT_EQ(awaited_by(merged, 0), target);
  EXPECT_EQ(awaited_by(merged, 3).size(), 2u * 2 * 3);
  EXPECT_THAT(merged.report.warnings, IsEmpty());
}

TEST(MergeOneSided, RequestsCompleteWithTheirData) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(1, 1).win_create(0, kWindow);
    if (rank != 0) return;
    log.at(1, 1).sync(MpiCall::kWinLock, kWindow, 1);
    log.at(1, 1).rma(MpiCall::kRput, kWindow, 1, 16, 0, 1).at(1, 1).rma(MpiCall::kRget, kWindow, 1, 0, 32, 2);
    log.at(1, 9).complete({sent(1), sent(2)});
    log.at(1, 9).sync(MpiCall::kWinUnlock, kWindow, 1);
  }));
  expect_sound(merged, 100);
  // The wait: the 32 bytes; the unlock: the acknowledgement of the put alone.
  EXPECT_THAT(awaited_by(merged, 0), ElementsAre(Awaited(1, 32), Awaited(1, 0)));
  EXPECT_EQ(merged.report.messages, 4u);
}

TEST(MergeOneSided, NothingMovesNothingWaits) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t, Script& log) {
    log.at(1, 1).win_create(0, kWindow).at(1, 1).sync(MpiCall::kWinLock, kWindow, 1);
    log.at(1, 1).rma(MpiCall::kPut, kWindow, formats::kProcNull, 16, 0);
    log.at(1, 1).rma(MpiCall::kPut, kWindow, 1, 0, 0).at(1, 1).sync(MpiCall::kWinSync, kWindow);
    log.at(1, 1).sync(MpiCall::kWinUnlock, kWindow, 1);
  }));
  expect_sound(merged, 10);
  EXPECT_EQ(merged.report.messages, 0u);
  EXPECT_EQ(merged.report.marks, 2u);  // MPI_Finalize
  EXPECT_EQ(merged.trace.header.version, formats::TraceVersion::kVef3);
}

TEST(MergeOneSided, WindowsOnTheSameCommunicatorKeepTheirOwnOrder) {
  // Rank 0 fences window 1 before window 2, rank 1 the other way round (fences need not synchronise).
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(1, 1).win_create(0, 1).at(1, 1).win_create(0, 2);
    log.at(1, 1).rma(MpiCall::kPut, 1, 1 - rank, 10, 0).at(1, 1).rma(MpiCall::kPut, 2, 1 - rank, 20, 0);
    const std::uint32_t first = rank == 0 ? 1 : 2;
    log.at(1, 1).sync(MpiCall::kWinFence, first).at(1, 1).sync(MpiCall::kWinFence, 3 - first);
  }));
  ASSERT_EQ(merged.error, "");
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(awaited_by(merged, 0), (std::vector<Awaited>{{1, 10}, {1, 20}}));
  EXPECT_EQ(awaited_by(merged, 1), (std::vector<Awaited>{{0, 20}, {0, 10}}));
}

TEST(MergeOneSided, ARankThatEndsEarlyIsNotWaitedFor) {
  auto logs = all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(1, 1).win_create(0, kWindow);
    if (rank == 1) log.at(1, 1).sync_group(MpiCall::kWinStart, kWindow, {{0, 1, 1}});
  });
  logs[0] = Script(0, 2);
  logs[0].at(0, 100).init().at(1, 1).win_create(0, kWindow).truncated();
  const auto merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  EXPECT_EQ(execution_fault(merged.trace), "");
  EXPECT_THAT(merged.report.warnings, ElementsAre(testing::HasSubstr("1 calls of MPI_Win_start")));
}

}  // namespace
}  // namespace vef::merge
