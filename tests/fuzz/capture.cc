// SPDX-License-Identifier: Apache-2.0
// A capture directory: two rank logs and capture.json, through the whole merge. The trace that comes of it
// must be a sound one.
#include "rank_log_seeds.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"
#include "vef/merge/merge.h"

using namespace vef;

bool fuzz::run(std::string_view input) {
  static const fuzz::Folder folder;
  const auto parts = fuzz::unbundle(input, 3);
  folder.write("000000.0.vlog", parts[0]);
  folder.write("000001.0.vlog", parts[1]);
  folder.write("capture.json", parts[2]);
  const std::string output = folder.path() + "/out.vef";
  folder.remove("out.vef");
  merge::MergeOptions options;
  options.allow_unmatched = true;
  const auto report = merge::merge({folder.path()}, output, options);
  if (!report) {
    fuzz::check_message(report.error().message);
    return false;
  }
  for (const auto& lines : {report->endings, report->damage, report->notes, report->warnings}) {
    for (const std::string& line : lines) fuzz::check_message(line);
  }
  if (!report->written) return false;
  const auto trace = formats::read_trace(output);
  if (!trace) fuzz::fail("what was written cannot be read: " + trace.error().message);
  const auto faults = formats::validate(*trace);
  if (!faults.empty()) fuzz::fail("what was written is no sound trace: " + faults.front().message);
  return true;
}

std::vector<std::string> fuzz::seeds() {
  const std::vector<merge::Script> scripts = exchange();
  const std::string info =
      R"({"program": "./solve", "command": ["./solve", "-n", "3"], "world_size": 2, "job": "solve-1",)"
      R"( "ranks": "0-1", "start": "2026-01-02T03:04:05Z", "clock_offsets": [{"rank": 1, "offset_ns": -12}]})";
  return {bundle({write_log(scripts[0], true).sealed, write_log(scripts[1], true).sealed, info}),
          bundle({write_log(scripts[0], true).sealed, "", info}),
          bundle({write_log(scripts[0], true).sealed, write_log(scripts[1], false).sealed, "{}"})};
}
