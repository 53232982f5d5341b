// SPDX-License-Identifier: Apache-2.0
// DUMPI's traces as text. Expected lines are written by hand, by the formats in sst-dumpi's
// dumpi/bin/dumpi2ascii-defs.h and the order of arguments in dumpi2ascii-callbacks.c (commit a4c8bf5).
#include <filesystem>

#include "test_traces.h"

namespace vef::neighbours {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kinds_of;
using testing::kTwoTasks;
using testing::NeighbourTest;
using testing::read_file;

constexpr std::string_view kHead =
    "version=1.0.0\nstarttime=Fri Jan  2 00:00:00 1970\nhostname=vefkit\nusername=vefkit\nmeshdim=0\n"
    "meshsize=[]\nmeshcrd=[]\n"
    "MPI_Init entering at walltime 0.000000000, cputime 0.000000000 seconds in thread 0.\n"
    "int argc=0\nstring argv[0]=<IGNORED>\n"
    "MPI_Init returning at walltime 0.000000000, cputime 0.000000000 seconds in thread 0.\n";

class DumpiAsciiTest : public NeighbourTest {
 protected:
  std::string rank_text(int rank) {
    return read_file(path("o.dumpi.txt_files/rank-000" + std::to_string(rank) + ".txt"));
  }

  /// What a rank prints between the lines of its calls, "name: argument; argument", MPI_Init aside.
  std::vector<std::string> calls_of(int rank) {
    std::vector<std::string> calls;
    std::string now;
    const std::string text = rank_text(rank);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (const std::size_t name = line.find(" entering at"); name != std::string::npos) {
        now = line.substr(4, name - 4) + ":";
      } else if (line.find(" returning at") != std::string::npos) {
        if (!now.starts_with("Init:")) calls.push_back(now);
        now.clear();
      } else if (!now.empty()) {
        now += (now.back() == ':' ? " " : "; ") + line;
      }
    }
    return calls;
  }
};

TEST_F(DumpiAsciiTest, ARankIsPrintedAsDumpi2asciiPrintsIt) {
  // On an ideal network the message that rank 0 waits for from 8 comes at 25; so it ends at 32, rank 1 at 25.
  const Conversion conversion = convert_file(file("in.vef", kTwoTasks), "o.dumpi.txt");
  EXPECT_EQ(conversion.to, "dumpi-ascii");
  EXPECT_THAT(conversion.losses.kinds(), IsEmpty());
  EXPECT_EQ(
      read_file(path("o.dumpi.txt")),
      "hostname=vefkit\nnumprocs=2\nusername=vefkit\nstartime=86400\nfileprefix=o.dumpi.txt_files/rank\n"
      "version=1\nsubversion=0\nsubsubversion=0\n");
  EXPECT_EQ(
      rank_text(0),
      std::string(kHead) +
          "MPI_Isend entering at walltime 0.000000005, cputime 0.000000005 seconds in thread 0.\n"
          "int count=10\n"
          "MPI_Datatype datatype=5 (MPI_BYTE)\n"
          "int dest=1\n"
          "int tag=0\n"
          "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
          "MPI_Request request=[2]\n"
          "MPI_Isend returning at walltime 0.000000005, cputime 0.000000005 seconds in thread 0.\n"
          "MPI_Request_free entering at walltime 0.000000005, cputime 0.000000005 seconds in thread 0.\n"
          "MPI_Request request=[2]\n"
          "MPI_Request_free returning at walltime 0.000000005, cputime 0.000000005 seconds in thread 0.\n"
          "MPI_Bcast entering at walltime 0.000000007, cputime 0.000000007 seconds in thread 0.\n"
          "int count=8\n"
          "MPI_Datatype datatype=5 (MPI_BYTE)\n"
          "int root=0\n"
          "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
          "MPI_Bcast returning at walltime 0.000000007, cputime 0.000000007 seconds in thread 0.\n"
          "MPI_Recv entering at walltime 0.000000008, cputime 0.000000008 seconds in thread 0.\n"
          "int count=4\n"
          "MPI_Datatype datatype=5 (MPI_BYTE)\n"
          "int source=1\n"
          "int tag=1\n"
          "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
          "MPI_Status status=<IGNORED>\n"
          "MPI_Recv returning at walltime 0.000000025, cputime 0.000000025 seconds in thread 0.\n"
          "MPI_Finalize entering at walltime 0.000000032, cputime 0.000000032 seconds in thread 0.\n"
          "MPI_Finalize returning at walltime 0.000000032, cputime 0.000000032 seconds in thread 0.\n"
          "Datatype 0 (MPI_DATATYPE_ERROR) has size 0\nDatatype 1 (MPI_DATATYPE_NULL) has size 0\n"
          "Datatype 2 (MPI_CHAR) has size 1\nDatatype 3 (MPI_SIGNED_CHAR) has size 1\n"
          "Datatype 4 (MPI_UNSIGNED_CHAR) has size 1\nDatatype 5 (MPI_BYTE) has size 1\n"
          "Datatype 6 (MPI_WCHAR) has size 4\nDatatype 7 (MPI_SHORT) has size 2\n"
          "Datatype 8 (MPI_UNSIGNED_SHORT) has size 2\nDatatype 9 (MPI_INT) has size 4\n"
          "Datatype 10 (MPI_UNSIGNED) has size 4\nDatatype 11 (MPI_LONG) has size 8\n"
          "Datatype 12 (MPI_UNSIGNED_LONG) has size 8\nDatatype 13 (MPI_FLOAT) has size 4\n"
          "Datatype 14 (MPI_DOUBLE) has size 8\nDatatype 15 (MPI_LONG_DOUBLE) has size 16\n"
          "Datatype 16 (MPI_LONG_LONG_INT) has size 8\nDatatype 17 (MPI_UNSIGNED_LONG_LONG) has size 8\n"
          "Datatype 18 (MPI_LONG_LONG) has size 8\n");
  const std::string other = rank_text(1);
  EXPECT_THAT(other, HasSubstr("MPI_Recv entering at walltime 0.000000003, cputime"));
  EXPECT_THAT(other, HasSubstr("MPI_Recv returning at walltime 0.000000005, cputime"));
  EXPECT_THAT(other, HasSubstr("MPI_Finalize entering at walltime 0.000000025, cputime"));
}

