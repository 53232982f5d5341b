// SPDX-License-Identifier: Apache-2.0
// Point-to-point calls. Expected lines follow vef-format rules by hand: a record's time is the sum of the
// gaps since the end of the last call that left a record; lines sort by start relative to the latest end of
// MPI_Init; ids in that order, a mark reserving the ids of its messages before its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_checks.h"
#include "vef/formats/validate.h"

namespace vef::merge {
namespace {

using formats::MpiCall;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int32_t kAny = formats::kAnySource;

/// Two ranks that leave MPI_Init together.
std::vector<Script> two() {
  std::vector<Script> scripts = {Script(0, 2), Script(1, 2)};
  for (Script& script : scripts) script.at(0, 100).init();
  return scripts;
}

TEST(MergeP2p, SendAndReceive) {
  auto logs = two();
  logs[0].at(100, 10).send(1, 7, 64).at(20, 30).recv(1, 8, 32).at(5, 1).finalize();
  logs[1].at(40, 80).recv(0, 7, 64).at(60, 10).send(0, 8, 32).at(5, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  // Starts: rank 0 sends at 100, receives at 130, finalizes at 165; rank 1 receives at 40 (ends 120), sends
  // at 180, finalizes at 195. The receive at 40 reserves id 0 for the message, its mark is 1.
  EXPECT_THAT(merged.body, ElementsAre("1 1 1 0 0 40 -1",    // rank 1 enters MPI_Recv
                                       "0 0 1 64 4 100 -1",  // rank 0 sends
                                       "3 0 0 0 1 20 0",     // rank 0 enters MPI_Recv; reserves 2
                                       "4 0 0 0 2 5 2",      // rank 0 finalizes
                                       "2 1 0 32 6 60 0",    // rank 1 answers 60 ns after it received
                                       "5 1 1 0 1 5 2"));    // rank 1 finalizes
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.report.messages, 2u);
  EXPECT_EQ(merged.report.marks, 4u);
  EXPECT_EQ(merged.report.message_bytes, 96u);
}

TEST(MergeP2p, TimeZeroIsTheLatestEndOfInitOnTheHost) {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  logs[0].at(0, 100).init().at(500, 10).send(1, 0, 1).at(1, 1).finalize();
  logs[1].at(0, 400).init().at(150, 60).recv(0, 0, 1).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  // Rank 1 enters its receive at 550 after the start of the logs, rank 0 sends at 600: order by the common
  // clock, times from each rank's own end of MPI_Init. Both finalize at 611; rank 1 went there first.
  EXPECT_THAT(merged.body,
              ElementsAre("1 1 1 0 0 150 -1", "0 0 1 1 4 500 -1", "2 1 1 0 2 1 0", "3 0 0 0 1 1 0"));
  EXPECT_EQ(merged.prepared->zero[0], 1'000'400);
}

TEST(MergeP2p, RingOfThree) {
  std::vector<Script> logs;
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    Script script(rank, 3);
    script.at(0, 50).init();
    if (rank == 0) {
      script.at(10, 2).send(1, 0, 8).at(1, 100).recv(2, 0, 8);
    } else {
      script.at(10, 20).recv(rank - 1, 0, 8).at(3, 2).send((rank + 1) % 3, 0, 8);
    }
    logs.push_back(script.at(4, 1).finalize());
  }
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  // All begin at 10: rank 0's send gets 0, rank 1's mark 1, rank 2's mark reserves 2 (from rank 1) and is 3.
  // Rank 0's receive at 13 reserves 4 (from rank 2) and is 5. At 33 ranks 1 and 2 send.
  EXPECT_THAT(merged.body, ElementsAre("0 0 1 8 4 10 -1", "1 1 1 0 0 10 -1", "3 2 2 0 0 10 -1",
                                       "5 0 0 0 1 1 0", "2 1 2 8 6 3 0", "4 2 0 8 6 3 2", "6 1 1 0 1 4 2",
                                       "7 2 2 0 1 4 4", "8 0 0 0 2 4 4"));
}

TEST(MergeP2p, WildcardTakesWhatTheStatusSays) {
  std::vector<Script> logs = {Script(0, 3), Script(1, 3), Script(2, 3)};
  for (Script& log : logs) log.at(0, 100).init();
  // Rank 0 receives from anybody: first came rank 2's message, then rank 1's second tag, then its first.
  logs[0].at(10, 90).recv(kAny, formats::kAnyTag, 100, 2, 5);
  logs[0].at(1, 9).recv(1, formats::kAnyTag, 100, 1, 8);
  logs[0].at(1, 9).recv(kAny, 7, 100, 1, 7).at(1, 1).finalize();
  logs[1].at(20, 1).send(0, 7, 100).at(1, 1).send(0, 8, 100).at(1, 1).finalize();
  logs[2].at(20, 1).send(0, 5, 100).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  // Rank 0's first mark reserves 0 for rank 2's message and is 1. At 20 rank 1 sends tag 7: 2; at 22 tag 8:
  // 3, and rank 2 finalizes: 4; at 24 rank 1 does: 5.
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(task_lines(merged.trace, 1),
              ElementsAre("2 1 0 100 4 20 -1", "3 1 0 100 5 1 2", "5 1 1 0 1 1 3"));
  EXPECT_THAT(task_lines(merged.trace, 0),
              ElementsAre("1 0 0 0 0 10 -1", "6 0 0 0 2 1 0", "7 0 0 0 2 1 3", "8 0 0 0 2 1 2"));
}

TEST(MergeP2p, PostingOrderNotCompletionOrderDecides) {
  // Two equal receives, posted as requests 1 and 2, completed in reverse by two waits: the first posted takes
  // the first sent.
  auto logs = two();
  logs[0].at(10, 1).send(1, 0, 8).at(10, 1).send(1, 0, 16).at(1, 1).finalize();
  logs[1].at(1, 1).irecv(0, 0, 99, 1).at(1, 1).irecv(0, 0, 99, 2);
  logs[1]
      .at(1, 50)
      .complete({received(2, 0, 0, 16)})
      .at(1, 50)
      .complete({received(1, 0, 0, 8)})
      .at(1, 1)
      .finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 2);
  EXPECT_THAT(merged.report.warnings, IsEmpty());  // no size differs
  // The first wait enters at 1+1+1+1+1 = 5, its computing is the three gaps of 1: time 3. It waits for the
  // second message (id 0 reserved, mark 1); rank 0's first send gets 2.
  EXPECT_THAT(task_lines(merged.trace, 0),
              ElementsAre("2 0 1 8 4 10 -1", "0 0 1 16 5 10 2", "3 0 0 0 1 1 0"));
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("1 1 1 0 0 3 -1", "4 1 1 0 2 1 0", "5 1 1 0 2 1 2"));
}

