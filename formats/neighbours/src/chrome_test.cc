// SPDX-License-Identifier: Apache-2.0
// The time line for Chrome and Perfetto: what is drawn, by hand; and that any trace gives a file by the rules
// of the Trace Event Format
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "test_traces.h"

namespace vef::neighbours {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kTwoTasks;
using testing::NeighbourTest;
using testing::read_file;

/// "compute 5..7 us" of one track, in the order of the file.
std::vector<std::string> slices_of(const json& timeline, int track, int process = 0) {
  std::vector<std::string> texts;
  for (const json& event : timeline["traceEvents"]) {
    if (event["ph"] != "X" || event["tid"] != track || event["pid"] != process) continue;
    std::string text =
        event["name"].get<std::string>() + " " + event["ts"].dump() + "+" + event["dur"].dump();
    if (event.contains("flow_out")) text += " out" + event["bind_id"].get<std::string>();
    if (event.contains("flow_in")) text += " in" + event["bind_id"].get<std::string>();
    texts.push_back(text);
  }
  return texts;
}

/// In picoseconds, exactly.
std::int64_t picos(const json& micros) { return std::llround(micros.get<double>() * 1e6); }

class ChromeTest : public NeighbourTest {
 protected:
  json timeline(const std::string& trace) {
    convert_file(trace, "out.json");
    json parsed = json::parse(read_file(path("out.json")), nullptr, false);
    EXPECT_TRUE(parsed.is_object());
    return parsed;
  }

