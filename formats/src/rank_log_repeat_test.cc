// SPDX-License-Identifier: Apache-2.0
// ChunkWriter::repeat() and its like write what append() writes, byte for byte: two writers get the same
// random program, one of them in the short form wherever it takes it.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "rank_log_repeat.h"
#include "rank_log_test_util.h"

namespace vef::formats {
namespace {

using namespace testing;

/// One call of the program: its arguments, and the event that they mean.
struct Step {
  EventMemo memo;
  RankEvent event;
  Completion completion;
  bool completes = false;
};

/// Calls of a few kinds with arguments from small pools, mostly the same ones over and over. The arguments of
/// a memo are handles, which mean something else after forget().
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 12; ++i) body_.push_back(draw());
  }

  Step next() {
    if (at_ == body_.size()) at_ = 0;
    if (below(40) == 0) body_[at_] = draw();
    const Call call = body_[at_++];
    Step step;
    RankEvent& event = step.event;
    event.kind = call.kind;
    event.call = static_cast<std::uint16_t>(10 + call.variant);
    event.gap = time();
    event.duration = time();
    step.memo.words[4] = event.call + 256U * static_cast<unsigned>(call.kind);
    if (call.kind == EventKind::kComplete) return complete(step);
    event.comm = comms_[call.comm];
    event.peer = call.peer;
    event.tag = call.tag;
    event.bytes = (std::uint64_t{1} << call.type) * call.count;
    if (call.kind == EventKind::kCollective) event.recv_bytes = event.bytes;
    step.memo.words[0] = call.comm;
    step.memo.words[1] = call.type;
    step.memo.words[2] = call.count;
    step.memo.words[3] =
        static_cast<std::uint64_t>(call.peer + 10) << 32 | static_cast<std::uint32_t>(call.tag);
    if (call.kind == EventKind::kIsend || call.kind == EventKind::kIrecv) {
      event.request = below(50) == 0 ? ++request_ + 1 : ++request_;
      request_ = event.request;
      open_.push_back(event);
      if (open_.size() > 40) open_.erase(open_.begin());
    }
    if (call.kind == EventKind::kRecv) answer(step, event, 0);
    return step;
  }

  /// A communicator handle means another communicator from now on.
  void forget() { comms_[below(comms_.size())] += 3; }

  bool tells(unsigned one_in) { return below(one_in) == 0; }

 private:
  struct Call {
    EventKind kind;
    unsigned variant, comm, type, count;
    std::int32_t peer, tag;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  Call draw() {
    static constexpr std::array kKinds = {EventKind::kSend,      EventKind::kIsend,    EventKind::kIrecv,
                                          EventKind::kRecv,      EventKind::kComplete, EventKind::kComplete,
                                          EventKind::kCollective};
    return {kKinds[below(kKinds.size())],           static_cast<unsigned>(below(2)),
            static_cast<unsigned>(below(2)),        static_cast<unsigned>(below(2)),
            static_cast<unsigned>(1 + below(2)),    static_cast<std::int32_t>(below(4)) - 1,
            static_cast<std::int32_t>(below(3)) - 1};
  }

  /// Now and then one that has no short form.
  std::uint64_t time() { return below(500) == 0 ? random_() >> 30 : below(100000); }

  /// What came: mostly what was asked for.
  void answer(Step& step, const RankEvent& wanted, std::uint64_t request) {
    step.completes = true;
    step.completion = {.request = request,
                       .source = wanted.peer,
                       .tag = wanted.tag,
                       .bytes = wanted.bytes,
                       .is_receive = true};
    if (below(20) == 0) step.completion.bytes /= 2;
    if (below(20) == 0) step.completion.tag = 5;
    if (wanted.peer < 0) step.completion.source = static_cast<std::int32_t>(below(3));
  }

  Step complete(Step& step) {
    if (open_.empty()) return step;  // a Wait for something that is not recorded
    const std::size_t which = below(10) == 0 ? below(open_.size()) : 0;
    const RankEvent posted = open_[which];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    if (posted.kind == EventKind::kIrecv) {
      answer(step, posted, posted.request);
    } else {
      step.completes = true;
      step.completion = {.request = posted.request};
    }
    step.completion.cancelled = below(60) == 0;
    return step;
  }

  std::mt19937_64 random_;
  std::vector<Call> body_;
  std::size_t at_ = 0;
  std::array<std::uint32_t, 2> comms_{1, 2};
  std::uint64_t request_ = 0;
  std::vector<RankEvent> open_;
};

