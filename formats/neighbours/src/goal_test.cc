// SPDX-License-Identifier: Apache-2.0
// The two forms of GOAL, and conversions between them.
#include "goal.h"

#include "test_traces.h"

namespace vef::neighbours {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::NeighbourTest;
using testing::read_file;

class GoalTest : public NeighbourTest {};

constexpr std::string_view kFree =
    "/* two\n ranks */ num_ranks 2\r\n"
    "rank 0 { // the first\n"
    "a: calc 5\n"
    "b: send 10bto 1 tag 3 cpu 1 nic 2\n"
    "\tb requires a\n"
    "send 0b to 1\n"
    "} rank 1 {\n"
    "x:recv 10b from -1 tag -1\n"
    "recv 0 b from 0\n"
    "y_2: calc 7 cpu 255\n"
    "y_2 irequires x // as soon as it is posted\n"
    "}";

constexpr std::string_view kCanonical =
    "num_ranks 2\n"
    "\n"
    "rank 0 {\n"
    "l1: calc 5\n"
    "l2: send 10b to 1 tag 3 cpu 1 nic 2\n"
    "l2 requires l1\n"
    "l3: send 0b to 1 tag 0\n"
    "}\n"
    "\n"
    "rank 1 {\n"
    "l1: recv 10b from -1 tag -1\n"
    "l2: recv 0b from 0 tag 0\n"
    "l3: calc 7 cpu 255\n"
    "l3 irequires l1\n"
    "}\n";

TEST_F(GoalTest, ReadsFreeTextAndWritesOneForm) {
  const auto input = open_goal_text(file("free.goal", kFree));
  ASSERT_TRUE(input.ok()) << input.error().message;
  GoalRank rank;
  ASSERT_TRUE((*input)->next(rank).value());
  const GoalOp send{10, 5, 1, 3, GoalKind::kSend, 1, 2};
  EXPECT_THAT(rank.ops, ElementsAre(GoalOp{5, 4}, send, GoalOp{0, 7, 1, 0, GoalKind::kSend}));
  EXPECT_THAT(rank.edges, ElementsAre(GoalEdge{1, 0, false}));
  ASSERT_TRUE((*input)->next(rank).value());
  EXPECT_EQ(rank.ops[0], (GoalOp{10, 9, kGoalAny, kGoalAny, GoalKind::kRecv}));
  EXPECT_THAT(rank.edges, ElementsAre(GoalEdge{2, 0, true}));
  EXPECT_FALSE((*input)->next(rank).value());

  EXPECT_EQ(convert_file(path("free.goal"), "out.goal").records, 6U);
  EXPECT_EQ(read_file(path("out.goal")), kCanonical);
}

// Laid out by hand after goal_binary.h: 4223 is 0x107f; the head of two ranks ends 38 bytes behind byte 8;
// rank 0 takes 8 + one root of 4 + two operations of 39 + one dependent of 4 = 94 = 0x5e bytes up to 132 =
// 0x84, rank 1 8 + 4 + 39 = 51 up to 183 = 0xb7.
const std::string& binary() {
  using namespace std::string_literals;
  static const std::string bytes =
      "\x7f\x10\0\0\0\0\0\0"s
      "\2\0\0\0"s
      "\1\2"s
      "\x26\0\0\0\0\0\0\0"s
      "\x84\0\0\0\0\0\0\0"s
      "\x84\0\0\0\0\0\0\0"s
      "\xb7\0\0\0\0\0\0\0"s
      // rank 0: two operations, one root: 0
      "\2\0\0\0"s
      "\1\0\0\0"s
      "\0\0\0\0"s
      // a calculation of 5; one waits for its end, none for its begin
      "\0\0\0\0"s
      "\3"s
      "\0\0\0\0"s
      "\5\0\0\0\0\0\0\0"s
      "\0\0\0\0"s
      "\0\0"s
      "\1\0\0\0\0\0\0\0"s
      "\0\0\0\0\1\0\0\0"s
      // a send of 8 bytes to 1, tag 3, on cpu 1 and nic 2; waits for one
      "\1\0\0\0"s
      "\1"s
      "\1\0\0\0"s
      "\x8\0\0\0\0\0\0\0"s
      "\3\0\0\0"s
      "\1\2"s
      "\0\0\0\0\1\0\0\0"s
      "\0\0\0\0\1\0\0\0"s
      "\1\0\0\0"s
      // rank 1: a receive
      "\1\0\0\0"s
      "\1\0\0\0"s
      "\0\0\0\0"s
      "\0\0\0\0"s
      "\2"s
      "\0\0\0\0"s
      "\x8\0\0\0\0\0\0\0"s
      "\3\0\0\0"s
      "\0\0"s
      "\0\0\0\0\0\0\0\0"s
      "\0\0\0\0\0\0\0\0"s;
  return bytes;
}
constexpr std::string_view kTextOfBinary =
    "num_ranks 2\n\n"
    "rank 0 {\nl1: calc 5\nl2: send 8b to 1 tag 3 cpu 1 nic 2\nl2 requires l1\n}\n\n"
    "rank 1 {\nl1: recv 8b from 0 tag 3\n}\n";

TEST_F(GoalTest, BinaryIsLaidOutAsTheSimulatorHasIt) {
  const Conversion conversion = convert_file(file("a.bin", binary()), "b.goal");
  EXPECT_EQ(conversion.from, "goal-bin");
  EXPECT_EQ(conversion.records, 3U);
  EXPECT_EQ(read_file(path("b.goal")), kTextOfBinary);
  convert_file(path("b.goal"), "c.bin");
  EXPECT_EQ(read_file(path("c.bin")), binary());
}

TEST_F(GoalTest, TextToBinaryToTextIsTheSame) {
  convert_file(file("a.goal", kCanonical), "b.bin");
  convert_file(path("b.bin"), "c.goal");
  EXPECT_EQ(read_file(path("c.goal")), kCanonical);
  convert_file(path("c.goal"), "d.goal.zst");
  convert_file(path("d.goal.zst"), "e.bin");
  EXPECT_EQ(read_file(path("e.bin")), read_file(path("b.bin")));
}

struct Fault {
  const char* text;
  const char* message;
};

TEST_F(GoalTest, FaultsOfTextAreNamed) {
  constexpr Fault kFaults[] = {
      {"num_ranks 0\n", "f.goal:1: 0 ranks; expected 1 to 1073741824"},
      {"num_ranks 2\nrank 1 {\n}\n", "f.goal:2: found ' {'; expected 'rank 0 {'"},
      {"num_ranks 1\nrank 0 {\n", "f.goal:2: the file ends within rank 0; expected '}'"},
      {"num_ranks 2\nrank 0 {\n}\n", "f.goal:3: the file ends; expected rank 1 of 2"},
      {"num_ranks 1\nrank 0 {\n}\nrank 1 {",
       "f.goal:4: found 'rank 1 {'; expected the end, as all 1 ranks are closed"},
      {"num_ranks 1\nrank 0 {\nl: calc x\n}",
       "f.goal:3: found 'x'; expected a time, 0 to 9223372036854775807"},
      {"num_ranks 1\nrank 0 {\nsend 1b to 1\n}", "f.goal:3: found '1'; expected a rank, 0 to 0"},
      {"num_ranks 1\nrank 0 {\nsend 1b to -1\n}", "f.goal:3: found '-1'; expected a rank, 0 to 0"},
      {"num_ranks 1\nrank 0 {\nsend 1b from 0\n}", "f.goal:3: found 'from 0'; expected 'b to'"},
      {"num_ranks 1\nrank 0 {\nrecv 1b from 0 tag 4294967295\n}",
       "f.goal:3: found '4294967295'; expected a tag, 0 to 4294967294"},
      {"num_ranks 1\nrank 0 {\ncalc 1 cpu 256\n}", "f.goal:3: found '256'; expected a number, 0 to 255"},
      {"num_ranks 1\nrank 0 {\ncalc 1 nic 1\n}", "f.goal:3: found 'nic 1'; expected the end of the line"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na requires b\nb: calc 1\n}",
       "f.goal:4: label 'b'; expected one that stands above in its rank"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}",
       "f.goal:4: 'a' waits for itself; expected another operation"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}",
       "f.goal:4: label 'a' occurs twice in its rank; expected another"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na after a\n}",
       "f.goal:4: found 'after' after 'a'; expected ':', requires or irequires"},
      {"num_ranks 1 /* open", "f.goal:1: the file ends within a comment; expected '*/'"},
      {"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}",
       "f.goal:3: rank 0: waits for what waits for it; expected no cycle of dependencies"},
      {"num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0 tag 1\n}",
       "f.goal:6: rank 1: this recv gets no message; expected a send that it can take"},
      {"num_ranks 1\nrank 0 {\nrecv 1b from -1\n}",
       "f.goal:3: rank 0: this recv gets no message; expected a send that it can take"}};
  for (const Fault& fault : kFaults) EXPECT_EQ(fault_of("f.goal", fault.text), fault.message);
}