TEST(MergeP2p, WaitallIsAChainOfMarks) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 1, 8).at(1, 1).send(1, 2, 8).at(1, 1).send(1, 3, 8).at(1, 1).finalize();
  // Receives of tags 1, 2, 3; a mixed Waitall over [send, 3, 1, 2] that takes from 107 to 207.
  logs[1].at(100, 1).irecv(0, 1, 8, 1).at(1, 1).irecv(0, 2, 8, 2).at(1, 1).irecv(0, 3, 8, 3);
  logs[1].at(2, 1).isend(0, 9, 4, 4);
  logs[1].at(3, 100).complete({sent(4), received(3, 0, 3, 8), received(1, 0, 1, 8), received(2, 0, 2, 8)});
  logs[1].at(4, 1).finalize();
  const Merged merged = merge_scripts(logs);
  ASSERT_EQ(merged.error, "");
  // Rank 0: ids 0, 1, 2; finalize 3. Rank 1: MPI_Isend after 100+1+1+2 of computing: id 4. Waitall: entry
  // mark 5 3 ns after the send, a mark for message 2, a mark for message 0, each with time 0; what follows
  // depends on 1.
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("4 1 0 4 4 104 -1", "5 1 1 0 1 3 4", "6 1 1 0 2 0 2",
                                                       "7 1 1 0 2 0 0", "8 1 1 0 2 4 1"));
  EXPECT_EQ(merged.report.faults, 1u);  // nobody receives tag 9
  EXPECT_EQ(execution_fault(merged.trace), "");
  const auto dropped = oracle(*merged.prepared);
  for (const std::int64_t difference : dropped[1]) EXPECT_LE(difference, 3);  // the Irecvs
}

TEST(MergeP2p, WaitOnSendsAloneLeavesNothing) {
  auto logs = two();
  logs[0].at(10, 1).isend(1, 0, 8, 1).at(5, 1000).complete({sent(1)}).at(7, 1).finalize();
  logs[1].at(10, 1).recv(0, 0, 8).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 1000);
  // The gaps 5 and 7 are computing; the wait's 1000 ns are not. Ids 1 and 2 are rank 1's marks at 10 and 12.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("0 0 1 8 4 10 -1", "3 0 0 0 1 12 0"));
}