  /// The rules: every event has its members; slices of a track nest; every arrow has one begin, and ends
  /// there at no earlier time. Returns the number of arrows.
  static std::size_t check(const json& timeline) {
    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
    std::set<std::pair<int, int>> named;
    std::map<std::string, std::int64_t> begins;
    std::vector<std::pair<std::string, std::int64_t>> ends;
    for (const json& event : timeline.at("traceEvents")) {
      const std::pair track(event.at("pid").get<int>(), event.at("tid").get<int>());
      EXPECT_TRUE(event.at("name").is_string());
      if (event.at("ph") == "M") {
        if (event.at("name") == "thread_name") {
          EXPECT_TRUE(named.insert(track).second);
        }
        EXPECT_TRUE(event.at("args").at("name").is_string());
        continue;
      }
      EXPECT_EQ(event.at("ph"), "X");
      EXPECT_TRUE(event.at("ts").is_number() && event.at("dur").is_number());
      EXPECT_GE(event.at("dur").get<double>(), 0.0);
      EXPECT_TRUE(named.contains(track));
      const std::int64_t begin = picos(event.at("ts"));
      tracks[track].emplace_back(begin, begin + picos(event.at("dur")));
      EXPECT_EQ(event.contains("bind_id"), event.contains("flow_in") || event.contains("flow_out"));
      if (event.contains("flow_out")) {
        EXPECT_TRUE(begins.emplace(event.at("bind_id"), begin).second);
      }
      if (event.contains("flow_in")) ends.emplace_back(event.at("bind_id"), tracks[track].back().second);
    }
    for (const auto& [id, end] : ends) {
      EXPECT_TRUE(begins.contains(id)) << id;
      EXPECT_LE(begins[id], end) << id;
    }
    for (const auto& [track, slices] : tracks) {
      for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_LE(slices[i - 1].second, slices[i].first);
    }
    return ends.size();
  }
};

TEST_F(ChromeTest, DrawsComputingWaitingAndArrows) {
  // The data of the broadcast are there when task 1 enters it, at 25.
  const json line = timeline(file("in.vef", kTwoTasks));
  EXPECT_THAT(
      slices_of(line, 0),
      ElementsAre("compute 0+0.005", "send to 1 0.005+0 out0", "compute 0.005+0.002", "broadcast 0.007+0",
                  "compute 0.007+0.001", "wait for 1 0.008+0.017 in2", "compute 0.025+0.007"));
  EXPECT_THAT(slices_of(line, 1),
              ElementsAre("compute 0+0.003", "wait for 0 0.003+0.002 in0", "compute 0.005+0.02",
                          "send to 0 0.025+0 out2", "broadcast 0.025+0"));
  EXPECT_EQ(check(line), 2U);
}

TEST_F(ChromeTest, WaitsForWhatStandsLaterInTheFile) {
  // Task 1 waits from the first line on for message 1, which leaves at 8. The three enter the barrier at 8, 9
  // and 4 ns, and leave at 9.
  const json line = timeline(file("in.vef",
                                  "VEF3 3 4 1 1 3 0 1000\n"
                                  "C0 0 1 2\n"
                                  "0 1 1 0 2 1 1\n"
                                  "G5 C0 6 1 0 0 2 0 1\n"
                                  "1 0 1 3 4 8 -1\n"
                                  "G5 C0 6 2 0 0 0 4 -1\n"
                                  "2 2 2 0 3 2 G5\n"
                                  "G5 C0 6 0 0 0 1 0 1\n"
                                  "3 0 0 0 3 0 G5\n"));
  EXPECT_THAT(slices_of(line, 0),
              ElementsAre("compute 0+0.008", "send to 1 0.008+0 out1", "barrier 0.008+0.001"));
  EXPECT_THAT(slices_of(line, 1), ElementsAre("wait for 0 0+0.008 in1", "compute 0.008+0.001"));
  EXPECT_THAT(slices_of(line, 2),
              ElementsAre("compute 0+0.004", "barrier 0.004+0.005", "compute 0.009+0.002"));
  EXPECT_EQ(check(line), 1U);
}

TEST_F(ChromeTest, AnswersHaveTheirOwnTracks) {
  const json line = timeline(file("in.vef",
                                  "VEF4 2 3 1 0 0 0 1000\n"
                                  "C0 0 1\n"
                                  "1 1 0 64 14 3 0\n"
                                  "0 0 1 0 4 10 -1\n"
                                  "2 0 0 0 2 0 1\n"));
  EXPECT_THAT(slices_of(line, 0),
              ElementsAre("compute 0+0.01", "send to 1 0.01+0 out0", "wait for 1 0.01+0.003 in1"));
  EXPECT_THAT(slices_of(line, 1, 1), ElementsAre("compute 0.01+0.003", "send to 0 0.013+0 out1"));
  EXPECT_EQ(check(line), 1U);
}

TEST_F(ChromeTest, CapturedTracesObeyTheRules) {
  // 8 messages, each waited for; 7,200 of 7,200; 1,056 of 1,056.
  EXPECT_EQ(check(timeline(formats::testing::test_data("vef3/ring-4-send-recv-a.vef"))), 8U);
  EXPECT_EQ(check(timeline(formats::testing::test_data("vef3/collectives-4.vef"))), 7200U);
  EXPECT_EQ(check(timeline(formats::testing::test_data("vef3/allreduce-large-4.vef"))), 1056U);
}

TEST_F(ChromeTest, WhatCannotBeDrawnIsRefused) {
  const auto fault = [&](std::string_view trace) {
    const auto conversion = convert(file("in.vef", trace), path("o.json"), "", "", options_);
    return conversion ? std::string("nothing") : conversion.error().message;
  };
  EXPECT_THAT(fault("VEF 2 0 1 0 0 TRUE\nC0 0 1\n"),
              HasSubstr("o.json: VEF traces have no order within a task; expected VEF3 or VEF4"));
  EXPECT_THAT(fault("VEF3 2 1 1 0 0 0 1000\nC0 0 1\n0 0 1 1 6 0 9\n"),
              HasSubstr("o.json: task 0 waits for what never happens; `vef check` says more"));
  EXPECT_THAT(fault("VEF3 2 1 1 0 0 0 1000000\nC0 0 1\n0 0 1 1 4 9999999999999 -1\n"),
              HasSubstr("o.json: a time of 9999999999999 units; expected less than 2^63 ps"));
  EXPECT_THAT(fault("VEF3 2 0 1 1 2 0 1000\nC0 0 1\nG0 C0 6 0 0 0 0 0 -1\nG0 C0 6 0 0 0 0 0 -1\n"),
              HasSubstr("o.json: G0 has a part too many; `vef check` says more"));
}

}  // namespace
}  // namespace vef::neighbours
