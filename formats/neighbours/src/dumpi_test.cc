// SPDX-License-Identifier: Apache-2.0
// Traces of DUMPI. Expected records are worked out by hand.
#include "dumpi_functions.h"
#include "test_dumpi.h"
#include "test_traces.h"

namespace vef::neighbours {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DumpiTest : public NeighbourTest {
 protected:
  std::string write(const std::vector<DumpiRank>& ranks, const std::vector<std::uint32_t>& sizes = {}) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      file("t-000" + std::to_string(i) + ".bin", ranks[i].file(sizes));
    return file("t.meta", "hostname=h\nnumprocs=" + std::to_string(ranks.size()) +
                              "\nusername=u\nstartime=1\nfileprefix=t\nversion=1\nsubversion=0\n");
  }
  std::string fault(const std::vector<DumpiRank>& ranks) {
    Losses losses;
    const auto trace = read_trace(write(ranks), "", options_, losses);
    if (trace) return "nothing";
    return trace.error().message.substr(trace.error().message.rfind('/') + 1);
  }
};

TEST_F(DumpiTest, NumbersOfFunctions) {
  EXPECT_EQ(dumpi_name(0), "Send");
  EXPECT_EQ(dumpi_name(13), "Wait");
  EXPECT_EQ(dumpi_name(33), "Sendrecv");
  EXPECT_EQ(dumpi_name(67), "Scan");
  EXPECT_EQ(dumpi_name(86), "Comm_split");
  EXPECT_EQ(dumpi_name(125), "Finalize");
  EXPECT_EQ(dumpi_name(155), "Alltoallw");
  EXPECT_EQ(dumpi_name(171), "Init_thread");
  EXPECT_EQ(dumpi_name(230), "File_open");
  EXPECT_EQ(dumpi_name(289), "IO_Testsome");
  EXPECT_EQ(dumpi_name(291), "Function_enter");
}

TEST_F(DumpiTest, MessagesAndComputing) {
  // Only time between calls counts: that in MPI_Wait on a send, and in MPI_Irecv, does not.
  DumpiRank a;
  a.init().call(8, message(10, 1, 7) + i32(2), 50).call(13, i32(2) + no_status(), 3);
  a.call(1, message(1, 1, 8, kInt) + no_status(), 4).finalize(5);
  DumpiRank b;
  b.init().call(12, message(99, 0, 7) + i32(2), 20).call(13, i32(2) + one_status(0, 7), 30);
  b.call(0, message(2, 0, 8, kInt), 40).finalize(6);
  const formats::Trace trace = read(write({a, b}));
  // By the clocks, the mark of rank 1 comes before its message: it is number 1.
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 10B =50", "mark 0 +7 s0", "mark 0 +5 r2"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =50", "m2 1>0 8B +40 r0", "mark 1 +6 s2"));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
}

