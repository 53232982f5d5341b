// SPDX-License-Identifier: Apache-2.0
// Collectives, communicators and threads. The expected lines are worked out by hand from the rules of VEF:
// sizes per operation as in the table of the format, a G record group numbered by its earliest record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "families.h"
#include "test_checks.h"

namespace vef::merge {
namespace {

using formats::MpiCall;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// The G lines of three ranks that call one collective at 10.
std::vector<std::string> group_lines(const Merged& merged) {
  std::vector<std::string> lines;
  for (const std::string& line : merged.body) {
    if (line[0] == 'G') lines.push_back(line);
  }
  return lines;
}

/// Three ranks; `sizes(rank)` = {sent, received}.
Merged collective_of_three(
    MpiCall call, std::int32_t root,
    const std::function<std::pair<std::uint64_t, std::uint64_t>(std::int32_t)>& sizes) {
  return merge_scripts(all_ranks(3, [&](std::int32_t rank, Script& log) {
    const auto [bytes, recv_bytes] = sizes(rank);
    log.at(10, 5).collective(call, bytes, recv_bytes, root);
  }));
}

using Sizes = std::pair<std::uint64_t, std::uint64_t>;

TEST(MergeCollective, RootedOperationsKeepTheirSizes) {
  const auto broadcast = collective_of_three(
      MpiCall::kBcast, 1, [](int rank) { return rank == 1 ? Sizes(64, 0) : Sizes(0, 64); });
  expect_sound(broadcast);
  EXPECT_THAT(group_lines(broadcast),
              ElementsAre("G0 C0 0 0 0 64 0 10 -1", "G0 C0 0 1 64 0 0 10 -1", "G0 C0 0 2 0 64 0 10 -1"));
  const auto reduce = collective_of_three(MpiCall::kReduce, 2,
                                          [](int rank) { return rank == 2 ? Sizes(0, 8) : Sizes(8, 0); });
  expect_sound(reduce);
  EXPECT_THAT(group_lines(reduce),
              ElementsAre("G0 C0 1 0 8 0 0 10 -1", "G0 C0 1 1 8 0 0 10 -1", "G0 C0 1 2 0 8 0 10 -1"));
  const auto gather =
      collective_of_three(MpiCall::kGather, 0, [](int rank) { return Sizes(5, rank == 0 ? 15 : 0); });
  expect_sound(gather);
  EXPECT_THAT(group_lines(gather),
              ElementsAre("G0 C0 3 0 5 15 0 10 -1", "G0 C0 3 1 5 0 0 10 -1", "G0 C0 3 2 5 0 0 10 -1"));
  const auto scatter =
      collective_of_three(MpiCall::kScatter, 0, [](int rank) { return Sizes(rank == 0 ? 15 : 0, 5); });
  expect_sound(scatter);
  EXPECT_THAT(group_lines(scatter),
              ElementsAre("G0 C0 4 0 15 5 0 10 -1", "G0 C0 4 1 0 5 0 10 -1", "G0 C0 4 2 0 5 0 10 -1"));
  EXPECT_THAT(scatter.report.warnings, IsEmpty());
  EXPECT_EQ(scatter.report.collectives_by_op[4], 1u);
}

TEST(MergeCollective, VectorRootedOperationsHaveASizePerMember) {
  const auto gatherv = collective_of_three(
      MpiCall::kGatherv, 1, [](int rank) { return Sizes(10u * (rank + 1), rank == 1 ? 60 : 0); });
  expect_sound(gatherv);
  EXPECT_THAT(group_lines(gatherv),
              ElementsAre("G0 C0 3 0 10 0 0 10 -1", "G0 C0 3 1 20 60 0 10 -1", "G0 C0 3 2 30 0 0 10 -1"));
  EXPECT_THAT(gatherv.report.warnings,
              ElementsAre(HasSubstr("MPI_Gatherv (1 call): written as the plain operation")));
  const auto scatterv = collective_of_three(
      MpiCall::kScatterv, 0, [](int rank) { return Sizes(rank == 0 ? 60 : 0, 10u * (rank + 1)); });
  expect_sound(scatterv);
  EXPECT_THAT(group_lines(scatterv),
              ElementsAre("G0 C0 4 0 60 10 0 10 -1", "G0 C0 4 1 0 20 0 10 -1", "G0 C0 4 2 0 30 0 10 -1"));
}

TEST(MergeCollective, AllToAllKinds) {
  const auto allreduce =
      collective_of_three(MpiCall::kAllreduce, formats::kUndefined, [](int) { return Sizes(8, 8); });
  expect_sound(allreduce);
  EXPECT_EQ(group_lines(allreduce)[2], "G0 C0 2 2 8 8 0 10 -1");
  const auto allgather =
      collective_of_three(MpiCall::kAllgather, formats::kUndefined, [](int) { return Sizes(4, 12); });
  expect_sound(allgather);
  EXPECT_EQ(group_lines(allgather)[1], "G0 C0 5 1 4 12 0 10 -1");
  const auto allgatherv = collective_of_three(MpiCall::kAllgatherv, formats::kUndefined,
                                              [](int rank) { return Sizes(4u + rank, 15); });
  expect_sound(allgatherv);
  EXPECT_EQ(group_lines(allgatherv)[2], "G0 C0 5 2 6 15 0 10 -1");
  const auto barrier =
      collective_of_three(MpiCall::kBarrier, formats::kUndefined, [](int) { return Sizes(0, 0); });
  expect_sound(barrier);
  EXPECT_EQ(group_lines(barrier)[0], "G0 C0 6 0 0 0 0 10 -1");
  // The basic form: per peer, recv_size 0; the vectorial: the total, recv_size 1.
  const auto alltoall =
      collective_of_three(MpiCall::kAlltoall, formats::kUndefined, [](int) { return Sizes(16, 16); });
  expect_sound(alltoall);
  EXPECT_EQ(group_lines(alltoall)[0], "G0 C0 7 0 16 0 0 10 -1");
  const auto alltoallv = collective_of_three(MpiCall::kAlltoallv, formats::kUndefined,
                                             [](int rank) { return Sizes(100u * rank, 100); });
  expect_sound(alltoallv);
  EXPECT_THAT(group_lines(alltoallv),
              ElementsAre("G0 C0 7 0 0 1 0 10 -1", "G0 C0 7 1 100 1 0 10 -1", "G0 C0 7 2 200 1 0 10 -1"));
  EXPECT_THAT(alltoallv.report.warnings,
              ElementsAre(HasSubstr("MPI_Alltoallv (1 call): written as ALLTOALL")));
}

TEST(MergeCollective, ReduceScatterIsReduceAndScatter) {
  // Blocks of 10, 20 and 30 bytes: all of 60 is reduced to member 0, then scattered.
  const auto merged = collective_of_three(MpiCall::kReduceScatter, formats::kUndefined,
                                          [](int rank) { return Sizes(60, 10u * (rank + 1)); });
  expect_sound(merged);
  EXPECT_THAT(task_lines(merged.trace, 0),
              ElementsAre("G0 C0 1 0 0 60 0 10 -1", "G1 C0 4 0 60 10 3 0 G0", "0 0 0 0 3 1 G1"));
  EXPECT_THAT(task_lines(merged.trace, 2),
              ElementsAre("G0 C0 1 2 60 0 0 10 -1", "G1 C0 4 2 0 30 3 0 G0", "2 2 2 0 3 1 G1"));
  EXPECT_EQ(merged.trace.header.collectives, 2u);
  EXPECT_EQ(merged.trace.header.collective_records, 6u);
}

TEST(MergeCollective, ScanIsAChainOfMessages) {
  const auto merged =
      collective_of_three(MpiCall::kScan, formats::kUndefined, [](int) { return Sizes(8, 8); });
  expect_sound(merged);
  // At 10 all enter: rank 0 sends (0); rank 1 waits (mark 1); rank 2 waits: its message, from rank 1,
  // reserves 2, the mark is 3. At 15, the end of the call, rank 1 sends on. Finalize at 16, rank 1 last as it
  // was busy longest: 4, 5, 6.
  EXPECT_THAT(merged.body, ElementsAre("0 0 1 8 4 10 -1", "1 1 1 0 0 10 -1", "3 2 2 0 0 10 -1",
                                       "2 1 2 8 6 0 0", "4 0 0 0 1 1 0", "5 2 2 0 2 1 2", "6 1 1 0 1 1 2"));
  EXPECT_EQ(merged.trace.header.collectives, 0u);
}

TEST(MergeCollective, NonBlockingScanNeverWaitsForOthersToWait) {
  // Rank 1 waits for its scan only after rank 2 has told it that its own is done: written naively, a
  // deadlock.
  const auto logs = all_ranks(3, [](std::int32_t rank, Script& log) {
    log.at(10, 5).icollective(MpiCall::kIscan, 8, 8, 1);
    if (rank == 1) log.at(1, 100).recv(2, 0, 4);
    log.at(1, 20).complete({sent(1)});
    if (rank == 2) log.at(1, 2).send(1, 0, 4);
  });
  const auto merged = merge_scripts(logs);
  expect_sound(merged, 45);
  EXPECT_EQ(merged.trace.header.collectives, 0u);
  EXPECT_EQ(merged.report.messages, 3u);
}

TEST(MergeCollective, NonBlockingIsIssuedAndWaitedForLater) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t, Script& log) {
    log.at(10, 5)
        .icollective(MpiCall::kIallreduce, 8, 8, 1)
        .at(100, 40)
        .complete({sent(1)})
        .at(7, 3)
        .collective(MpiCall::kBarrier, 0, 0);
  }));
  expect_sound(merged, 5);
  // The first G depends on nothing, so does the mark of the wait: timed from the start, 10 + 100 (the call's
  // 5 are not computing). What follows the wait depends on G0.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("G0 C0 2 0 8 8 0 10 -1", "0 0 0 0 0 110 -1",
                                                       "G1 C0 6 0 0 0 3 7 G0", "2 0 0 0 3 1 G1"));
}