/// A trace whose tasks do each of `collectives` one after the other: "op s0/r0 s1/r1".
std::string trace_of(const std::vector<std::string>& collectives) {
  const std::string count = std::to_string(collectives.size());
  std::string text =
      "VEF3 2 0 1 " + count + " " + std::to_string(2 * collectives.size()) + " 0 1000\nC0 0 1\n";
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const std::string& call = collectives[i];
    const std::string id = "G" + std::to_string(i);
    const std::string after = i == 0 ? " 0 0 -1\n" : " 3 0 G" + std::to_string(i - 1) + "\n";
    for (const char task : {'0', '1'}) {
      const std::size_t sizes = call.find(' ') + 1;
      const std::size_t second = call.find(' ', sizes);
      std::string own = task == '0' ? call.substr(sizes, second - sizes) : call.substr(second + 1);
      own[own.find('/')] = ' ';
      text += id + " C0 " + call.substr(0, sizes) + task + " " + own + after;
    }
  }
  return text;
}

TEST_F(DumpiAsciiTest, EveryCollectiveIsItsCall) {
  // By the sizes in docs/vef3.md. Totals of the last are shared out evenly: 9 is 5 and 4, 4 is 2 and 2.
  convert_file(file("in.vef",
                    trace_of({"6 0/0 0/0", "0 0/16 16/0", "1 0/3 3/0", "2 8/8 8/8", "3 4/0 4/8", "3 5/11 6/0",
                              "4 6/3 0/3", "4 0/1 3/2", "5 4/8 4/8", "5 1/3 2/3", "7 3/0 3/0", "7 9/1 4/1"})),
               "o.dumpi.txt");
  const std::string byte = "MPI_Datatype datatype=5 (MPI_BYTE)";
  const std::string send = "MPI_Datatype sendtype=5 (MPI_BYTE)";
  const std::string recv = "MPI_Datatype recvtype=5 (MPI_BYTE)";
  const std::string world = "MPI_Comm comm=2 (MPI_COMM_WORLD)";
  EXPECT_THAT(
      calls_of(0),
      ElementsAre(
          "Barrier: " + world, "Bcast: int count=16; " + byte + "; int root=1; " + world,
          "Reduce: int count=3; " + byte + "; MPI_Op op=8 (MPI_BOR); int root=0; " + world,
          "Allreduce: int count=8; " + byte + "; MPI_Op op=8 (MPI_BOR); " + world,
          "Gather: int commrank=0; int sendcount=4; " + send +
              "; int recvcount=0; MPI_Datatype recvtype=0 (MPI_DATATYPE_ERROR); int root=1; " + world,
          "Gatherv: int commrank=0; int commsize=2; int sendcount=5; " + send +
              "; int recvcounts[2]=[5, 6]; int displs[2]=[0, 5]; " + recv + "; int root=0; " + world,
          "Scatter: int commrank=0; int sendcount=3; " + send + "; int recvcount=3; " + recv +
              "; int root=0; " + world,
          "Scatterv: int commrank=0; int commsize=2; int sendcounts[2]=<IGNORED>; int displs[2]=<IGNORED>; " +
              send + "; int recvcount=1; " + recv + "; int root=1; " + world,
          "Allgather: int sendcount=4; " + send + "; int recvcount=4; " + recv + "; " + world,
          "Allgatherv: int commsize=2; int sendcount=1; " + send +
              "; int recvcounts[2]=[1, 2]; int displs[2]=[0, 1]; " + recv + "; " + world,
          "Alltoall: int sendcount=3; " + send + "; int recvcount=3; " + recv + "; " + world,
          "Alltoallv: int commsize=2; int sendcounts[2]=[5, 4]; int senddispls[2]=[0, 5]; " + send +
              "; int recvcounts[2]=[5, 2]; int recvdispls[2]=[0, 5]; " + recv + "; " + world,
          "Finalize:"));
  const auto other = calls_of(1);
  ASSERT_EQ(other.size(), 13U);
  EXPECT_EQ(other[4], "Gather: int commrank=1; int sendcount=4; " + send + "; int recvcount=4; " + recv +
                          "; int root=1; " + world);
  EXPECT_EQ(other[5], "Gatherv: int commrank=1; int commsize=2; int sendcount=6; " + send +
                          "; int recvcounts[2]=<IGNORED>; int displs[2]=<IGNORED>; " + recv +
                          "; int root=0; " + world);
  EXPECT_EQ(other[6],
            "Scatter: int commrank=1; int sendcount=0; MPI_Datatype sendtype=0 "
            "(MPI_DATATYPE_ERROR); int recvcount=3; " +
                recv + "; int root=0; " + world);
  EXPECT_EQ(other[7],
            "Scatterv: int commrank=1; int commsize=2; int sendcounts[2]=[1, 2]; int displs[2]=[0, 1]; " +
                send + "; int recvcount=2; " + recv + "; int root=1; " + world);
}

