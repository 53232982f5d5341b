// SPDX-License-Identifier: Apache-2.0
// SimGrid's time-independent traces, both ways. Expected records and lines are worked out by hand.
#include "ti.h"

#include <filesystem>

#include "message_matcher.h"
#include "test_traces.h"
#include "ti_types.h"

namespace vef::neighbours {
namespace {

using testing::briefs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kinds_of;
using testing::kTwoTasks;
using testing::NeighbourTest;
using testing::read_file;

class TiTest : public NeighbourTest {};

constexpr std::string_view kPointToPoint =
    "# both ranks in one file\n"
    "0 init\n1 init\n\n"
    "0 compute 5\n"
    "0 isend 1 7 10\n"
    "0 recv 1 0 4 1\n"
    "0 compute 7\n"
    "0\twaitall\n"
    "0 finalize\n"
    "1 irecv 0 7 1e1\n"
    "1 compute 3\n"
    "1 wait 0 1 7\n"
    "1 send 0 0 2 0\n"
    "1 finalize\n";

TEST_F(TiTest, MessagesAndComputing) {
  const formats::Trace trace = read(file("all.ti", kPointToPoint));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 10B =5", "mark 0 +0 s0", "mark 0 +7 r1"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =3", "m1 1>0 16B +0 r0", "mark 1 +0 s1"));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
  EXPECT_EQ(trace.lines.front(), 6U);
  options_.flops_per_second = 5e8;  // 2 ns each
  EXPECT_THAT(briefs(read(path("all.ti")), 0),
              ElementsAre("m0 0>1 10B =10", "mark 0 +0 s0", "mark 0 +14 r1"));
}

TEST_F(TiTest, EveryCollective) {
  // `init` with an argument: doubles where no datatype is named.
  const formats::Trace trace = read(file("all.ti",
                                         "0 init 1\n1 init 1\n"
                                         "0 bcast 2 1\n1 bcast 2 1\n"
                                         "0 reduce 3 1000 0 6\n1 reduce 3 1000 0 6\n"
                                         "0 allreduce 1 0\n1 allreduce 1 0\n"
                                         "0 gather 4 4 1 6 6\n1 gather 4 4 1 6 6\n"
                                         "0 gatherv 5 5 6 0 6 6\n1 gatherv 6 5 6 0 6 6\n"
                                         "0 scatterv 1 2 1 0 6 6\n1 scatterv 1 2 2 0 6 6\n"
                                         "0 allgatherv 1 1 2 6 6\n1 allgatherv 2 1 2 6 6\n"
                                         "0 alltoall 3 3 6 6\n1 alltoall 3 3 6 6\n"
                                         "0 alltoallv 9 1 2 9 1 4 6 6\n1 alltoallv 9 4 5 9 2 5 6 6\n"
                                         "0 reducescatter 2 3 50 6\n1 reducescatter 2 3 50 6\n"
                                         "0 scan 2 0 6\n1 scan 2 0 6\n"
                                         "0 barrier\n1 barrier\n"
                                         "0 sendRecv 4 1 4 1 6 6\n1 sendRecv 4 0 4 0 6 6\n"
                                         "0 finalize\n1 finalize\n"));
  EXPECT_THAT(
      briefs(trace, 0),
      ElementsAre("c0 C0 broadcast 0 0/16 =0", "c1 C0 reduce 0 0/3 +0 c0", "c2 C0 all-reduce 0 8/8 +1000 c1",
                  "c3 C0 gather 0 4/0 +0 c2", "c4 C0 gather 0 5/11 +0 c3", "c5 C0 scatter 0 3/1 +0 c4",
                  "c6 C0 all-gather 0 1/3 +0 c5", "c7 C0 all-to-all 0 3/0 +0 c6",
                  "c8 C0 all-to-all 0 3/1 +0 c7", "c9 C0 reduce 0 0/5 +0 c8", "c10 C0 scatter 0 5/2 +0 c9",
                  "m0 0>1 2B +50 c10", "c11 C0 barrier 0 0/0 +0 s0", "m2 0>1 4B +0 c11", "mark 0 +0 s2",
                  "mark 0 +0 r3"));
  EXPECT_THAT(
      briefs(trace, 1),
      ElementsAre("c0 C0 broadcast 1 16/0 =0", "c1 C0 reduce 1 3/0 +0 c0", "c2 C0 all-reduce 1 8/8 +1000 c1",
                  "c3 C0 gather 1 4/8 +0 c2", "c4 C0 gather 1 6/0 +0 c3", "c5 C0 scatter 1 0/2 +0 c4",
                  "c6 C0 all-gather 1 2/3 +0 c5", "c7 C0 all-to-all 1 3/0 +0 c6",
                  "c8 C0 all-to-all 1 9/1 +0 c7", "c9 C0 reduce 1 5/0 +0 c8", "c10 C0 scatter 1 0/3 +0 c9",
                  "mark 1 +50 c10", "c11 C0 barrier 1 0/0 +0 r0", "m3 1>0 4B +0 c11", "mark 1 +0 s3",
                  "mark 1 +0 r2"));
  EXPECT_EQ(trace.header.collectives, 12U);
  EXPECT_THAT(kinds_of(losses_), ElementsAre("2 parts in alltoallv are kept as their totals",
                                             "2 parts in reducescatter are kept as a reduce and a scatter",
                                             "2 parts in scans are kept as a message to the next rank"));
}

