// SPDX-License-Identifier: Apache-2.0
// Writes the report page that page/page_test.mjs opens in a browser: make_test_report FILE. The trace is
// small enough to be counted by hand (the counts stand in the test) and its name tries to become script.
#include <cstdio>

#include "test_traces.h"
#include "vef/analyzer/report.h"

namespace {

using namespace vef;
using formats::CollectiveOp;

/// Sixteen tasks: each sends 1000 bytes to its right neighbour at 1 us and at 2 us; task 3 sends 5 MiB to
/// task 12 at 3 us; an all-reduce of 8 bytes at 4 us.
analyzer::TraceMaker test_trace() {
  constexpr formats::TaskId kTasks = 16;
  analyzer::TraceMaker maker(kTasks);
  for (std::uint64_t time : {1000, 2000}) {
    for (formats::TaskId task = 0; task < kTasks; ++task) maker.send(task, (task + 1) % kTasks, 1000, time);
  }
  maker.send(3, 12, 5 << 20, 3000);
  maker.collective(CollectiveOp::kAllreduce, 0, {kTasks, {8, 8}}, 4000);
  maker.metadata("application", "bin/<img src=x onerror=\"document.hacked = true\">\"'& ü");
  maker.metadata("hosts", "</td></script></title><script>document.hacked = true</script>");
  return maker;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_test_report FILE\n");
    return 2;
  }
  const auto analysis = analyzer::analyze(test_trace().make(), "made.vef");
  const Status written =
      analysis.ok() ? analyzer::write_report(*analysis, argv[1]) : Status(analysis.error());
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written.ok() ? 0 : 1;
}
