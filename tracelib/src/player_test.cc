// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <queue>

#include "vef/formats/validate.h"
#include "vef/tracelib/ideal_network.h"

namespace vef::tracelib {
namespace {

using formats::CollectiveOp;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::Trace;
using ::testing::HasSubstr;

/// A trace written in verbs; times in ns.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::int32_t tasks, formats::TraceVersion version = formats::TraceVersion::kVef3) {
    trace_.header.version = version;
    trace_.header.tasks = tasks;
    trace_.communicators.emplace_back();
    for (std::int32_t i = 0; i < tasks; ++i) trace_.communicators[0].push_back(i);
  }
  TraceBuilder& comm(std::vector<formats::TaskId> members) {
    trace_.communicators.push_back(std::move(members));
    return *this;
  }
  TraceBuilder& send(std::uint64_t id, int src, int dst, std::uint64_t bytes, DepKind dep, std::uint64_t time,
                     std::uint64_t on = 0) {
    return add({RecordKind::kMessage, dep, {}, false, src, dst, 0, id, bytes, 0, time, on});
  }
  TraceBuilder& answer(std::uint64_t id, int src, int dst, std::uint64_t bytes, std::uint64_t time,
                       std::uint64_t on) {
    return add({RecordKind::kMessage, DepKind::kReceive, {}, true, src, dst, 0, id, bytes, 0, time, on});
  }
  TraceBuilder& mark(std::uint64_t id, int task, DepKind dep, std::uint64_t time, std::uint64_t on = 0) {
    return add({RecordKind::kMark, dep, {}, false, task, task, 0, id, 0, 0, time, on});
  }
  TraceBuilder& coll(std::uint64_t id, CollectiveOp op, int task, std::uint64_t send_bytes,
                     std::uint64_t recv_bytes, DepKind dep, std::uint64_t time, std::uint64_t on = 0,
                     int comm = 0) {
    return add(
        {RecordKind::kCollective, dep, op, false, task, 0, comm, id, send_bytes, recv_bytes, time, on});
  }
  Trace build() {
    std::map<std::uint64_t, int> groups;
    trace_.header.communicators = trace_.communicators.size();
    for (const Record& r : trace_.records) {
      if (r.kind == RecordKind::kCollective) {
        ++groups[r.id];
        ++trace_.header.collective_records;
      } else {
        ++trace_.header.messages;
      }
    }
    trace_.header.collectives = groups.size();
    return trace_;
  }

 private:
  TraceBuilder& add(Record r) {
    trace_.records.push_back(r);
    trace_.lines.push_back(trace_.records.size() + 2);
    return *this;
  }
  Trace trace_;
};

Player make_player(const Trace& trace, Expansion expansion = Expansion::kN, double compute_scale = 1.0) {
  return Player({{std::make_shared<const Trace>(trace), {}, compute_scale, 0}}, {expansion});
}

/// A network in which every message takes `latency`; returns what was handed out.
struct Seen {
  Message message;
  Picoseconds at;
};
std::vector<Seen> run_with_latency(Player& player, Picoseconds latency) {
  std::vector<Seen> seen;
  std::queue<std::pair<Picoseconds, std::uint64_t>> wire;
  Picoseconds now = 0;
  while (!player.done()) {
    while (auto m = player.next(now)) {
      seen.push_back({*m, now});
      wire.emplace(now + latency, m->id);
    }
    const Picoseconds arrival = wire.empty() ? kNever : wire.front().first;
    const Picoseconds due = player.next_time();
    if (arrival == kNever && due == kNever) break;
    now = std::min(arrival, due);
    while (!wire.empty() && wire.front().first == now) {
      player.delivered(wire.front().second, now);
      wire.pop();
    }
  }
  return seen;
}

constexpr auto kNone = DepKind::kIndependent;
constexpr auto kSend = DepKind::kSend;
constexpr auto kRecv = DepKind::kReceive;
constexpr auto kColl = DepKind::kCollective;

