// SPDX-License-Identifier: Apache-2.0
// Traces of Paraver, both ways. Expected records and lines are worked out by hand.
#include <algorithm>
#include <fstream>

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

class ParaverTest : public NeighbourTest {};

constexpr std::string_view kHeader =
    "#Paraver (05/03/2024 at 16:05):1000_ns:1(2):1:2(1:1,1:1),2\n"
    "c:1:1:2:1:2\nc:1:2:1:2\n";

/// As Extrae writes them: two tasks; 1 sends in MPI_Send, 2 receives in MPI_Recv and MPI_Waitall.
constexpr std::string_view kLines =
    "1:1:1:1:1:0:100:1\n"
    "2:1:1:1:1:10:50000003:31:40000002:7\n"
    "2:2:1:2:1:12:50000003:31\n"
    "2:1:1:1:1:100:50000003:0\n"
    "2:2:1:2:1:110:50000003:0\n"
    "2:2:1:2:1:130:50000001:4\n"  // Irecv
    "2:2:1:2:1:131:50000001:0\n"
    "2:2:1:2:1:140:50000001:2\n"  // Recv
    "2:1:1:1:1:150:50000001:1\n"  // 50 ns after Init
    "3:1:1:1:1:150:160:2:1:2:1:140:170:64:7\n"
    "2:1:1:1:1:160:50000001:0\n"
    "2:2:1:2:1:170:50000001:0\n"
    "2:1:1:1:1:190:50000001:3\n"  // 30 ns later, Isend: complete in Waitall
    "3:1:1:1:1:190:191:2:1:2:1:131:220:5:-1\n"
    "2:1:1:1:1:191:50000001:0\n"
    "2:2:1:2:1:210:50000001:6\n"  // 40 ns later, Waitall
    "2:1:1:1:1:200:50000002:10:50100001:8:50100002:8:50100004:1\n"
    "2:2:1:2:1:221:50000001:0\n";

TEST_F(ParaverTest, MessagesAndCalls) {
  // The line at 200 stands behind that at 210: no trace of Extrae's.
  EXPECT_EQ(fault_of("t.prv", std::string(kHeader) + std::string(kLines)),
            "t.prv:20: time 200 after 210; expected lines in the order of their times");
  std::string lines(kLines);
  const std::size_t at = lines.find("2:1:1:1:1:200");
  lines = lines.substr(0, at) +
          "2:2:1:2:1:221:50000001:0\n"
          "2:1:1:1:1:230:50000002:10:50100001:8:50100002:8:50100004:1\n"
          "2:2:1:2:1:241:50000002:10:50100001:8:50100002:8:50100004:1\n"
          "2:1:1:1:1:250:50000002:0\n2:2:1:2:1:250:50000002:0\n"
          "2:1:1:1:1:260:50000003:32\n2:2:1:2:1:271:50000003:32\n2:1:1:1:1:300:50000003:0\n";
  const formats::Trace trace = read(file("t.prv", std::string(kHeader) + lines));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 64B =50", "m2 0>1 5B +30 s0",
                                            "c0 C0 all-reduce 0 8/8 +39 s2", "mark 0 +10 c0"));
  // 20 ns to Irecv, 9 to Recv; 40 to Waitall; 20; 21.
  EXPECT_THAT(briefs(trace, 1),
              ElementsAre("mark 1 =29", "mark 1 +40 r0", "c0 C0 all-reduce 1 8/8 +20 r2", "mark 1 +21 c0"));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
  EXPECT_EQ(trace.lines.front(), 13U);
}