TEST(MergeCollective, NonBlockingAfterASendKeepsTheSendAsWhatIsDependedOn) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(10, 5).isend(1 - rank, 0, 4, 1).at(20, 2).icollective(MpiCall::kIbarrier, 0, 0, 2);
    log.at(1, 1)
        .irecv(1 - rank, 0, 4, 3)
        .at(30, 40)
        .complete({sent(1), sent(2), received(3, 1 - rank, 0, 4)});
  }));
  expect_sound(merged, 3);
  // G 20 ns after the send; the wait's mark depends on the send too, 1 + 30 after the end of the Ibarrier;
  // the second mark on G0 (the second completed thing of the array is the collective), then Finalize on the
  // message.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("0 0 1 4 4 10 -1", "G0 C0 6 0 0 0 1 20 0",
                                                       "2 0 0 0 1 31 0", "4 0 0 0 3 0 G0", "6 0 0 0 2 1 1"));
}

TEST(MergeCollective, SubCommunicatorWithPermutedRanks) {
  // World of 4. {3, 1} with rank 3 first, and {0, 2}. Local numbers differ: rank 0 made another communicator
  // before.
  const auto logs = all_ranks(4, [](std::int32_t rank, Script& log) {
    const bool odd = rank % 2 == 1;
    std::uint32_t number = 2;
    if (rank == 0)
      log.at(1, 1)
          .in(formats::kCommSelf)
          .as(MpiCall::kCommDup)
          .comm_create(formats::kCommSelf, number++, {{0, 1, 1}});
    log.at(9, 1).comm_create(
        formats::kCommWorld, number,
        odd ? std::vector<formats::RankRun>{{3, -2, 2}} : std::vector<formats::RankRun>{{0, 2, 2}});
    // In {3, 1}: rank 0 (world 3) sends to rank 1 (world 1). Then a broadcast from rank 0 of each.
    if (rank == 3) log.at(1, 1).in(number).send(1, 0, 8);
    if (rank == 1) log.at(1, 9).in(number).recv(0, 0, 8);
    const bool root = rank == 3 || rank == 0;
    log.at(1, 9).in(number).collective(MpiCall::kBcast, root ? 16 : 0, root ? 0 : 16, 0);
  });
  const auto merged = merge_scripts(logs);
  expect_sound(merged);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  // C lines: the world, rank 0's MPI_COMM_SELF (its dup is a barrier on it), then the halves as rank 0 and 1
  // saw them.
  EXPECT_EQ(merged.trace.communicators, (formats::Communicators{{0, 1, 2, 3}, {0}, {0, 2}, {3, 1}}));
  EXPECT_THAT(merged.trace.metadata,
              Contains(Pair("named barriers", "MPI_Comm_dup: G 0; MPI_Comm_split: G 1")));
  const auto lines = task_lines(merged.trace, 3);
  EXPECT_EQ(lines[0], "G1 C0 6 3 0 0 0 9 -1");
  EXPECT_THAT(lines[1], HasSubstr(" 3 1 8 7 1 G1"));      // to world rank 1
  EXPECT_THAT(lines[2], HasSubstr(" C3 0 3 16 0 1 1 "));  // root: world rank 3
}

