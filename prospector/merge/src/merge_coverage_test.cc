// SPDX-License-Identifier: Apache-2.0
// Persistent collectives, partitioned messages, neighbourhood collectives, file I/O, regions, notes, and what
// reaches into another world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_checks.h"

namespace vef::merge {
namespace {

using formats::MpiCall;
using formats::Record;
using formats::RecordKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// (source, destination, bytes) of the messages, sorted.
std::vector<std::tuple<int, int, std::uint64_t>> traffic(const Merged& merged) {
  auto list = all_messages(merged);
  std::sort(list.begin(), list.end());
  return list;
}

TEST(MergePersistent, ACollectiveBeginsWithEachStart) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t, Script& log) {
    log.at(10, 5).as(MpiCall::kAllreduceInit).collective_init(MpiCall::kAllreduceInit, 8, 8, 1);
    for (int round = 0; round < 3; ++round) log.at(20, 2).start({1}).at(30, 40).complete({sent(1)});
  }));
  expect_sound(merged, 200);
  EXPECT_EQ(merged.report.collectives_by_op[2], 3u);
  // The first start: 10 + 20 of computing. Its wait is a mark 30 later; the second start waits for the first.
  EXPECT_THAT(task_lines(merged.trace, 0), Contains("G0 C0 2 0 8 8 0 30 -1"));
  EXPECT_THAT(task_lines(merged.trace, 0), Contains("G1 C0 2 0 8 8 3 20 G0"));
}

TEST(MergePersistent, CollectivesMatchByTheOrderOfTheirInits) {
  // Made in one order, started in another by rank 1: MPI 4.0, section 6.13.
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(10, 5).collective_init(MpiCall::kBcastInit, rank == 0 ? 8 : 0, rank == 0 ? 0 : 8, 1, 0);
    log.at(10, 5).collective_init(MpiCall::kBarrierInit, 0, 0, 2);
    for (int round = 0; round < 2; ++round) {
      log.at(5, 1).start({std::uint64_t{1} + (rank == 1)}).at(5, 1).start({std::uint64_t{2} - (rank == 1)});
      log.at(5, 40).complete({sent(1), sent(2)});
    }
  }));
  expect_sound(merged, 200);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.report.collectives_by_op[0], 2u);
  EXPECT_EQ(merged.report.collectives_by_op[6], 2u);
}

TEST(MergePartitioned, AMessageLeavesWithItsLastPartition) {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0].at(0, 100).init().at(5, 1).psend_init(1, 3, 300, 1);
  logs[1].at(0, 100).init().at(5, 1).precv_init(0, 3, 300, 1);
  for (int round = 0; round < 2; ++round) {
    logs[0].at(5, 1).start({1}).at(10, 1).pready(1, 100).at(10, 1).pready(1, 200).at(5, 5).complete(
        {sent(1)});
    logs[1].at(5, 1).start({1}).at(10, 50).complete({received(1, 0, 3, 300)});
  }
  for (Script& log : logs) log.at(1, 1).finalize();
  const auto merged = merge_scripts(logs);
  expect_sound(merged, 100);
  EXPECT_EQ(traffic(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 1, 300}, {0, 1, 300}}));
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  // The gaps up to the second Pready: 5 + 5 + 10 + 10.
  EXPECT_THAT(task_lines(merged.trace, 0), Contains("0 0 1 300 4 30 -1"));
}

TEST(MergePartitioned, MatchAmongThemselvesInTheOrderOfTheInits) {
  // Requests 1 and 2 with the same tag; the sender starts the second first. An ordinary message of the same
  // tag goes its own way.
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0].init().psend_init(1, 3, 100, 1).psend_init(1, 3, 200, 2).send(1, 3, 7);
  logs[0].start({2, 1}).pready(2, 200).pready(1, 100).complete({sent(1), sent(2)}).finalize();
  logs[1].init().precv_init(0, 3, 100, 1).precv_init(0, 3, 200, 2).start({1, 2});
  logs[1].complete({received(1, 0, 3, 100), received(2, 0, 3, 200)}).recv(0, 3, 7).finalize();
  const auto merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(merged.report.warnings, IsEmpty());  // every size is the one that was sent
  const auto& receives = merged.prepared->ranks[1].receives;
  ASSERT_EQ(receives.size(), 3u);
  const auto& sends = merged.prepared->ranks[0].sends;
  EXPECT_EQ(sends[receives[0].message].bytes, 100u);
  EXPECT_EQ(sends[receives[1].message].bytes, 200u);
  EXPECT_EQ(sends[receives[2].message].bytes, 7u);
}

/// A line of three ranks without wrap-around.
void line(std::int32_t rank, Script& log) {
  const std::int32_t below = rank == 0 ? formats::kProcNull : rank - 1;
  const std::int32_t above = rank == 2 ? formats::kProcNull : rank + 1;
  log.at(5, 5)
      .as(MpiCall::kCartCreate)
      .comm_create(0, 2, {{0, 1, 3}})
      .neighbours({below, above}, {below, above});
}

