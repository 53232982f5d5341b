// SPDX-License-Identifier: Apache-2.0
#include "peer_balance.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "vef/tracelib/ideal_network.h"

namespace vef::tracelib {
namespace {

TEST(PeerBalanceTest, CountsLikeAMapForSmallAndLargeCommunicators) {
  std::mt19937 random(1);
  PeerBalance balance;
  for (std::int32_t size :
       {1, 7, 256, 257, 100'000, 5000, 40, 5000}) {  // the same object again: nothing may remain
    balance.reset(size);
    std::map<std::int32_t, std::int32_t> expected;
    for (int i = 0; i < 3000; ++i) {
      const auto peer = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(size));
      const std::int32_t change = random() % 2 == 0 ? 1 : -1;
      balance[peer] += change;
      expected[peer] += change;
    }
    for (const auto& [peer, value] : expected) ASSERT_EQ(balance[peer], value);
  }
}

/// A trace of one collective of `tasks` tasks, 24 bytes each.
std::shared_ptr<const formats::Trace> one_collective(formats::TaskId tasks, formats::CollectiveOp op) {
  auto trace = std::make_shared<formats::Trace>();
  trace->header.tasks = tasks;
  trace->communicators.emplace_back();
  for (formats::TaskId i = 0; i < tasks; ++i) {
    trace->communicators[0].push_back(i);
    formats::Record record;
    record.kind = formats::RecordKind::kCollective;
    record.op = op;
    record.task = i;
    record.send_bytes = 24;
    record.recv_bytes = op == formats::CollectiveOp::kAlltoall ? 0 : 24;
    trace->records.push_back(record);
  }
  return trace;
}

// 200 ranks, more than PeerBalance keeps densely. Open MPI 4.1.4: an all-reduce of 24 bytes is a binomial
// reduce and a binary-tree broadcast, 199 messages each; an all-gather of 24 bytes is Bruck's, 8 rounds of
// 200; an all-to-all of 24 bytes is Bruck's too.
TEST(PlayerTest, RunsTheLibrariesAlgorithmsInLargeCommunicators) {
  const auto messages = [](formats::CollectiveOp op, Expansion expansion = Expansion::kOpenMpi) {
    Player player({{one_collective(300, op), {}, 1.0, 0}}, {expansion});
    const IdealRun run = run_on_ideal_network(player);
    EXPECT_TRUE(run.finished);
    return run.counts.collective_messages;
  };
  EXPECT_EQ(messages(formats::CollectiveOp::kAllreduce), 598u);
  EXPECT_EQ(messages(formats::CollectiveOp::kAllgather), 2700u);
  EXPECT_EQ(messages(formats::CollectiveOp::kAlltoall), 2700u);
  EXPECT_EQ(messages(formats::CollectiveOp::kAlltoall, Expansion::kN), 300u * 299u);
}

}  // namespace
}  // namespace vef::tracelib