TEST(MergeCollective, HandlesUsedAgainAndTwinsAreTellApart) {
  // Two dups of the world, the first freed before the second is made, with messages of the same tag on both,
  // and a split that leaves rank 1 out.
  const auto logs = all_ranks(2, [](std::int32_t rank, Script& log) {
    for (std::uint32_t number = 2; number < 4; ++number) {
      log.at(1, 1).as(MpiCall::kCommDup).comm_create(formats::kCommWorld, number, {{0, 1, 2}});
      if (rank == 0) log.at(1, 1).in(number).send(1, 0, number);
      if (rank == 1) log.at(1, 5).in(number).recv(0, 0, number);
      log.at(1, 1).in(number).collective(MpiCall::kBarrier, 0, 0).at(1, 1).comm_free(number);
    }
    log.at(1, 1).comm_create(
        formats::kCommWorld, rank == 0 ? 4 : formats::kCommNull,
        rank == 0 ? std::vector<formats::RankRun>{{0, 1, 1}} : std::vector<formats::RankRun>{});
    if (rank == 0) log.at(1, 1).in(4).collective(MpiCall::kAllreduce, 8, 8);
  });
  const auto merged = merge_scripts(logs);
  expect_sound(merged, 2);
  EXPECT_THAT(merged.report.warnings, IsEmpty());
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.trace.communicators, (formats::Communicators{{0, 1}, {0, 1}, {0, 1}, {0}}));
  EXPECT_EQ(merged.trace.header.collectives, 6u);  // 2 dups, 2 barriers, the split, the all-reduce
}

