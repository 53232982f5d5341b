// SPDX-License-Identifier: Apache-2.0
// What is written is what is read: every kind of event, many chunks, times, identity.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "rank_log_format.h"
#include "rank_log_test_util.h"

namespace vef::formats::testing {
namespace {

void expect_same(const std::vector<OwnedEvent>& wrote, const ReadBack& back) {
  ASSERT_EQ(back.error, "");
  EXPECT_FALSE(back.damage.any()) << joined(back.damage.notes);
  ASSERT_EQ(back.events.size(), wrote.size());
  for (std::size_t i = 0; i < wrote.size(); ++i) {
    ASSERT_TRUE(back.events[i] == wrote[i]) << "event " << i << " kind " << int(wrote[i].fields.kind);
    ASSERT_EQ(back.numbers[i], i);
  }
}

class RoundTrip : public ::testing::TestWithParam<std::tuple<std::uint64_t, bool>> {};

TEST_P(RoundTrip, EveryKindEveryField) {
  const auto [seed, wild] = GetParam();
  TemporaryFolder scratch;
  const std::vector<OwnedEvent> events = random_events(seed, 40000, wild);
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  std::size_t turned_over = 0;
  for (const OwnedEvent& event : events) {
    const AppendResult result = writer->append(event.view());
    ASSERT_NE(result, AppendResult::kStopped) << writer->error();
    turned_over += result == AppendResult::kTurnedOver;
  }
  EXPECT_GE(turned_over, 2u);
  EXPECT_EQ(writer->events(), events.size());
  // The job is still running: the last chunk comes from the .open file.
  expect_same(events, read_back(scratch.file("000007.0.vlog")));
  ASSERT_TRUE(writer->close(true));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("000007.0.open")));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  expect_same(events, back);
  EXPECT_TRUE(back.info.complete);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip,
                         ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(false, true)));

TEST(RankLog, TimesThatNoLogCanHaveAreDamage) {
  // All times together stay within 2^61 ns, 73 years. The third event would end behind that.
  TemporaryFolder scratch;
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  RankEvent event;
  event.kind = EventKind::kSend;
  for (const std::uint64_t gap : {std::uint64_t{1} << 60, std::uint64_t{5}, std::uint64_t{1} << 60}) {
    event.gap = gap;
    writer->append(event);
  }
  ASSERT_TRUE(writer->close(true));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  EXPECT_EQ(back.error, "");
  ASSERT_EQ(back.events.size(), 2u);
  EXPECT_EQ(back.ends[1], (std::uint64_t{1} << 60) + 5);
  EXPECT_TRUE(back.damage.corrupt);
}

TEST(RankLog, ThreadsThatPackTogetherKeepTheirLogs) {
  // Eight threads, each with a log of the smallest size, compress in the first one's memory at the same time.
  TemporaryFolder scratch;
  RankLogOptions options = nanosecond_options(scratch.path());
  RankLogWriter* first = create_writer(options);
  options.packs_with = first;
  options.buffer_bytes = RankLogOptions::kLeastSharing - 1;
  char error[256] = "";
  EXPECT_EQ(RankLogWriter::create(options, error, sizeof error), nullptr);
  EXPECT_NE(std::string(error).find("at least 256 KiB"), std::string::npos) << error;
  options.buffer_bytes = RankLogOptions::kLeastSharing;
  constexpr int kThreads = 8;
  std::vector<std::vector<OwnedEvent>> events;
  std::vector<std::size_t> turned_over(kThreads);
  for (int i = 0; i < kThreads; ++i)
    events.push_back(random_events(static_cast<std::uint64_t>(20 + i), 20000, false));
  std::vector<RankLogWriter*> writers{first};
  for (options.thread = 1; options.thread < kThreads; ++options.thread)
    writers.push_back(create_writer(options));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (const OwnedEvent& event : events[i])
        turned_over[i] += writers[i]->append(event.view()) == AppendResult::kTurnedOver;
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = kThreads; i-- > 0;) {
    ASSERT_TRUE(writers[i]->close(true));
    EXPECT_GE(turned_over[i], i == 0 ? 1u : 4u);
    expect_same(events[i], read_back(scratch.file("000007." + std::to_string(i) + ".vlog")));
  }
}