TEST_F(DumpiTest, RequestsInEveryForm) {
  DumpiRank a;  // persistent send, twice; then sends for every kind of completion
  a.init().call(26, message(1, 1, 1) + i32(2)).call(31, i32(2)).call(13, i32(2) + no_status());
  a.call(32, i32(1) + ints({2})).call(18, i32(1) + ints({2}) + no_status()).call(15, i32(2));
  for (int tag = 2; tag < 8; ++tag) a.call(tag == 2 ? 3 : tag == 3 ? 4 : 5, message(1, 1, tag));
  a.finalize();
  DumpiRank b;
  b.init().call(30, message(1, 0, 1) + i32(9)).call(31, i32(9));
  b.call(14, i32(9) + i32(0) + no_status()).call(14, i32(9) + i32(1) + no_status(), 2000);
  b.call(31, i32(9)).call(13, i32(9) + no_status()).call(15, i32(9));
  for (int tag = 2; tag < 8; ++tag) b.call(12, message(1, 0, tag) + i32(tag + 10));
  b.call(16, i32(2) + ints({12, 13}) + i32(1) + no_status());              // Waitany: tag 3
  b.call(17, i32(2) + ints({12, 1}) + i32(0) + i32(1) + no_status());      // Testany: tag 2
  b.call(20, i32(2) + ints({14, 15}) + i32(1) + ints({1}) + no_status());  // Waitsome: tag 5
  b.call(21, i32(2) + ints({14, 1}) + i32(1) + ints({0}) + no_status());   // Testsome: tag 4
  b.call(19, i32(2) + ints({16, 17}) + i32(1) + no_status());              // Testall: tags 6 and 7
  b.call(16, i32(1) + ints({1}) + i32(-32766) + no_status()).finalize();   // nothing to wait for
  const formats::Trace trace = read(write({a, b}));
  // Sends have ids in their order: 0 and 1 with tag 1, then one for each tag.
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> awaited;
  for (const formats::Record& record : trace.records) {
    if (record.task == 0 && record.kind == formats::RecordKind::kMessage) sent.push_back(record.id);
    if (record.task == 1 && record.dep == formats::DepKind::kReceive) awaited.push_back(record.dep_id);
  }
  ASSERT_EQ(sent.size(), 8U);
  EXPECT_THAT(awaited, ElementsAre(sent[0], sent[1], sent[3], sent[2], sent[5], sent[4], sent[6], sent[7]));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
}

TEST_F(DumpiTest, AReceiveFromAnySourceTakesWhatItsStatusSays) {
  DumpiRank a;  // both are posted before either is complete: the first, from any source, took rank 2's
  a.init().call(12, message(1, -1, -1) + i32(2)).call(12, message(1, 1, 5) + i32(3));
  a.call(13, i32(3) + one_status(1, 5)).call(13, i32(2) + one_status(2, 6));
  a.call(1, message(1, -1, 5) + one_status(1, 5)).finalize();
  DumpiRank b;
  b.init().call(0, message(11, 0, 5)).call(0, message(12, 0, 5)).finalize();
  DumpiRank c;
  c.init().call(0, message(13, 0, 6)).finalize();
  const formats::Trace trace = read(write({a, b, c}));
  std::vector<std::uint64_t> sizes;
  for (const formats::Record& record : trace.records) {
    if (record.task != 0 || record.dep != formats::DepKind::kReceive) continue;
    for (const formats::Record& message : trace.records) {
      if (message.kind == formats::RecordKind::kMessage && message.id == record.dep_id)
        sizes.push_back(message.send_bytes);
    }
  }
  EXPECT_THAT(sizes, ElementsAre(11, 13, 12));
}

TEST_F(DumpiTest, AnEarlierReceiveFromAnySourceGoesFirst) {
  // Both receives take messages of rank 1; that from any source was posted first, and got the first.
  DumpiRank a;
  a.init().call(12, message(1, -1, 5) + i32(2)).call(12, message(1, 1, 5) + i32(3));
  a.call(13, i32(3) + one_status(1, 5)).call(13, i32(2) + one_status(1, 5)).finalize();
  DumpiRank b;
  b.init().call(0, message(11, 0, 5)).call(0, message(12, 0, 5)).finalize();
  const formats::Trace trace = read(write({a, b}));
  const auto records = briefs(trace, 0);
  ASSERT_EQ(records.size(), 3U);
  const auto sends = briefs(trace, 1);
  const std::string first = sends[0].substr(1, sends[0].find(' ') - 1);
  const std::string second = sends[1].substr(1, sends[1].find(' ') - 1);
  EXPECT_EQ(records[1], "mark 0 +0 r" + second);
  EXPECT_EQ(records[2], "mark 0 +0 r" + first);
}

TEST_F(DumpiTest, NothingComesFromNoProcessOrACancelledReceive) {
  DumpiRank a;
  a.init().call(0, message(1, -2, 0)).call(1, message(1, -2, 0) + no_status());
  a.call(1, message(1, -1, -1) + one_status(-1, -1));  // MPICH's number of MPI_PROC_NULL
  a.call(12, message(1, 0, 3) + i32(2)).call(24, i32(2)).call(13, i32(2) + one_status(0, 0, true));
  a.call(12, message(1, -2, 3) + i32(3)).call(13, i32(3) + no_status());
  a.finalize(9);
  EXPECT_THAT(briefs(read(write({a}))), ElementsAre("mark 0 =9"));
}