constexpr std::string_view kRank0 =
    "0 init\n0 compute 5\n0 isend 1 0 10 6\n0 compute 2\n0 bcast 8 0 6\n0 compute 1\n0 recv 1 1 4 6\n"
    "0 compute 7\n0 waitall\n0 finalize\n";
constexpr std::string_view kRank1 =
    "1 init\n1 compute 3\n1 recv 0 0 10 6\n1 compute 20\n1 isend 0 1 4 6\n1 bcast 8 0 6\n1 waitall\n1 "
    "finalize\n";

TEST_F(TiTest, RecordsBecomeLines) {
  const Conversion conversion = convert_file(file("in.vef", kTwoTasks), "out.ti");
  EXPECT_EQ(read_file(path("out.ti")), "out.ti_files/0.txt\nout.ti_files/1.txt\n");
  EXPECT_EQ(read_file(path("out.ti_files/0.txt")), kRank0);
  EXPECT_EQ(read_file(path("out.ti_files/1.txt")), kRank1);
  EXPECT_THAT(conversion.losses.kinds(), IsEmpty());
  // And they come back as they were.
  convert_file(path("out.ti"), "back.vef");
  convert_file(path("back.vef"), "again.ti");
  EXPECT_EQ(read_file(path("again.ti_files/0.txt")), kRank0);
  EXPECT_EQ(read_file(path("again.ti_files/1.txt")), kRank1);
}

TEST_F(TiTest, CollectivesByTheirSizes) {
  const auto first_lines = [&](const std::string& parts) {
    convert_file(file("in.vef", "VEF3 2 0 1 1 2 0 1000\nC0 0 1\n" + parts), "o.ti");
    const auto call = [&](const char* name) {
      const std::string text = read_file(path(name));
      return text.substr(7, text.find('\n', 7) - 7);  // behind "0 init\n"
    };
    return call("o.ti_files/0.txt") + "; " + call("o.ti_files/1.txt");
  };
  EXPECT_EQ(first_lines("G0 C0 3 0 5 11 0 0 -1\nG0 C0 3 1 6 0 0 0 -1\n"),
            "0 gatherv 5 5 6 0 6 6; 1 gatherv 6 5 6 0 6 6");
  EXPECT_EQ(first_lines("G0 C0 3 0 5 0 0 0 -1\nG0 C0 3 1 5 10 0 0 -1\n"),
            "0 gather 5 5 1 6 6; 1 gather 5 5 1 6 6");
  EXPECT_EQ(first_lines("G0 C0 4 0 3 1 0 0 -1\nG0 C0 4 1 0 2 0 0 -1\n"),
            "0 scatterv 1 2 1 0 6 6; 1 scatterv 1 2 2 0 6 6");
  EXPECT_EQ(first_lines("G0 C0 5 0 1 3 0 0 -1\nG0 C0 5 1 2 3 0 0 -1\n"),
            "0 allgatherv 1 1 2 6 6; 1 allgatherv 2 1 2 6 6");
  EXPECT_EQ(first_lines("G0 C0 7 0 3 0 0 0 -1\nG0 C0 7 1 3 0 0 0 -1\n"),
            "0 alltoall 3 3 6 6; 1 alltoall 3 3 6 6");
  // Totals of 3 and 8 among two: 2 and 1, 4 and 4.
  EXPECT_EQ(first_lines("G0 C0 7 0 3 1 0 0 -1\nG0 C0 7 1 8 1 0 0 -1\n"),
            "0 alltoallv 3 2 1 6 2 4 6 6; 1 alltoallv 8 4 4 5 1 4 6 6");
  EXPECT_EQ(first_lines("G0 C0 1 0 8 0 0 0 -1\nG0 C0 1 1 0 8 0 0 -1\n"),
            "0 reduce 8 0 1 6; 1 reduce 8 0 1 6");
  // 2^31 bytes are 2^28 doubles.
  EXPECT_EQ(first_lines("G0 C0 2 0 2147483648 2147483648 0 0 -1\nG0 C0 2 1 2147483648 2147483648 0 0 -1\n"),
            "0 allreduce 268435456 0 0; 1 allreduce 268435456 0 0");
}

