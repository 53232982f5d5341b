// SPDX-License-Identifier: Apache-2.0
#include "test_logs.h"

#include <gtest/gtest.h>

#include "vef/formats/rank_log_writer.h"

namespace vef::merge {

void write_log(const Script& script, const std::string& directory, LogEnd end, const char* job) {
  const auto log = script.log();
  formats::RankLogOptions options;
  options.directory = directory.c_str();
  options.rank = log->info().rank;
  options.world_size = log->info().world_size;
  options.thread = log->info().thread;
  options.host = "node0";
  options.job = job;
  options.buffer_bytes = 1 << 20;
  options.ticks_are_ns = true;
  options.start.monotonic_ns = options.start.ticks = log->info().start.monotonic_ns;
  char error[200] = "";
  formats::RankLogWriter* writer = formats::RankLogWriter::create(options, error, sizeof error);
  ASSERT_NE(writer, nullptr) << error;
  formats::RankEvent event;
  for (auto more = log->next(event); more.ok() && *more; more = log->next(event)) writer->append(event);
  if (end == LogEnd::kKilled) return writer->abandon();
  EXPECT_TRUE(writer->close(end == LogEnd::kComplete));
}

}  // namespace vef::merge