TEST(RankLog, IdentityIsKept) {
  TemporaryFolder scratch;
  RankLogOptions options = nanosecond_options(scratch.path());
  options.rank = 1234567;
  options.thread = 12;
  const std::string library(500, 'x');
  options.mpi_library = library.c_str();
  RankLogWriter* writer = create_writer(options);
  ASSERT_TRUE(writer->close(false));
  const std::string path = scratch.file("1234567.12.vlog");
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const ReadBack back = read_back(path);
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.events.empty());
  EXPECT_FALSE(back.damage.any());
  EXPECT_FALSE(back.info.complete);  // closed without finalize
  EXPECT_EQ(back.info.rank, 1234567);
  EXPECT_EQ(back.info.thread, 12);
  EXPECT_EQ(back.info.world_size, 64);
  EXPECT_EQ(back.info.host, "node001");
  EXPECT_EQ(back.info.program, "./solver");
  EXPECT_EQ(back.info.mpi_library, library.substr(0, 127));
  EXPECT_EQ(back.info.job, 0xa8373cd9dbe3e699u);  // XXH64 of "solver-4711"
  EXPECT_EQ(back.info.start.wall_ns, 1'700'000'000'000'000'000u);
  EXPECT_EQ(back.info.last.ticks, back.info.start.ticks);
  EXPECT_EQ(back.info.file_bytes, 504u);
}