TEST(MergeP2p, SendrecvIsASendAndAMark) {
  auto logs = two();
  logs[0].at(10, 50).sendrecv(1, 1, 8, 1, 2, 16).at(3, 1).finalize();
  logs[1].at(20, 50).sendrecv(0, 2, 16, 0, 1, 8).at(3, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  EXPECT_THAT(merged.body, ElementsAre("0 0 1 8 4 10 -1", "2 0 0 0 1 0 0", "1 1 0 16 4 20 -1",
                                       "3 1 1 0 1 0 1", "4 0 0 0 2 3 1", "5 1 1 0 2 3 0"));
}

TEST(MergeP2p, ProcNullIsNothing) {
  auto logs = two();
  const std::int32_t null = formats::kProcNull;
  logs[0].at(10, 5).send(null, 0, 8).at(10, 5).recv(null, 0, 8, null, formats::kAnyTag);
  logs[0]
      .at(10, 5)
      .sendrecv(null, 0, 8, 1, 0, 4)
      .at(10, 5)
      .isend(null, 0, 8, 1)
      .at(10, 5)
      .irecv(null, 0, 8, 2);
  logs[0].at(10, 5).complete({sent(1), received(2, null, formats::kAnyTag, 0)}).at(10, 1).finalize();
  logs[1].at(10, 5).send(0, 0, 4).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 15);
  // Left: the receive of the Sendrecv, 30 ns of computing from the start, and Finalize 40 ns of computing
  // after it.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("2 0 0 0 0 30 -1", "3 0 0 0 2 40 0"));
}

TEST(MergeP2p, PersistentRequestsMakeANewMessageAtEveryStart) {
  auto logs = two();
  logs[0].at(1, 1).send_init(1, 0, 8, 1).at(1, 1).send_init(1, 1, 8, 2);
  logs[1].at(1, 1).recv_init(0, 0, 8, 1).at(1, 1).recv_init(0, 1, 8, 2);
  for (int round = 0; round < 2; ++round) {
    logs[0].at(10, 4).start({1, 2}).at(1, 5).complete({sent(1), sent(2)});
    logs[1].at(10, 4).start({1, 2}).at(1, 50).complete({received(1, 0, 0, 8), received(2, 0, 1, 8)});
  }
  logs[0].at(1, 1).request_free(1).at(1, 1).finalize();
  logs[1].at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 10);
  // Rank 0: two sends per start, the second at once; then the gaps 1 (to the wait) and 10 to the next start;
  // the end: 1 + 1 + 1.
  EXPECT_THAT(task_lines(merged.trace, 0), ElementsAre("0 0 1 8 4 12 -1", "1 0 1 8 5 0 0", "3 0 1 8 5 11 1",
                                                       "4 0 1 8 5 0 3", "5 0 0 0 1 3 4"));
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("2 1 1 0 0 13 -1", "6 1 1 0 2 0 0", "7 1 1 0 2 11 1",
                                                       "8 1 1 0 2 0 3", "9 1 1 0 2 1 4"));
}

TEST(MergeP2p, CancelledAndFreedRequests) {
  auto logs = two();
  // Rank 0: a cancelled send; then three sends, the second for a receive that was freed.
  logs[0].at(10, 1).isend(1, 5, 8, 1).at(1, 1).cancel(1).at(1, 1).complete({cancelled(1, false)});
  logs[0].at(10, 1).send(1, 0, 8).at(1, 1).send(1, 0, 16).at(1, 1).send(1, 0, 32).at(1, 1).finalize();
  // Rank 1: a cancelled receive of tag 0, which takes nothing; then receives 1 and 3, and a freed one
  // between.
  logs[1].at(10, 1).irecv(0, 0, 99, 1).at(1, 1).cancel(1).at(1, 1).complete({cancelled(1, true)});
  logs[1].at(1, 9).recv(0, 0, 8).at(1, 1).irecv(0, 0, 16, 2).at(1, 1).request_free(2);
  logs[1].at(1, 9).recv(0, 0, 32).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 3);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(merged.report.warnings, IsEmpty());
  // The first send: 10 + 1 + 1 + 10 of computing, nothing of the cancelled one.
  const auto lines = task_lines(merged.trace, 0);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], HasSubstr(" 0 1 8 4 22 -1"));
  // Rank 1: marks of two receives and Finalize; 10+1+1+1 before the first, 3 between.
  const auto marks = task_lines(merged.trace, 1);
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_THAT(marks[0], HasSubstr("1 1 0 0 13 -1"));
  EXPECT_THAT(marks[1], HasSubstr("1 1 0 2 3 "));
}

