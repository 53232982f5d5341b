// SPDX-License-Identifier: Apache-2.0
// Traces on the network: times by hand, real traces to completion, files, determinism.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "temporary_folder.h"
#include "test_traffic.h"
#include "vef/formats/validate.h"
#include "vef/replayer/results.h"

namespace vef::replayer {
namespace {

using ::testing::HasSubstr;

class Replay : public ::testing::Test {
 protected:
  std::shared_ptr<const formats::Trace> trace(const std::string& text) {
    const std::string path = folder_.file("t.vef");
    std::ofstream(path) << text;
    return load(path);
  }
  static std::shared_ptr<const formats::Trace> load(const std::string& path) {
    Result<formats::Trace> read = formats::read_trace(path);
    EXPECT_TRUE(read.ok()) << read.error().message;
    if (!read) std::abort();
    EXPECT_TRUE(formats::validate(*read).empty());
    return std::make_shared<const formats::Trace>(std::move(*read));
  }
  static tracelib::Player player_of(std::shared_ptr<const formats::Trace> t) {
    return tracelib::Player({{std::move(t), {}, 1.0, 0}}, {});
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  test_support::TemporaryFolder folder_;
};

// Task 0 computes 1000 ns and sends 1000 bytes to task 1, which computes 500 ns after their arrival and
// answers with 2000. Single switch, 400 Gb/s, two links of 15 ns: 1000 bytes take 30 + 20 ns, 2000 bytes 30 +
// 40 ns.
constexpr const char* kPingPong =
    "VEF3 2 2 1 0 0 0 1000\n"
    "C0 0 1\n"
    "0 0 1 1000 4 1000 -1\n"
    "1 1 0 2000 6 500 0\n";

TEST_F(Replay, TimesOfAPingPong) {
  auto player = player_of(trace(kPingPong));
  Simulation simulation = make(single_switch(2));
  std::vector<Picoseconds> arrivals;
  const auto results = run_replay(player, simulation, {"t.vef"},
                                  [&](const tracelib::Message&, Picoseconds t) { arrivals.push_back(t); });
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(arrivals, (std::vector<Picoseconds>{1'050'000, 1'620'000}));
  EXPECT_EQ(results->execution_time, 1'620'000);
  EXPECT_EQ(results->fct, (std::vector<Picoseconds>{50'000, 70'000}));
  EXPECT_DOUBLE_EQ(results->fct_statistics.mean, 60'000);
  EXPECT_EQ(results->fct_statistics.median, 50'000);
  EXPECT_EQ(results->fct_statistics.max, 70'000);
  EXPECT_DOUBLE_EQ(results->mean_hops, 2);
  // Four directions of two links: 20, 20, 40, 40 ns busy of 1620.
  EXPECT_NEAR(results->mean_utilisation, 30.0 / 1620, 1e-12);
  EXPECT_NEAR(results->max_utilisation, 40.0 / 1620, 1e-12);
  expect_conserved(simulation);
}

TEST_F(Replay, AMessageThatWaitsForItselfIsNamed) {
  // Each of the two waits for the other's message.
  auto player = player_of(trace("VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 10 6 0 1\n1 1 0 10 6 0 0\n"));
  Simulation simulation = make(single_switch(2));
  const auto results = run_replay(player, simulation, {"t.vef"});
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(results.error().message, HasSubstr("t.vef:3"));
}

TEST(Statistics, NearestRank) {
  const std::vector<Picoseconds> values = {10, 20, 30, 40};
  EXPECT_EQ(nearest_rank(values, 0), 10);
  EXPECT_EQ(nearest_rank(values, 0.5), 20);   // rank ceil(2)
  EXPECT_EQ(nearest_rank(values, 0.51), 30);  // rank ceil(2.04)
  EXPECT_EQ(nearest_rank(values, 0.99), 40);
  EXPECT_EQ(nearest_rank(values, 1), 40);
  EXPECT_EQ(nearest_rank({}, 0.5), 0);
}

/// A recorded trace on a ready network.
class RecordedTrace : public Replay,
                      public ::testing::WithParamInterface<std::tuple<const char*, const char*>> {};

TEST_P(RecordedTrace, RunsToItsEnd) {
  const auto& [file, network] = GetParam();
  const auto t = load(std::string(VEF_SOURCE_DIR "/tests/data/vef3/") + file + ".vef");
  const auto config = read_network_config(std::string(VEF_SOURCE_DIR "/networks/") + network + ".toml");
  ASSERT_TRUE(config.ok());
  auto player = player_of(t);
  Simulation simulation = make(*config);
  const auto results = run_replay(player, simulation, {file});
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(results->trace.records, t->records.size());
  EXPECT_EQ(results->network.delivered, results->trace.messages + results->trace.collective_messages);
  expect_conserved(simulation);
}

std::string trace_and_network(const ::testing::TestParamInfo<std::tuple<const char*, const char*>>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ready, RecordedTrace,
                         ::testing::Combine(::testing::Values("ring-4-send-recv-a", "ring-4-send-recv-b",
                                                              "collectives-4"),
                                            ::testing::Values("fat-tree-256-conf1", "fat-tree-256-conf2",
                                                              "megafly-288-conf1", "megafly-288-conf2")),
                         trace_and_network);

// 27.5 GiB in 3 to 7 million packets: seconds, but minutes with the sanitizers, which see nothing new in it.
#ifndef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Large, RecordedTrace,
                         ::testing::Combine(::testing::Values("allreduce-large-4"),
                                            ::testing::Values("fat-tree-256-conf1", "fat-tree-256-conf2",
                                                              "megafly-288-conf1", "megafly-288-conf2")),
                         trace_and_network);
#endif

TEST_F(Replay, ResultFilesAreCompleteAndTheSameEveryTime) {
  const std::string out = folder_.file("results");
  std::string first;
  for (int run = 0; run < 2; ++run) {
    auto player = player_of(trace(kPingPong));
    Simulation simulation = make(single_switch(2));
    auto files = ResultsDirectory::open(out, run == 0);
    ASSERT_TRUE(files.ok()) << files.error().message;
    std::ofstream(out + "/notes.txt") << "mine";
    const auto results =
        run_replay(player, simulation, {"t.vef"},
                   [&](const tracelib::Message& m, Picoseconds time) { files->add_message(m, time); });
    ASSERT_TRUE(results.ok());
    ASSERT_TRUE(files->finish(*results, simulation, {{"trace", "t.vef"}}));
    const std::string all =
        content(out + "/summary.json") + content(out + "/fct_cdf.csv") + content(out + "/links.csv");
    if (run == 0) {
      first = all;
      EXPECT_EQ(content(out + "/messages.csv"),
                "trace,src_task,dst_task,src_node,dst_node,bytes,operation,generated_ns,fct_ns\n"
                "0,0,1,0,1,1000,point-to-point,1000.000,50.000\n"
                "0,1,0,1,0,2000,point-to-point,1550.000,70.000\n");
    } else {
      EXPECT_EQ(all, first);
    }
  }
  EXPECT_EQ(content(out + "/fct_cdf.csv"), "share,fct_ns\n0.500000,50.000\n1.000000,70.000\n");
  EXPECT_THAT(content(out + "/links.csv"), HasSubstr("node 0,switch port 0,1,1000,20.000,0.012346,1000\n"));
  EXPECT_THAT(first, HasSubstr("\"execution_time_ps\": 1620000"));
  EXPECT_FALSE(std::filesystem::exists(out + "/messages.csv")) << "of an earlier run";
  EXPECT_EQ(content(out + "/notes.txt"), "mine");
}

TEST_F(Replay, AFileInTheWayOfTheDirectoryIsAnError) {
  std::ofstream(folder_.file("taken")) << "x";
  EXPECT_FALSE(ResultsDirectory::open(folder_.file("taken"), false));
}

}  // namespace
}  // namespace vef::replayer
