// SPDX-License-Identifier: Apache-2.0
// Chakra's execution traces, both ways. Files are put together here from the wire format and the numbers of
// et_def.proto, records are worked out by hand.
#include "chakra.h"

#include <filesystem>
#include <map>

#include "byte_sink.h"
#include "protobuf.h"
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

std::string varint(std::uint64_t value) {
  std::string bytes;
  do {
    const std::uint64_t rest = value / 128;
    bytes += static_cast<char>(value % 128 + (rest != 0 ? 128 : 0));
    value = rest;
  } while (value != 0);
  return bytes;
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) * 8) + varint(value);
}
std::string bytes(int field, const std::string& value) {
  return varint(static_cast<std::uint64_t>(field) * 8 + 2) + varint(value.size()) + value;
}
std::string message(const std::string& fields) { return varint(fields.size()) + fields; }

// Attributes: the value's field is 7 (int32), 9 (int64), 13 (uint64), 27 (bool), 29 (string).
std::string attribute(const std::string& name, int field, std::uint64_t value) {
  return bytes(10, bytes(1, name) + number(field, value));
}
std::string attribute(const std::string& name, const std::string& value) {
  return bytes(10, bytes(1, name) + bytes(29, value));
}

const std::string kHead = message(bytes(1, "0.0.4"));

/// A node; `more`: its further fields.
std::string node(std::uint64_t id, int type, const std::vector<std::uint64_t>& needs,
                 const std::string& more) {
  std::string packed;
  for (const std::uint64_t need : needs) packed += varint(need);
  return message(number(1, id) + bytes(2, "name") + number(3, static_cast<std::uint64_t>(type)) +
                 (needs.empty() ? "" : bytes(5, packed)) + more);
}
std::string compute(std::uint64_t id, std::uint64_t micros, const std::vector<std::uint64_t>& needs = {}) {
  return node(id, 4, needs, number(7, micros) + attribute("is_cpu_op", 27, 0));
}
std::string send(std::uint64_t id, std::uint64_t to, std::uint64_t size, std::uint64_t tag,
                 const std::vector<std::uint64_t>& needs = {}) {
  return node(id, 5, needs,
              attribute("comm_dst", 7, to) + attribute("comm_tag", 7, tag) + attribute("comm_size", 9, size));
}
std::string receive(std::uint64_t id, std::uint64_t from, std::uint64_t size, std::uint64_t tag,
                    const std::vector<std::uint64_t>& needs = {}) {
  return node(
      id, 6, needs,
      attribute("comm_src", 7, from) + attribute("comm_tag", 7, tag) + attribute("comm_size", 13, size));
}
std::string collective(std::uint64_t id, std::uint64_t type, std::uint64_t size,
                       const std::vector<std::uint64_t>& needs = {}, const std::string& more = "") {
  return node(id, 7, needs, attribute("comm_type", 9, type) + attribute("comm_size", 9, size) + more);
}

class ChakraTest : public NeighbourTest {
 protected:
  formats::Trace read_ranks(const std::vector<std::string>& ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) file("p." + std::to_string(i) + ".et", kHead + ranks[i]);
    return read(path("p.0.et"));
  }
};

TEST(Protobuf, VarintsAreThoseOfItsDocumentation) {
  std::string out;
  put_varint(out, 150);
  EXPECT_EQ(out, "\x96\x01");
  out.clear();
  put_varint(out, ~std::uint64_t{0});
  EXPECT_EQ(out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  std::string_view rest = out;
  std::uint64_t value = 0;
  EXPECT_TRUE(take_varint(rest, value));
  EXPECT_EQ(value, ~std::uint64_t{0});
  rest = std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");  // 65 bits
  EXPECT_FALSE(take_varint(rest, value));
  rest = std::string_view("\x80");
  EXPECT_FALSE(take_varint(rest, value));
}

TEST_F(ChakraTest, NodesBecomeRecords) {
  // Rank 0 computes 5 us, sends, and computes 7 us once the answer is there; ids are in no order.
  const formats::Trace trace =
      read_ranks({send(9, 1, 10, 3, {20}) + compute(20, 5) + receive(4, 1, 4, 0, {20}) + compute(5, 7, {4}),
                  receive(1, 0, 10, 3) + compute(2, 20, {1}) + send(3, 0, 4, 0, {2})});
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 10B =5000", "mark 0 +0 s0", "mark 0 +7000 r2"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =0", "m2 1>0 4B +20000 r0", "mark 1 +0 s2"));
  EXPECT_THAT(kinds_of(losses_), ElementsAre("1 tags are not kept"));
  EXPECT_EQ(trace.lines, std::vector<std::uint64_t>(6, 0));
}

