// SPDX-License-Identifier: Apache-2.0
// Worlds that meet: who is who, what matches across them, and when they begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_checks.h"
#include "test_script.h"

namespace vef::merge {
namespace {

using formats::kAnySource;
using formats::kAnyTag;
using formats::MpiCall;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// A rank that leaves MPI_Init at `time`.
Script begun(formats::TaskId rank, std::int32_t world, std::uint64_t time) {
  Script script(rank, world, 0, time - 100);
  script.at(0, 100).init();
  return script;
}

/// MPI_Intercomm_merge of communicator 2 to 3, and a reduction there.
void merge_groups(Script& log, const std::vector<formats::RankRun>& members) {
  log.at(1, 1).as(MpiCall::kIntercommMerge).comm_create(2, 3, members, formats::kCommOtherWorlds);
  log.at(1, 1).in(3).collective(MpiCall::kAllreduce, 8, 8);
}

TEST(MergeWorlds, TwoParentsSpawnThreeChildren) {
  // The parents leave MPI_Init at 1000 and call MPI_Comm_spawn from 1010 to 2010, in which the children
  // start.
  std::vector<Script> parents = {begun(0, 2, 1000), begun(1, 2, 1000)};
  std::vector<Script> children = {begun(0, 3, 1900), begun(1, 3, 1900), begun(2, 3, 1900)};
  parents[0].at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 2}}, {{2, 1, 3}}, "./child");
  parents[1].at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 2}}, {{2, 1, 3}});
  for (Script& child : children) child.at(0, 1).parents(2, {{0, 1, 3}}, {{3, 1, 2}});
  parents[0].at(5, 1).in(2).send(2, 7, 64);
  children[2].at(20, 5).in(2).recv(0, 7, 64);
  children[1].at(30, 1).in(2).send(1, 8, 32);
  parents[1].at(5, 1).in(2).recv(kAnySource, kAnyTag, 32, 1, 8);
  for (Script& parent : parents) merge_groups(parent, {{0, 1, 5}});
  for (Script& child : children) merge_groups(child, {{3, 1, 2}, {0, 1, 3}});
  for (auto* logs : {&parents, &children}) {
    for (Script& log : *logs) log.at(1, 1).finalize();
  }
  const auto merged = merge_worlds({{"J", "", parents}, {"K", "J", children}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(merged.report.warnings, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{3, 1, 32}, {0, 4, 64}}));
  // All, both sides of the spawn, and those that were merged to one group.
  const std::vector<formats::TaskId> all = {0, 1, 2, 3, 4};
  EXPECT_THAT(merged.trace.communicators, ElementsAre(all, all, all));
  // Numbers are given in the order of starts: 0 is the end of task 2, which has least to do; the receive of
  // task 4, at 1921, names its message 1 and is 2; the send to task 1 is 3, the ends of tasks 4 and 3 are 4
  // and 5, the receive of task 1 is 6. Barriers: the spawn G0, the merge G1; the reduction is G2.
  EXPECT_THAT(task_lines(merged.trace, 0),
              ElementsAre("G0 C1 6 0 0 0 0 10 -1", "1 0 4 64 7 5 G0", "G1 C1 6 0 0 0 1 1 1",
                          "G2 C2 2 0 8 8 3 1 G1", "7 0 0 0 3 1 G2"));
  // A child begins with the end of the spawn, and what it computes counts from there.
  EXPECT_THAT(task_lines(merged.trace, 3),
              ElementsAre("G0 C1 6 3 0 0 0 0 -1", "3 3 1 32 7 30 G0", "G1 C1 6 3 0 0 1 1 3",
                          "G2 C2 2 3 8 8 3 1 G1", "5 3 3 0 3 1 G2"));
  EXPECT_THAT(task_lines(merged.trace, 4), Contains("2 4 4 0 3 20 G0"));
  EXPECT_THAT(merged.trace.metadata,
              Contains(Pair("worlds",
                            "0: tasks 0-1, run.0; 1: tasks 2-4, run.1, spawned by task 0 (MPI_Comm_spawn "
                            "of ./child)")));
  ASSERT_EQ(merged.report.worlds.size(), 2u);
  EXPECT_EQ(merged.report.worlds[1].first_task, 2);
  EXPECT_EQ(merged.report.worlds[1].tasks, 3);
}