TEST(MergeCollective, CreationByTheGroupAloneIsNoCreationOfTheParents) {
  // Ranks 1 and 2 make a communicator of their own; what all make of the world afterwards is still one.
  const auto logs = all_ranks(3, [](std::int32_t rank, Script& log) {
    std::uint32_t number = 2;
    if (rank != 0) {
      log.at(1, 1).as(MpiCall::kCommCreateGroup);
      log.comm_create(formats::kCommWorld, number++, {{1, 1, 2}}, formats::kCommGroupOnly);
    }
    log.at(1, 1).as(MpiCall::kCommDup).comm_create(formats::kCommWorld, number, {{0, 1, 3}});
    log.at(1, 1).in(number).collective(MpiCall::kAllreduce, 8, 8);
  });
  const auto merged = merge_scripts(logs);
  expect_sound(merged);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.trace.header.collectives, 3u);
}

TEST(MergeCollective, CreatedByTheGroupAlone) {
  // MPI_Comm_create_group over {2, 0}, made twice; rank 1 does nothing.
  const auto logs = all_ranks(3, [](std::int32_t rank, Script& log) {
    if (rank == 1) return;
    for (const std::uint32_t number : {2u, 3u}) {
      log.at(1, 1)
          .as(MpiCall::kCommCreateGroup)
          .comm_create(formats::kCommWorld, number, {{2, -2, 2}}, formats::kCommGroupOnly);
    }
    log.at(1, 1).in(3).collective(MpiCall::kAllreduce, 8, 8);
  });
  const auto merged = merge_scripts(logs);
  expect_sound(merged);
  EXPECT_EQ(merged.trace.communicators, (formats::Communicators{{0, 1, 2}, {2, 0}, {2, 0}}));
  EXPECT_THAT(task_lines(merged.trace, 2), ElementsAre("G0 C1 6 2 0 0 0 1 -1", "G1 C2 6 2 0 0 3 1 G0",
                                                       "G2 C2 2 2 8 8 3 1 G1", "2 2 2 0 3 1 G2"));
}

TEST(MergeCollective, CreatedByTheGroupAloneWithTags) {
  // As two threads of each rank do it: the communicators of tags 7 and 8, in the other order in rank 1. What
  // is done in the first is a barrier, in the second an all-reduce; numbers 2 and 3 are tags 7 and 8 in rank
  // 0.
  const auto logs = all_ranks(2, [](std::int32_t rank, Script& log) {
    for (const std::uint32_t number : {2u, 3u}) {
      log.at(1, 1)
          .as(MpiCall::kCommCreateGroup)
          .tagged(rank == 0 ? 5 + static_cast<int>(number) : 10 - static_cast<int>(number));
      log.comm_create(formats::kCommWorld, number, {{0, 1, 2}}, formats::kCommGroupOnly);
    }
    log.at(1, 1).in(rank == 0 ? 2 : 3).collective(MpiCall::kBarrier, 0, 0);
    log.at(1, 1).in(rank == 0 ? 3 : 2).collective(MpiCall::kAllreduce, 8, 8);
  });
  const auto merged = merge_scripts(logs);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.trace.header.collectives, 4u);  // the two creations, the barrier, the all-reduce
}