TEST_F(DumpiTest, AProbeWaitsForWhatTheNextReceiveTakes) {
  DumpiRank a;
  a.init().call(22, i32(-1) + i32(-1) + u16(2) + i32(0) + no_status(), 5);  // nothing yet
  a.call(22, i32(-1) + i32(-1) + u16(2) + i32(0) + no_status(), 1000);      // a poll's gap
  a.call(23, i32(-1) + i32(4) + u16(2) + one_status(1, 4), 7);
  a.call(12, message(1, 1, 4) + i32(2), 3).call(13, i32(2) + no_status(), 2).finalize(1);
  DumpiRank b;
  b.init().call(0, message(1, 0, 4)).finalize();
  EXPECT_THAT(briefs(read(write({a, b})), 0), ElementsAre("mark 0 =12", "mark 0 +5 r0", "mark 0 +1 r0"));
}

TEST_F(DumpiTest, AProbeWhoseMessageNobodyTakesIsALoss) {
  // The first two probes wait for what never comes to a receive; records behind them depend on what was
  // before.
  DumpiRank a;
  a.init().call(52, u16(2));
  a.call(23, i32(0) + i32(4) + u16(2) + no_status(), 5).call(23, i32(0) + i32(5) + u16(2) + no_status(), 6);
  a.finalize(7);
  EXPECT_THAT(briefs(read(write({a}))),
              ElementsAre("c0 C0 barrier 0 0/0 =0", "mark 0 +5 c0", "mark 0 +6 c0", "mark 0 +7 c0"));
  EXPECT_THAT(kinds_of(losses_), ElementsAre("2 probes found messages that no receive takes"));
}

TEST_F(DumpiTest, SendrecvBothWays) {
  std::vector<DumpiRank> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    const int other = 1 - rank;
    ranks[static_cast<std::size_t>(rank)]
        .init()
        .call(33, i32(3) + u16(kInt) + i32(other) + i32(1) + i32(3) + u16(kInt) + i32(other) + i32(1) +
                      u16(2) + no_status())
        .call(34, i32(5) + u16(kByte) + i32(other) + i32(2) + i32(other) + i32(2) + u16(2) + no_status())
        .finalize();
  }
  EXPECT_THAT(briefs(read(write(ranks)), 0), ElementsAre("m0 0>1 12B =0", "mark 0 +0 s0", "m4 0>1 5B +0 r1",
                                                         "mark 0 +0 s4", "mark 0 +0 r5"));
}

TEST_F(DumpiTest, SizesOfDatatypes) {
  // Derived ones: 3 ints; 2 x 2 ints; 1 + 4 ints; struct of 2 bytes and 3 ints; the sizes at the end know 33.
  DumpiRank a;
  a.init().call(35, i32(3) + u16(kInt) + u16(28)).call(36, i32(2) + i32(2) + i32(9) + u16(kInt) + u16(29));
  a.call(38, i32(2) + ints({1, 4}) + ints({0, 8}) + u16(kInt) + u16(30));
  a.call(222, i32(2) + ints({2, 3}) + ints({0, 4}) + handles({kByte, kInt}) + u16(31));
  a.call(223, i32(2) + ints({9, 9}) + ints({2, 5}) + ints({0, 0}) + u8(1) + u16(kInt) + u16(32));
  for (const std::uint64_t type : {28, 29, 30, 31, 32, 33}) a.call(0, message(1, 0, 1, type));
  a.finalize();
  std::vector<std::uint32_t> sizes(34);
  sizes[33] = 7;
  std::vector<std::uint64_t> bytes;
  for (const formats::Record& record : read(write({a}, sizes)).records) {
    if (record.kind == formats::RecordKind::kMessage) bytes.push_back(record.send_bytes);
  }
  EXPECT_THAT(bytes, ElementsAre(12, 16, 20, 14, 40, 7));
  EXPECT_THAT(fault({DumpiRank().init().call(0, message(1, 0, 1, 33)).finalize()}),
              HasSubstr("MPI_Send: datatype 33 of unknown size; expected one"));
}