TEST(MergeWorlds, EachWorldsCommWorldIsItsOwn) {
  std::vector<Script> parent = {begun(0, 1, 1000)};
  std::vector<Script> children = {begun(0, 2, 1900), begun(1, 2, 1900)};
  parent[0].at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 2}}, "./child");
  // The children never ask who spawned them; they send to each other.
  children[0].at(5, 1).send(1, 3, 16).at(1, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  children[1].at(5, 1).recv(0, 3, 16).at(1, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  parent[0].at(1, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  const auto merged = merge_worlds({{"J", "", parent}, {"K", "J", children}});
  expect_sound(merged, 10000);
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{1, 2, 16}}));
  EXPECT_THAT(merged.trace.communicators,
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0), ElementsAre(1, 2), ElementsAre(0, 1, 2)));
  EXPECT_EQ(merged.prepared->comms.name(0), "MPI_COMM_WORLD");
  EXPECT_EQ(merged.prepared->comms.name(2), "MPI_COMM_WORLD of world 1");
}

/// Two ranks that accept and one that connects, which left MPI_Init 300 ns later.
std::vector<WorldScripts> served(std::uint64_t late) {
  std::vector<Script> server = {begun(0, 2, 1000), begun(1, 2, 1000)};
  std::vector<Script> client = {begun(0, 1, 1000 + late)};
  server[0].at(10, 2000).meet(MpiCall::kCommAccept, 2, {{0, 1, 2}}, {{2, 1, 1}}, "port 1");
  server[1].at(10, 2000).meet(MpiCall::kCommAccept, 2, {{0, 1, 2}}, {{2, 1, 1}});
  client[0].at(40, 1500).meet(MpiCall::kCommConnect, 2, {{0, 1, 1}}, {{1, 1, 2}}, "port 1");
  client[0].at(7, 1).in(2).send(1, 4, 100);
  server[1].at(7, 1).in(2).recv(0, 4, 100);
  client[0].at(1, 1).in(2).collective(MpiCall::kBcast, 50, 0, formats::kRootHere);
  for (Script& log : server) log.at(1, 1).in(2).collective(MpiCall::kBcast, 0, 50, 0);
  client[0].at(1, 1).finalize();
  for (Script& log : server) log.at(1, 1).finalize();
  return {{"A", "", server}, {"B", "", client}};
}

TEST(MergeWorlds, JobsThatMeetAtAPort) {
  const auto merged = merge_worlds(served(300));
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{2, 1, 100}}));
  // The client began 300 later, and connected after 40.
  EXPECT_THAT(task_lines(merged.trace, 2)[0], "G0 C1 6 2 0 0 0 340 -1");
  EXPECT_THAT(task_lines(merged.trace, 0)[0], "G0 C1 6 0 0 0 0 10 -1");
  EXPECT_THAT(task_lines(merged.trace, 2)[1], "0 2 1 100 7 7 G0");
  // The broadcast of the client to the two: over the root and the other group.
  EXPECT_THAT(merged.trace.communicators,
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1, 2), ElementsAre(2, 0, 1)));
  EXPECT_THAT(merged.trace.metadata,
              Contains(Pair("worlds",
                            "0: tasks 0-1, run.0; 1: task 2, run.1, met world 0 (MPI_Comm_accept), began "
                            "300 ns later")));
}

TEST(MergeWorlds, TheOrderOfTheWorldsIsThatOfTheirTasksNotOfTheirTimes) {
  auto worlds = served(300);
  std::swap(worlds[0], worlds[1]);
  const auto merged = merge_worlds(worlds);
  expect_sound(merged, 10000);
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 2, 100}}));
  EXPECT_THAT(task_lines(merged.trace, 0)[0], "G0 C1 6 0 0 0 0 340 -1");
}