TEST_F(ChakraTest, CommunicationGoesOnBesideComputing) {
  // The all-reduce begins first, though it stands behind; the node that needs both comes after both.
  const std::string rank = compute(1, 8) + collective(2, 0, 64) + compute(3, 2, {1, 2});
  const formats::Trace trace = read_ranks({rank, rank});
  EXPECT_THAT(briefs(trace, 0),
              ElementsAre("c0 C0 all-reduce 0 64/64 =0", "mark 0 =8000", "mark 0 +2000 c0"));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
}

TEST_F(ChakraTest, ReceivesThatWaitForReceives) {
  // What needs the second needs the first, too; the message of the first comes later.
  const formats::Trace trace =
      read_ranks({receive(1, 1, 1, 1) + receive(2, 1, 1, 2, {1}) + compute(3, 5, {2}),
                  send(1, 0, 1, 2) + compute(2, 9) + send(3, 0, 1, 1, {2})});
  EXPECT_THAT(briefs(trace, 1), ElementsAre("m0 1>0 1B =0", "m1 1>0 1B +9000 s0", "mark 1 +0 s1"));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("mark 0 =0", "mark 0 +0 r1", "mark 0 +5000 r0"));
}

TEST_F(ChakraTest, EveryCollective) {
  const auto rank = [](std::uint64_t own) {
    const std::string root = attribute("root", 7, 1);
    return collective(1, 0, 8) + collective(2, 1, 3, {1}, root) + collective(3, 2, own, {2}) +
           collective(4, 3, own, {3}, root) + collective(5, 4, own, {4}, root) +
           collective(6, 5, 16, {5}, root) + collective(7, 6, 6, {6}) + collective(8, 6, own, {7}) +
           collective(9, 7, 9, {8}) + collective(10, 9, 0, {9}) + compute(11, 1, {10});
  };
  const formats::Trace trace = read_ranks({rank(2), rank(5)});
  // Parts of 2 and 5 bytes; totals of 6 are 3 to each of two; 9 are 5 for the first and 4.
  EXPECT_THAT(
      briefs(trace, 0),
      ElementsAre("c0 C0 all-reduce 0 8/8 =0", "c1 C0 reduce 0 3/0 +0 c0", "c2 C0 all-gather 0 2/7 +0 c1",
                  "c3 C0 gather 0 2/0 +0 c2", "c4 C0 scatter 0 0/2 +0 c3", "c5 C0 broadcast 0 0/16 +0 c4",
                  "c6 C0 all-to-all 0 3/0 +0 c5", "c7 C0 all-to-all 0 2/1 +0 c6", "c8 C0 reduce 0 0/9 +0 c7",
                  "c9 C0 scatter 0 9/5 +0 c8", "c10 C0 barrier 0 0/0 +0 c9", "mark 0 +1000 c10"));
  EXPECT_THAT(
      briefs(trace, 1),
      ElementsAre("c0 C0 all-reduce 1 8/8 =0", "c1 C0 reduce 1 0/3 +0 c0", "c2 C0 all-gather 1 5/7 +0 c1",
                  "c3 C0 gather 1 5/7 +0 c2", "c4 C0 scatter 1 7/5 +0 c3", "c5 C0 broadcast 1 16/0 +0 c4",
                  "c6 C0 all-to-all 1 3/0 +0 c5", "c7 C0 all-to-all 1 5/1 +0 c6", "c8 C0 reduce 1 9/0 +0 c7",
                  "c9 C0 scatter 1 0/4 +0 c8", "c10 C0 barrier 1 0/0 +0 c9", "mark 1 +1000 c10"));
  EXPECT_THAT(kinds_of(losses_), ElementsAre("2 parts in reducescatter are kept as a reduce and a scatter"));
}