/// {0, 1} and {2, 3, 4} joined to an inter-communicator, number 3 for all; then `write`.
std::vector<Script> inter(const std::function<void(std::int32_t, Script&)>& write) {
  return all_ranks(5, [&](std::int32_t rank, Script& log) {
    const std::vector<formats::RankRun> first = {{0, 1, 2}};
    const std::vector<formats::RankRun> second = {{2, 1, 3}};
    log.at(1, 1).comm_create(formats::kCommWorld, 2, rank < 2 ? first : second);
    log.at(1, 1)
        .as(MpiCall::kIntercommCreate)
        .comm_create(2, 3, rank < 2 ? first : second, formats::kCommInter, rank < 2 ? second : first);
    write(rank, log);
  });
}

TEST(MergeCollective, InterCommunicatorPeersAreOfTheOtherGroup) {
  const auto merged = merge_scripts(inter([](std::int32_t rank, Script& log) {
    if (rank == 1) log.at(1, 1).in(3).send(2, 0, 8);        // rank 2 of the other group: world 4
    if (rank == 4) log.at(1, 5).in(3).recv(1, 0, 8, 1, 0);  // rank 1 of the other group: world 1
    log.at(1, 1).in(3).collective(MpiCall::kBarrier, 0, 0);
  }));
  expect_sound(merged);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  // The split is on the world, the joining on each half, the barrier on the union.
  EXPECT_EQ(merged.trace.communicators,
            (formats::Communicators{{0, 1, 2, 3, 4}, {0, 1}, {0, 1, 2, 3, 4}, {2, 3, 4}}));
  EXPECT_THAT(merged.trace.metadata, Contains(Pair("inter-communicators", "C2: first 2 | last 3")));
  EXPECT_THAT(task_lines(merged.trace, 1)[2], HasSubstr(" 1 4 8 7 1 G"));
}

TEST(MergeCollective, InterCommunicatorRootedOperationServesTheOtherGroup) {
  const auto merged = merge_scripts(inter([](std::int32_t rank, Script& log) {
    const std::int32_t root = rank == 1 ? formats::kRootHere : rank == 0 ? formats::kProcNull : 1;
    log.at(1, 1).in(3).collective(MpiCall::kBcast, rank == 1 ? 8 : 0, rank > 1 ? 8 : 0, root);
    log.at(1, 1).in(3).collective(MpiCall::kGather, rank > 1 ? 4 : 0, rank == 1 ? 12 : 0, root);
  }));
  expect_sound(merged, 2);
  EXPECT_EQ(merged.trace.communicators.back(), (std::vector<formats::TaskId>{1, 2, 3, 4}));
  EXPECT_THAT(task_lines(merged.trace, 0), testing::SizeIs(3));  // split, joining, Finalize
  const auto root = task_lines(merged.trace, 1);
  EXPECT_THAT(root[2], HasSubstr(" 0 1 8 0 3 1 "));
  EXPECT_THAT(root[3], HasSubstr(" 3 1 0 12 3 1 "));
}

TEST(MergeCollective, InterCommunicatorAllKindsGoBothWays) {
  const auto merged = merge_scripts(inter([](std::int32_t rank, Script& log) {
    log.at(1, 1).in(3).collective(MpiCall::kAllreduce, 8, 8);
    log.at(1, 1).in(3).collective(MpiCall::kAllgather, 4, rank < 2 ? 12 : 8);
    log.at(1, 1).in(3).collective(MpiCall::kReduceScatter, 24, rank < 2 ? 12 : 8);
    log.at(1, 1).in(3).collective(MpiCall::kAlltoallv, rank < 2 ? 30 : 20, 0);
    log.sizes(rank < 2 ? std::vector<std::uint64_t>{5, 10, 15} : std::vector<std::uint64_t>{7, 13});
  }));
  expect_sound(merged);
  EXPECT_EQ(merged.report.messages, 12u);  // 2 x 3 each way
  EXPECT_EQ(merged.report.message_bytes, 2u * 30 + 3u * 20);
  EXPECT_EQ(merged.trace.header.collectives, 3u + 3u * 4);
}