TEST(MergeWorlds, OnlyOneSideIsThere) {
  // An inter-communicator to a spawned process, and the intra-communicator merged from it.
  const auto merged = merge_scripts(all_ranks(2, [](std::int32_t rank, Script& log) {
    log.meet(MpiCall::kCommSpawn, 2, {{0, 1, 2}}, {{2, 1, 1}}, rank == 0 ? "./child" : "");
    log.in(2).send(0, 1, 50).in(2).recv(kAnySource, 1, 60, 0, 1);
    log.as(MpiCall::kIntercommMerge).comm_create(2, 3, {{0, 1, 3}}, formats::kCommOtherWorlds);
    log.in(3).irecv(2, 1, 8, 1).in(3).send(2, 1, 70).complete({received(1, 2, 1, 8)});
    log.in(3).collective(MpiCall::kBarrier, 0, 0);
    // Among themselves.
    if (rank == 0) log.at(10, 1).in(3).send(1, 1, 8);
    if (rank == 1) log.at(10, 1).in(3).recv(0, 1, 8);
  }));
  ASSERT_EQ(merged.error, "");
  EXPECT_EQ(execution_fault(merged.trace), "");
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 1, 8}}));
  EXPECT_THAT(
      merged.report.warnings,
      AllOf(
          Contains(
              "4 messages of 240 bytes to and 4 receives from processes of another world, by ranks 0-1: not "
              "written"),
          Contains("MPI_Comm_spawn of ./child by rank 0: its process is not among the worlds merged")));
}

/// A parent that spawns one process twice, from 1010 to 2010 and from 2020 to 3020, and sends 100 bytes to
/// the first and 200 to the second.
Script spawns_twice() {
  Script parent = begun(0, 1, 1000);
  parent.at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child");
  parent.at(10, 1000).meet(MpiCall::kCommSpawn, 3, {{0, 1, 1}}, {{2, 1, 1}}, "./child");
  parent.at(1, 1).in(2).send(0, 1, 100).at(1, 1).in(3).send(0, 1, 200).at(1, 1).finalize();
  return parent;
}

Script spawned_at(std::uint64_t time, std::uint64_t bytes) {
  Script child = begun(0, 1, time);
  child.at(0, 1).parents(2, {{0, 1, 1}}, {{1, 1, 1}}).at(5, 1).in(2).recv(0, 1, bytes).at(1, 1).finalize();
  return child;
}

TEST(MergeWorlds, TwoSpawnsOfTheSameCommand) {
  // The later child is the first world of the two.
  const auto merged = merge_worlds({{"J", "", {spawns_twice()}},
                                    {"K2", "J", {spawned_at(2900, 200)}},
                                    {"K1", "J", {spawned_at(1900, 100)}}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged),
            (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 2, 100}, {0, 1, 200}}));
  EXPECT_THAT(merged.report.warnings, IsEmpty());
}

TEST(MergeWorlds, ClocksThatDifferChangeNothingWhileAllAreThere) {
  // Both children's host is 50000 behind; their order is kept.
  const auto merged = merge_worlds({{"J", "", {spawns_twice()}},
                                    {"K2", "J", {spawned_at(502900, 200)}},
                                    {"K1", "J", {spawned_at(501900, 100)}}});
  EXPECT_EQ(all_messages(merged),
            (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 2, 100}, {0, 1, 200}}));
}

TEST(MergeWorlds, OneOfTwoSpawnedWorldsIsMissing) {
  const auto merged = merge_worlds({{"J", "", {spawns_twice()}}, {"K2", "J", {spawned_at(2900, 200)}}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 1, 200}}));
  EXPECT_THAT(merged.report.warnings, Contains(HasSubstr("1 messages of 100 bytes to and 0 receives")));
}