TEST_F(ParaverTest, EveryCollective) {
  std::string lines(kHeader);
  std::uint64_t time = 0;
  const auto both = [&](int value, const std::string& first, const std::string& second) {
    for (const int task : {1, 2}) {
      const std::string who = std::to_string(task) + ":1:" + std::to_string(task) + ":1:";
      lines += "2:" + who + std::to_string(time) + ":50000002:" + std::to_string(value) +
               (task == 1 ? first : second) + ":50100004:1\n";
    }
    ++time;
    for (const int task : {1, 2}) {
      const std::string who = std::to_string(task) + ":1:" + std::to_string(task) + ":1:";
      lines += "2:" + who + std::to_string(time) + ":50000002:0\n";
    }
  };
  const auto sizes = [](int send, int recv) {
    return ":50100001:" + std::to_string(send) + ":50100002:" + std::to_string(recv);
  };
  both(7, sizes(0, 9), sizes(9, 0) + ":50100003:1");
  both(9, sizes(9, 0), sizes(0, 9) + ":50100003:1");
  both(11, sizes(4, 8), sizes(4, 8));
  both(12, sizes(5, 7), sizes(6, 4));
  both(14, sizes(1, 0), sizes(2, 3) + ":50100003:1");
  both(16, sizes(0, 1), sizes(3, 2) + ":50100003:1");
  both(18, sizes(1, 3), sizes(2, 3));
  both(80, sizes(6, 2), sizes(6, 4));
  both(30, sizes(3, 3), sizes(3, 3));
  both(156, sizes(0, 0), sizes(0, 0));
  both(174, sizes(3, 3), sizes(3, 3));
  lines += "2:2:1:2:1:" + std::to_string(time) + ":50000002:8:50100004:2\n";
  lines += "2:2:1:2:1:" + std::to_string(time) + ":50000002:0\n";
  const formats::Trace trace = read(file("t.prv", lines));
  EXPECT_THAT(
      briefs(trace, 0),
      ElementsAre("c0 C0 broadcast 0 0/9 =0", "c1 C0 reduce 0 9/0 +0 c0", "c2 C0 all-to-all 0 4/0 +0 c1",
                  "c3 C0 all-to-all 0 5/1 +0 c2", "c4 C0 gather 0 1/0 +0 c3", "c5 C0 scatter 0 0/1 +0 c4",
                  "c6 C0 all-gather 0 1/3 +0 c5", "c7 C0 reduce 0 0/6 +0 c6", "c8 C0 scatter 0 6/2 +0 c7",
                  "m0 0>1 3B +0 c8", "c9 C0 barrier 0 0/0 +0 s0"));
  EXPECT_THAT(
      briefs(trace, 1),
      ElementsAre("c0 C0 broadcast 1 9/0 =0", "c1 C0 reduce 1 0/9 +0 c0", "c2 C0 all-to-all 1 4/0 +0 c1",
                  "c3 C0 all-to-all 1 6/1 +0 c2", "c4 C0 gather 1 2/3 +0 c3", "c5 C0 scatter 1 3/2 +0 c4",
                  "c6 C0 all-gather 1 2/3 +0 c5", "c7 C0 reduce 1 6/0 +0 c6", "c8 C0 scatter 1 0/4 +0 c7",
                  "mark 1 +0 c8", "c9 C0 barrier 1 0/0 +0 r0", "c10 C1 barrier 1 0/0 +0 r0"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("2 parts in alltoallv are kept as their totals",
                          "2 parts in reducescatter are kept as a reduce and a scatter",
                          "2 parts in scans are kept as a message to the next rank",
                          "2 waits for non-blocking collectives are not kept", "2 collectives are left out"));
}

constexpr std::string_view kTrace =
    "VEF3 2 5 2 2 3 0 1000\n"
    "C0 0 1\n"
    "C1 1\n"
    "0 0 1 10 4 5 -1\n"
    "1 1 1 0 0 3 -1\n"
    "2 1 0 4 6 20 0\n"
    "G0 C0 0 0 8 0 1 2 0\n"
    "G0 C0 0 1 0 8 1 0 2\n"
    "G1 C1 6 1 0 0 3 4 G0\n"
    "3 0 0 0 3 1 G0\n"
    "4 1 1 0 3 7 G1\n";
// Message 0 leaves at 5 and is there at once; 2 leaves at 25, and nothing waits for it. The broadcast is
// entered at 7 and, by task 2, at 25.
constexpr std::string_view kPrv =
    "#Paraver (01/01/1970 at 00:00):36_ns:1(2):1:2(1:1,1:1),2\n"
    "c:1:1:2:1:2\n"
    "c:1:2:1:2\n"
    "2:1:1:1:1:0:50000003:31\n"
    "2:1:1:1:1:0:50000003:0\n"
    "2:2:1:2:1:0:50000003:31\n"
    "2:2:1:2:1:0:50000003:0\n"
    "1:1:1:1:1:0:5:1\n"
    "1:2:1:2:1:0:3:1\n"
    "1:2:1:2:1:3:5:8\n"
    "2:2:1:2:1:3:50000001:5\n"
    "2:1:1:1:1:5:50000001:3\n"
    "2:1:1:1:1:5:50000001:0\n"
    "3:1:1:1:1:5:5:2:1:2:1:3:5:10:0\n"
    "2:2:1:2:1:5:50000001:0\n"
    "1:2:1:2:1:5:25:1\n"
    "1:1:1:1:1:5:7:1\n"
    "2:1:1:1:1:7:50000002:7:50100001:8:50100002:0:50100004:1:50100003:1\n"
    "2:1:1:1:1:7:50000002:0\n"
    "1:1:1:1:1:7:8:1\n"
    "2:1:1:1:1:8:50000003:32\n"
    "2:2:1:2:1:25:50000001:3\n"
    "2:2:1:2:1:25:50000001:0\n"
    "3:2:1:2:1:25:25:1:1:1:1:8:25:4:0\n"
    "2:2:1:2:1:25:50000002:7:50100001:0:50100002:8:50100004:1\n"
    "2:2:1:2:1:25:50000002:0\n"
    "1:2:1:2:1:25:29:1\n"
    "2:1:1:1:1:25:50000003:0\n"
    "2:2:1:2:1:29:50000002:8:50100001:0:50100002:0:50100004:2\n"
    "2:2:1:2:1:29:50000002:0\n"
    "1:2:1:2:1:29:36:1\n"
    "2:2:1:2:1:36:50000003:32\n"
    "2:2:1:2:1:36:50000003:0\n";

TEST_F(ParaverTest, RecordsBecomeLinesAndComeBack) {
  const Conversion conversion = convert_file(file("in.vef", kTrace), "out.prv");
  EXPECT_EQ(read_file(path("out.prv")), kPrv);
  EXPECT_THAT(conversion.losses.kinds(), IsEmpty());
  EXPECT_THAT(read_file(path("out.pcf")),
              HasSubstr("EVENT_TYPE\n0    50000001    MPI Point-to-point\nVALUES\n"));
  EXPECT_THAT(read_file(path("out.row")), HasSubstr("LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nTHREAD 1.2.1\n"));
  const formats::Trace trace = read(path("out.prv"));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 10B =5", "c0 C0 broadcast 0 8/0 +2 s0", "mark 0 +1 c0"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =3", "m3 1>0 4B +20 r0", "c0 C0 broadcast 1 0/8 +0 s3",
                                            "c1 C1 barrier 1 0/0 +4 c0", "mark 1 +7 c1"));
  convert_file(path("out.prv"), "again.vef");
  convert_file(path("again.vef"), "again.prv.gz");
  convert_file(path("again.prv.gz"), "third.prv");
  // Lines of one time may have changed places.
  const auto sorted = [](std::string text) {
    std::vector<std::string> lines;
    for (std::size_t end; !text.empty(); text.erase(0, end + 1))
      lines.push_back(text.substr(0, end = text.find('\n')));
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(sorted(read_file(path("third.prv"))), sorted(std::string(kPrv)));
  EXPECT_EQ(read_file(path("again.pcf")), read_file(path("out.pcf")));
}