TEST(MergeNeighbours, MessagesGoToEachNeighbour) {
  const auto merged = merge_scripts(all_ranks(3, [](std::int32_t rank, Script& log) {
    line(rank, log);
    // One block of 10 + rank to all; then 20 to each that is there.
    log.at(10, 30).in(2).collective(MpiCall::kNeighborAllgather, 10 + static_cast<std::uint64_t>(rank), 0);
    const std::uint64_t all = rank == 1 ? 40 : 20;
    log.at(10, 30).in(2).collective(MpiCall::kNeighborAlltoall, all, all);
  }));
  expect_sound(merged);
  EXPECT_EQ(
      traffic(merged),
      (std::vector<std::tuple<int, int, std::uint64_t>>{
          {0, 1, 10}, {0, 1, 20}, {1, 0, 11}, {1, 0, 20}, {1, 2, 11}, {1, 2, 20}, {2, 1, 12}, {2, 1, 20}}));
  EXPECT_THAT(merged.report.warnings,
              ElementsAre("MPI_Neighbor_allgather (1 call): written as messages between neighbours",
                          "MPI_Neighbor_alltoall (1 call): written as messages between neighbours"));
  EXPECT_EQ(merged.report.marks, 2u * (1 + 2 + 1) + 3);  // one per message that comes, and MPI_Finalize
}

TEST(MergeNeighbours, NonBlockingOnesWaitLater) {
  const auto merged = merge_scripts(all_ranks(3, [](std::int32_t rank, Script& log) {
    line(rank, log);
    log.at(10, 2).in(2).icollective(MpiCall::kIneighborAlltoallv, 6, 6, 1).sizes({1, 5});
    log.at(50, 30).complete({sent(1)});
  }));
  expect_sound(merged, 100);
  EXPECT_EQ(traffic(merged),
            (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 1, 5}, {1, 0, 1}, {1, 2, 5}, {2, 1, 1}}));
}

TEST(MergeNeighbours, TwoRanksInARingAreTwiceNeighbours) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.comm_create(0, 2, {{0, 1, 2}}).neighbours({1 - rank, 1 - rank}, {1 - rank, 1 - rank});
    log.at(10, 5).in(2).collective(MpiCall::kNeighborAlltoallw, 30, 30).sizes({10, 20});
  }));
  expect_sound(merged);
  EXPECT_EQ(traffic(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{
                                 {0, 1, 10}, {0, 1, 20}, {1, 0, 10}, {1, 0, 20}}));
}

TEST(MergeNeighbours, OneWayGraphsAndListsThatDisagree) {
  // 0 -> 1 -> 2; rank 2 believes that rank 0 sends to it, too.
  const auto merged = merge_scripts(all_ranks(3, [](std::int32_t rank, Script& log) {
    log.comm_create(0, 2, {{0, 1, 3}});
    if (rank == 0) log.neighbours({}, {1});
    if (rank == 1) log.neighbours({0}, {2});
    if (rank == 2) log.neighbours({1, 0}, {});
    log.at(10, 5).in(2).collective(MpiCall::kNeighborAllgatherv, 8, 8);
  }));
  expect_sound(merged);
  EXPECT_EQ(traffic(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 1, 8}, {1, 2, 8}}));
}

TEST(MergeReceive, ATruncatedReceiveTookItsMessage) {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0].init().send(1, 1, 100).send(1, 1, 8).finalize();
  logs[1].init().recv(0, 1, 10, formats::kUndefined, formats::kUndefined).recv(0, 1, 8).finalize();
  const auto merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(merged.report.warnings,
              ElementsAre(HasSubstr("1 message received with another size than was sent")));
  EXPECT_EQ(merged.prepared->ranks[1].receives[1].message, 1u);
}

TEST(MergeIo, ItsTimePassesAsComputing) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(10, 500).io(4096).at(10, 20).io(100, 1).at(10, 5).complete({sent(1)});
    log.at(10, 1).send(1 - rank, 0, 8).at(1, 1).recv(1 - rank, 0, 8);
  }));
  expect_sound(merged, 100);
  // 10 + 500 + 10 + 20 + 10 + 10.
  EXPECT_THAT(task_lines(merged.trace, 0), Contains("0 0 1 8 4 560 -1"));
  EXPECT_THAT(
      merged.trace.metadata,
      Contains(Pair("file I/O", "calls per rank: 2 2; bytes per rank: 4196 4196; ns per rank: 520 520")));
}

TEST(MergeRegions, AreSummedPerRank) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    // "step" twice, each 100 with 30 of "solve" inside on rank 0.
    for (int i = 0; i < 2; ++i) {
      log.at(10, 0).region(1, "step");
      if (rank == 0)
        log.at(20, 0).region(1, "solve").at(30, 0).region(-1, "solve").at(50, 0).region(-1, "step");
      if (rank == 1) log.at(100, 0).region(-1, "step");
    }
    log.region(-1, "never begun").note("MPI_Odd is called and not known");
  }));
  expect_sound(merged, 0);
  EXPECT_THAT(merged.trace.metadata, Contains(Pair("regions",
                                                   "solve: times per rank: 2 0; ns per rank: 60 0; "
                                                   "step: times per rank: 2 2; ns per rank: 200 200")));
  EXPECT_THAT(merged.report.notes, ElementsAre("MPI_Odd is called and not known (ranks 0-1)"));
  EXPECT_THAT(merged.trace.metadata,
              Contains(Pair("recorder's notes", "MPI_Odd is called and not known (ranks 0-1)")));
}

}  // namespace
}  // namespace vef::merge