TEST(MergeWorlds, ASpawnedWorldSpawns) {
  // Rank 0 spawns one process, that one spawns two, and sends to the second of them.
  Script parent = begun(0, 1, 1000);
  parent.at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child").at(1, 1).finalize();
  Script child = begun(0, 1, 1900);
  child.at(3, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 2}}, "./grandchild");
  child.at(4, 1).in(2).send(1, 0, 11).at(1, 1).finalize();
  std::vector<Script> grandchildren = {begun(0, 2, 2700), begun(1, 2, 2700)};
  for (Script& log : grandchildren) log.at(0, 1).parents(2, {{0, 1, 2}}, {{2, 1, 1}});
  grandchildren[1].at(1, 1).in(2).recv(0, 0, 11);
  for (Script& log : grandchildren) log.at(1, 1).finalize();
  const auto merged = merge_worlds({{"J", "", {parent}}, {"K", "J", {child}}, {"L", "K", grandchildren}});
  expect_sound(merged, 10000);
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{1, 3, 11}}));
  // 0 is the end of task 0, 1 that of task 2; the receive of task 3 names the message 2 and is 3, its end 4.
  EXPECT_THAT(task_lines(merged.trace, 1), ElementsAre("G0 C1 6 1 0 0 0 0 -1", "G1 C2 6 1 0 0 3 3 G0",
                                                       "2 1 3 11 7 4 G1", "5 1 1 0 1 1 2"));
  EXPECT_THAT(task_lines(merged.trace, 2)[0], "G1 C2 6 2 0 0 0 0 -1");
  EXPECT_THAT(merged.trace.communicators,
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(0, 1), ElementsAre(1, 2, 3)));
}

TEST(MergeWorlds, ParentsOfTwoWorldsSpawnTogether) {
  // Worlds A (1) and B (1) meet and merge; on the merged communicator they spawn one process, which sends to
  // B.
  const auto side = [](MpiCall call, formats::RankRun own_first, formats::RankRun second) {
    Script log = begun(0, 1, 1000);
    log.at(10, 500).meet(call, 2, {{0, 1, 1}}, {{1, 1, 1}}, "port");
    log.at(1, 1)
        .as(MpiCall::kIntercommMerge)
        .comm_create(2, 3, {own_first, second}, formats::kCommOtherWorlds);
    log.at(1, 1000).in(3).meet(MpiCall::kCommSpawn, 4, {own_first, second}, {{2, 1, 1}}, "./child");
    return log;
  };
  Script a = side(MpiCall::kCommAccept, {0, 1, 1}, {1, 1, 1});
  Script b = side(MpiCall::kCommConnect, {1, 1, 1}, {0, 1, 1});
  b.at(1, 1).in(4).recv(0, 0, 9);
  Script child = begun(0, 1, 2400);
  child.at(0, 1).parents(2, {{0, 1, 1}}, {{1, 1, 2}}).at(6, 1).in(2).send(1, 0, 9);
  for (Script* log : {&a, &b, &child}) log->at(1, 1).finalize();
  const auto merged = merge_worlds({{"A", "", {a}}, {"B", "", {b}}, {"C", "A", {child}}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{2, 1, 9}}));
  // Accept and connect, their merge, and the spawn: the child begins when all three are there.
  EXPECT_THAT(task_lines(merged.trace, 2)[0], "G2 C2 6 2 0 0 0 0 -1");
}