TEST_F(ParaverTest, RealTracesComeBack) {
  for (const char* name : {"ring-4-send-recv-a", "collectives-4"}) {
    const std::string original = std::string(VEF_SOURCE_DIR "/tests/data/vef3/") + name + ".vef";
    convert_file(original, "real.prv");
    const formats::Trace before = read(original);
    const formats::Trace after = read(path("real.prv"));
    for (formats::TaskId task = 0; task < before.header.tasks; ++task) {
      // Ids are given anew: compare without.
      const auto shapes = [&](const formats::Trace& trace) {
        std::vector<std::string> all;
        for (formats::Record record : trace.records) {
          if (record.task != task) continue;
          record.id = record.dep_id = 0;
          all.push_back(testing::brief(record));
        }
        return all;
      };
      EXPECT_EQ(shapes(after), shapes(before)) << name << ", task " << task;
    }
  }
}

TEST_F(ParaverTest, WhatIsNotWritten) {
  const auto refused = [&](const std::string& text) {
    const auto conversion = convert(file("in.vef", text), path("no.prv"), "", "", options_);
    EXPECT_FALSE(std::ifstream(path("no.prv")).good());
    return conversion ? std::string("nothing") : conversion.error().message;
  };
  EXPECT_THAT(refused("VEF 1 0 1 0 0 TRUE\nC0 0\n"), HasSubstr("VEF traces have no order within a task"));
  EXPECT_THAT(refused("VEF4 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 0 4 0 -1\n1 1 0 8 14 0 0\n"),
              HasSubstr("message 1 is an answer of one-sided communication"));
  EXPECT_THAT(refused("VEF3 1 1 1 0 0 1 1000000\nC0 0\n0 0 0 0 0 9223372036854775807 -1\n"),
              HasSubstr("expected less than 2^63 ps"));
}