std::uint32_t find(rank_log::ChunkWriter& chunk, const Step& step) {
  const Completion& end = step.completion;
  switch (step.event.kind) {
    case EventKind::kIsend:
    case EventKind::kIrecv:
      return chunk.find_request(step.memo, step.event.request);
    case EventKind::kRecv:
      return end.cancelled ? 0 : chunk.find_receive(step.memo, end.source, end.tag, end.bytes);
    case EventKind::kComplete:
      if (!step.completes || end.cancelled) return 0;
      return end.is_receive
                 ? chunk.find_receive_end(step.memo.words[4], end.request, end.source, end.tag, end.bytes)
                 : chunk.find_send_end(step.memo.words[4], end.request);
    default:
      return chunk.find(step.memo);
  }
}

bool repeats(RankLogWriter& writer, const Step& step) {
  const RankEvent& event = step.event;
  rank_log::ChunkWriter& chunk = writer.open_chunk();
  const std::uint32_t number = find(chunk, step);
  if (number == 0) return false;
  std::optional<std::uint8_t> completion;
  if (event.kind == EventKind::kRecv || event.kind == EventKind::kComplete)
    completion = step.completion.is_receive ? rank_log::kReceive : 0;
  if (!chunk.repeat(number, event.gap, event.duration, completion)) return false;
  if (event.request != 0) chunk.posted(event.kind, number, event.request);
  if (event.kind == EventKind::kComplete) chunk.completed(step.completion.request);
  return true;
}

AppendResult append(RankLogWriter& writer, Step& step) {
  if (step.completes) step.event.completions = {&step.completion, 1};
  return step.event.kind == EventKind::kCollective ? writer.append(step.event)
                                                   : writer.append_narrow(step.event);
}

class RankLogRepeat : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RankLogRepeat, WritesWhatAppendWrites) {
  constexpr int kEvents = 80'000;
  const TemporaryFolder long_folder;
  const TemporaryFolder short_folder;
  RankLogWriter* full = create_writer(nanosecond_options(long_folder.path()));
  RankLogWriter* brief = create_writer(nanosecond_options(short_folder.path()));
  ASSERT_TRUE(full != nullptr && brief != nullptr);
  Program program(GetParam());
  std::vector<OwnedEvent> written;
  int repeated = 0;
  int turned_over = 0;
  for (int i = 0; i < kEvents; ++i) {
    if (program.tells(5000)) {
      program.forget();
      brief->forget_memos();
    }
    Step step = program.next();
    const AppendResult result = append(*full, step);
    turned_over += result == AppendResult::kTurnedOver;
    written.emplace_back(step.event);
    if (repeats(*brief, step)) {
      ++repeated;
      continue;
    }
    ASSERT_EQ(append(*brief, step), result) << "event " << i;
    // A Wait without a completion, or with a cancelled one, is another event than the memo stands for.
    if (step.event.kind != EventKind::kComplete || step.completes) brief->note(step.memo);
  }
  EXPECT_GT(turned_over, 0);
  // Of 12 calls in a row one draws new arguments in 40, one answer in 10 is not what was asked for; the
  // others come again, though seldom after the same call.
  EXPECT_GT(repeated, kEvents / 2);
  EXPECT_TRUE(full->close(true));
  EXPECT_TRUE(brief->close(true));
  const std::string name = "/000007.0.vlog";
  EXPECT_TRUE(read_file(long_folder.path() + name) == read_file(short_folder.path() + name));
  const ReadBack back = read_back(short_folder.path() + name);
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.events == written);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RankLogRepeat, ::testing::Range<std::uint64_t>(1, 5));

TEST(RankLogRepeat, KnowsNothingBeforeItIsTold) {
  const TemporaryFolder folder;
  RankLogWriter* writer = create_writer(nanosecond_options(folder.path()));
  ASSERT_NE(writer, nullptr);
  rank_log::ChunkWriter& chunk = writer->open_chunk();
  EventMemo memo;
  memo.words[4] = 9;
  EXPECT_EQ(chunk.find(memo), 0U);
  RankEvent event;
  event.kind = EventKind::kSend;
  EXPECT_EQ(writer->append(event), AppendResult::kOk);
  writer->note(memo);
  const std::uint32_t found = chunk.find(memo);
  EXPECT_NE(found, 0U);
  EXPECT_TRUE(chunk.repeat(found, 1, 1));
  EXPECT_FALSE(chunk.repeat(found, 1, std::uint64_t{1} << 28));  // such times take another form
  writer->forget_memos();
  EXPECT_EQ(chunk.find(memo), 0U);
  EXPECT_TRUE(writer->close(true));
}

}  // namespace
}  // namespace vef::formats
