// SPDX-License-Identifier: Apache-2.0
// What validate() lets pass, and how it reports; the single faults are in vef_text_errors_test.cc.
#include "vef/formats/validate.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace vef::formats {
namespace {

using testing::kSmallTrace;
using testing::TemporaryFolder;
using testing::test_data;
using testing::write_file;

Trace load(const std::string& path) {
  auto trace = read_trace(path);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace ? std::move(*trace) : Trace{};
}

Trace parse(std::string_view text) {
  const TemporaryFolder folder;
  return load(write_file(folder.file("t.vef"), text));
}

std::string texts(const std::vector<TraceFault>& faults) {
  std::string result;
  for (const TraceFault& fault : faults) result += std::to_string(fault.line) + ": " + fault.message + "\n";
  return result;
}

TEST(Validate, GoodTracesPass) {
  EXPECT_EQ(texts(validate(parse(kSmallTrace))), "");
  for (const char* name : {"small.vef", "vef3/ring-4-send-recv-a.vef", "vef3/ring-4-send-recv-b.vef",
                           "vef3/allreduce-large-4.vef", "vef3/collectives-4.vef"}) {
    EXPECT_EQ(texts(validate(load(test_data(name)))), "") << name;
  }
}

TEST(Validate, ACycleIsForThePlayerToFind) {
  EXPECT_EQ(texts(validate(load(test_data("broken/cycle.vef")))), "");
}

TEST(Validate, EveryOperationWithTheSizesOfItsDefinitionPasses) {
  // Two tasks, X = 8, root 0; sizes as the table in docs/vef3.md has them. Operations 8 and 9 move nothing.
  EXPECT_EQ(texts(validate(parse("VEF3 2 0 1 11 22 0 1000\nC0 0 1\n"
                                 "G0 C0 0 0 8 0 0 1 -1\nG0 C0 0 1 0 8 0 1 -1\n"
                                 "G1 C0 1 0 0 8 0 1 -1\nG1 C0 1 1 8 0 0 1 -1\n"
                                 "G2 C0 2 0 8 8 0 1 -1\nG2 C0 2 1 8 8 0 1 -1\n"
                                 "G3 C0 3 0 8 12 0 1 -1\nG3 C0 3 1 4 0 0 1 -1\n"
                                 "G4 C0 4 0 12 8 0 1 -1\nG4 C0 4 1 0 4 0 1 -1\n"
                                 "G5 C0 5 0 8 12 0 1 -1\nG5 C0 5 1 4 12 0 1 -1\n"
                                 "G6 C0 6 0 0 0 0 1 -1\nG6 C0 6 1 0 0 0 1 -1\n"
                                 "G7 C0 7 0 8 0 0 1 -1\nG7 C0 7 1 8 0 0 1 -1\n"
                                 "G8 C0 7 0 16 1 0 1 -1\nG8 C0 7 1 4 1 0 1 -1\n"
                                 "G9 C0 0 0 0 0 0 1 -1\nG9 C0 0 1 0 0 0 1 -1\n"
                                 "G10 C0 3 0 0 0 0 1 -1\nG10 C0 3 1 0 0 0 1 -1\n"))),
            "");
}

TEST(Validate, SparseAndForwardIdsAreFound) {
  EXPECT_EQ(texts(validate(parse("VEF3 2 4 1 0 0 0 1000\nC0 0 1\n"
                                 "18446744073709551615 0 0 0 2 5 1000000000000\n"
                                 "70 0 1 1 5 5 7\n"
                                 "1000000000000 1 0 1 4 5 -1\n"
                                 "70 0 1 1 4 5 -1\n"))),
            "4: message 70 depends on message 7, which does not exist; expected the id of a message\n"
            "6: message 70 has the id of the record on line 4; expected ids that occur once\n");
}

TEST(Validate, TheFirstFaultsInLineOrderAreKept) {
  std::string text = "VEF3 1 1000 1 0 0 1 1000\nC0 0\n";
  for (int id = 0; id < 1000; ++id) text += std::to_string(id) + " 0 0 9 5 1 2000\n";
  Trace trace = parse(text);
  trace.records[500].id = 3;  // found before the missing dependencies of lower lines
  const auto faults = validate(trace, 3);
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].line, 3U);
  EXPECT_EQ(faults[2].line, 5U);
  EXPECT_EQ(validate(trace, 0).size(), 0U);
  EXPECT_EQ(validate(trace, 5000).size(), 1001U);
  EXPECT_EQ(validate(trace, 5000)[500].line, 503U);
}

TEST(Validate, ATraceFromNoFileHasTheLinesItWouldBeWrittenTo) {
  Trace trace = parse(kSmallTrace);
  trace.records[2].dep_id = 99;
  const std::string expected = texts(validate(trace));
  EXPECT_EQ(expected.substr(0, 3), "6: ");
  trace.lines.clear();
  EXPECT_EQ(texts(validate(trace)), expected);
}

TEST(Validate, RecordsBuiltInMemoryAreCheckedForRange) {
  Trace trace = parse(kSmallTrace);
  trace.records[0].peer = 2;
  trace.records[3].comm = 7;
  trace.records[4].op = static_cast<CollectiveOp>(8);
  EXPECT_EQ(
      texts(validate(trace)),
      "4: message 0 from task 0 to task 2; expected tasks 0 to 1\n"
      "7: G0 of task 1 on communicator C7 with operation 2; expected a communicator of the header and an "
      "operation 0 to 7\n"
      "8: G0 of task 0 on communicator C1 with operation 8; expected a communicator of the header and an "
      "operation 0 to 7\n");
  EXPECT_EQ(texts(validate(Trace{})), "");
}

}  // namespace
}  // namespace vef::formats