TEST(MergeCollective, MismatchIsReportedAndLeftOut) {
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.at(5, 1).collective(rank == 0 ? MpiCall::kBarrier : MpiCall::kAllreduce, 0, 0);
    log.at(7, 1).collective(MpiCall::kBcast, 8, 0, rank);
    log.at(9, 1).collective(MpiCall::kBarrier, 0, 0);
  }));
  ASSERT_EQ(merged.report.faults, 2u);
  EXPECT_EQ(describe(merged.report.unmatched[0]),
            "rank 1, call 1: MPI_Allreduce of 0 bytes, MPI_COMM_WORLD: rank 0 called MPI_Barrier there (its "
            "call 1)");
  EXPECT_EQ(merged.report.unmatched[1].why, "its root is rank 1, but rank 0 (its call 2) names rank 0");
  // Only the last is written, with the computing before all three.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("G0 C0 6 0 0 0 0 21 -1", "0 0 0 0 3 1 G0"));
  expect_sound(merged, 2);
}

TEST(MergeCollective, AllReduceOfTwoSizesIsReported) {
  const auto merged = collective_of_three(MpiCall::kAllreduce, formats::kUndefined, [](int rank) {
    return Sizes(8u + 8u * (rank == 2), 8u + 8u * (rank == 2));
  });
  ASSERT_EQ(merged.report.faults, 1u);
  EXPECT_EQ(merged.report.unmatched[0].why, "it moves 16 bytes, but 8 in rank 0 (its call 1)");
  expect_sound(merged, 5);
}

TEST(MergeCollective, MemberWhoseLogEndsEarlyExcusesTheRest) {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0]
      .at(0, 9)
      .init()
      .at(5, 1)
      .collective(MpiCall::kBarrier, 0, 0)
      .at(5, 1)
      .collective(MpiCall::kBarrier, 0, 0)
      .at(1, 1)
      .finalize();
  logs[1].at(0, 9).init().at(5, 1).collective(MpiCall::kBarrier, 0, 0).truncated();
  const auto merged = merge_scripts(logs);
  expect_sound(merged, 1);
  EXPECT_EQ(merged.report.faults, 0u);
  ASSERT_EQ(merged.report.unmatched.size(), 1u);
  EXPECT_EQ(merged.report.unmatched[0].why,
            "it is collective 2 on it, but rank 1 made only 1 (the log of rank 1 ends early)");
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("G0 C0 6 0 0 0 0 5 -1", "0 0 0 0 3 6 G0"));
}

TEST(MergeCollective, NeighbourhoodCollectivesAreSkippedWithAWarning) {
  const auto merged =
      collective_of_three(MpiCall::kNeighborAlltoall, formats::kUndefined, [](int) { return Sizes(8, 8); });
  expect_sound(merged, 5);
  EXPECT_THAT(
      merged.report.warnings,
      ElementsAre("MPI_Neighbor_alltoall (1 call): not written: the logs do not name the neighbours"));
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.trace.header.collectives, 0u);
}

TEST(MergeCollective, FamiliesByName) {
  EXPECT_EQ(family_of_name("MPI_Bcast"), Family::kBroadcast);
  EXPECT_EQ(family_of_name("MPI_Ibcast"), Family::kBroadcast);
  EXPECT_EQ(family_of_name("MPI_Ireduce_scatter_block_c"), Family::kReduceScatter);
  EXPECT_EQ(family_of_name("MPI_Allreduce_init"), Family::kAllreduce);
  EXPECT_EQ(family_of_name("MPI_Ineighbor_allgatherv"), Family::kNeighborAllgather);
  EXPECT_EQ(family_of_name("MPIX_Neighbor_alltoallw_init"), Family::kNeighborAlltoall);
  EXPECT_EQ(family_of_name("MPI_Intercomm_create"), Family::kNamedBarrier);
  EXPECT_EQ(family_of_name(""), Family::kNamedBarrier);
}