TEST(MergeWorlds, ProcessesThatAThirdWorldIntroduces) {
  // B meets A (communicator 2) and C (3), and MPI_Intercomm_create over B joins A with B and C: A sees C for
  // the first time there.
  Script a = begun(0, 1, 1000);
  a.at(10, 500).meet(MpiCall::kCommAccept, 2, {{0, 1, 1}}, {{1, 1, 1}}, "a");
  a.at(1, 3000).as(MpiCall::kIntercommCreate).comm_create(0, 3, {{0, 1, 1}}, 5, {{1, 1, 1}, {2, 1, 1}});
  a.at(1, 1).in(3).send(1, 0, 77);
  Script b = begun(0, 1, 1000);
  b.at(10, 500).meet(MpiCall::kCommConnect, 2, {{0, 1, 1}}, {{1, 1, 1}}, "a");
  b.at(10, 500).meet(MpiCall::kCommAccept, 3, {{0, 1, 1}}, {{2, 1, 1}}, "c");
  b.at(1, 1)
      .as(MpiCall::kIntercommMerge)
      .comm_create(3, 4, {{0, 1, 1}, {2, 1, 1}}, formats::kCommOtherWorlds);
  b.at(1, 1000).as(MpiCall::kIntercommCreate).comm_create(4, 5, {{0, 1, 1}, {2, 1, 1}}, 5, {{1, 1, 1}});
  Script c = begun(0, 1, 1000);
  c.at(10, 1000).meet(MpiCall::kCommConnect, 2, {{0, 1, 1}}, {{1, 1, 1}}, "c");
  c.at(1, 1)
      .as(MpiCall::kIntercommMerge)
      .comm_create(2, 3, {{1, 1, 1}, {0, 1, 1}}, formats::kCommOtherWorlds);
  c.at(1, 1000).as(MpiCall::kIntercommCreate).comm_create(3, 4, {{1, 1, 1}, {0, 1, 1}}, 5, {{2, 1, 1}});
  c.at(1, 1).in(4).recv(0, 0, 77);
  for (Script* log : {&a, &b, &c}) log->at(1, 1).finalize();
  const auto merged = merge_worlds({{"A", "", {a}}, {"B", "", {b}}, {"C", "", {c}}});
  ASSERT_EQ(merged.error, "");
  EXPECT_EQ(execution_fault(merged.trace), "");
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 2, 77}}));
}

TEST(MergeWorlds, JoinsAreToldApartByTheirSockets) {
  // Rank 0 joins with world 1, then with world 2; the ends of the latter's socket name it.
  Script a = begun(0, 1, 1000);
  a.at(10, 100).in(1).meet(MpiCall::kCommJoin, 2, {{0, 1, 1}}, {{1, 1, 1}}, "h:1 h:5");
  a.at(10, 100).in(1).meet(MpiCall::kCommJoin, 3, {{0, 1, 1}}, {{2, 1, 1}}, "h:1 h:4");
  a.at(1, 1).in(2).send(0, 0, 5).at(1, 1).in(3).send(0, 0, 4);
  const auto joining = [](const std::string& ends, std::uint64_t bytes) {
    Script log = begun(0, 1, 1000);
    log.at(10, 100).in(1).meet(MpiCall::kCommJoin, 2, {{0, 1, 1}}, {{1, 1, 1}}, ends);
    return log.at(1, 1).in(2).recv(0, 0, bytes).at(1, 1).finalize();
  };
  a.at(1, 1).finalize();
  const auto merged =
      merge_worlds({{"A", "", {a}}, {"B", "", {joining("h:4 h:1", 4)}}, {"C", "", {joining("h:5 h:1", 5)}}});
  expect_sound(merged, 10000);
  EXPECT_EQ(all_messages(merged), (std::vector<std::tuple<int, int, std::uint64_t>>{{0, 2, 5}, {0, 1, 4}}));
}

TEST(MergeWorlds, SocketsWithoutAddressesCanOnlyBeTheOnlyOnes) {
  const auto joining = [](std::int32_t joins) {
    Script log = begun(0, 1, 1000);
    for (std::int32_t i = 0; i < joins; ++i) {
      log.at(10, 100).in(1).meet(MpiCall::kCommJoin, 2 + static_cast<std::uint32_t>(i), {{0, 1, 1}},
                                 {{1 + i, 1, 1}});
    }
    return log.at(1, 1).finalize();
  };
  EXPECT_THAT(merge_worlds({{"A", "", {joining(1)}}, {"B", "", {joining(1)}}}).report.warnings, IsEmpty());
  EXPECT_THAT(merge_worlds({{"A", "", {joining(2)}}, {"B", "", {joining(1)}}}).report.warnings,
              ElementsAre("MPI_Comm_join by rank 0: the other side is not among the worlds merged (2 times)",
                          "MPI_Comm_join by rank 1: the other side is not among the worlds merged"));
}