TEST_F(DumpiTest, EveryCollective) {
  std::vector<DumpiRank> ranks(2);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    DumpiRank& r = ranks[static_cast<std::size_t>(rank)];
    const bool root = rank == 1;
    const std::string pair = i32(2) + u16(kByte) + i32(2) + u16(kByte) + u16(2);
    r.init().call(52, u16(2));
    r.call(53, i32(4) + u16(kInt) + i32(1) + u16(2));
    r.call(54, i32(rank) + i32(3) + u16(kByte) + i32(1) + u16(2) + (root ? i32(3) + u16(kByte) : ""));
    r.call(55, i32(rank) + i32(2) + i32(4 + rank) + u16(kByte) + i32(1) + u16(2) +
                   (root ? ints({4, 5}) + ints({0, 0}) : "") + u16(kByte));
    r.call(56, i32(rank) + i32(3) + u16(kByte) + i32(1) + u16(2) + (root ? i32(3) + u16(kByte) : ""));
    r.call(57, i32(rank) + i32(2) + u16(kByte) + i32(1 + rank) + u16(kByte) + i32(1) + u16(2) +
                   (root ? ints({1, 2}) + ints({0, 0}) : ""));
    r.call(58, pair).call(
        59, i32(2) + i32(1 + rank) + u16(kByte) + ints({1, 2}) + ints({0, 1}) + u16(kByte) + u16(2));
    r.call(60, pair);
    r.call(61, i32(2) + ints({1, 2}) + ints({0, 1}) + u16(kByte) + ints({1, 1}) + ints({0, 1}) + u16(kByte) +
                   u16(2));
    r.call(155, i32(2) + ints({1, 2}) + ints({0, 1}) + handles({kByte, kInt}) + ints({1, 1}) + ints({0, 1}) +
                    handles({kByte, kByte}) + u16(2));
    r.call(62, i32(5) + u16(kByte) + u8(3) + i32(1) + u16(2)).call(65, i32(6) + u16(kByte) + u8(3) + u16(2));
    r.call(66, i32(2) + ints({2, 3}) + u16(kByte) + u8(3) + u16(2));
    r.call(67, i32(8) + u16(kByte) + u8(3) + u16(2)).call(156, i32(9) + u16(kByte) + u8(3) + u16(2));
    r.finalize();
  }
  const formats::Trace trace = read(write(ranks));
  EXPECT_THAT(
      briefs(trace, 0),
      ElementsAre("c0 C0 barrier 0 0/0 =0", "c1 C0 broadcast 0 0/16 +0 c0", "c2 C0 gather 0 3/0 +0 c1",
                  "c3 C0 gather 0 4/0 +0 c2", "c4 C0 scatter 0 0/3 +0 c3", "c5 C0 scatter 0 0/1 +0 c4",
                  "c6 C0 all-gather 0 2/4 +0 c5", "c7 C0 all-gather 0 1/3 +0 c6",
                  "c8 C0 all-to-all 0 2/0 +0 c7", "c9 C0 all-to-all 0 3/1 +0 c8",
                  "c10 C0 all-to-all 0 9/1 +0 c9", "c11 C0 reduce 0 5/0 +0 c10",
                  "c12 C0 all-reduce 0 6/6 +0 c11", "c13 C0 reduce 0 0/5 +0 c12",
                  "c14 C0 scatter 0 5/2 +0 c13", "m0 0>1 8B +0 c14", "m2 0>1 9B +0 s0", "mark 0 +0 s2"));
  EXPECT_THAT(
      briefs(trace, 1),
      ElementsAre("c0 C0 barrier 1 0/0 =0", "c1 C0 broadcast 1 16/0 +0 c0", "c2 C0 gather 1 3/6 +0 c1",
                  "c3 C0 gather 1 5/9 +0 c2", "c4 C0 scatter 1 6/3 +0 c3", "c5 C0 scatter 1 3/2 +0 c4",
                  "c6 C0 all-gather 1 2/4 +0 c5", "c7 C0 all-gather 1 2/3 +0 c6",
                  "c8 C0 all-to-all 1 2/0 +0 c7", "c9 C0 all-to-all 1 3/1 +0 c8",
                  "c10 C0 all-to-all 1 9/1 +0 c9", "c11 C0 reduce 1 0/5 +0 c10",
                  "c12 C0 all-reduce 1 6/6 +0 c11", "c13 C0 reduce 1 5/0 +0 c12",
                  "c14 C0 scatter 1 0/3 +0 c13", "mark 1 +0 c14", "mark 1 +0 r0", "mark 1 +0 r2"));
}