TEST_F(ChakraTest, GroupsByNodesAndByLists) {
  const auto in = [](std::uint64_t id, const std::string& group) {
    return collective(id, 9, 0, {}, attribute("pg_name", group));
  };
  const auto list = [](const std::string& json) { return node(100, 1, {}, bytes(8, bytes(1, json))); };
  const formats::Trace trace =
      read_ranks({in(1, "10") + in(2, "0"),
                  list("['[{\"pg_name\": \"2\", \"ranks\": [2, 1]}]']") + in(1, "2") + in(2, "0"),
                  list("[{\"pg_name\": \"2\", \"pg_desc\": \"x\", \"ranks\": [2, 1]}]") + in(1, "10") +
                      in(2, "2") + in(3, "0")});
  EXPECT_EQ(trace.communicators, (formats::Communicators{{0, 1, 2}, {2, 1}, {0, 2}}));
  EXPECT_EQ(trace.header.collectives, 3U);
}

TEST_F(ChakraTest, DurationsInEveryForm) {
  options_.flops_per_second = 2e9;
  const formats::Trace trace =
      read_ranks({node(1, 4, {}, number(7, 3) + attribute("duration_nanos", 13, 2999)) +
                  node(2, 4, {1}, attribute("num_ops", 9, 1000)) + node(3, 2, {2}, number(7, 1)) +
                  node(4, 3, {3}, attribute("tensor_size", 13, 64)) + node(5, 0, {4}, number(7, 99))});
  EXPECT_THAT(briefs(trace), ElementsAre("mark 0 =4499"));  // 2999 + 1000 / 2 + 1000
  EXPECT_THAT(kinds_of(losses_), ElementsAre("1 nodes that compute or move data take no time"));
}

TEST_F(ChakraTest, ProcessorAndAcceleratorAreTwo) {
  const std::string cpu = node(1, 4, {}, number(7, 5) + attribute("is_cpu_op", 27, 1));
  read_ranks({cpu});
  EXPECT_THAT(losses_.kinds(), IsEmpty());
  EXPECT_THAT(briefs(read_ranks({cpu + compute(2, 3)})), ElementsAre("mark 0 =8000"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("1 operations on further processors are done in one order with the others"));
}

constexpr std::string_view kTrace =
    "VEF3 2 6 2 2 3 0 1000\n"
    "C0 0 1\n"
    "C1 1\n"
    "0 0 1 10 4 5500 -1\n"
    "1 1 1 0 0 3000 -1\n"
    "2 1 0 4 6 700 0\n"
    "G0 C0 0 0 8 0 1 1600 0\n"
    "G0 C0 0 1 0 8 1 0 2\n"
    "G1 C1 6 1 0 0 3 0 G0\n"
    "3 0 0 0 3 0 G0\n"
    "4 0 0 0 2 7000 2\n"
    "5 1 1 0 3 0 G1\n";

TEST_F(ChakraTest, RecordsBecomeNodes) {
  const Conversion conversion = convert_file(file("in.vef", kTrace), "out.et");
  const auto compute_node = [](std::uint64_t id, std::uint64_t nanos, std::uint64_t micros,
                               const std::vector<std::uint64_t>& needs) {
    std::string packed;
    for (const std::uint64_t need : needs) packed += varint(need);
    return message(number(1, id) + bytes(2, "compute") + number(3, 4) +
                   (needs.empty() ? "" : bytes(5, packed)) + number(7, micros) +
                   attribute("is_cpu_op", 27, 0) +
                   (nanos == micros * 1000 ? "" : attribute("duration_nanos", 13, nanos)));
  };
  const auto message_node = [](std::uint64_t id, const std::string& name, std::uint64_t type,
                               std::uint64_t need, int source, std::uint64_t tag, std::uint64_t size) {
    return message(number(1, id) + bytes(2, name) + number(3, type) + bytes(5, varint(need)) +
                   attribute("is_cpu_op", 27, 0) +
                   attribute("comm_src", 7, static_cast<std::uint64_t>(source)) +
                   attribute("comm_dst", 7, static_cast<std::uint64_t>(1 - source)) +
                   attribute("comm_tag", 7, tag) + attribute("comm_size", 9, size));
  };
  // 5500, 1600 and 7000 ns end at 5.5, 7.1 and 14.1 us: 5, 2 and 7.
  EXPECT_EQ(
      read_file(path("out.0.et")),
      kHead + compute_node(1, 5500, 5, {}) + message_node(2, "send to 1", 5, 1, 0, 0, 10) +
          compute_node(3, 1600, 2, {1}) +
          message(number(1, 4) + bytes(2, "collective 0") + number(3, 7) + bytes(5, varint(3)) +
                  attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, 5) +
                  attribute("comm_size", 9, 8) + attribute("root", 7, 0)) +
          message(number(1, 5) + bytes(2, "receive from 1") + number(3, 6) + bytes(5, varint(3) + varint(4)) +
                  attribute("is_cpu_op", 27, 0) + attribute("comm_src", 7, 1) + attribute("comm_dst", 7, 0) +
                  attribute("comm_tag", 7, 1) + attribute("comm_size", 9, 4)) +
          compute_node(6, 7000, 7, {5}));
  EXPECT_THAT(read_file(path("out.1.et")),
              HasSubstr(bytes(8, bytes(1, "['[{\"pg_name\": \"1\", \"ranks\": [1]}]']"))));
  EXPECT_THAT(kinds_of(conversion.losses), ElementsAre("3 durations are rounded to microseconds"));
  // And back, the marks with the next free ids.
  const formats::Trace trace = read(path("out"));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 10B =5500", "c0 C0 broadcast 0 8/0 +1600 s0",
                                            "mark 0 +0 c0", "mark 0 +7000 r2"));
  EXPECT_THAT(briefs(trace, 1),
              ElementsAre("mark 1 =3000", "m2 1>0 4B +700 r0", "c0 C0 broadcast 1 0/8 +0 s2",
                          "c1 C1 barrier 1 0/0 +0 c0", "mark 1 +0 c1"));
  EXPECT_EQ(trace.communicators, (formats::Communicators{{0, 1}, {1}}));
}