// Task 0 asks at 100 ns for data of task 1, which computes until 1000 ns; with latency 5 ns the question
// arrives at 105, the data leave at once (107 where the answer takes 2 ns) and arrive at 110 (112). Task 0's
// mark of 150 waits for nothing, its next one comes 10 ns after. Task 1's own records do not notice: 1000,
// then 20 more.
TEST(PlayerTest, AnswersGoTheirOwnWay) {
  for (const std::uint64_t delay : {0u, 2u}) {
    TraceBuilder builder(2, formats::TraceVersion::kVef4);
    builder.send(0, 0, 1, 0, kNone, 100).answer(1, 1, 0, 4096, delay, 0).mark(2, 0, kSend, 50, 0);
    builder.send(3, 0, 1, 8, kRecv, 10, 1).send(4, 1, 0, 16, kNone, 1000).mark(5, 1, kSend, 20, 4);
    const Trace trace = builder.build();
    EXPECT_TRUE(formats::validate(trace).empty());
    Player player = make_player(trace);
    const auto seen = run_with_latency(player, 5'000);
    ASSERT_TRUE(player.done());
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[0].at, 100'000);
    EXPECT_EQ(seen[1].message.bytes, 4096u);
    EXPECT_EQ(seen[1].message.src_task, 1);
    EXPECT_EQ(seen[1].at, 105'000 + static_cast<Picoseconds>(delay) * 1'000);
    EXPECT_EQ(seen[2].at, 160'000);  // the mark at 150 came after the data
    EXPECT_EQ(seen[3].at, 1'000'000);
    EXPECT_EQ(player.last_time(), 1'020'000);
  }
}

// The question of an answer is sent by a task that waits for the answer first.
TEST(PlayerTest, AnAnswerThatNobodyAsksForIsNamed) {
  TraceBuilder builder(2, formats::TraceVersion::kVef4);
  builder.mark(2, 0, kNone, 0).send(0, 0, 1, 0, kRecv, 0, 1).answer(1, 1, 0, 64, 0, 0);
  Player player = make_player(builder.build());
  run_with_latency(player, 5'000);
  EXPECT_FALSE(player.done());
  const auto stuck = player.stuck(10);
  ASSERT_EQ(stuck.size(), 2u);
  EXPECT_THAT(stuck[0].what, HasSubstr("waits for the arrival of record 1"));
  EXPECT_THAT(stuck[1].what,
              HasSubstr("record 1 (line 5) of task 1 cannot fire: it waits for the arrival of record 0"));
  EXPECT_THAT(stuck[1].what, HasSubstr("cycle of 2 records"));
}

// Task 0: send at 100 ns, enter the receive 10 ns after; task 1: enter the receive at 50 ns, answer 20 ns
// after the arrival. With latency 5 ns: 0->1 at 100, arrives 105, answer at 125, arrives 130; finalize mark
// of 0 at 130 + 7.
TEST(PlayerTest, PingPongFollowsTheExecutionRule) {
  const Trace trace = TraceBuilder(2)
                          .send(0, 0, 1, 8, kNone, 100)
                          .mark(1, 1, kNone, 50)
                          .mark(2, 0, kSend, 10, 0)
                          .send(3, 1, 0, 8, kRecv, 20, 0)
                          .mark(4, 0, kRecv, 7, 3)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_TRUE(player.done());
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].at, 100'000);
  EXPECT_EQ(seen[1].at, 125'000);
  EXPECT_EQ(player.last_time(), 137'000);
  EXPECT_EQ(player.counts().messages, 2u);
  EXPECT_EQ(player.counts().message_bytes, 16u);
  EXPECT_EQ(player.counts().records, 5u);
}

// A message that arrived long before the wait does not move the record that follows the wait: t =
// max(t(wait), arrival). 0 sends at 0; 1 computes 500 ns, waits (mark at 500), then sends 30 ns later: 530.
TEST(PlayerTest, AnEarlyArrivalDoesNotDelayTheWaiter) {
  const Trace trace = TraceBuilder(2)
                          .send(0, 0, 1, 8, kNone, 0)
                          .mark(1, 1, kNone, 500)
                          .send(2, 1, 0, 8, kRecv, 30, 0)
                          .build();
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].at, 530'000);
}

TEST(PlayerTest, ATaskComputesOrWaits) {
  // Task 0 computes 50 ns and sends; task 1 enters its receive at 10 ns, waits for 40, computes 5 and
  // answers, which task 0, in its receive since 70 ns, does not wait for: it has been there since 55. It
  // computes 7 more.
  const Trace trace = TraceBuilder(2)
                          .mark(1, 1, DepKind::kIndependent, 10)
                          .send(0, 0, 1, 8, DepKind::kIndependent, 50)
                          .send(2, 1, 0, 8, DepKind::kReceive, 5, 0)
                          .mark(3, 0, DepKind::kSend, 20, 0)
                          .mark(4, 0, DepKind::kReceive, 7, 2)
                          .build();
  Player player = make_player(trace);
  ASSERT_TRUE(run_on_ideal_network(player).finished);
  const auto times = player.task_times(0);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].computing, 77'000);
  EXPECT_EQ(times[0].waiting, 0);
  EXPECT_EQ(times[0].end, 77'000);
  EXPECT_EQ(times[1].computing, 15'000);
  EXPECT_EQ(times[1].waiting, 40'000);
  EXPECT_EQ(times[1].end, 55'000);
}

// Waitall of two receives whose messages leave at 300 and 100: mark at 0, mark (dep first) time 0, then a
// send 10 ns after the second: max(305, 105) + 10 with latency 5.
TEST(PlayerTest, WaitallChainWaitsForTheLatest) {
  const Trace trace = TraceBuilder(3)
                          .send(0, 1, 0, 8, kNone, 300)
                          .send(1, 2, 0, 8, kNone, 100)
                          .mark(2, 0, kNone, 0)
                          .mark(3, 0, kRecv, 0, 0)
                          .send(4, 0, 1, 8, kRecv, 10, 1)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2].at, 315'000);
}

// Barrier by stars, latency 5: last task enters at 200, its message to 0 arrives 205, the release at 210;
// each task then marks 1 ns after its own completion: task 0 at 206, the others at 211.
TEST(PlayerTest, ABarrierEndsAfterTheLastEntry) {
  TraceBuilder b(4);
  for (int i = 0; i < 4; ++i) b.coll(0, CollectiveOp::kBarrier, i, 0, 0, kNone, i == 3 ? 200 : 10);
  for (int i = 0; i < 4; ++i) b.mark(static_cast<std::uint64_t>(i), i, kColl, 1, 0);
  const Trace trace = b.build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  EXPECT_TRUE(player.done());
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(player.last_time(), 211'000);
  EXPECT_EQ(player.counts().collective_messages, 6u);
}

// A non-blocking all-reduce is a G record that the next record does not depend on: task 0 sends at 20 + 5
// although task 1 enters only at 1000; the later COLLECTIVE dependency waits for the end.
TEST(PlayerTest, ANonBlockingCollectiveDoesNotBlock) {
  const Trace trace = TraceBuilder(2)
                          .coll(0, CollectiveOp::kAllreduce, 0, 8, 8, kNone, 20)
                          .send(0, 0, 1, 4, kNone, 25)
                          .coll(0, CollectiveOp::kAllreduce, 1, 8, 8, kNone, 1000)
                          .mark(1, 0, kSend, 2, 0)
                          .mark(2, 0, kColl, 3, 0)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_TRUE(player.done());
  EXPECT_EQ(seen[0].at, 25'000);
  // Task 1's contribution leaves at 1000, arrives 1005 at task 0 (root of the reduction), which is then done:
  // 1005 + 3; the broadcast reaches task 1 at 1010.
  EXPECT_EQ(player.last_time(), 1'010'000);
}

// Communicator {3, 1}: rank 0 is task 3. The broadcast's root is the task that sends, task 1.
TEST(PlayerTest, SubCommunicatorsUseWorldRanks) {
  const Trace trace = TraceBuilder(4)
                          .comm({3, 1})
                          .coll(0, CollectiveOp::kBroadcast, 1, 64, 0, kNone, 10, 0, 1)
                          .coll(0, CollectiveOp::kBroadcast, 3, 0, 64, kNone, 10, 0, 1)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].message.src_task, 1);
  EXPECT_EQ(seen[0].message.dst_task, 3);
  EXPECT_EQ(seen[0].message.bytes, 64u);
}

// VEF without program order: t = event + time only. Record 1 (SEND 0) fires at 100 + 10 although record 2,
// later in the file, is independent at 5.
TEST(PlayerTest, OldFilesKnowNoProgramOrder) {
  const Trace trace = TraceBuilder(2, formats::TraceVersion::kVef)
                          .send(0, 0, 1, 8, kNone, 100)
                          .send(1, 0, 1, 8, kSend, 10, 0)
                          .send(2, 0, 1, 8, kNone, 5)
                          .send(3, 1, 0, 8, kRecv, 1, 1)
                          .build();
  Player player = make_player(trace);
  const auto seen = run_with_latency(player, 5'000);
  ASSERT_TRUE(player.done());
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].at, 5'000);
  EXPECT_EQ(seen[1].at, 100'000);
  EXPECT_EQ(seen[2].at, 110'000);
  EXPECT_EQ(seen[3].at, 116'000);
}

TEST(PlayerTest, ComputeScaleStretchesTheDelays) {
  const Trace trace = TraceBuilder(2).send(0, 0, 1, 8, kNone, 100).send(1, 0, 1, 8, kSend, 10, 0).build();
  Player player = make_player(trace, Expansion::kN, 2.5);
  const auto seen = run_with_latency(player, 0);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].at, 250'000);
  EXPECT_EQ(seen[1].at, 275'000);
}

TEST(PlayerTest, MappingAndSeveralTraces) {
  const auto trace = std::make_shared<const Trace>(TraceBuilder(2).send(0, 0, 1, 8, kNone, 100).build());
  Player player({{trace, {7, 9}, 1.0, 0}, {trace, {9, 9}, 1.0, 1'000'000}}, {});
  const auto seen = run_with_latency(player, 1);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].message.src_node, 7);
  EXPECT_EQ(seen[0].message.dst_node, 9);
  EXPECT_EQ(seen[1].message.trace, 1);
  EXPECT_EQ(seen[1].message.src_node, seen[1].message.dst_node);
  EXPECT_EQ(seen[1].at, 1'100'000);
}

// Each task first waits for the other's message: nobody can send.
TEST(PlayerTest, ACycleIsNamed) {
  const Trace trace = TraceBuilder(2)
                          .mark(0, 0, kNone, 1)
                          .send(1, 0, 1, 8, kRecv, 1, 3)
                          .mark(2, 1, kNone, 1)
                          .send(3, 1, 0, 8, kRecv, 1, 1)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const IdealRun run = run_on_ideal_network(player);
  EXPECT_FALSE(run.finished);
  ASSERT_EQ(run.stuck.size(), 2u);
  EXPECT_EQ(run.stuck[0].line, 4u);
  EXPECT_EQ(run.stuck[0].what,
            "record 1 (line 4) of task 0 cannot fire: it waits for the arrival of record 3 (line 6), which "
            "task 1 has not "
            "sent; the dependencies form a cycle of 2 records");
}

TEST(PlayerTest, ATaskThatWaitsForACollectiveNobodyElseEntersIsNamed) {
  const Trace trace = TraceBuilder(2)
                          .coll(0, CollectiveOp::kBarrier, 0, 0, 0, kNone, 1)
                          .send(0, 0, 1, 8, kColl, 1, 0)
                          .mark(1, 1, kNone, 1)
                          .coll(0, CollectiveOp::kBarrier, 1, 0, 0, kRecv, 1, 0)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const IdealRun run = run_on_ideal_network(player);
  EXPECT_FALSE(run.finished);
  ASSERT_EQ(run.stuck.size(), 2u);
  EXPECT_THAT(run.stuck[0].what,
              HasSubstr("it waits for collective G0, which task 1 has not entered: G0 (line 6) of task 1"));
  EXPECT_THAT(run.stuck[0].what, HasSubstr("cycle of 2 records"));
}

// Many operations in flight at once, late entries, early arrivals: conservation holds and both expansions
// finish.
TEST(PlayerTest, OverlappingCollectivesAllFinish) {
  for (Expansion expansion : {Expansion::kN, Expansion::kLogN}) {
    TraceBuilder b(7);
    for (std::uint64_t g = 0; g < 40; ++g) {
      const auto op = static_cast<CollectiveOp>(g % 8);
      for (int i = 0; i < 7; ++i) {
        std::uint64_t send = 100, recv = 100;
        const bool root = i == static_cast<int>(g % 7);
        if (op == CollectiveOp::kBroadcast) send = root ? 100 : 0, recv = root ? 0 : 100;
        if (op == CollectiveOp::kScatter) send = root ? 700 : 0;
        if (op == CollectiveOp::kReduce) send = root ? 0 : 100, recv = root ? 100 : 0;
        if (op == CollectiveOp::kGather) recv = root ? 700 : 0;
        if (op == CollectiveOp::kAllgather) recv = 700;
        if (op == CollectiveOp::kBarrier) send = recv = 0;
        if (op == CollectiveOp::kAlltoall) recv = 0;
        b.coll(g, op, i, send, recv, kNone, g * static_cast<std::uint64_t>(i + 1));
      }
    }
    for (int i = 0; i < 7; ++i) b.mark(static_cast<std::uint64_t>(i), i, kColl, 0, 39);
    const Trace trace = b.build();
    ASSERT_TRUE(formats::validate(trace).empty());
    Player player = make_player(trace, expansion);
    const auto seen = run_with_latency(player, 777);
    EXPECT_TRUE(player.done());
    EXPECT_EQ(player.counts().delivered, seen.size());
    EXPECT_EQ(player.counts().records, trace.records.size());
  }
}

// 1000 independent records of one task at 10^13 ns each: absolute times, so the trace ends at 10^13 ns =
// 10^16 ps, far below 2^63 ps, although their sum is beyond it.
TEST(PlayerTest, AbsoluteTimesDoNotAddUp) {
  for (auto version : {formats::TraceVersion::kVef, formats::TraceVersion::kVef3}) {
    TraceBuilder b(2, version);
    for (std::uint64_t i = 0; i < 1000; ++i) b.send(i, 0, 1, 8, kNone, 10'000'000'000'000);
    const Trace trace = b.build();
    ASSERT_TRUE(formats::validate(trace).empty());
    Player player = make_player(trace);
    const IdealRun run = run_on_ideal_network(player);
    EXPECT_TRUE(run.finished);
    EXPECT_EQ(run.time, 10'000'000'000'000'000);
  }
}

// 5 * 10^15 ns at task 0, as much again at task 1 after the arrival: each fits into 63 bits of picoseconds,
// their sum, 10^19 ps, does not.
TEST(PlayerTest, ARecordBeyondSimulatedTimeIsNamed) {
  const Trace trace = TraceBuilder(2)
                          .send(0, 0, 1, 10, kNone, 5'000'000'000'000'000)
                          .send(1, 1, 0, 10, kRecv, 5'000'000'000'000'000, 0)
                          .build();
  ASSERT_TRUE(formats::validate(trace).empty());
  Player player = make_player(trace);
  const IdealRun run = run_on_ideal_network(player);
  EXPECT_FALSE(run.finished);
  ASSERT_EQ(run.stuck.size(), 1u);
  EXPECT_EQ(run.stuck[0].line, 4u);
  EXPECT_THAT(run.stuck[0].what,
              HasSubstr("record 1 (line 4) of task 1 would fire later than simulated time can say"));
}

TEST(PlayerTest, ByteCountsDoNotWrap) {
  TraceBuilder b(2);
  for (std::uint64_t i = 0; i < 3; ++i) b.send(i, 0, 1, ~std::uint64_t{0} >> 1, kNone, 0);
  const Trace trace = b.build();
  Player player = make_player(trace);
  EXPECT_EQ(run_on_ideal_network(player).point_to_point.bytes, ~std::uint64_t{0});
}

TEST(PlayerTest, AnArrivalReportedTwiceIsIgnored) {
  const Trace trace = TraceBuilder(2).send(0, 0, 1, 8, kNone, 0).build();
  Player player = make_player(trace);
  const auto m = player.next(0);
  ASSERT_TRUE(m.has_value());
  player.delivered(m->id, 1);
  player.delivered(m->id, 2);
  EXPECT_TRUE(player.done());
  EXPECT_EQ(player.counts().delivered, 1u);
}

}  // namespace
}  // namespace vef::tracelib