TEST(RankLog, TimesAreConvertedFromAbsoluteTicks) {
  TemporaryFolder scratch;
  RankLogOptions options = nanosecond_options(scratch.path());
  options.ticks_are_ns = false;
  options.start = {500'000, 77, 0};
  RankLogWriter* writer = create_writer(options);
  // 3 ticks per nanosecond: a gap of 10 and a duration of 7 ticks; by hand, event i ends at 17(i+1)/3 ns and
  // starts at (17i+10)/3 ns, rounded down.
  RankEvent event;
  event.kind = EventKind::kSend;
  event.gap = 10;
  event.duration = 7;
  const std::uint64_t count = 3'000;
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(writer->append(event), AppendResult::kOk);
  RankEvent polls;
  polls.kind = EventKind::kPolls;
  polls.polls = {5, 300, 33, 3};
  writer->append(polls);
  writer->sample_clock({500'000 + 300, 77 + 100, 1});
  writer->sample_clock({500'000 + 3'000'000, 77 + 1'000'000, 2});
  ASSERT_TRUE(writer->close(true));

  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  ASSERT_EQ(back.error, "");
  ASSERT_EQ(back.events.size(), count + 1);
  EXPECT_DOUBLE_EQ(back.info.ticks_per_ns, 3.0);
  EXPECT_EQ(back.info.last.wall_ns, 2u);
  std::uint64_t previous = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    // The binary fraction of 1/3 lies below it, so that a multiple of 3 may come out 1 ns early.
    EXPECT_NEAR(static_cast<double>(back.starts[i]), std::floor(static_cast<double>(17 * i + 10) / 3), 1);
    EXPECT_NEAR(static_cast<double>(back.ends[i]), std::floor(static_cast<double>(17 * i + 17) / 3), 1);
    EXPECT_EQ(back.events[i].fields.gap, back.starts[i] - previous);
    EXPECT_EQ(back.events[i].fields.duration, back.ends[i] - back.starts[i]);
    previous = back.ends[i];
  }
  EXPECT_EQ(back.events.back().fields.polls.count, 5u);
  EXPECT_NEAR(static_cast<double>(back.events.back().fields.polls.inside), 100, 1);
  EXPECT_NEAR(static_cast<double>(back.events.back().fields.polls.short_gaps), 11, 1);
}

// The worked example of docs/rank-log.md, whose bytes are derived there by hand.
TEST(RankLog, BytesAreThoseOfTheSpecification) {
  TemporaryFolder scratch;
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  RankEvent init;
  init.kind = EventKind::kInit;
  init.call = 1;
  init.gap = 1000;
  init.duration = 500;
  writer->append(init);
  RankEvent send;
  send.kind = EventKind::kIsend;
  send.call = 3;
  send.peer = 5;
  send.tag = 7;
  send.bytes = 4096;
  send.request = 1;
  send.gap = 100;
  send.duration = 20;
  writer->append(send);
  send.request = 2;
  send.gap = 7;
  send.duration = 0;
  writer->append(send);
  std::vector<Completion> both(2);
  both[0].request = 1;
  both[1].request = 2;
  RankEvent wait;
  wait.kind = EventKind::kComplete;
  wait.call = 9;
  wait.completions = both;
  wait.gap = 3;
  wait.duration = 40;
  writer->append(wait);

  const std::string open = read_file(scratch.file("000007.0.open"));
  writer->abandon();
  rank_log::OpenHeader header;
  ASSERT_GE(open.size(), sizeof header);
  std::memcpy(&header, open.data(), sizeof header);
  const auto column = [&](unsigned which, const std::string& expected) {
    EXPECT_EQ(open.substr(header.column_offset[which], expected.size()), expected) << "column " << which;
  };
  using namespace std::string_literals;
  column(rank_log::kHeads, "\x00\x00\x04\x00"s);
  column(rank_log::kFields,
         "\x01\x01\x02\x00"s
         "\x0b\x05\x06\x0a\x07\x0e\x80\x40\x02"s
         "\x11\x01\x12\x08\x04\x00\x00"s);
  column(rank_log::kClasses, "\x09\x08\x06\x04\x03\x00\x02\x05"s);
  column(rank_log::kBits, "\xe9\xeb\xcb\x02\x09"s);
  EXPECT_EQ(header.commit & 0xffffffff, 4u);
  EXPECT_EQ(header.sequence, 0u);
  EXPECT_EQ(header.start_ticks, 1000u);
}

TEST(RankLog, OneClockSampleIsSaid) {
  TemporaryFolder scratch;
  RankLogOptions options = nanosecond_options(scratch.path());
  options.ticks_are_ns = false;
  RankLogWriter* writer = create_writer(options);
  ASSERT_TRUE(writer->close(true));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  EXPECT_EQ(back.error, "");
  ASSERT_EQ(back.damage.notes.size(), 1u);
  EXPECT_NE(back.damage.notes[0].find("only one sound clock sample"), std::string::npos);
  EXPECT_DOUBLE_EQ(back.info.ticks_per_ns, 1.0);
}

TEST(RankLog, CreateRefuses) {
  TemporaryFolder scratch;
  char error[256];
  RankLogOptions options = nanosecond_options(scratch.path());
  options.buffer_bytes = 1000;
  EXPECT_EQ(RankLogWriter::create(options, error, sizeof error), nullptr);
  EXPECT_STREQ(error, "rank log: a buffer of at least 1 MiB is needed");
  options.buffer_bytes = 1 << 20;
  // An existing file and a symbolic link are never written to.
  write_file(scratch.file("000007.0.vlog"), "precious");
  EXPECT_EQ(RankLogWriter::create(options, error, sizeof error), nullptr);
  EXPECT_NE(std::string(error).find("File exists"), std::string::npos);
  EXPECT_EQ(read_file(scratch.file("000007.0.vlog")), "precious");
  std::filesystem::remove(scratch.file("000007.0.vlog"));
  std::filesystem::create_symlink(scratch.file("elsewhere"), scratch.file("000007.0.open"));
  EXPECT_EQ(RankLogWriter::create(options, error, sizeof error), nullptr);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("elsewhere")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("000007.0.vlog")));  // nothing half made stays
  options.directory = "/no/such/directory";
  EXPECT_EQ(RankLogWriter::create(options, error, sizeof error), nullptr);
  EXPECT_NE(std::string(error).find("No such file"), std::string::npos);
}

TEST(RankLog, EveryLevelWorksWithTheSmallestBuffer) {
  for (int level = 1; level <= 19; ++level) {
    TemporaryFolder scratch;
    RankLogOptions options = nanosecond_options(scratch.path());
    options.buffer_bytes = 1 << 20;
    options.level = level;
    RankLogWriter* writer = create_writer(options);
    ASSERT_NE(writer, nullptr) << level;
    RankEvent event;
    event.kind = EventKind::kFinalize;
    ASSERT_EQ(writer->append(event), AppendResult::kOk);
    ASSERT_TRUE(writer->close(true));
    EXPECT_EQ(read_back(scratch.file("000007.0.vlog")).events.size(), 1U) << level;
  }
}

TEST(RankLog, AnEventLargerThanTheBufferStopsTheLog) {
  TemporaryFolder scratch;
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  RankEvent small;
  small.kind = EventKind::kFinalize;
  ASSERT_EQ(writer->append(small), AppendResult::kOk);
  // One completion takes a byte at least, so two million cannot fit into one MiB.
  const std::vector<Completion> completions(2'000'000);
  RankEvent large;
  large.kind = EventKind::kComplete;
  large.completions = completions;
  EXPECT_EQ(writer->append(large), AppendResult::kStopped);
  EXPECT_NE(std::string(writer->error()).find("larger than the buffer"), std::string::npos);
  EXPECT_EQ(writer->append(small), AppendResult::kStopped);
  EXPECT_FALSE(writer->close(true));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  EXPECT_EQ(back.events.size(), 1u);
  EXPECT_FALSE(back.info.complete);
  EXPECT_TRUE(back.damage.any());
}

TEST(RankLog, ManyShapesTurnTheSlotsOver) {
  TemporaryFolder scratch;
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  std::vector<OwnedEvent> events;
  for (int i = 0; i < 5000; ++i) {
    OwnedEvent event;
    event.fields.kind = i % 3 == 0 ? EventKind::kIsend : EventKind::kIrecv;
    event.fields.peer = i % 1999;
    event.fields.bytes = static_cast<std::uint64_t>(i % 7);
    event.fields.request = static_cast<std::uint64_t>(i + 1);
    events.push_back(event);
    ASSERT_EQ(writer->append(event.view()), AppendResult::kOk);
  }
  ASSERT_TRUE(writer->close(true));
  expect_same(events, read_back(scratch.file("000007.0.vlog")));
}

TEST(RankLog, LogsAreListedByRankThenThread) {
  TemporaryFolder scratch;
  for (const char* name :
       {"000010.0.vlog", "000002.1.vlog", "000002.0.vlog", "1000000.0.vlog", "000002.0.open", "capture.json",
        "2.0.vlog", "000003.vlog", "000003.x.vlog", "000003.0.vlog.gz"})
    write_file(scratch.file(name), "");
  const auto listed = list_rank_logs(scratch.path());
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(*listed,
            (std::vector<std::string>{scratch.file("000002.0.vlog"), scratch.file("000002.1.vlog"),
                                      scratch.file("000010.0.vlog"), scratch.file("1000000.0.vlog")}));
  EXPECT_FALSE(list_rank_logs(scratch.file("none")).ok());
}

TEST(RankLog, LogsInScratchDirectoriesAreListedToo) {
  TemporaryFolder directory;
  TemporaryFolder scratch;
  write_file(directory.file("capture.scratch-n1"), scratch.path() + "\n");
  write_file(directory.file("capture.scratch-n2"), "/no/such/directory\n");
  write_file(scratch.file("000001.0.vlog"), "");
  write_file(scratch.file("000002.0.vlog"), "");
  write_file(directory.file("000002.0.vlog"), "");  // copied already
  const auto listed = list_rank_logs(directory.path());
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(*listed,
            (std::vector<std::string>{scratch.file("000001.0.vlog"), directory.file("000002.0.vlog")}));
  const auto notes = list_scratch_notes(directory.path());
  ASSERT_TRUE(notes.ok());
  ASSERT_EQ(notes->size(), 2U);
  EXPECT_EQ((*notes)[0].host, "n1");
  EXPECT_TRUE((*notes)[0].is_here);
  EXPECT_EQ((*notes)[1].path, "/no/such/directory");
  EXPECT_FALSE((*notes)[1].is_here);
}

}  // namespace
}  // namespace vef::formats::testing