TEST_F(TiTest, NonBlockingCollectivesStandWhereTheyAreWaitedFor) {
  const Conversion conversion = convert_file(file("in.vef",
                                                  "VEF3 1 3 1 1 1 0 1000\nC0 0\n"
                                                  "G0 C0 6 0 0 0 0 1 -1\n"
                                                  "0 0 0 4 4 2 -1\n"
                                                  "1 0 0 0 3 0 G0\n"
                                                  "2 0 0 0 2 9 0\n"),
                                             "o.ti");
  EXPECT_EQ(read_file(path("o.ti_files/0.txt")),
            "0 init\n0 compute 1\n0 compute 1\n0 isend 0 0 4 6\n0 barrier\n0 recv 0 0 4 6\n0 compute 9\n0 "
            "waitall\n0 finalize\n");
  EXPECT_THAT(kinds_of(conversion.losses),
              ElementsAre("1 parts in non-blocking collectives are done where they are waited for",
                          "1 absolute times are kept as computing only"));
}

TEST_F(TiTest, CollectivesOfOthersBecomeMessages) {
  options_.expand = [](const WholeCollective&, std::int32_t rank, std::vector<CollectiveStep>& steps) {
    steps = {{1 - rank, false, false, 0}, {1 - rank, true, true, 3}};
  };
  convert_file(file("in.vef",
                    "VEF3 3 2 2 1 2 0 1000\nC0 0 1 2\nC1 2 0\n"
                    "G0 C1 6 0 0 0 0 1 -1\nG0 C1 6 2 0 0 0 2 -1\n0 0 0 0 3 4 G0\n1 2 2 0 3 5 G0\n"),
               "o.ti");
  EXPECT_EQ(read_file(path("o.ti_files/0.txt")),
            "0 init\n0 compute 1\n0 isend 2 0 3 6\n0 recv 2 0 3 6\n0 compute 4\n0 waitall\n0 finalize\n");
  EXPECT_EQ(read_file(path("o.ti_files/2.txt")),
            "2 init\n2 compute 2\n2 isend 0 0 3 6\n2 recv 0 0 3 6\n2 compute 5\n2 waitall\n2 finalize\n");
}

TEST_F(TiTest, SizesStandInTheOrderOfTheWorld) {
  // Rank 0 of C1 is task 1. Task 0 gathers, 5 bytes of its own and 6 of task 1.
  convert_file(
      file("in.vef", "VEF3 2 0 2 1 2 0 1000\nC0 0 1\nC1 1 0\nG0 C1 3 0 5 11 0 0 -1\nG0 C1 3 1 6 0 0 0 -1\n"),
      "o.ti");
  EXPECT_THAT(read_file(path("o.ti_files/0.txt")), HasSubstr("0 gatherv 5 5 6 0 6 6\n"));
  EXPECT_THAT(read_file(path("o.ti_files/1.txt")), HasSubstr("1 gatherv 6 5 6 0 6 6\n"));
}

struct Fault {
  const char* text;
  const char* message;
};

TEST_F(TiTest, FaultsAreNamed) {
  constexpr Fault kFaults[] = {
      {"0 init\n0 dance\n", "f.ti:2: action 'dance'; expected one of SimGrid's"},
      {"0 init\n0 send 1 0 5\n", "f.ti:2: destination '1'; expected a whole number in its range"},
      {"0 init\n0 send 0 0\n", "f.ti:2: send with 2 arguments; expected at least 3"},
      {"0 init\n0 send 0 0 1.5\n", "f.ti:2: count '1.5'; expected a whole number in its range"},
      {"0 init\n0 send 0 0 5 55\n", "f.ti:2: datatype '55'; expected a whole number in its range"},
      {"0 init\n0 compute -1\n", "f.ti:2: flops '-1'; expected a number in its range"},
      {"0 init\n0 compute nan\n", "f.ti:2: flops 'nan'; expected a number in its range"},
      {"0 init\n0 recv -1 0 5\n",
       "f.ti:2: source (any source is not kept by VEF) '-1'; expected a whole number in its range"},
      {"0 init\n0 recv 0 3 5\n",
       "f.ti: line 2 of rank 0 receives from 0 with tag 3, and nothing is sent; expected a send for each "
       "receive"},
      {"0 init\nx init\n", "f.ti:2: rank 'x'; expected 0 to 16777215"},
      {"0 init\n1 gatherv 5 1\n", "f.ti:2: gatherv lacks its receive count"},
      {"# nothing\n", "f.ti: names no file; expected one for each rank, or one for all"},
      {"a b\n", "f.ti:1: found 2 words; expected the name of a file"},
      {"gone.txt\n", "f.ti:1: 'gone.txt' is not there; expected a file in the folder of "}};
  for (const Fault& fault : kFaults) EXPECT_THAT(fault_of("f.ti", fault.text), HasSubstr(fault.message));
}

