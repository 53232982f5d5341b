// SPDX-License-Identifier: Apache-2.0
// A trace, compressed or not: reading, and the faults of the whole.
#include "target.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"

using namespace vef;

bool fuzz::run(std::string_view input) {
  static const fuzz::Folder folder;
  const std::string path = folder.write("trace", input);
  const auto trace = formats::read_trace(path);
  if (!trace) {
    fuzz::check_message(trace.error().message);
    return false;
  }
  // Part by part it is the same trace.
  auto parts = formats::TraceReader::open(path, {.from_line = 1});
  if (!parts) fuzz::fail(parts.error().message);
  const auto again = formats::read_trace(**parts);
  if (!again) fuzz::fail(again.error().message);
  if (again->records != trace->records || again->lines != trace->lines)
    fuzz::fail("other records when read part by part");
  const auto faults = formats::validate(*trace);
  for (const formats::TraceFault& fault : faults) fuzz::check_message(fault.message);
  return faults.empty();
}

/// Two traces with every kind of record, of VEF3 and of VEF4, as they are written and as they lie in each
/// container.
std::vector<std::string> fuzz::seeds() {
  const fuzz::Folder folder;
  std::vector<std::string> seeds;
  for (const char* file : {VEF_SOURCE_DIR "/tests/data/small.vef", VEF_SOURCE_DIR "/tests/data/small4.vef"}) {
    auto trace = formats::read_trace(file);
    if (!trace) fuzz::fail(trace.error().message);
    trace->metadata = {{"program", "ring"}};
    for (const char* name : {"t.vef", "t.vef.gz", "t.vef.zst", "t.vefb"}) {
      const std::string path = folder.path() + "/" + name;
      if (const Status written = formats::write_trace(path, *trace); !written)
        fuzz::fail(written.error().message);
      seeds.push_back(fuzz::contents(path));
    }
  }
  return seeds;
}