TEST_F(ChakraTest, NonBlockingCollectivesStayBesideTheTask) {
  const std::string trace =
      "VEF3 1 3 1 1 1 0 1000\nC0 0\nG0 C0 6 0 0 0 0 1000 -1\n0 0 0 4 4 3000 -1\n1 0 0 0 3 5000 G0\n"
      "2 0 0 0 2 0 0\n";
  convert_file(file("in.vef", trace), "o.et");
  // The third record computes before it waits; here it waits before it computes, and fires at the same time.
  EXPECT_THAT(briefs(read(path("o.et"))), ElementsAre("c0 C0 barrier 0 0/0 =1000", "m0 0>0 4B =3000",
                                                      "mark 0 +0 s0", "mark 0 +5000 c0", "mark 0 +0 r0"));
}

TEST_F(ChakraTest, CapturedTracesComeBackAsTheyWere) {
  for (const std::string name : {"ring-4-send-recv-a", "ring-4-send-recv-b", "collectives-4"}) {
    const formats::Trace before = read(std::string(VEF_SOURCE_DIR "/tests/data/vef3/") + name + ".vef");
    convert_file(std::string(VEF_SOURCE_DIR "/tests/data/vef3/") + name + ".vef", name + ".et");
    const formats::Trace after = read(path(name + ".et"));
    ASSERT_EQ(before.header, after.header) << name;
    // Ids aside: what a record depends on is told by its place among those of its sender.
    const auto shape = [](const formats::Trace& trace) {
      std::map<std::uint64_t, std::string> names;
      std::vector<std::uint64_t> sent(static_cast<std::size_t>(trace.header.tasks));
      for (const formats::Record& record : trace.records) {
        if (record.kind == formats::RecordKind::kMessage)
          names[record.id] = std::to_string(record.task) + "." +
                             std::to_string(sent[static_cast<std::size_t>(record.task)]++);
      }
      std::vector<std::vector<std::string>> tasks(sent.size());
      for (formats::Record record : trace.records) {
        std::string cause = record.dep == formats::DepKind::kCollective ? "c" + std::to_string(record.dep_id)
                            : record.dep == formats::DepKind::kIndependent ? ""
                                                                           : names[record.dep_id];
        if (record.kind != formats::RecordKind::kCollective) record.id = 0;
        record.dep_id = 0;
        tasks[static_cast<std::size_t>(record.task)].push_back(testing::brief(record) + cause);
      }
      return tasks;
    };
    EXPECT_EQ(shape(before), shape(after)) << name;
  }
}

