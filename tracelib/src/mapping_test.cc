// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/mapping.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "temporary_folder.h"

namespace vef::tracelib {
namespace {

using Nodes = std::vector<NodeId>;

Nodes mapped(const char* rule, formats::TaskId tasks, NodeRange nodes,
             const formats::Metadata& metadata = {}) {
  const auto parsed = parse_mapping(rule);
  EXPECT_TRUE(parsed.ok()) << rule;
  const auto mapping = make_mapping(*parsed, tasks, nodes, 1, metadata);
  EXPECT_TRUE(mapping.ok()) << mapping.error().message;
  return mapping.ok() ? *mapping : Nodes{};
}

std::string fault(const char* rule, formats::TaskId tasks, NodeRange nodes,
                  const formats::Metadata& metadata = {}) {
  const auto parsed = parse_mapping(rule);
  if (!parsed.ok()) return parsed.error().message;
  const auto mapping = make_mapping(*parsed, tasks, nodes, 1, metadata);
  return mapping.ok() ? "" : mapping.error().message;
}

TEST(MappingTest, PutsTasksAsItsNameSays) {
  EXPECT_EQ(mapped("linear", 3, {0, 8}), (Nodes{0, 1, 2}));
  EXPECT_EQ(mapped("linear", 3, {4, 8}), (Nodes{4, 5, 6}));
  EXPECT_EQ(mapped("round-robin", 5, {2, 3}), (Nodes{2, 3, 4, 2, 3}));
  EXPECT_EQ(mapped("block:2", 5, {0, 3}), (Nodes{0, 0, 1, 1, 2}));
  // Every third of 8 nodes, then those beside them.
  EXPECT_EQ(mapped("interleaved:3", 8, {0, 8}), (Nodes{0, 3, 6, 1, 4, 7, 2, 5}));
  EXPECT_EQ(mapped("interleaved:2", 3, {10, 8}), (Nodes{10, 12, 14}));
  EXPECT_EQ(mapped("interleaved:100", 2, {0, 2}), (Nodes{0, 1}));
}

TEST(MappingTest, RandomIsAnInjectionFixedByTheSeed) {
  const MappingRule random{MappingKind::kRandom, 1, ""};
  const auto a = *make_mapping(random, 100, {0, 256}, 7);
  EXPECT_EQ(std::set<NodeId>(a.begin(), a.end()).size(), 100u);
  for (NodeId node : a) EXPECT_TRUE(node >= 0 && node < 256);
  EXPECT_EQ(a, *make_mapping(random, 100, {0, 256}, 7));
  EXPECT_NE(a, *make_mapping(random, 100, {0, 256}, 8));
}

TEST(MappingTest, HostsAreNodesInTheOrderOfTheirFirstTask) {
  const formats::Metadata metadata = {{"hosts", "alpha: ranks 2-3 5; beta: ranks 0-1 4"}};
  EXPECT_EQ(mapped("hosts", 6, {0, 2}, metadata), (Nodes{0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(fault("hosts", 6, {0, 1}, metadata),
            "the trace has 6 tasks for 2 nodes; expected at most 1 nodes");
  EXPECT_EQ(fault("hosts", 7, {0, 2}, metadata),
            "mapping hosts: the trace names no host of task 6; expected one for each task");
  EXPECT_EQ(fault("hosts", 1, {0, 2}, {{"hosts", "alpha"}}),
            "mapping hosts: 'alpha' in the trace; expected HOST: ranks ...");
  EXPECT_NE(fault("hosts", 1, {0, 2}).find("does not name the hosts"), std::string::npos);
}

TEST(MappingTest, AFileNamesANodeForEachTask) {
  const test_support::TemporaryFolder folder;
  const std::string path = folder.file("map.txt");
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  const std::string rule = "file:" + path;
  write("# two on one node\n1 4\n0 7\n\n2 4 # here\n");
  EXPECT_EQ(mapped(rule.c_str(), 3, {0, 8}), (Nodes{7, 4, 4}));
  EXPECT_EQ(mapped(rule.c_str(), 3, {4, 4}), (Nodes{7, 4, 4}));
  EXPECT_EQ(fault(rule.c_str(), 3, {0, 7}), path + ":3: node '7'; expected 0 to 6");
  EXPECT_EQ(fault(rule.c_str(), 3, {5, 3}), path + ":2: node '4'; expected 5 to 7");
  EXPECT_EQ(fault(rule.c_str(), 2, {0, 8}), path + ":5: task '2'; expected 0 to 1");
  EXPECT_EQ(fault(rule.c_str(), 4, {0, 8}),
            path + ": no node for task 3; expected one for each of the 4 tasks");
  write("0 1\n0 2\n");
  EXPECT_EQ(fault(rule.c_str(), 2, {0, 8}), path + ":2: task 0 a second time; expected it once");
  write("0 1 2\n");
  EXPECT_EQ(fault(rule.c_str(), 1, {0, 8}), path + ":1: '2'; expected one task and one node");
  write("0\n");
  EXPECT_EQ(fault(rule.c_str(), 1, {0, 8}), path + ":1: node ''; expected 0 to 7");
  EXPECT_EQ(fault("file:/nowhere", 1, {0, 8}), "/nowhere: cannot open: No such file or directory");
}

TEST(MappingTest, WhatDoesNotFitOrIsNoMappingIsAnError) {
  EXPECT_EQ(fault("linear", 9, {0, 8}), "the trace has 9 tasks for 9 nodes; expected at most 8 nodes");
  EXPECT_EQ(fault("block:2", 9, {0, 4}), "the trace has 9 tasks for 5 nodes; expected at most 4 nodes");
  for (const char* text : {"", "lin", "block", "block:0", "block:x", "interleaved:-1", "file:", "linear:2"}) {
    EXPECT_EQ(fault(text, 1, {0, 1}), "'" + std::string(text) +
                                          "' is no mapping; expected linear, round-robin, block:K, "
                                          "interleaved:K, random, file:PATH or hosts");
  }
}

}  // namespace
}  // namespace vef::tracelib
