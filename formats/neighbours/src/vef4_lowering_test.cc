// SPDX-License-Identifier: Apache-2.0
// VEF4 as VEF3, by hand: which records each operation becomes, what waits for what, which ids there are.
#include "test_traces.h"

namespace vef::neighbours {
namespace {

using testing::briefs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kinds_of;
using testing::NeighbourTest;
using testing::read_file;

class Vef4LoweringTest : public NeighbourTest {
 protected:
  formats::Trace lower(const std::string& text, bool lossy = false) {
    options_.lossy = lossy;
    const auto conversion = convert(file("in.vef", text), path("out.vef"), "", "vef3", options_);
    EXPECT_TRUE(conversion.ok()) << conversion.error().message;
    if (!conversion) return {};
    losses_kept_ = kinds_of(conversion->losses);
    EXPECT_EQ(read_file(path("out.vef")).substr(0, 5), "VEF3 ");
    return read(path("out.vef"));
  }
  std::vector<std::string> losses_kept_;
};

// Parts of 8, 16 and 0 bytes. Rank 0 of the communicator, task 2, is the root of both halves; the scatter
// follows the reduce at once, and what waited for the whole waits for the scatter, which has the next free
// number.
TEST_F(Vef4LoweringTest, AReduceScatterBecomesAReduceAndAScatter) {
  const formats::Trace trace = lower(
      "VEF4 3 3 2 2 6 0 1000\n"
      "C0 0 1 2\n"
      "C1 2 0 1\n"
      "G0 C1 8 0 24 16 0 5 -1\n"
      "G0 C1 8 1 24 0 0 6 -1\n"
      "G0 C1 8 2 24 8 0 7 -1\n"
      "G1 C0 6 0 0 0 3 1 G0\n"
      "G1 C0 6 1 0 0 3 2 G0\n"
      "G1 C0 6 2 0 0 3 3 G0\n"
      "0 0 0 0 3 1 G1\n"
      "1 1 1 0 3 1 G1\n"
      "2 2 2 0 3 1 G1\n");
  EXPECT_THAT(briefs(trace, 0), ElementsAre("c0 C1 reduce 0 24/0 =5", "c2 C1 scatter 0 0/16 +0 c0",
                                            "c1 C0 barrier 0 0/0 +1 c2", "mark 0 +1 c1"));
  EXPECT_THAT(briefs(trace, 2), ElementsAre("c0 C1 reduce 2 0/24 =7", "c2 C1 scatter 2 24/8 +0 c0",
                                            "c1 C0 barrier 2 0/0 +3 c2", "mark 2 +1 c1"));
  EXPECT_THAT(losses_kept_, ElementsAre("3 parts in reducescatter are kept as a reduce and a scatter"));
}

// Over ranks 0, 1, 2, which are tasks 2, 0, 1: messages 2 > 0 and 0 > 1. G0 goes, so G1 becomes G0; new
// message ids follow the 3 that there are.
TEST_F(Vef4LoweringTest, AScanBecomesMessagesFromRankToRank) {
  for (const char* op : {"9", "10"}) {
    const formats::Trace trace = lower(std::string("VEF4 3 3 2 2 6 0 1000\n"
                                                   "C0 0 1 2\n"
                                                   "C1 2 0 1\n"
                                                   "G0 C1 ") +
                                       op + " 0 64 64 0 5 -1\nG0 C1 " + op + " 1 64 64 0 6 -1\nG0 C1 " + op +
                                       " 2 64 64 0 7 -1\n"
                                       "G1 C0 6 0 0 0 3 1 G0\n"
                                       "G1 C0 6 1 0 0 3 2 G0\n"
                                       "G1 C0 6 2 0 0 3 3 G0\n"
                                       "0 0 0 0 3 1 G1\n"
                                       "1 1 1 0 3 1 G1\n"
                                       "2 2 2 0 3 1 G1\n");
    EXPECT_THAT(briefs(trace, 2), ElementsAre("m3 2>0 64B =7", "c0 C0 barrier 2 0/0 +3 s3", "mark 2 +1 c0"));
    EXPECT_THAT(briefs(trace, 0),
                ElementsAre("mark 0 =5", "m4 0>1 64B +0 r3", "c0 C0 barrier 0 0/0 +1 r3", "mark 0 +1 c0"));
    EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =6", "c0 C0 barrier 1 0/0 +2 r4", "mark 1 +1 c0"));
    // Dense: 0 to 4 are messages and the marks of before, 5 and 6 the new marks.
    std::vector<std::uint64_t> ids;
    for (const formats::Record& record : trace.records) {
      if (record.kind != formats::RecordKind::kCollective) ids.push_back(record.id);
    }
    EXPECT_THAT(ids, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(losses_kept_, ElementsAre("3 parts in scans are kept as a message to the next rank"));
  }
}

TEST_F(Vef4LoweringTest, AScanOfOneTaskMovesNothing) {
  const formats::Trace trace = lower(
      "VEF4 1 1 1 1 1 0 1000\n"
      "C0 0\n"
      "G0 C0 9 0 64 64 0 5 -1\n"
      "0 0 0 0 3 1 G0\n");
  EXPECT_THAT(briefs(trace), ElementsAre("c0 C0 barrier 0 0/0 =5", "mark 0 +1 c0"));
}

// Task 0 reads from task 1: message 0 is the request, 1 the answer, 2 the mark of task 0's waiting.
constexpr const char* kOneSided =
    "VEF4 2 4 1 0 0 0 1000\n"
    "C0 0 1\n"
    "0 0 1 0 4 50 -1\n"
    "1 1 0 4096 14 0 0\n"
    "2 0 0 0 1 3 0\n"
    "3 0 1 8 6 4 1\n";

TEST_F(Vef4LoweringTest, AnswersAreAnErrorUnlessTheyMayBeLost) {
  const auto refused = convert(file("in.vef", kOneSided), path("out.vef"), "", "vef3", options_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("in.vef:4: message 1 is an answer, which VEF3 does not"));
  // What waited for the answer waits for the sending of the task's last message; ids close up.
  const formats::Trace trace = lower(kOneSided, true);
  EXPECT_THAT(briefs(trace), ElementsAre("m0 0>1 0B =50", "mark 0 +3 s0", "m2 0>1 8B +4 s0"));
  EXPECT_THAT(losses_kept_, ElementsAre("1 answers are left out, and nothing waits for them"));
}

// What VEF3 has is left alone, byte for byte; a VEF4 file that needs nothing more only gets another magic.
TEST_F(Vef4LoweringTest, WhatVef3HasStaysAsItIs) {
  const std::string original = read_file(formats::testing::test_data("vef3/collectives-4.vef"));
  lower(original);
  EXPECT_EQ(read_file(path("out.vef")), original);
  EXPECT_THAT(losses_kept_, IsEmpty());
  std::string vef4 = original;
  vef4[3] = '4';
  lower(vef4);
  EXPECT_EQ(read_file(path("out.vef")), original);
  EXPECT_THAT(losses_kept_, IsEmpty());
}

// SimGrid has the operations of VEF4 (smpi_replay.cpp: reducescatter COUNTS FLOPS, scan COUNT FLOPS);
// Chakra's schema has a reduce-scatter (comm_type 7) and no scan.
TEST_F(Vef4LoweringTest, NeighboursKeepTheOperationsTheyHave) {
  const std::string trace =
      "VEF4 2 2 1 2 4 0 1000\n"
      "C0 0 1\n"
      "G0 C0 8 0 24 16 0 5 -1\n"
      "G0 C0 8 1 24 8 0 6 -1\n"
      "G1 C0 9 0 64 64 3 0 G0\n"
      "G1 C0 9 1 64 64 3 0 G0\n"
      "0 0 0 0 3 1 G1\n"
      "1 1 1 0 3 1 G1\n";
  const Conversion to_simgrid = convert_file(file("in.vef", trace), "out.ti");
  EXPECT_THAT(kinds_of(to_simgrid.losses), IsEmpty());
  const std::string rank = read_file(path("out.ti_files/0.txt"));
  EXPECT_THAT(rank, HasSubstr("0 reducescatter 16 8 0 6\n"));
  EXPECT_THAT(rank, HasSubstr("0 scan 64 0 6\n"));
  // Paraver's labels of MPI calls: 80 is Reduce_scatter, 30 Scan.
  const Conversion to_paraver = convert_file(file("in.vef", trace), "out.prv");
  EXPECT_THAT(kinds_of(to_paraver.losses), IsEmpty());
  EXPECT_THAT(read_file(path("out.prv")),
              ::testing::AllOf(HasSubstr(":50000002:80:"), HasSubstr(":50000002:30:")));
  const Conversion to_chakra = convert_file(file("in.vef", trace), "out.et");
  EXPECT_THAT(kinds_of(to_chakra.losses),
              ::testing::IsSupersetOf({"2 parts in scans are kept as a message to the next rank",
                                       "1 reduce-scatters have parts of one size"}));
}

TEST_F(Vef4LoweringTest, IdsThatRunOutAreAnError) {
  const auto refused = convert(file("in.vef",
                                    "VEF4 2 1 1 1 2 1 1000\n"
                                    "C0 0 1\n"
                                    "G0 C0 9 0 64 64 0 5 -1\n"
                                    "G0 C0 9 1 64 64 0 6 -1\n"
                                    "18446744073709551614 0 1 8 4 1 -1\n"),
                               path("out.vef"), "", "vef3", options_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("no ids are left for what is lowered"));
}

}  // namespace
}  // namespace vef::neighbours