TEST(MergeP2p, ProbeOfAMessageThatIsCancelledLater) {
  auto logs = two();
  logs[0].at(10, 1).isend(1, 5, 8, 1).at(1, 1).cancel(1).at(1, 1).request_free(1).at(1, 1).finalize();
  logs[1].at(2, 30).probe(0, 5, 0, 5, 8).at(4, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 30);  // the time in the probe: no message is left that it could wait for
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(merged.report.messages, 0u);
}

TEST(MergeP2p, FreedWildcardTakesWhatIsLeft) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 3, 8).at(1, 1).send(1, 4, 8).at(1, 1).finalize();
  logs[1].at(1, 1).irecv(kAny, formats::kAnyTag, 8, 1).at(1, 1).request_free(1).at(1, 40).recv(0, 3, 8);
  logs[1].at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 2);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(merged.report.warnings, ElementsAre(HasSubstr("1 receive with a wildcard and no status")));
}

TEST(MergeP2p, ProbeDependsOnTheMessageTheReceiveTakes) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 3, 8).at(1, 1).send(1, 3, 16).at(1, 1).finalize();
  logs[1].at(5, 20).recv(0, 3, 8);
  logs[1].at(2, 30).probe(kAny, formats::kAnyTag, 0, 3, 16).at(1, 1).recv(0, 3, 16).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  // First receive at 5: reserves 0, mark 1. Sends at 10 (0) and 12 (2); Finalize of rank 0 at 14 is 3. The
  // probe at 27 depends on the first receive, and both what follows it and the receive wait for message 2.
  EXPECT_THAT(task_lines(merged.trace, 1),
              ElementsAre("1 1 1 0 0 5 -1", "4 1 1 0 2 2 0", "5 1 1 0 2 1 2", "6 1 1 0 2 1 2"));
}

TEST(MergeP2p, MatchedProbeTakesTheMessageAtTheProbe) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 3, 8).at(1, 1).send(1, 3, 16).at(1, 1).finalize();
  // Mprobe takes the first; a plain receive gets the second; the matched receive comes last, as a request.
  logs[1].at(20, 5).mprobe(0, 3, 0, 3, 8, 77).at(1, 5).recv(0, 3, 16).at(1, 1).imrecv(9, 77);
  logs[1].at(1, 1).complete({received(9, 0, 3, 8)}).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 1);
  EXPECT_THAT(merged.report.warnings, IsEmpty());
  EXPECT_THAT(task_lines(merged.trace, 1),
              ElementsAre("3 1 1 0 0 20 -1", "4 1 1 0 2 1 0", "5 1 1 0 2 2 1", "6 1 1 0 2 1 0"));
}

TEST(MergeP2p, MatchedReceiveBlocking) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 3, 8).at(1, 1).finalize();
  logs[1].at(20, 5).mprobe(kAny, formats::kAnyTag, 0, 3, 8, 1).at(2, 5).mrecv(1, 0, 3, 8).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged);
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("2 1 1 0 0 20 -1", "3 1 1 0 2 2 0", "4 1 1 0 2 1 0"));
}

TEST(MergeP2p, ShortGapsOfPollsAreWaitingLongOnesComputing) {
  auto logs = two();
  logs[0].at(500, 1).send(1, 0, 8).at(1, 1).finalize();
  // Gap 10 before the first poll, 200 in polls, 300 between them close together, 40 far apart; then success.
  logs[1].at(5, 1).irecv(0, 0, 8, 1).at(10, 0).polls(200, 300, 40).at(7, 3).complete({received(1, 0, 0, 8)});
  logs[1].at(2, 50).pause().at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 501);
  // Computing before the successful test: 5 + 10 + 40 + 7. Before Finalize: 2 + 1; the pause of 50 is not
  // computing.
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("2 1 1 0 0 62 -1", "3 1 1 0 2 3 0"));
}

TEST(MergeP2p, SelfMessages) {
  std::vector<Script> logs = {Script(0, 1)};
  logs[0]
      .at(0, 9)
      .init()
      .at(1, 1)
      .in(formats::kCommSelf)
      .irecv(0, 0, 8, 1)
      .at(1, 1)
      .in(formats::kCommSelf)
      .send(0, 0, 8);
  logs[0].at(1, 1).complete({received(1, 0, 0, 8)}).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 1);
  EXPECT_THAT(merged.body, ElementsAre("0 0 0 8 4 2 -1", "1 0 0 0 1 1 0", "2 0 0 0 2 1 0"));
  EXPECT_EQ(merged.trace.communicators.size(), 1u);  // MPI_COMM_SELF is no C line
}