TEST(MergeWorlds, AWorldThatEndsEarly) {
  // The child is killed before it receives the second message.
  Script parent = begun(0, 1, 1000);
  parent.at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child");
  parent.at(1, 1).in(2).send(0, 1, 100).at(1, 1).in(2).send(0, 1, 100).at(1, 1).finalize();
  Script child = begun(0, 1, 1900);
  child.at(0, 1).parents(2, {{0, 1, 1}}, {{1, 1, 1}}).at(5, 1).in(2).recv(0, 1, 100).truncated();
  const auto merged = merge_worlds({{"J", "", {parent}}, {"K", "J", {child}}});
  expect_sound(merged, 10000);
  EXPECT_EQ(merged.report.faults, 0u);
  EXPECT_THAT(merged.report.truncated, ElementsAre(1));
  ASSERT_EQ(merged.report.unmatched.size(), 1u);
  EXPECT_EQ(merged.report.unmatched[0].why, "the log of rank 1 ends early");
  EXPECT_THAT(merged.report.endings, ElementsAre(HasSubstr("rank 1: killed, or still running; last call 2")));
}

TEST(MergeWorlds, MeetingsInDamagedLogsNeverCrash) {
  // A spawn over a communicator that nothing makes, and one whose group misses the caller.
  Script unknown = begun(0, 1, 1000);
  unknown.at(10, 1000)
      .in(7)
      .meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child")
      .at(1, 1)
      .finalize();
  Script without = begun(0, 1, 1000);
  without.at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{2, 1, 1}}, {{1, 1, 1}}, "./child").at(1, 1).finalize();
  for (const Script& parent : {unknown, without}) {
    const auto merged = merge_worlds({{"J", "", {parent}}, {"K", "J", {spawned_at(1900, 8)}}});
    EXPECT_EQ(merged.error.empty() ? execution_fault(merged.trace) : "", "");
  }
}

TEST(MergeWorlds, WindowsReachAcross) {
  // On the merged communicator each of the two puts to the other between fences.
  Script parent = begun(0, 1, 1000);
  parent.at(10, 1000).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child");
  Script child = begun(0, 1, 1900);
  child.at(0, 1).parents(2, {{0, 1, 1}}, {{1, 1, 1}});
  parent.as(MpiCall::kIntercommMerge).comm_create(2, 3, {{0, 1, 2}}, formats::kCommOtherWorlds);
  child.as(MpiCall::kIntercommMerge).comm_create(2, 3, {{1, 1, 1}, {0, 1, 1}}, formats::kCommOtherWorlds);
  std::int32_t target = 1;
  for (Script* log : {&parent, &child}) {
    log->win_create(3, 1).sync(MpiCall::kWinFence, 1).at(1, 1).rma(MpiCall::kPut, 1, target--, 24, 0);
    log->sync(MpiCall::kWinFence, 1).win_free(3, 1).finalize();
  }
  const auto merged = merge_worlds({{"J", "", {parent}}, {"K", "J", {child}}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.report.unmatched, IsEmpty());
  EXPECT_THAT(all_messages(merged),
              testing::UnorderedElementsAre(std::tuple(0, 1, 24u), std::tuple(1, 0, 24u)));
}

TEST(MergeWorlds, WorldsThatNeverMetStandSideBySide) {
  const auto merged = merge_worlds({{"A", "", {begun(0, 1, 1000).at(5, 1).finalize()}},
                                    {"B", "", {begun(0, 1, 2000).at(5, 1).finalize()}}});
  expect_sound(merged, 10000);
  EXPECT_THAT(merged.body, ElementsAre("0 0 0 0 0 5 -1", "1 1 1 0 0 1005 -1"));
}

}  // namespace
}  // namespace vef::merge