TEST_F(DumpiAsciiTest, CommunicatorsAreMadeFirstAndNonBlockingPartsStandWhereTheyAreWaitedFor) {
  // Tasks 2 and 0 of C1 enter a barrier at 0, compute to 4 and wait for it. A mark at 9 has no call behind
  // it; the message of task 2, sent at 4, is waited for by nobody.
  const Conversion conversion = convert_file(file("in.vef",
                                                  "VEF3 3 4 2 1 2 0 1000\n"
                                                  "C0 0 1 2\n"
                                                  "C1 2 0\n"
                                                  "G0 C1 6 0 0 0 0 0 -1\n"
                                                  "G0 C1 6 2 0 0 0 0 -1\n"
                                                  "0 0 0 0 0 4 -1\n"
                                                  "1 2 1 7 4 4 -1\n"
                                                  "2 0 0 0 3 5 G0\n"
                                                  "3 0 0 0 0 11 -1\n"),
                                             "o.dumpi.txt");
  EXPECT_THAT(kinds_of(conversion.losses),
              ElementsAre("2 parts in non-blocking collectives are done where they are waited for",
                          "1 marks that no call follows are not kept"));
  const std::string world = "MPI_Comm oldcomm=2 (MPI_COMM_WORLD)";
  const std::string group =
      "Comm_group: MPI_Comm comm=2 (MPI_COMM_WORLD); MPI_Group group=3 (user-defined-group)";
  const std::string incl =
      "Group_incl: MPI_Group group=3 (user-defined-group); int count=2; int ranks[2]=[2, 0]; "
      "MPI_Group newgroup=4 (user-defined-group)";
  const std::string make = "Comm_create: " + world +
                           "; MPI_Group group=4 (user-defined-group); "
                           "MPI_Comm newcomm=4 (user-defined-comm)";
  EXPECT_THAT(calls_of(0),
              ElementsAre(group, incl, make, "Barrier: MPI_Comm comm=4 (user-defined-comm)", "Finalize:"));
  EXPECT_THAT(calls_of(1),
              ElementsAre(group,
                          "Comm_create: " + world +
                              "; MPI_Group group=2 (MPI_GROUP_EMPTY); MPI_Comm newcomm=1 (MPI_COMM_NULL)",
                          "Recv: int count=7; MPI_Datatype datatype=5 (MPI_BYTE); int source=2; int tag=0; "
                          "MPI_Comm comm=2 (MPI_COMM_WORLD); MPI_Status status=<IGNORED>",
                          "Finalize:"));
  EXPECT_THAT(rank_text(0), HasSubstr("MPI_Barrier entering at walltime 0.000000004,"));
  EXPECT_THAT(rank_text(0), HasSubstr("MPI_Finalize entering at walltime 0.000000011,"));
  EXPECT_THAT(rank_text(1), HasSubstr("MPI_Recv entering at walltime 0.000000000,"));
  EXPECT_THAT(rank_text(1), HasSubstr("MPI_Recv returning at walltime 0.000000004,"));
  EXPECT_THAT(calls_of(2).back(), "Finalize:");
  EXPECT_THAT(calls_of(2)[5], "Barrier: MPI_Comm comm=4 (user-defined-comm)");
}