TEST_F(ChakraTest, FilesAreFoundByEachOtherAndByTheirPrefix) {
  file("p.0.et", kHead + send(1, 1, 5, 0));
  file("p.1.et", kHead + receive(1, 0, 5, 0) + compute(2, 1, {1}));
  for (const std::string name : {"p.0.et", "p.1.et", "p", "p.et"})
    EXPECT_EQ(read(path(name)).header.tasks, 2);
  file("p.3.et", kHead);
  Losses losses;
  const auto gap = read_trace(path("p.1.et"), "", options_, losses);
  ASSERT_FALSE(gap.ok());
  EXPECT_EQ(gap.error().message,
            path("p.2.et") + ": is not there; expected a file for each rank from 0 to 3");
  // Compressed ones are a trace of their own.
  auto sink = formats::ByteSink::create(path("p.0.et.gz"), 0);
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE((*sink)->write_block(kHead + compute(7, 4)).ok());
  ASSERT_TRUE((*sink)->finish().ok());
  EXPECT_THAT(briefs(read(path("p.0.et.gz"))), ElementsAre("mark 0 =4000"));
  const auto none = read_trace(path("q.et"), "chakra", options_, losses);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("q.et: there is no such file, nor one that begins so"));
}

TEST_F(ChakraTest, FilesOfMoreRanksAreNotMixedIn) {
  file("o.2.et", kHead);
  const auto conversion = convert(file("in.vef", kTrace), path("o.et"), "", "", options_);
  ASSERT_FALSE(conversion.ok());
  EXPECT_EQ(conversion.error().message, path("o.et") + ": " + path("o.2.et") +
                                            " is there, of a trace with more ranks; expected no such file");
  EXPECT_FALSE(std::filesystem::exists(path("o.0.et")));
  // A rank that cannot be written takes those before it along.
  std::filesystem::remove(path("o.2.et"));
  std::filesystem::create_directory(path("o.1.et"));
  EXPECT_FALSE(convert(path("in.vef"), path("o.et"), "", "", options_).ok());
  EXPECT_FALSE(std::filesystem::exists(path("o.0.et")));
}

TEST_F(ChakraTest, AnswersAreRefused) {
  const auto conversion =
      convert(file("in.vef", "VEF4 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 8 4 0 -1\n1 1 0 8 14 0 0\n"), path("o.et"),
              "", "", options_);
  ASSERT_FALSE(conversion.ok());
  EXPECT_THAT(conversion.error().message, HasSubstr("message 1 is an answer of one-sided communication"));
}

struct Fault {
  std::string nodes;
  const char* message;
};

