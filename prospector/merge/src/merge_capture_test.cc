// SPDX-License-Identifier: Apache-2.0
// Captures of the original recorder against what the original mixer made of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "load_capture.h"
#include "test_script.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"
#include "vef/merge/merge.h"

namespace vef::merge {
namespace {

using testing::HasSubstr;

const std::string kData = std::string(VEF_SOURCE_DIR) + "/tests/data/vef3/";

/// A record without its id: the message it depends on is named by (source, how-manieth of its source).
std::vector<std::vector<std::string>> without_ids(const formats::Trace& trace) {
  std::map<std::uint64_t, std::string> names;
  std::map<formats::TaskId, int> sent;
  for (const formats::Record& record : trace.records) {
    if (record.kind != formats::RecordKind::kMessage) continue;
    names[record.id] = std::to_string(record.task) + "." + std::to_string(sent[record.task]++);
  }
  std::vector<std::vector<std::string>> tasks(static_cast<std::size_t>(trace.header.tasks));
  for (const formats::Record& record : trace.records) {
    std::string text = std::to_string(static_cast<int>(record.kind)) + " " + std::to_string(record.peer) +
                       " " + std::to_string(record.send_bytes) + " dep " +
                       std::to_string(static_cast<int>(record.dep)) + " " + std::to_string(record.time);
    if (record.dep == formats::DepKind::kCollective) text += " G" + std::to_string(record.dep_id);
    if (record.dep == formats::DepKind::kSend || record.dep == formats::DepKind::kReceive)
      text += " " + names.at(record.dep_id);
    tasks[static_cast<std::size_t>(record.task)].push_back(text);
  }
  return tasks;
}

Merged merge_capture(const std::string& path) {
  Merged merged;
  auto ranks = load_capture(path, merged.report.warnings);
  if (!ranks.ok()) {
    merged.error = ranks.error().message;
    return merged;
  }
  auto prepared = prepare(std::move(*ranks), TimeZero::kOwnInit, {}, merged.report);
  if (!prepared.ok()) {
    merged.error = prepared.error().message;
    return merged;
  }
  merged.prepared = std::move(*prepared);
  merged.trace = to_trace(*merged.prepared);
  merged.body = body_lines(merged.trace);
  return merged;
}

class OriginalCapture : public testing::TestWithParam<const char*> {};

TEST_P(OriginalCapture, GivesTheRecordsOfTheOriginalMixer) {
  const std::string base = kData + GetParam();
  const Merged merged = merge_capture(base + ".capture/VEFT.main");
  ASSERT_EQ(merged.error, "");
  auto original = formats::read_trace(base + ".vef");
  ASSERT_TRUE(original.ok()) << original.error().message;
  EXPECT_EQ(merged.trace.header, original->header);
  EXPECT_EQ(merged.trace.communicators, original->communicators);
  EXPECT_EQ(without_ids(merged.trace), without_ids(*original));
  EXPECT_TRUE(merged.report.unmatched.empty());
  EXPECT_TRUE(merged.report.warnings.empty());
  EXPECT_EQ(execution_fault(merged.trace), "");
  EXPECT_TRUE(formats::validate(merged.trace).empty());
}

TEST_P(OriginalCapture, GivesTheLinesOfTheOriginalMixer) {
  const std::string base = kData + GetParam();
  const Merged merged = merge_capture(base + ".capture/VEFT.main");
  std::vector<std::string> lines;
  std::ifstream in(base + ".vef");
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 22u);
  lines.erase(lines.begin(), lines.begin() + 2);  // header and communicator
  EXPECT_EQ(merged.body, lines);
}

TEST_P(OriginalCapture, IsExactByTheOracle) {
  const Merged merged = merge_capture(kData + GetParam() + ".capture/VEFT.main");
  ASSERT_EQ(merged.error, "");
  for (const auto& task : oracle(*merged.prepared)) {
    for (const std::int64_t difference : task) EXPECT_EQ(difference, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ring, OriginalCapture, testing::Values("ring-4-send-recv-a", "ring-4-send-recv-b"),
                         [](const auto& test) { return std::string(1, std::string(test.param).back()); });

}  // namespace
}  // namespace vef::merge
