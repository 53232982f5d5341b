// SPDX-License-Identifier: Apache-2.0
// What the tests of merged scripts have in common: ranks that begin and end alike, and that a trace is sound.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "test_script.h"
#include "vef/formats/validate.h"

namespace vef::merge {

/// The trace is valid, can be executed, and keeps every recorded start up to `dropped` ns that were waiting.
inline void expect_sound(const Merged& merged, std::int64_t dropped = 0) {
  ASSERT_EQ(merged.error, "");
  const auto faults = formats::validate(merged.trace);
  EXPECT_TRUE(faults.empty()) << faults.front().message;
  EXPECT_EQ(execution_fault(merged.trace), "");
  for (const auto& task : oracle(*merged.prepared)) {
    for (const std::int64_t difference : task) {
      EXPECT_GE(difference, 0);
      EXPECT_LE(difference, dropped);
    }
  }
}

/// Sender, receiver and bytes of each message, in the trace's order.
inline std::vector<std::tuple<int, int, std::uint64_t>> all_messages(const Merged& merged) {
  std::vector<std::tuple<int, int, std::uint64_t>> found;
  for (const formats::Record& record : merged.trace.records) {
    if (record.kind == formats::RecordKind::kMessage)
      found.emplace_back(record.task, record.peer, record.send_bytes);
  }
  return found;
}

/// `world` ranks that leave MPI_Init together, each with what `write` adds, and MPI_Finalize.
inline std::vector<Script> all_ranks(std::int32_t world,
                                     const std::function<void(std::int32_t, Script&)>& write) {
  std::vector<Script> logs;
  for (std::int32_t rank = 0; rank < world; ++rank) {
    Script script(rank, world);
    script.at(0, 100).init();
    write(rank, script);
    logs.push_back(script.at(1, 1).finalize());
  }
  return logs;
}

}  // namespace vef::merge
