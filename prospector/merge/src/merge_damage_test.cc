// SPDX-License-Identifier: Apache-2.0
// Logs with a part missing in the middle, and logs that end early: what still matches, and what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_script.h"
#include "vef/formats/validate.h"

namespace vef::merge {
namespace {

using formats::MpiCall;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// Sizes of the messages that rank 1 received, in its order; 0 where its receive found no message.
std::vector<std::uint64_t> received_sizes(const Merged& merged) {
  std::vector<std::uint64_t> sizes;
  for (const Receive& receive : merged.prepared->ranks[1].receives) {
    std::uint64_t bytes = 0;
    if (receive.message < merged.prepared->ranks[0].sends.size())
      bytes = merged.prepared->ranks[0].sends[receive.message].bytes;
    sizes.push_back(bytes);
  }
  return sizes;
}

/// Rank 0 sends `count` messages of 1, 2, ... bytes with one tag, rank 1 receives them; then both meet in a
/// barrier and finalize. The events numbered in `lost` are missing (0: MPI_Init, k: message k).
std::vector<Script> numbered_messages(int count, const std::vector<int>& lost_sends,
                                      const std::vector<int>& lost_receives) {
  const auto is_in = [](const std::vector<int>& list, int k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  for (Script& log : logs) log.at(0, 100).init();
  for (int k = 1; k <= count; ++k) {
    const auto bytes = static_cast<std::uint64_t>(k);
    logs[0].at(10, 1).send(1, 7, bytes);
    if (is_in(lost_sends, k)) logs[0].lost();
    logs[1].at(10, 1).recv(0, 7, bytes);
    if (is_in(lost_receives, k)) logs[1].lost();
  }
  for (Script& log : logs) log.at(10, 5).collective(MpiCall::kBarrier, 0, 0).at(10, 1).finalize();
  return logs;
}

void expect_executable(const Merged& merged) {
  ASSERT_EQ(merged.error, "");
  const auto faults = formats::validate(merged.trace);
  EXPECT_TRUE(faults.empty()) << faults.front().message;
  EXPECT_EQ(execution_fault(merged.trace), "");
}

TEST(MergeHoles, SendsBehindAHoleAreCountedFromTheEnd) {
  const auto merged = merge_scripts(numbered_messages(6, {3, 4}, {}));
  expect_executable(merged);
  EXPECT_THAT(received_sizes(merged), ElementsAre(1, 2, 0, 0, 5, 6));
  EXPECT_EQ(merged.report.faults, 0u);
  EXPECT_THAT(merged.report.damaged, ElementsAre(0));
  EXPECT_THAT(merged.report.truncated, IsEmpty());
  ASSERT_EQ(merged.report.unmatched.size(), 2u);
  EXPECT_EQ(merged.report.unmatched[0].why, "the log of rank 0 is damaged");
  EXPECT_EQ(merged.report.collectives_by_op[6], 1u);
  EXPECT_THAT(merged.trace.metadata, Contains(Pair("damaged ranks", "0")));
}

TEST(MergeHoles, ReceivesBehindAHoleAreCountedFromTheEnd) {
  const auto merged = merge_scripts(numbered_messages(6, {}, {1, 2, 5}));
  expect_executable(merged);
  // Between two holes nothing tells which message it was: receives 3 and 4.
  EXPECT_THAT(received_sizes(merged), ElementsAre(0, 0, 6));
  // Those four sends, and the five that no receive took.
  EXPECT_EQ(merged.report.unmatched.size(), 2u + 5u);
  EXPECT_EQ(merged.report.faults, 0u);
}

TEST(MergeHoles, HolesOnBothSides) {
  const auto merged = merge_scripts(numbered_messages(8, {3, 4}, {4, 5}));
  expect_executable(merged);
  // Receives 1, 2, 3, 6, 7, 8 are left and sends 1, 2, 5, 6, 7, 8.
  EXPECT_THAT(received_sizes(merged), ElementsAre(1, 2, 0, 6, 7, 8));
}

TEST(MergeHoles, WithoutTheEndNothingBehindAHoleMatches) {
  auto logs = numbered_messages(6, {3, 4}, {});
  Script cut(1, 2);
  cut.at(0, 100).init();
  for (std::uint64_t k = 1; k <= 5; ++k) cut.at(10, 1).recv(0, 7, k);
  logs[1] = cut.truncated();
  const auto merged = merge_scripts(logs);
  expect_executable(merged);
  EXPECT_THAT(received_sizes(merged), ElementsAre(1, 2, 0, 0, 0));
  EXPECT_THAT(merged.report.truncated, ElementsAre(1));
}

TEST(MergeHoles, CollectivesBehindAHoleAreCountedFromTheEnd) {
  // Five broadcasts of 10, 20, ... bytes; rank 1 lost the second and third.
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    logs[rank].at(0, 100).init();
    for (std::uint64_t k = 1; k <= 5; ++k) {
      logs[rank].at(10, 5).collective(MpiCall::kBcast, rank == 0 ? 10 * k : 0, rank == 0 ? 0 : 10 * k, 0);
      if (rank == 1 && (k == 2 || k == 3)) logs[rank].lost();
    }
    logs[rank].at(10, 1).finalize();
  }
  const auto merged = merge_scripts(logs);
  expect_executable(merged);
  EXPECT_EQ(merged.report.collectives_by_op[0], 3u);
  EXPECT_EQ(merged.report.faults, 0u);
  std::vector<std::uint64_t> sizes;
  for (const auto& record : merged.trace.records) {
    if (record.kind == formats::RecordKind::kCollective && record.task == 1)
      sizes.push_back(record.recv_bytes);
  }
  EXPECT_THAT(sizes, ElementsAre(10, 40, 50));
  // The time of the missing part passes as computing: 15 each.
  EXPECT_THAT(task_lines(merged.trace, 1), Contains("G1 C0 0 1 0 40 3 40 G0"));
}

TEST(MergeHoles, CommunicatorsAndRequestsOfTheMissingPart) {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Script& log = logs[rank];
    log.at(0, 100).init().comm_create(0, 2, {{0, 1, 2}});
    if (rank == 1) log.lost();
    log.irecv(static_cast<std::int32_t>(1 - rank), 3, 8, 1);
    if (rank == 1) log.lost();
    log.send(static_cast<std::int32_t>(1 - rank), 3, 8);
    log.complete({received(1, static_cast<std::int32_t>(1 - rank), 3, 8)});
    log.in(2).collective(MpiCall::kBarrier, 0, 0).comm_create(0, 3, {{0, 1, 2}});
    log.in(3).collective(MpiCall::kBarrier, 0, 0);
    log.collective(MpiCall::kAllreduce, 8, 8).finalize();
  }
  const auto merged = merge_scripts(logs);
  expect_executable(merged);
  EXPECT_EQ(merged.report.faults, 0u);
  EXPECT_THAT(merged.report.damage,
              ElementsAre(HasSubstr("1 requests complete whose posting is in a missing part"),
                          HasSubstr("calls on 2 communicators made in or after a missing part")));
  // The second creation and the all-reduce, both on the world.
  EXPECT_EQ(merged.report.header.collectives, 2u);
  EXPECT_EQ(merged.report.messages, 2u);
}

TEST(MergeEndings, EachIsNamedWithItsLastCall) {
  std::vector<Script> logs = {Script(0, 3), Script(1, 3), Script(2, 3)};
  for (Script& log : logs) log.at(0, 100).init().at(1'000'000, 500'000).collective(MpiCall::kBarrier, 0, 0);
  logs[0].at(500'000, 0).abort(3).truncated();
  logs[1].truncated();
  logs[2].at(100'000, 0).finalize();
  const auto merged = merge_scripts(logs);
  expect_executable(merged);
  EXPECT_THAT(merged.report.truncated, ElementsAre(0, 1));
  EXPECT_THAT(merged.report.endings,
              ElementsAre("rank 0: MPI_Abort with code 3; last call 2, MPI_Abort, ended at 0.002000 s",
                          "rank 1: killed, or still running; last call 1, MPI_Barrier, ended at 0.001500 s"));
  EXPECT_THAT(
      merged.trace.metadata,
      Contains(Pair("how they ended", AllOf(HasSubstr("rank 0: MPI_Abort"), HasSubstr("; rank 1: ")))));
}

TEST(MergeEndings, AClosedLogWithoutFinalizeIsDamaged) {
  std::vector<Script> logs = {Script(0, 1)};
  logs[0].at(0, 100).init().at(10, 5).collective(MpiCall::kBarrier, 0, 0);
  const auto merged = merge_scripts(logs);
  EXPECT_THAT(merged.report.damaged, ElementsAre(0));
  EXPECT_THAT(
      merged.report.damage,
      ElementsAre("rank0.vlog: closed by MPI_Finalize, but that call is missing; expected it at the end"));
}

}  // namespace
}  // namespace vef::merge