TEST_F(DumpiAsciiTest, LargeSizesAndFineTimesAreRounded) {
  // 2^31 + 1 bytes are 268435457 times 8; 1.25 s and 400 ps are 1.25 s.
  const Conversion conversion = convert_file(file("in.vef",
                                                  "VEF3 2 1 1 0 0 0 100\n"
                                                  "C0 0 1\n"
                                                  "0 0 1 2147483649 4 12500000004 -1\n"),
                                             "o.dumpi.txt");
  EXPECT_THAT(calls_of(0)[0],
              HasSubstr("int count=268435457; MPI_Datatype datatype=18 (MPI_LONG_LONG); int dest=1"));
  EXPECT_THAT(rank_text(0), HasSubstr("MPI_Isend entering at walltime 1.250000000, cputime 1.250000000 sec"));
  const auto kinds = kinds_of(conversion.losses);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_THAT(kinds[0], HasSubstr("times are rounded to nanoseconds"));
  EXPECT_EQ(kinds[1], "1 sizes of 2 GiB and more are rounded up to 8 bytes");
}

TEST_F(DumpiAsciiTest, WhatCannotBeWrittenIsRefused) {
  const auto refused = [&](const std::string& trace, const std::string& to = "o.dumpi.txt") {
    const auto conversion = convert(file("in.vef", trace), path(to), "", "dumpi-ascii", options_);
    return conversion ? "nothing" : conversion.error().message;
  };
  EXPECT_THAT(refused("VEF 1 0 1 0 0 TRUE\nC0 0\n"), HasSubstr("VEF traces have no order within a task"));
  EXPECT_THAT(refused("VEF4 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 8 4 0 -1\n1 1 0 8 14 0 0\n"),
              HasSubstr("message 1 is an answer, which VEF3 does not have; expected none, or --lossy"));
  EXPECT_THAT(
      refused("VEF3 2 1 1 0 0 0 1000\nC0 0 1\n0 0 1 17179869177 4 0 -1\n"),
      HasSubstr("message 0: 17179869177 bytes; expected at most 17179869176, which is what DUMPI can"));
  EXPECT_THAT(refused(trace_of({"2 17179869177/17179869177 17179869177/17179869177"})),
              HasSubstr("G0: 17179869177 bytes; expected at most 17179869160"));
  EXPECT_THAT(refused("VEF3 1 1 1 0 0 0 1000\nC0 0\n0 0 0 0 2 0 7\n"), HasSubstr("task 0 waits for what"));
  EXPECT_THAT(refused(std::string(kTwoTasks), "o.dumpi.txt.gz"), HasSubstr("is not written compressed"));
  EXPECT_FALSE(std::filesystem::exists(path("o.dumpi.txt")));
}

}  // namespace
}  // namespace vef::neighbours