TEST_F(GoalTest, FaultsOfBinariesAreNamed) {
  const auto with = [this](std::size_t at, char value) {
    std::string bytes = binary();
    bytes[at] = value;
    return fault_of("f.bin", bytes);
  };
  // Offsets as laid out above: 14 the jumps, 46 rank 0, its operations from 58 and 97, its dependent at 136.
  EXPECT_EQ(with(0, '\x26'), "f.bin: begins with 4134; expected 4223");
  EXPECT_EQ(with(8, '\x40'), "f.bin: 64 ranks; expected 1 to 11 in a file of this size");
  EXPECT_EQ(with(14, '\x25'), "f.bin: rank 0: lies from 37 to 132; expected within 38 to 183");
  EXPECT_EQ(with(46, '\3'), "f.bin: rank 0: 3 operations and 1 roots in 94 bytes; expected what fits");
  EXPECT_EQ(with(54, '\1'), "f.bin: rank 0: root 1; expected an operation that waits for nothing");
  EXPECT_EQ(with(58, '\1'),
            "f.bin: rank 0: operation 1: waits for 1 operations, which 0 name it; expected the same");
  EXPECT_EQ(with(62, '\4'), "f.bin: rank 0: operation 1: kind 4; expected 1 to 3");
  EXPECT_EQ(with(81, '\2'), "f.bin: rank 0: operation 1: dependents 0 to 2; expected within 1");
  EXPECT_EQ(with(102, '\2'), "f.bin: rank 0: operation 2: peer 2; expected 0 to 1");
  EXPECT_EQ(with(136, '\0'), "f.bin: rank 0: operation 1: dependent 0; expected another of 2");
  EXPECT_EQ(fault_of("f.bin", binary() + "x"),
            "f.bin: its ranks end at byte 191 of 192; expected the end of the file");
  std::string spoilt = binary();
  spoilt.replace(0, 2, "\x26\x09");  // 2342
  EXPECT_EQ(fault_of("f.bin", spoilt),
            "f.bin: a simulator that saved memory has overwritten this schedule; expected a fresh one");
}

TEST_F(GoalTest, DamagedFilesAreRefusedOrReadAsTheyAre) {
  constexpr std::string_view kText =
      "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1 tag 3\nl2 requires l1\n}\n"
      "rank 1 {\nl1: recv 8b from 0 tag 3\n}";
  from_ = "goal";
  try_truncations("t.goal", std::string(kText), kText.size());
  try_flips("t.goal", std::string(kText), 500);
  from_ = "goal-bin";
  try_truncations("t.bin", binary(), binary().size());
  try_flips("t.bin", binary(), 500);
}

}  // namespace
}  // namespace vef::neighbours