TEST_F(DumpiTest, CommunicatorsAreWorkedOutAcrossRanks) {
  // Ranks 0 and 2 split off with reversed keys; each numbers the new one differently. Then a 2 x 2 grid whose
  // rows are ranks 0 1 and 2 3, and a communicator of a group.
  std::vector<DumpiRank> ranks(4);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    DumpiRank& r = ranks[static_cast<std::size_t>(rank)];
    const bool even = rank % 2 == 0;
    const std::uint64_t split = 4 + static_cast<std::uint64_t>(rank);
    r.init().call(86, u16(2) + i32(even ? 7 : -32766) + i32(-rank) + u16(even ? split : 1));
    if (even) r.call(53, i32(1) + u16(kByte) + i32(0) + u16(split));  // root: rank 2 of the world
    r.call(99, u16(2) + i32(2) + ints({2, 2}) + ints({0, 0}) + i32(0) + u16(20));
    r.call(111, i32(2) + u16(20) + ints({0, 1}) + u16(21)).call(52, u16(21));
    r.call(72, u16(2) + u16(3)).call(76, u16(3) + i32(2) + ints({3, 1}) + u16(4));
    r.call(85, u16(2) + u16(4) + u16(rank % 2 == 1 ? 30 : 1));
    if (rank == 3) r.call(0, message(1, 1, 0, kByte, 30));  // to rank 1 of the world
    if (rank == 1) r.call(1, message(1, 0, 0, kByte, 30) + no_status()).call(81, u16(30) + i32(2));
    if (even) r.call(82, u16(split) + i32(rank == 2 ? 0 : 1));
    r.finalize();
  }
  const formats::Trace trace = read(write(ranks));
  EXPECT_THAT(trace.communicators,
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(2, 0), ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(briefs(trace, 2),
              ElementsAre("c0 C0 barrier 2 0/0 =0", "c1 C1 broadcast 2 1/0 +0 c0",
                          "c2 C0 barrier 2 0/0 +0 c1", "c3 C0 barrier 2 0/0 +0 c2",
                          "c5 C3 barrier 2 0/0 +0 c3", "c6 C0 barrier 2 0/0 +0 c5", "mark 2 +0 c6"));
  ASSERT_EQ(briefs(trace, 3).size(), 7U);
  EXPECT_THAT(briefs(trace, 3)[5], HasSubstr(" 3>1 1B +0 c6"));
  ranks[1].call(82, u16(30) + i32(0));
  EXPECT_THAT(fault(ranks), HasSubstr("MPI_Comm_rank: result 0; expected 1 by the calls that made"));
}