TEST(MergeP2p, UnmatchedCallsAreListedWithTheirReasons) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 5, 64).at(1, 1).send(1, 5, 32).at(1, 9).recv(1, 6, 4).at(1, 1).finalize();
  logs[1].at(10, 1).recv(0, 5, 64).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  ASSERT_EQ(merged.report.unmatched.size(), 2u);
  EXPECT_EQ(merged.report.faults, 2u);
  EXPECT_EQ(describe(merged.report.unmatched[0]),
            "rank 0, call 2: MPI_Send of 32 bytes to rank 1, tag 5, MPI_COMM_WORLD: send number 2 with this "
            "source and "
            "tag, but rank 1 made 1 receive for them");
  EXPECT_EQ(describe(merged.report.unmatched[1]),
            "rank 0, call 3: MPI_Recv of 4 bytes from rank 1, tag 6, MPI_COMM_WORLD: rank 1 made no send "
            "with this tag");
  // The unmatched send stays a message, the unmatched receive a mark on which nothing depends.
  EXPECT_THAT(task_lines(merged.trace, 0),
              ElementsAre("0 0 1 64 4 10 -1", "2 0 1 32 5 1 0", "4 0 0 0 1 1 2", "5 0 0 0 1 1 2"));
  EXPECT_EQ(execution_fault(merged.trace), "");
}

TEST(MergeP2p, TruncatedLogExcusesWhatItLacks) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 0, 8).at(1, 1).send(1, 0, 8).at(1, 1).recv(1, 1, 8).at(1, 1).finalize();
  logs[1].at(10, 5).recv(0, 0, 8).at(1, 1).irecv(0, 3, 8, 1).truncated();  // killed here
  const Merged merged = merge_scripts(logs);
  EXPECT_THAT(merged.report.truncated, ElementsAre(1));
  EXPECT_EQ(merged.report.faults, 0u);
  ASSERT_EQ(merged.report.unmatched.size(), 2u);
  EXPECT_EQ(merged.report.unmatched[0].why, "the log of rank 1 ends early");
  EXPECT_EQ(merged.report.unmatched[1].why, "the log of rank 1 ends early");
  EXPECT_EQ(merged.report.messages, 2u);
  EXPECT_THAT(merged.trace.metadata, testing::Contains(testing::Pair("truncated ranks", "1")));
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("1 1 1 0 0 10 -1"));  // no Finalize
  EXPECT_EQ(execution_fault(merged.trace), "");
}

TEST(MergeP2p, ReceiveNeverCompletedTakesItsMessage) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 0, 8).at(1, 1).send(1, 0, 16).at(1, 1).finalize();
  logs[1].at(10, 1).irecv(0, 0, 8, 1).at(1, 1).recv(0, 0, 16).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  expect_sound(merged, 1);
  EXPECT_EQ(merged.report.faults, 0u);
  EXPECT_THAT(merged.report.warnings, ElementsAre(HasSubstr("1 receive never completed")));
}

TEST(MergeP2p, SizesThatDifferAreReported) {
  auto logs = two();
  logs[0].at(10, 1).send(1, 0, 8).at(1, 1).finalize();
  logs[1].at(10, 1).recv(0, 0, 4).at(1, 1).finalize();
  EXPECT_THAT(merge_scripts(logs).report.warnings,
              ElementsAre(HasSubstr("1 message received with another size")));
}

TEST(MergeP2p, ContradictionsAreErrors) {
  auto logs = two();
  logs[0].at(10, 1).send(2, 0, 8);
  EXPECT_EQ(merge_scripts(logs).error,
            "rank0.vlog: event 1: destination 2; expected a rank of the communicator");
  logs = two();
  logs[0].at(10, 1).recv(kAny, 0, 8, 9, 0);
  EXPECT_EQ(merge_scripts(logs).error,
            "rank0.vlog: event 1: a message from 9; expected a rank of the communicator");
}

TEST(MergeP2p, WhatAHoleInTheLogLeavesIsNoted) {
  auto logs = two();
  logs[0].at(10, 1).complete({received(5, 1, 0, 8)}).at(1, 1).in(9).send(1, 0, 8).at(1, 1).finalize();
  logs[1].at(10, 1).send(0, 0, 8).at(1, 1).finalize();
  const Merged merged = merge_scripts(logs);
  EXPECT_THAT(merged.report.damage, ElementsAre(HasSubstr("request 5 completes, but nothing"),
                                                HasSubstr("communicator 9 is used, but nothing")));
  EXPECT_THAT(merged.report.damaged, ElementsAre(0));
  EXPECT_EQ(merged.report.faults, 0u);
  EXPECT_EQ(merged.report.unmatched.size(), 1u);  // rank 1's send, excused
}

}  // namespace
}  // namespace vef::merge