TEST_F(ChakraTest, FaultsAreNamed) {
  const std::vector<Fault> faults = {
      {node(7, 11, {}, ""), "f.0.et: node 7: type 11; expected 0 to 10"},
      {send(7, 1, 1, 0), "f.0.et: node 7: comm_dst 1; expected 0 to 0"},
      {node(7, 5, {}, ""), "f.0.et: node 7: comm_dst is not there; expected 0 to 0"},
      {receive(7, ~std::uint64_t{0}, 1, 0), "f.0.et: node 7: comm_src is negative; expected 0 to 0"},
      {node(7, 5, {}, attribute("comm_dst", 7, 0) + attribute("comm_src", 7, 3)),
       "f.0.et: node 7: comm_src 3; expected 0 in the file of that rank"},
      {send(7, 0, 1, std::uint64_t{1} << 31),
       "f.0.et: node 7: comm_tag 2147483648; expected 0 to 2147483647"},
      {send(7, 0, ~std::uint64_t{0}, 0),
       "f.0.et: node 7: comm_size is out of range; expected 0 to 2^63 - 1 bytes"},
      {compute(7, ~std::uint64_t{0}), "f.0.et: node 7: a duration of more than 2^63 - 1 ns; expected less"},
      {compute(7, 1) + compute(7, 2), "f.0.et: node 7: its id occurs twice; expected once"},
      {compute(7, 1, {8}), "f.0.et: node 7: depends on node 8; expected another of this file"},
      {compute(7, 1, {7}), "f.0.et: node 7: depends on node 7; expected another of this file"},
      {compute(7, 1, {8}) + compute(8, 1, {7}),
       "f.0.et: node 7: waits for what waits for it; expected no cycle of dependencies"},
      {receive(7, 0, 1, 5), "f.0.et: node 7: this recv gets no message; expected a send that it can take"},
      {collective(7, 10, 1), "f.0.et: node 7: comm_type 10; expected 0 to 9"},
      {node(7, 7, {}, ""), "f.0.et: node 7: comm_type is not there; expected 0 to 9"},
      {collective(7, 5, 1, {}, attribute("root", 7, 1)),
       "f.0.et: node 7: collective 1 of the group of all ranks has root 1; expected one rank, the same for "
       "all"},
      {node(7, 1, {}, bytes(8, bytes(1, "[{\"pg_name\": \"x\", \"ranks\": [1]}]"))),
       "f.0.et: node 7: process group 'x' has a rank that does not exist; expected 0 to 0"},
      {node(7, 1, {}, bytes(8, bytes(1, "[{\"pg_name\": \"x\"}]"))),
       "f.0.et: node 7: process group 'x' without ranks; expected a list"},
      {message(number(1, 7) + "\x0b"), "f.0.et: message 2 is no node; expected one"},
      {message(bytes(1, "x")), "f.0.et: message 2 is no node; expected one"},
      {"\x05xx", "f.0.et: message 2: ends after 2 of 5 bytes; expected a whole file"},
      {varint(std::uint64_t{1} << 40), "f.0.et: message 2: 1099511627776 bytes; expected at most 67108864"}};
  for (const Fault& fault : faults) EXPECT_EQ(fault_of("f.0.et", kHead + fault.nodes), fault.message);
  from_ = "chakra";
  EXPECT_EQ(fault_of("f.0.et", ""),
            "f.0.et: does not begin with Chakra's metadata; expected a trace of Chakra");
}

TEST_F(ChakraTest, FaultsBetweenRanksAreNamed) {
  const auto second = [&](const std::string& first, const std::string& nodes) {
    file("f.0.et", kHead + first);
    return fault_of("f.1.et", kHead + nodes);
  };
  EXPECT_EQ(second(collective(1, 0, 8), collective(2, 0, 9)),
            "f.1.et: node 2: collective 1 of the group of all ranks has comm_size 9; expected 8 as at "
            "another rank");
  EXPECT_EQ(second(collective(1, 0, 8), collective(2, 2, 8)),
            "f.1.et: node 2: collective 1 of the group of all ranks has comm_type 2; expected 0 as at "
            "another rank");
  EXPECT_EQ(
      second(collective(1, 0, 8), ""),
      "f.0.et: collective 1 of the group of all ranks has 1 parts; expected one of each of its 2 members");
  EXPECT_EQ(second(collective(1, 0, 8) + receive(2, 1, 1, 0, {1}),
                   send(1, 0, 1, 0, {2}) + collective(2, 0, 8, {3}) + compute(3, 1, {1})),
            "f.0.et: node 1: this collective waits for members that do not come to it, 1 of 2; expected all");
}

TEST_F(ChakraTest, DamagedFilesAreRefusedOrReadAsTheyAre) {
  from_ = "chakra";
  const std::string nodes = kHead + compute(1, 5) + send(2, 0, 10, 3, {1}) + receive(3, 0, 10, 3) +
                            collective(4, 2, 8, {3}, attribute("pg_name", "4")) +
                            node(5, 1, {}, bytes(8, bytes(1, "[{\"pg_name\": \"4\", \"ranks\": [0]}]"))) +
                            compute(6, 1, {4});
  // What is cut off between two messages is still a trace: after the head, the first two nodes, the fourth
  // and the fifth.
  try_truncations("t.0.et", nodes, nodes.size() - 6);
  try_flips("t.0.et", nodes, 2000);
}

}  // namespace
}  // namespace vef::neighbours