TEST_F(TiTest, NamedFilesLieInTheFolderOfTheIndex) {
  std::filesystem::create_directory(path("in"));
  file("outside.txt", "0 init\n0 finalize\n");
  EXPECT_THAT(fault_of("in/i.ti", "../outside.txt\n"),
              HasSubstr("in/i.ti:1: '../outside.txt' lies outside the folder"));
  EXPECT_THAT(fault_of("in/i.ti", "../in\n"), HasSubstr("is no regular file"));
  std::filesystem::create_symlink(path("outside.txt"), path("in/link.txt"));
  EXPECT_THAT(fault_of("in/i.ti", "link.txt\n"), HasSubstr("'link.txt' lies outside the folder"));
  options_.allow_outside = true;
  EXPECT_THAT(briefs(read(file("in/i.ti", "../outside.txt\n"))), ElementsAre("mark 0 =0"));
  EXPECT_THAT(briefs(read(file("in/i.ti", "link.txt\n"))), ElementsAre("mark 0 =0"));
}

TEST_F(TiTest, ARankKeepsToItsFile) {
  file("0.txt", "0 init\n");
  file("1.txt", "1 init\n0 finalize\n");
  EXPECT_THAT(fault_of("i.ti", "0.txt\n1.txt\n"),
              HasSubstr("1.txt:2: rank '0'; expected 1 in the file of that rank"));
}

TEST_F(TiTest, DamagedFilesAreRefusedOrReadAsTheyAre) {
  from_ = "simgrid-ti";
  // What is cut off at the end of a line or of a number may still be a trace; a receive without its send is
  // none.
  try_truncations("t.ti", std::string(kPointToPoint), 60);
  try_flips("t.ti", std::string(kPointToPoint), 500);
}

TEST(TiDatatypes, SizesAreThoseOfX8664) {
  EXPECT_EQ(kTiDatatypeBytes[kTiByte], 1);
  EXPECT_EQ(kTiDatatypeBytes[kTiDouble], sizeof(double));
  EXPECT_EQ(kTiDatatypeBytes[14], sizeof(long double));
  EXPECT_EQ(kTiDatatypeBytes[20], 8);  // int64
  EXPECT_EQ(kTiDatatypeBytes[24], 8);  // uint64
  EXPECT_EQ(kTiDatatypeBytes[27], 2 * sizeof(long double));
  EXPECT_EQ(kTiDatatypeBytes[37], 2 * sizeof(long));
  EXPECT_EQ(kTiDatatypeBytes[46], 2);  // INTEGER2
  EXPECT_EQ(kTiDatatypeBytes[51], 1);  // C++ bool
}

TEST(MessageMatcher, TheKthSendMeetsTheKthReceive) {
  MessageMatcher matcher;
  std::uint64_t next = 10;
  const MessageMatcher::Channel a{0, 1, 5};
  const MessageMatcher::Channel b{0, 1, 6};
  EXPECT_EQ(matcher.receive(a, 1, next), 10U);
  EXPECT_EQ(matcher.receive(a, 2, next), 11U);
  EXPECT_EQ(matcher.send(b, 3, next), 12U);
  EXPECT_EQ(matcher.send(a, 4, next), 10U);
  EXPECT_EQ(matcher.sends_left(), 1U);
  MessageMatcher::Receive left;
  ASSERT_TRUE(matcher.receive_left(left));
  EXPECT_EQ(left.line, 2U);
  EXPECT_EQ(matcher.send(a, 5, next), 11U);
  EXPECT_EQ(matcher.receive(b, 6, next), 12U);
  EXPECT_EQ(matcher.sends_left(), 0U);
  EXPECT_FALSE(matcher.receive_left(left));
}

}  // namespace
}  // namespace vef::neighbours