TEST_F(ParaverTest, Faults) {
  const auto fault = [&](const std::string& lines) {
    return fault_of("t.prv", std::string(kHeader) + lines);
  };
  from_ = "paraver";
  const auto header = [&](const std::string& text) {
    Losses losses;
    const auto trace = read_trace(file("h.prv", text), "paraver", options_, losses);
    return trace ? std::string("nothing")
                 : trace.error().message.substr(trace.error().message.rfind('/') + 1);
  };
  EXPECT_EQ(header(""), "h.prv: is empty; expected #Paraver (date):time:...");
  EXPECT_THAT(header("# no\n"), HasSubstr("h.prv:1: '# no'; expected #Paraver (date):time:..."));
  EXPECT_THAT(header("#Paraver (d at 1:2):9_ns:0:2:1(1:1),1(1:1)\n"),
              HasSubstr("'2' applications; expected 1"));
  EXPECT_THAT(header("#Paraver (d):9_ns:0:1:9999999(1:1)\n"), HasSubstr("1 tasks in a list of 9999999"));
  EXPECT_THAT(header("#Paraver (d):x_ns:0:1:1(1:1)\n"), HasSubstr("end 'x'; expected a number"));
  EXPECT_THAT(header("#Paraver (d):9_ns:0:1:1(1:1)\nc:1:1:2:1:1\n"), HasSubstr("member 2 of communicator 1"));
  EXPECT_THAT(header("#Paraver (d):9_ns:0:1:1(1:1)\nc:1:1:2:1\n"),
              HasSubstr("1 members of communicator 1; expected 2"));
  EXPECT_THAT(fault("7:1\n"), HasSubstr("t.prv:4: '7:1'; expected a line that begins with"));
  EXPECT_THAT(fault("2:1:1:3:1:5:1:1\n"), HasSubstr("task 3 of application 1; expected task 1 to 2"));
  EXPECT_THAT(fault("2:1:1:x:1:5:1:1\n"), HasSubstr("a field is no number"));
  EXPECT_THAT(fault("2:1:1:1:1:5:1\n"), HasSubstr("an event; expected type:value"));
  EXPECT_THAT(fault("3:1:1:1:1:5:5:2:1:2:1:5\n"), HasSubstr("the physical receive or the size is no number"));
  EXPECT_THAT(fault("2:1:1:1:1:5:50000002:8:50100004:9\n2:1:1:1:1:6:50000002:0\n"),
              HasSubstr("MPI_Barrier on communicator 9; expected one that the header lists"));
  EXPECT_THAT(fault("2:1:1:1:1:5:50000002:8:50100004:2\n2:1:1:1:1:6:50000002:0\n"),
              HasSubstr("MPI_Barrier of task 1 on communicator 2; expected a member"));
  EXPECT_THAT(fault("2:1:1:1:1:5:50000002:8:50100004:1\n2:1:1:1:1:6:50000002:0\n"),
              HasSubstr("rank 0 calls MPI_Barrier, and 1 members"));
}

TEST_F(ParaverTest, OlderTracesHaveMicroseconds) {
  const formats::Trace trace = read(file("t.prv", "#Paraver (d):9:0:1:1(1:1)\n2:1:1:1:1:3:50000003:32\n"));
  EXPECT_THAT(briefs(trace), ElementsAre("mark 0 =3000"));
}

TEST_F(ParaverTest, DamagedFilesAreRefusedOrReadAsTheyAre) {
  from_ = "paraver";
  try_truncations("t.prv", std::string(kPrv), 80);
  try_flips("t.prv", std::string(kPrv), 800);
}

}  // namespace
}  // namespace vef::neighbours
