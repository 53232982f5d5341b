// SPDX-License-Identifier: Apache-2.0
// GOAL schedules as VEF traces and VEF traces as GOAL schedules. The expected records and schedules are
// worked out by hand from the rules at the top of goal_records.cc and goal_trace_writer.cc.
#include <map>

#include "test_traces.h"

namespace vef::neighbours {
namespace {

using testing::brief;
using testing::briefs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kinds_of;
using testing::NeighbourTest;
using testing::read_file;

class GoalTraceTest : public NeighbourTest {
 protected:
  std::string to_text(std::string_view trace) {
    conversion_ = convert_file(file("in.vef", trace), "out.goal");
    return read_file(path("out.goal"));
  }
  Conversion conversion_;
};

TEST_F(GoalTraceTest, ComputingAndWaitingBecomeTimesAndMarks) {
  // Message 0 leaves at 5. Task 1 waits for it, computes 20, answers with 2; task 0 waits for that,
  // computes 7.
  const formats::Trace trace = read(file("a.goal",
                                         "num_ranks 2\n"
                                         "rank 0 {\nl1: calc 5\nl2: send 10b to 1 tag 3\nl2 requires l1\n"
                                         "l3: recv 4b from 1\nl4: calc 7\nl4 requires l3\nl4 requires l2\n"
                                         "l5: send 2b to 1 tag 1\nl5 requires l4\n}\n"
                                         "rank 1 {\nl1: recv 10b from 0 tag 3\nl2: calc 20\nl2 requires l1\n"
                                         "l3: send 4b to 0\nl3 requires l2\nl4: recv 2b from 0 tag 1\n}\n"));
  EXPECT_THAT(briefs(trace, 0),
              ElementsAre("m0 0>1 10B =5", "mark 0 +0 s0", "m4 0>1 2B +7 r2", "mark 0 +0 s4"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =0", "m2 1>0 4B +20 r0", "mark 1 +0 s2"));
  EXPECT_EQ(trace.header.messages, 7U);
  EXPECT_EQ(trace.header.tasks, 2);
  EXPECT_FALSE(trace.header.only_send_deps);
  EXPECT_THAT(kinds_of(losses_), ElementsAre("2 tags are not kept"));
  EXPECT_EQ(trace.lines.front(), 4U);
}

TEST_F(GoalTraceTest, OrderOfWaitsIsOneThatCanBeExecuted) {
  // Rank 0 names the receive first whose message comes last: in the order of the file both would wait for
  // ever.
  const formats::Trace trace = read(file("a.goal",
                                         "num_ranks 2\n"
                                         "rank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n"
                                         "c: recv 1b from 1 tag 1\nd: send 1b to 1 tag 1\nd requires c\n}\n"
                                         "rank 1 {\na: recv 1b from 0 tag 1\nb: send 1b to 0\nb requires a\n"
                                         "c: send 1b to 0 tag 1\nd: recv 1b from 0\n}\n"));
  EXPECT_THAT(briefs(trace, 0),
              ElementsAre("mark 0 =0", "m2 0>1 1B +0 r0", "mark 0 +0 s2", "m6 0>1 1B +0 r4", "mark 0 +0 s6"));
  EXPECT_THAT(briefs(trace, 1),
              ElementsAre("m0 1>0 1B =0", "mark 1 +0 s0", "m4 1>0 1B +0 r2", "mark 1 +0 s4"));
}

TEST_F(GoalTraceTest, WhatAReceiveWaitsForIsWaitedFor) {
  // What needs the second receive needs the first, too, whose message comes later.
  const formats::Trace trace = read(file("a.goal",
                                         "num_ranks 2\n"
                                         "rank 0 {\na: recv 1b from 1 tag 1\nb: recv 1b from 1 tag 2\n"
                                         "c: calc 5\nb requires a\nc requires b\n}\n"
                                         "rank 1 {\ns: send 1b to 0 tag 2\nt: calc 100\n"
                                         "u: send 1b to 0 tag 1\nu requires t\n}\n"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("m0 1>0 1B =0", "m1 1>0 1B +100 s0", "mark 1 +0 s1"));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("mark 0 =0", "mark 0 +0 r1", "mark 0 +5 r0"));
}

TEST_F(GoalTraceTest, WildcardsTakeWhatAnIdealNetworkBringsFirst) {
  // At 3 a message with tag 9 comes, which only the second receive can take; at 10 one with tag 5 for the
  // first.
  const formats::Trace trace = read(file("a.goal",
                                         "num_ranks 3\n"
                                         "rank 0 {\na: recv 1b from -1 tag 5\nb: recv 1b from -1 tag -1\n"
                                         "c: calc 4\nc requires a\nc requires b\n}\n"
                                         "rank 1 {\na: calc 10\nb: send 1b to 0 tag 5\nb requires a\n}\n"
                                         "rank 2 {\na: calc 3\nb: send 1b to 0 tag 9\nb requires a\n}\n"));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("mark 0 =0", "mark 0 +0 r2", "mark 0 +4 r0"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("m2 1>0 1B =10", "mark 1 +0 s2"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("2 receives take what an ideal network brings them first", "2 tags are not kept"));
}

TEST_F(GoalTraceTest, CalculationsBesideTheOthersAreClocks) {
  const formats::Trace trace =
      read(file("a.goal",
                "num_ranks 2\n"
                "rank 0 {\na: send 1b to 1\nb: calc 100 cpu 1\nc: send 2b to 1 tag 1\n"
                "c requires b\nc irequires a\n}\n"
                "rank 1 {\nrecv 1b from 0\nrecv 2b from 0 tag 1\n}\n"));
  EXPECT_THAT(briefs(trace, 0),
              ElementsAre("m0 0>1 1B =0", "mark 0 =100", "m2 0>1 2B +0 s0", "mark 0 +0 s2"));
}

TEST_F(GoalTraceTest, TooLittleIsKeptAndSaid) {
  (void)read(file("a.goal",
                  "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2 cpu 1\nb requires a\n"
                  "send 1b to 0 nic 1\n}\n"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("1 network interfaces are not kept",
                          "1 operations on further processors are done in one order with the others",
                          "1 sends are kept that no receive takes"));
}

TEST_F(GoalTraceTest, RecordsBecomeAGraph) {
  EXPECT_EQ(to_text("VEF3 2 7 1 0 0 0 1000\n"
                    "C0 0 1\n"
                    "0 0 1 10 4 5 -1\n"
                    "1 1 1 0 0 3 -1\n"
                    "2 1 0 4 6 20 0\n"
                    "3 0 0 0 1 0 0\n"
                    "4 0 1 2 6 7 2\n"
                    "5 0 0 0 1 1 4\n"
                    "6 1 1 0 0 50 -1\n"),
            "num_ranks 2\n\n"
            "rank 0 {\n"
            "l1: calc 5\n"
            "l2: send 10b to 1 tag 0\nl2 requires l1\n"
            "l3: recv 4b from 1 tag 1\n"
            "l4: calc 7\nl4 irequires l2\nl4 requires l3\n"
            "l5: send 2b to 1 tag 2\nl5 requires l4\n"
            "l6: calc 1\nl6 irequires l5\n"
            "}\n\n"
            "rank 1 {\n"
            "l1: recv 10b from 0 tag 0\n"
            "l2: calc 3\n"
            "l3: calc 20\nl3 requires l1\nl3 requires l2\n"
            "l4: send 4b to 0 tag 1\nl4 requires l3\n"
            "l5: recv 2b from 0 tag 2\n"
            "l6: calc 50 cpu 1\n"  // the clock begins at 0
            "l7: calc 0\nl7 irequires l4\nl7 requires l6\n"
            "}\n");
  EXPECT_EQ(conversion_.records, 7U);
  EXPECT_THAT(conversion_.losses.kinds(), IsEmpty());
}

TEST_F(GoalTraceTest, AnswersLeaveBesideTheTask) {
  // Message 1 is what the interface of task 1 sends 3 ns after message 0 has come.
  EXPECT_EQ(to_text("VEF4 2 2 1 0 0 0 1000\n"
                    "C0 0 1\n"
                    "0 0 1 0 4 0 -1\n"
                    "1 1 0 64 14 3 0\n"),
            "num_ranks 2\n\n"
            "rank 0 {\n"
            "l1: send 0b to 1 tag 0\n"
            "l2: recv 64b from 1 tag 1\n"
            "}\n\n"
            "rank 1 {\n"
            "l1: recv 0b from 0 tag 0\n"
            "l2: calc 3 cpu 2\nl2 requires l1\n"
            "l3: send 64b to 0 tag 1 cpu 2\nl3 requires l2\n"
            "}\n");
}

constexpr std::string_view kBarrier =
    "VEF3 2 2 1 1 2 0 1000\n"
    "C0 0 1\n"
    "G0 C0 6 0 0 0 0 4 -1\n"
    "G0 C0 6 1 0 0 0 6 -1\n"
    "0 0 0 0 3 2 G0\n"
    "1 1 1 0 3 0 G0\n";

TEST_F(GoalTraceTest, CollectivesAreExpanded) {
  // Both send to each other and receive, in one round.
  options_.expand = [](const WholeCollective& call, std::int32_t rank, std::vector<CollectiveStep>& steps) {
    EXPECT_EQ(call.op, formats::CollectiveOp::kBarrier);
    steps = {{1 - rank, true, false, 0}, {1 - rank, false, true, 0}};
  };
  EXPECT_EQ(to_text(kBarrier),
            "num_ranks 2\n\n"
            "rank 0 {\n"
            "l1: calc 4\n"
            "l2: send 0b to 1 tag 0\nl2 requires l1\n"
            "l3: recv 0b from 1 tag 0\n"
            "l4: calc 0\nl4 irequires l2\nl4 requires l3\n"
            "l5: calc 2\nl5 requires l1\nl5 requires l4\n"
            "}\n\n"
            "rank 1 {\n"
            "l1: calc 6\n"
            "l2: send 0b to 0 tag 0\nl2 requires l1\n"
            "l3: recv 0b from 0 tag 0\n"
            "l4: calc 0\nl4 irequires l2\nl4 requires l3\n"
            "l5: calc 0\nl5 requires l1\nl5 requires l4\n"
            "}\n");
  EXPECT_THAT(kinds_of(conversion_.losses),
              ElementsAre("2 parts in collectives are written as the messages they are made of"));
}

TEST_F(GoalTraceTest, WhoPassesOnHasEnteredAndHasReceived) {
  // A chain of three: the middle one receives in its first round and sends in its second.
  options_.expand = [](const WholeCollective&, std::int32_t rank, std::vector<CollectiveStep>& steps) {
    if (rank > 0) steps.push_back({rank - 1, false, true, 0});  // its size is that of the send
    if (rank < 2) steps.push_back({rank + 1, true, true, 8});
  };
  const std::string text = to_text(
      "VEF3 3 0 1 1 3 1 1000\nC0 0 1 2\n"
      "G7 C0 0 0 8 0 0 0 -1\nG7 C0 0 1 0 8 0 9 -1\nG7 C0 0 2 0 8 0 0 -1\n");
  EXPECT_THAT(text, HasSubstr("rank 1 {\n"
                              "l1: calc 9\n"
                              "l2: recv 8b from 0 tag 0\n"
                              "l3: send 8b to 2 tag 0\nl3 requires l1\nl3 requires l2\n"
                              "l4: calc 0\nl4 irequires l3\n"
                              "}\n"));
}

TEST_F(GoalTraceTest, FaultsOfTracesAreNamed) {
  const auto fault = [&](std::string_view trace) {
    const auto conversion = convert(file("in.vef", trace), path("o.goal"), "", "", options_);
    if (conversion) return std::string("nothing");
    const std::string& text = conversion.error().message;
    return text.substr(text.find("o.goal"));
  };
  EXPECT_EQ(fault(kBarrier), "o.goal: GOAL knows no collectives; expected a way to expand them");
  EXPECT_EQ(fault("VEF3 2 1 1 0 0 0 1000\nC0 0 1\n0 0 1 1 6 0 9\n"),
            "o.goal: task 0 waits for a message to it, 9, which does not exist; `vef check` says more");
  EXPECT_EQ(fault("VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 1 4 0 -1\n0 0 1 1 4 0 -1\n"),
            "o.goal: task 0 has twice a message it sends, 0; expected different ids");
  options_.expand = [](const WholeCollective&, std::int32_t, std::vector<CollectiveStep>&) {};
  EXPECT_EQ(fault("VEF3 2 0 1 1 1 1 1000\nC0 0 1\nG3 C0 6 0 0 0 0 0 -1\n"),
            "o.goal: G3: 1 members take no part; `vef check` says more");
}

/// The records of each task, messages named by their sender and place there instead of ids.
std::map<formats::TaskId, std::vector<std::string>> without_ids(const formats::Trace& trace) {
  std::map<formats::TaskId, std::vector<std::string>> tasks;
  std::map<std::uint64_t, std::string> names;
  std::map<formats::TaskId, std::size_t> places;
  for (const formats::Record& r : trace.records)
    names[r.id] = std::to_string(r.task) + "." + std::to_string(places[r.task]++);
  for (const formats::Record& r : trace.records) {
    formats::Record plain = r;
    plain.id = plain.dep_id = 0;
    tasks[r.task].push_back(brief(plain) +
                            (r.dep == formats::DepKind::kIndependent ? "" : " of " + names.at(r.dep_id)));
  }
  return tasks;
}

TEST_F(GoalTraceTest, CapturedTracesComeBackAsTheyWere) {
  for (const char* name : {"ring-4-send-recv-a.vef", "ring-4-send-recv-b.vef"}) {
    const std::string original = formats::testing::test_data(std::string("vef3/") + name);
    convert_file(original, "a.goal");
    convert_file(path("a.goal"), "b.bin");
    convert_file(path("b.bin"), "c.vef");
    EXPECT_EQ(without_ids(read(path("c.vef"))), without_ids(read(original))) << name;
  }
}

}  // namespace
}  // namespace vef::neighbours