TEST_F(DumpiTest, CallsOfEveryShapeAreSkipped) {
  DumpiRank a;
  a.call(171, big(1, 4) + chars("./a") + u8(1) + u8(2));
  a.call(135, i32(0) + i32(0) + u16(2) + u16(7) + chars("cmd") + big(1, 4) + chars("x") + i32(4) + u16(0) +
                  ints({0, 0}));
  a.call(135, i32(0) + i32(1) + u16(2) + u16(7));
  a.call(136, i32(4) + i32(0) + i32(0) + u16(2) + u16(7) + i32(1) + big(1, 4) + chars("c") + big(1, 4) +
                  big(2, 4) + chars("a") + chars("b") + ints({4}) + handles({0}) + ints({0}));
  a.call(217, i32(4) + i32(0) + i32(2) + ints({8, 8}) + chars("\1\1") + ints({0, 0}) + ints({2, 2}) + u8(1) +
                  u16(9) + u16(28));
  a.call(181, i32(1) + i32(1) + i32(2) + u16(9) + i32(2) + i32(1) + i32(1) + ints({1, 2}) + ints({3}) +
                  handles({9}));
  a.call(209, u16(1) + chars("key") + i32(5) + chars("value") + i32(1));
  a.call(240, u16(1) + u64(0) + u16(9) + u16(9) + chars("native") + u16(0));
  a.call(242, u16(1) + u64(1) + i32(2) + u16(9) + one_status(0, 0));
  a.call(105, i32(1) + u16(2) + i32(1) + ints({4}) + ints({0}) + ints({0}));
  a.call(78, u16(3) + i32(1) + big(1, 4) + ints({0, 0, 1}) + u16(4));
  a.call(141, i32(1) + u16(9) + i32(0) + i32(0) + i32(1) + u16(9) + u8(3) + u16(1)).call(122, "");
  a.raw(52, 0x8b, std::string(12, '\0') + u8(2) + std::string(32, '\0') + u16(2));  // counters, no thread
  a.raw(52, 0, u16(2)).finalize();
  // Two calls for files have passed as computing, 1 us each.
  EXPECT_THAT(briefs(read(write({a}))),
              ElementsAre("c0 C0 barrier 0 0/0 =2000", "c1 C0 barrier 0 0/0 +0 c0", "mark 0 +0 c1"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("1 calls of one-sided communication are left out, but for fences",
                          "1 calls have no times"));
}

TEST_F(DumpiTest, FilesPassAsComputing) {
  // MPI_File_write takes 1 us; opening and closing are barriers.
  DumpiRank a;
  a.init()
      .call(230, u16(2) + chars("f") + u8(4) + u16(0) + u16(5))
      .call(248, u16(5) + i32(1) + u16(9) + no_status(), 10);
  a.call(231, u16(5), 20).finalize();
  EXPECT_THAT(briefs(read(write({a}))),
              ElementsAre("c0 C0 barrier 0 0/0 =0", "c1 C0 barrier 0 0/0 +1030 c0", "mark 0 +0 c1"));
}

TEST_F(DumpiTest, Faults) {
  const auto start = [] { return DumpiRank().init(); };
  EXPECT_EQ(fault({start().call(0, message(1, 5, 0)).finalize()}),
            "t-0000.bin: byte 37: MPI_Send: destination 5; expected 0 to 0");
  EXPECT_THAT(fault({start().call(0, message(-1, 0, 0)).finalize()}),
              HasSubstr("count -1; expected 0 or more"));
  EXPECT_THAT(fault({start().call(52, u16(9)).finalize()}), HasSubstr("communicator 9; expected one within"));
  EXPECT_THAT(fault({start().call(31, i32(4)).finalize()}), HasSubstr("request 4; expected one that"));
  EXPECT_THAT(fault({start().call(1, message(1, -1, 0) + no_status()).finalize()}),
              HasSubstr("expected a status"));
  EXPECT_EQ(
      fault({start().call(1, message(1, 0, 3) + no_status()).finalize()}),
      "t.meta: the receive at byte 37 of rank 0 takes a message of rank 0 with tag 3, which sends fewer; "
      "expected a send for each receive");
  EXPECT_THAT(fault({start().call(52, u16(2)).finalize(), start().finalize()}),
              HasSubstr("rank 0 calls MPI_Barrier, and 1 members of its communicator do not"));
  EXPECT_THAT(fault({start().call(52, u16(2)).finalize(),
                     start().call(65, i32(1) + u16(9) + u8(3) + u16(2)).finalize()}),
              HasSubstr("MPI_Allreduce: while rank 0 calls MPI_Barrier on the same communicator"));
  EXPECT_THAT(fault({start().call(84, u16(2) + u16(4)).finalize(), start().finalize()}),
              HasSubstr("rank 0, byte 37: MPI_Comm_dup that 1 members of the communicator do not call"));
  EXPECT_THAT(fault({start().raw(128, 0, "").finalize()}),
              HasSubstr("function 128; expected one that DUMPI records"));
  EXPECT_THAT(fault({start().raw(20, 0, i32(1) + big(0x7fffffff, 4))}),
              HasSubstr("2147483647 things in an array"));
  EXPECT_THAT(fault({start().raw(52, 8, u16(0) + big(1'000'000'000, 4))}),
              HasSubstr("nanoseconds; expected less"));
  file("t-0000.bin", DumpiRank().file({}, "0.6.2"));
  EXPECT_THAT(fault_of("t.meta", "numprocs=1\nfileprefix=t\n"),
              HasSubstr("version 0.6.2; expected 0.6.9 or later"));
  EXPECT_EQ(fault_of("t.meta", "numprocs=1\nfileprefix=../../x\n"),
            "t.meta:2: '../../x-0000.bin' is not there; expected a file in the folder of " + path("t.meta"));
  EXPECT_EQ(fault_of("t.meta", "numprocs=0\nfileprefix=t\n"),
            "t.meta:1: numprocs '0'; expected 1 to 16777216");
  EXPECT_EQ(fault_of("t.meta", "fileprefix=t\nnumprocs\n"),
            "t.meta:2: 'numprocs'; expected a line of the form key=value");
  from_ = "dumpi";
  EXPECT_THAT(fault_of("one.bin", DumpiRank().file()),
              HasSubstr("one.bin: the file of one rank; expected the .meta"));
}

TEST_F(DumpiTest, DamageEndsInAMessage) {
  DumpiRank a;
  a.init().call(86, u16(2) + i32(1) + i32(0) + u16(4)).call(12, message(1, -1, -1) + i32(2));
  a.call(8, message(3, 0, 1, 28, 4) + i32(3))
      .call(18, i32(2) + ints({2, 3}) + big(2, 4) + status(0, 1) + status(0, 0));
  a.call(55, i32(0) + i32(1) + i32(4) + u16(kByte) + i32(0) + u16(4) + ints({4}) + ints({0}) + u16(kByte));
  a.call(22, i32(0) + i32(0) + u16(2) + i32(1) + one_status(0, 0)).finalize();
  a.call(78, u16(3) + i32(1) + big(1, 4) + ints({0, 0, 1}) + u16(4));
  std::vector<std::uint32_t> sizes(30, 4);
  const std::string meta = write({DumpiRank()});
  const std::string whole = a.file(sizes);
  const std::size_t stream = whole.find("\xf0\x07\xfe\xe7");
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size, ++tried) {
    if (size == stream + 100) size += std::size_t{2} * 291 * 4 - 200;  // the counts at the end are not read
    file("t-0000.bin", std::string_view(whole).substr(0, size));
    Losses losses;
    refused += read_trace(meta, "", options_, losses).ok() ? 0 : 1;
  }
  EXPECT_EQ(refused, tried);  // the end is the index
  std::mt19937 random(7);
  for (int i = 0; i < 600; ++i) {
    std::string damaged = whole;
    const std::size_t range = i % 4 == 0 ? damaged.size() : stream;
    for (auto flips = 1 + random() % 3; flips != 0; --flips)
      damaged[random() % range] ^= static_cast<char>(1U << random() % 8);
    file("t-0000.bin", damaged);
    Losses losses;
    const auto trace = read_trace(meta, "", options_, losses);
    if (!trace) {
      EXPECT_FALSE(trace.error().message.empty());
    }
  }
  file("t-0000.bin", whole);
  from_ = "dumpi";
  try_truncations("u.meta", "numprocs=1\nfileprefix=t\n", 20);
  try_flips("u.meta", "numprocs=1\nfileprefix=t\n", 300);
}

}  // namespace
}  // namespace vef::neighbours
