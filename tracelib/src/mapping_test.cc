// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/mapping.h"

#include <gtest/gtest.h>

#include <set>

namespace vef::tracelib {
namespace {

TEST(MappingTest, LinearPutsTaskIOnNodeI) {
  EXPECT_EQ(*make_mapping(MappingKind::kLinear, 3, 8, 1), (std::vector<NodeId>{0, 1, 2}));
}

TEST(MappingTest, RandomIsAnInjectionFixedByTheSeed) {
  const auto a = *make_mapping(MappingKind::kRandom, 100, 256, 7);
  EXPECT_EQ(std::set<NodeId>(a.begin(), a.end()).size(), 100u);
  for (NodeId node : a) EXPECT_TRUE(node >= 0 && node < 256);
  EXPECT_EQ(a, *make_mapping(MappingKind::kRandom, 100, 256, 7));
  EXPECT_NE(a, *make_mapping(MappingKind::kRandom, 100, 256, 8));
}

TEST(MappingTest, MoreTasksThanNodesIsAnError) {
  const auto r = make_mapping(MappingKind::kLinear, 9, 8, 1);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "the trace has 9 tasks, the network only 8 nodes");
}

}  // namespace
}  // namespace vef::tracelib