/// The log of a second thread begins when the process does; its calls come long after MPI_Init.
std::vector<Script> late_thread(std::uint64_t first_gap) {
  std::vector<Script> logs = {Script(0, 1), Script(0, 1, 1)};
  logs[0].at(0, 100).init().at(1000, 1).finalize();
  logs[1].at(first_gap, 10).as(MpiCall::kIsend).isend(0, 1, 8, 1).at(30, 5).complete({sent(1)});
  logs[1].at(20, 10).recv(0, 1, 8);
  return logs;
}

TEST(MergeThreads, AThreadComputesNoEarlierThanInitEnds) {
  // Thread 1's first call is 400 after its log begins, so 300 after MPI_Init: an absolute time. Its receive
  // comes 30 + 20 of computing after the send, in a wait of 5. MPI_Finalize: 1000 after MPI_Init, 633 after
  // the receive's mark at 365.
  const auto merged = merge_scripts(late_thread(400));
  ASSERT_EQ(merged.error, "");
  EXPECT_EQ(merged.body,
            (std::vector<std::string>{"0 0 0 8 4 300 -1", "1 0 0 0 1 50 0", "2 0 0 0 0 1000 -1"}));
}

TEST(MergeThreads, AThreadContinuesWhatTheFirstDidBefore) {
  // A barrier of the first thread from 50 to 80 after MPI_Init; thread 1's first call is 300 after it.
  auto logs = late_thread(400);
  logs[0] = Script(0, 1);
  logs[0].at(0, 100).init().at(50, 30).collective(MpiCall::kBarrier, 0, 0).at(920, 1).finalize();
  const auto merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  // The send follows the barrier by 300 - 80; the first thread's MPI_Finalize comes 920 after it, of which
  // 1000 - 365 are left after the receive's mark.
  EXPECT_EQ(merged.body, (std::vector<std::string>{"G0 C0 6 0 0 0 0 50 -1", "0 0 0 8 7 220 G0",
                                                   "1 0 0 0 1 50 0", "2 0 0 0 3 635 G0"}));
}

TEST(MergeThreads, TwoThreadsOfARankAreSerialisedByStart) {
  // Rank 0, thread 1 waits from 50 to 300 for what rank 1 sends only after it got thread 0's message of 200.
  std::vector<Script> logs = {Script(0, 2), Script(0, 2, 1, 1'000'140), Script(1, 2)};
  logs[0]
      .at(0, 100)
      .init()
      .at(20, 5)
      .send(1, 1, 8)
      .sequence(2)
      .at(75, 10)
      .send(1, 2, 8)
      .at(390, 1)
      .finalize();
  logs[1].sequence(1).at(10, 250).recv(1, 3, 8).sequence(3).at(40, 10).send(1, 4, 8);
  logs[2].at(0, 100).init().at(10, 20).recv(0, 1, 8).at(10, 180).recv(0, 2, 8).at(10, 10).send(0, 3, 8);
  logs[2].at(10, 200).recv(0, 4, 8).at(1, 1).finalize();
  const auto merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  EXPECT_TRUE(formats::validate(merged.trace).empty());
  EXPECT_EQ(execution_fault(merged.trace), "");
  EXPECT_EQ(merged.report.threads, 3u);
  // Relative to 100: thread 0 sends at 20-25, thread 1 receives at 50-300, thread 0 sends at 100-110, thread
  // 1 sends at 340, thread 0 finalizes at 500. Thread 1 begins after thread 0's first send (25 ns later).
  // Thread 0's second send follows its first, 75 ns of computing, of which 50 are left after the receive's
  // mark. Thread 1's send: 40 after the message of tag 3. Finalize: 390 after its send, 160 after the record
  // before it.
  std::vector<std::string> tails;
  for (const std::string& line : task_lines(merged.trace, 0))
    tails.push_back(line.substr(line.find(' ') + 1));
  const auto message = [&](std::int32_t tag) {
    std::vector<std::string> ids;
    for (const auto& record : merged.trace.records) {
      if (record.kind == formats::RecordKind::kMessage && record.task == (tag == 3 ? 1 : 0))
        ids.push_back(std::to_string(record.id));
    }
    return tag == 3 ? ids[0] : tag == 4 ? ids[2] : ids[static_cast<std::size_t>(tag) - 1];
  };
  EXPECT_THAT(tails, ElementsAre("0 1 8 4 20 -1", "0 0 0 1 25 " + message(1), "0 1 8 5 50 " + message(1),
                                 "0 1 8 6 40 " + message(3), "0 0 0 1 160 " + message(2)));
}

}  // namespace
}  // namespace vef::merge
