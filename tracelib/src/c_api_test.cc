// SPDX-License-Identifier: Apache-2.0
// The interfaces for C, on a network that takes 1 us for every message.
//
// The trace: task 0 sends at 5 ns; task 1 enters its receive at 100 ns and answers 3 ns after the arrival. So
// the first message arrives at 1,005 ns and the second, sent at 1,008 ns, at 2,008 ns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <queue>

#include "temporary_folder.h"
#include "vef/tracelib/TraceManager.h"
#include "vef/tracelib/vef_player.h"

namespace {

constexpr const char* kExchange =
    "VEF3 2 3 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 5 -1\n1 1 1 0 0 100 -1\n2 1 0 32 6 3 0\n";
// Both wait for a message that only the other's would release.
constexpr const char* kDeadlock = "VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 64 6 5 1\n1 1 0 64 6 5 0\n";

class CApi : public testing::Test {
 protected:
  std::string write(const char* name, const char* text) {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  vef::test_support::TemporaryFolder folder_;
};

TEST_F(CApi, PlaysATrace) {
  const std::string file = write("t.vef", kExchange);
  const std::int32_t mapping[] = {7, 3};
  const vef_played_trace trace{file.c_str(), mapping, 2, 1.0, 0};
  char error[200] = "?";
  vef_player* const player = vef_player_open(&trace, 1, "n", error, sizeof error);
  ASSERT_NE(player, nullptr) << error;
  EXPECT_STREQ(error, "");
  EXPECT_EQ(vef_player_tasks(player, 0), 2);
  EXPECT_EQ(vef_player_tasks(player, 1), -1);
  constexpr std::int64_t kLatency = 1'000'000;
  std::queue<std::pair<std::int64_t, vef_message>> wire;
  std::vector<vef_message> seen;
  std::int64_t now = 0;
  while (vef_player_done(player) == 0 && now != VEF_NEVER) {
    vef_message message;
    while (vef_player_next(player, now, &message) != 0) {
      wire.emplace(now + kLatency, message);
      seen.push_back(message);
    }
    now = std::min(vef_player_next_time(player), wire.empty() ? VEF_NEVER : wire.front().first);
    for (; !wire.empty() && wire.front().first == now; wire.pop())
      vef_player_delivered(player, wire.front().second.id, now);
  }
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].time, 5'000);
  EXPECT_EQ(std::make_pair(seen[0].src_node, seen[0].dst_node), std::make_pair(7, 3));
  EXPECT_EQ(seen[0].bytes, 64U);
  EXPECT_EQ(seen[0].op, -1);
  EXPECT_EQ(seen[1].time, 1'008'000);
  EXPECT_EQ(std::make_pair(seen[1].src_task, seen[1].dst_task), std::make_pair(1, 0));
  EXPECT_EQ(vef_player_last_time(player), 2'008'000);
  vef_player_close(player);
}

TEST_F(CApi, SaysWhatIsWrong) {
  const std::string file = write("t.vef", kExchange);
  const std::int32_t mapping[] = {0, 1, 2};
  const auto fault = [](const vef_played_trace& trace, const char* expansion) {
    char error[200] = "";
    EXPECT_EQ(vef_player_open(&trace, 1, expansion, error, sizeof error), nullptr);
    return std::string(error);
  };
  EXPECT_EQ(fault({"/nowhere", nullptr, 0, 1.0, 0}, "n"), "/nowhere: cannot open: No such file or directory");
  EXPECT_EQ(fault({file.c_str(), mapping, 3, 1.0, 0}, "n"), file + ": a mapping of 3 tasks; expected 2");
  EXPECT_NE(fault({file.c_str(), nullptr, 0, 1.0, 0}, "m"), "");
  EXPECT_NE(fault({file.c_str(), nullptr, 0, -1.0, 0}, "n"), "");
  const std::string broken = write("b.vef", "VEF3 1 1 1 0 0 0 1000\nC0 0\n0 0 0 8 6 1 4\n");
  EXPECT_EQ(fault({broken.c_str(), nullptr, 0, 1.0, 0}, "n").rfind(broken + ":3: ", 0), 0U);
  // Cut off, and closed all the same.
  char small[8];
  const vef_played_trace nowhere{"/nowhere", nullptr, 0, 1.0, 0};
  EXPECT_EQ(vef_player_open(&nowhere, 1, "n", small, sizeof small), nullptr);
  EXPECT_STREQ(small, "/nowher");
  EXPECT_EQ(vef_player_open(&nowhere, 1, "n", nullptr, 0), nullptr);
}

TEST_F(CApi, NamesWhoWaitsForWhat) {
  const std::string file = write("t.vef", kDeadlock);
  const vef_played_trace trace{file.c_str(), nullptr, 0, 1.0, 0};
  vef_player* const player = vef_player_open(&trace, 1, "n", nullptr, 0);
  ASSERT_NE(player, nullptr);
  vef_message message;
  EXPECT_EQ(vef_player_next(player, 0, &message), 0);
  EXPECT_EQ(vef_player_next_time(player), VEF_NEVER);
  EXPECT_EQ(vef_player_done(player), 0);
  char text[1000];
  EXPECT_EQ(vef_player_stuck(player, text, sizeof text), 2U);
  EXPECT_EQ(std::count(text, text + std::strlen(text), '\n'), 2);
  vef_player_close(player);
}

/// The loop of the original's hosts. Returns the cycles until the end.
long run_cycles(conf_t& conf, long latency, std::vector<msg_t>& seen) {
  EXPECT_EQ(init_MultipleTraceManager(&conf), 0);
  std::queue<std::pair<long, msg_t>> wire;
  long cycle = 0;
  while (isTraceComplete() == 0) {
    while (areMsgstoGet() != 0) {
      msg_t msg;
      getMsgTrace(&msg);
      seen.push_back(msg);
      wire.emplace(cycle + latency, msg);
    }
    for (; !wire.empty() && wire.front().first == cycle; wire.pop())
      ReceiveTraceMsg(wire.front().second.dst, wire.front().second.id);
    ++cycle;
    clock_tictac();
  }
  return cycle;
}

conf_t conf_of(const std::string& file) {
  conf_t conf{};
  conf.simNodes = 4;
  conf.number_of_traces = 1;
  std::strncpy(conf.filename, file.c_str(), sizeof conf.filename - 1);
  return conf;
}

TEST_F(CApi, CountsCyclesAsTheOriginalsHosts) {
  std::vector<msg_t> seen;
  conf_t conf = conf_of(write("t.vef", kExchange));
  // The last message arrives in cycle 2,008, after which the clock goes on once.
  EXPECT_EQ(run_cycles(conf, 1000, seen), 2009);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].src, 0);
  EXPECT_EQ(seen[0].dst, 1);
  EXPECT_EQ(seen[0].size, 64);
  EXPECT_EQ(seen[1].size, 32);
  EXPECT_EQ(isTraceStuck(), 0);

  // Cycles of 10 ns, 100 of them for a message: sent in cycle 1 (10 ns), there in 101 (1,010 ns); the answer
  // is due at 1,013 ns, leaves in cycle 102, and is there in 202.
  seen.clear();
  conf.use_simulator_clock_instead_of_factorTime = 1;
  conf.cycle_picoseconds = 10'000;
  EXPECT_EQ(run_cycles(conf, 100, seen), 203);
}

TEST_F(CApi, RunsSeveralTracesFromAList) {
  const std::string file = write("t.vef", kExchange);
  conf_t conf = conf_of(write("list", (file + "\n" + file + "\n").c_str()));
  conf.number_of_traces = 2;
  std::vector<msg_t> seen;
  EXPECT_EQ(run_cycles(conf, 1000, seen), 2009);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[1].src, 2);  // the second trace has the nodes 2 and 3
  EXPECT_EQ(seen[1].dst, 3);
  conf.number_of_traces = 3;
  EXPECT_NE(init_MultipleTraceManager(&conf), 0);
  conf.number_of_traces = 2;
  conf.simNodes = 3;
  EXPECT_NE(init_MultipleTraceManager(&conf), 0);
}

TEST_F(CApi, EndsWhereNothingCanHappenAnyMore) {
  conf_t conf = conf_of(write("t.vef", kDeadlock));
  std::vector<msg_t> seen;
  EXPECT_EQ(run_cycles(conf, 1, seen), 0);
  EXPECT_EQ(isTraceStuck(), 1);
}

}  // namespace
