// SPDX-License-Identifier: Apache-2.0
// merge() on directories: logs written by the rank log writer, captures of the original recorder, broken ones
// of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "load_capture.h"
#include "load_log.h"
#include "test_logs.h"
#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"
#include "vef/merge/merge.h"

namespace vef::merge {
namespace {

namespace fs = std::filesystem;
using formats::EventKind;
using formats::MpiCall;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class MergeDirectory : public testing::Test {
 protected:
  MergeDirectory() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::temp_directory_path() /
                 ("vef-merge-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~MergeDirectory() override { fs::remove_all(directory_); }

  void write_log(const Script& script, LogEnd end = LogEnd::kComplete, const char* job = "") {
    merge::write_log(script, directory_.string(), end, job);
  }

  void write_file(const std::string& name, const std::string& content) {
    std::ofstream(directory_ / name, std::ios::binary) << content;
  }
  std::string read_file(const std::string& name) {
    std::ifstream in(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void copy_capture(const std::string& name) {
    fs::copy(fs::path(VEF_SOURCE_DIR) / "tests/data/vef3" / (name + ".capture"), directory_);
  }

  Result<MergeReport> run(MergeOptions options = {}) {
    return merge({directory_.string()}, output(), options);
  }
  std::string output() const { return (directory_ / "out.vef").string(); }
  /// The error without the directory in front.
  std::string error_of(const Result<MergeReport>& result) {
    if (result.ok()) return "";
    const std::string& message = result.error().message;
    const std::string prefix = directory_.string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  fs::path directory_;
};

std::vector<Script> ping() {
  std::vector<Script> logs = {Script(0, 2), Script(1, 2)};
  for (Script& log : logs) log.at(0, 100).init();
  logs[0].at(10, 1).send(1, 0, 8).at(5, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  logs[1].at(20, 5).recv(0, 0, 8).at(5, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  return logs;
}

TEST_F(MergeDirectory, RankLogsBecomeATrace) {
  for (const Script& log : ping()) write_log(log);
  write_file("capture.json",
             R"({"program": "./ping", "command": ["./ping", "-n", "3"], "world_size": 2, "extra": {}})");
  const auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_EQ(report->events, 8u);
  EXPECT_TRUE(report->truncated.empty());
  const auto trace = formats::read_trace(output());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_TRUE(formats::validate(*trace).empty());
  EXPECT_EQ(body_lines(*trace), merge_scripts(ping()).body);
  EXPECT_EQ(read_file("out.vef").substr(0, 36), "VEF3 2 4 1 1 2 0 1000\nC0 0 1\n0 0 1 8");
}

TEST_F(MergeDirectory, MetadataIsInTheCompressedTrace) {
  for (const Script& log : ping()) write_log(log);
  write_file("capture.json",
             R"({"program": "./ping", "command": ["./ping", "-n", "3"], "mpi_library": "Open MPI\nv4"})");
  const std::string path = (directory_ / "out.vef.zst").string();
  const auto report = merge({directory_.string()}, path, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto trace = formats::read_trace(path);
  ASSERT_TRUE(trace.ok());
  EXPECT_THAT(trace->metadata, Contains(Pair("application", "./ping")));
  EXPECT_THAT(trace->metadata, Contains(Pair("command line", "./ping -n 3")));
  EXPECT_THAT(trace->metadata, Contains(Pair("MPI library", "Open MPI v4")));
  EXPECT_THAT(trace->metadata, Contains(Pair("hosts", "node0: ranks 0-1")));
}

TEST_F(MergeDirectory, BrokenCaptureInfoIsAWarning) {
  for (const Script& log : ping()) write_log(log);
  write_file("capture.json", "{\"program\": ");
  const auto report = run();
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->written);
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("capture.json: no JSON object")));
}

TEST_F(MergeDirectory, UnmatchedCallsKeepTheTraceFromBeingWritten) {
  auto logs = ping();
  logs[0] = Script(0, 2);
  logs[0].at(0, 100).init().at(10, 1).send(1, 0, 8).at(1, 1).send(1, 0, 8);
  logs[0].at(5, 1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  for (const Script& log : logs) write_log(log);
  auto report = run();
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->written);
  EXPECT_EQ(report->faults, 1u);
  EXPECT_FALSE(fs::exists(output()));
  MergeOptions options;
  options.allow_unmatched = true;
  report = run(options);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->written);
  EXPECT_EQ(report->faults, 1u);
  EXPECT_TRUE(formats::read_trace(output()).ok());
}

TEST_F(MergeDirectory, UnmatchedCallsNameTheirPlaceInTheProgram) {
  auto logs = ping();
  logs[0] = Script(0, 2);
  logs[0].at(0, 100).init();
  logs[0].module(1, "/no/such/app\n").site(1, {std::uint64_t{1} << 48 | 0x10});
  logs[0].site(2, {std::uint64_t{1} << 48 | 0x30, std::uint64_t{1} << 48 | 0x40});
  logs[0].at(10, 1).from(1).send(1, 0, 8).at(1, 1).from(2).send(1, 0, 8);
  logs[0].at(5, 1).from(1).collective(MpiCall::kBarrier, 0, 0).at(1, 1).finalize();
  for (const Script& log : logs) write_log(log);
  const auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->unmatched.size(), 1U);
  // Events 0 to 3 are MPI_Init and the definitions; the second send is event 5.
  EXPECT_EQ(
      describe(report->unmatched[0]),
      "rank 0, call 5: MPI_Send of 8 bytes to rank 1, tag 0, MPI_COMM_WORLD, at app+0x30 < app+0x40: send "
      "number 2 with this source and tag, but rank 1 made 1 receive for them");
}

TEST_F(MergeDirectory, ALogThatWasNotClosedIsTruncated) {
  auto logs = ping();
  write_log(logs[0]);
  write_log(logs[1], LogEnd::kClosed);
  const auto report = run();
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->truncated, ElementsAre(1));
  EXPECT_TRUE(report->written);
}

TEST_F(MergeDirectory, ADamagedLogKeepsTheTraceFromBeingWrittenUnlessAllowed) {
  for (const Script& log : ping()) write_log(log);
  std::string log = read_file("000001.0.vlog");
  log[log.size() - 3] = static_cast<char>(log[log.size() - 3] ^ 1);
  write_file("000001.0.vlog", log);
  auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(report->damaged, ElementsAre(1));
  EXPECT_FALSE(report->written);
  EXPECT_EQ(report->faults, 0u);
  EXPECT_THAT(report->damage, Contains(HasSubstr("chunk 0 is damaged")));
  MergeOptions options;
  options.allow_unmatched = true;
  report = run(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
}

TEST_F(MergeDirectory, AFileThatIsNoLogAnyMore) {
  for (const Script& log : ping()) write_log(log);
  write_file("000001.0.vlog", "");
  EXPECT_THAT(error_of(run()), HasSubstr("000001.0.vlog: 0 bytes; expected a rank log's header"));
  MergeOptions options;
  options.allow_unmatched = true;
  const auto report = run(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_THAT(report->missing, ElementsAre(1));
  EXPECT_THAT(report->damage, ElementsAre(HasSubstr("000001.0.vlog: 0 bytes")));
}

TEST_F(MergeDirectory, OtherRecordingsOfTheJobAreNamed) {
  const fs::path main = directory_;
  const fs::path second = main.string() + ".1";
  fs::create_directories(main / "child");
  for (const fs::path& path : {main / "child", second, main}) {
    directory_ = path;
    fs::create_directories(path);
    for (const Script& log : ping()) write_log(log);
  }
  auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  const std::string both = second.string() + ", " + (main / "child").string();
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("further recordings, each a world of its own: " + both)));
  fs::remove(main / "000000.0.vlog");
  fs::remove(main / "000001.0.vlog");
  EXPECT_THAT(error_of(run()),
              HasSubstr("expected a directory that `vef record` wrote, as these are: " + both));
  fs::remove_all(second);
}

TEST_F(MergeDirectory, SpawnedWorldsBesideItAreMergedWithIt) {
  const fs::path main = directory_;
  const fs::path second = main.string() + ".1";
  fs::create_directories(second);
  // Rank 0 of one spawns one, and sends to it.
  Script parent(0, 1);
  parent.at(0, 100).init().at(1, 100).meet(MpiCall::kCommSpawn, 2, {{0, 1, 1}}, {{1, 1, 1}}, "./child");
  write_log(parent.in(2).send(0, 1, 8).at(1, 1).finalize());
  write_file("capture.json", R"({"job": "J", "start_wall_ns": 100, "end_wall_ns": 900})");
  directory_ = second;
  Script child(0, 1);
  child.at(0, 100).init().parents(2, {{0, 1, 1}}, {{1, 1, 1}}).in(2).recv(0, 1, 8).at(1, 1).finalize();
  write_log(child);
  const auto describe_child = [&](const char* start) {
    write_file("capture.json", R"({"job": "K", "spawned_by": "J", "spawned_by_rank": 0, "start_wall_ns": )" +
                                   std::string(start) + "}");
  };
  describe_child("200");
  const std::string one = main.string();
  const std::string other = second.string();
  const std::string trace = (main / "out.vef").string();
  auto report = merge({one}, trace, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_EQ(report->tasks, 2);
  EXPECT_EQ(report->messages, 1u);
  ASSERT_EQ(report->worlds.size(), 2u);
  EXPECT_EQ(report->worlds[0].directory, one);
  EXPECT_EQ(report->worlds[1].directory, other);
  EXPECT_EQ(report->worlds[1].how, "spawned by task 0 (MPI_Comm_spawn of ./child)");
  EXPECT_TRUE(report->notes.empty());
  // Named both, in the other order, and one of them twice.
  report = merge({other + "/", one, other}, trace, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks, 2);
  EXPECT_EQ(report->worlds[0].how, "spawned by task 1 (MPI_Comm_spawn of ./child)");
  MergeOptions options;
  options.alone = true;
  report = merge({one}, trace, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks, 1);
  EXPECT_EQ(report->messages, 0u);
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("further recordings, each a world of its own: " + other)));
  // The same job's name, of another day.
  describe_child("901");
  EXPECT_EQ(merge({one}, trace, {})->tasks, 1);
  fs::remove_all(second);
  directory_ = main;
}

TEST_F(MergeDirectory, MissingRankIsAnErrorUnlessAllowed) {
  write_log(ping()[1]);
  EXPECT_THAT(error_of(run()), HasSubstr("no log of rank 0; expected one of each of the 2 ranks"));
  MergeOptions options;
  options.allow_unmatched = true;
  const auto report = run(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(report->missing, ElementsAre(0));
  EXPECT_EQ(report->faults, 0u);
  const auto trace = formats::read_trace(output());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->header.tasks, 2);
}

TEST_F(MergeDirectory, ARankThatWasNotToBeRecordedIsNoError) {
  write_log(ping()[1]);
  write_file("capture.json", R"({"ranks": "1-"})");
  const auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_THAT(report->unrecorded, ElementsAre(0));
  EXPECT_TRUE(report->missing.empty());
  EXPECT_EQ(report->faults, 0u);
  ASSERT_FALSE(report->unmatched.empty());
  EXPECT_THAT(describe(report->unmatched[0]), HasSubstr("rank 0 was not to be recorded"));
}

TEST_F(MergeDirectory, CallsThatWereLeftOutOnPurposeAreNoError) {
  auto logs = ping();
  const Script alone = Script(0, 2).init().finalize();  // without its part of the exchange
  write_log(alone);
  write_log(logs[1]);
  EXPECT_GT(run()->faults, 0u);
  write_file("capture.json", R"({"records_point_to_point": false})");
  const auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_EQ(report->faults, 0u);
}

TEST_F(MergeDirectory, LogsOnOtherHostsAreNamed) {
  write_log(ping()[1]);
  write_file("capture.scratch-n7", "/no/such/scratch\n");
  EXPECT_THAT(error_of(run()), HasSubstr("those of host n7 lie there in /no/such/scratch"));
}

TEST_F(MergeDirectory, NothingToMerge) {
  EXPECT_THAT(error_of(run()), HasSubstr("no rank logs and no VEFT.main"));
  EXPECT_FALSE(merge({"/nonexistent-directory"}, output(), {}).ok());
}

TEST_F(MergeDirectory, WorldsOfTwoSizes) {
  write_log(Script(0, 2));
  write_log(Script(1, 3));
  EXPECT_THAT(error_of(run()), HasSubstr("a world of 3 ranks; expected 2 as in"));
}

TEST_F(MergeDirectory, LogsOfTwoRuns) {
  write_log(ping()[0], LogEnd::kComplete, "job 7");
  write_log(ping()[1], LogEnd::kComplete, "job 8");
  EXPECT_THAT(error_of(run()), AllOf(HasSubstr("000001.0.vlog: a log of another run than "),
                                     HasSubstr("000000.0.vlog; expected the logs of one run")));
  fs::remove(directory_ / "000001.0.vlog");
  write_log(ping()[1], LogEnd::kComplete, "job 7");
  EXPECT_TRUE(run().ok());
}

TEST_F(MergeDirectory, CaptureByDirectoryOrByItsMainFile) {
  copy_capture("ring-4-send-recv-a");
  ASSERT_TRUE(run().ok());
  const std::string first = read_file("out.vef");
  EXPECT_EQ(first.substr(0, 35), "VEF3 4 20 1 0 0 0 1000\nC0 0 1 2 3\n0");
  const auto report = merge({(directory_ / "VEFT.main").string()}, output(), {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(read_file("out.vef"), first);
}

TEST_F(MergeDirectory, BrokenCapturesAreNamed) {
  copy_capture("ring-4-send-recv-a");
  const std::string main = read_file("VEFT.main");
  const std::string veft = read_file("2.veft");
  const std::string comm = read_file("2.comm");
  const auto broken = [&](const std::string& name, const std::string& content) {
    const std::string good = read_file(name);
    write_file(name, content);
    const std::string error = error_of(run());
    write_file(name, good);
    return error;
  };
  const auto patched = [&](std::size_t at, const std::string& bytes) {
    return std::string(veft).replace(at, bytes.size(), bytes);
  };

  EXPECT_THAT(broken("VEFT.main", "x\n"),
              HasSubstr("VEFT.main:1: found \"x\"; expected the number of tasks"));
  EXPECT_THAT(broken("VEFT.main", "4000000000\n./\n"), HasSubstr("VEFT.main:1: found \"4000000000\""));
  EXPECT_THAT(broken("VEFT.main", "5" + main.substr(1)),
              HasSubstr("the file ends after 4 task lines; expected 5"));
  EXPECT_THAT(broken("VEFT.main", "3" + main.substr(1)),
              HasSubstr("VEFT.main:6: a line behind the last task"));
  std::string renamed = main;
  renamed.replace(renamed.find("Task:1"), 6, "Task:7");
  EXPECT_THAT(broken("VEFT.main", renamed), HasSubstr("VEFT.main:4: found \"Task:7:Node:"));
  EXPECT_THAT(broken("2.veft", veft.substr(0, veft.size() - 1)), HasSubstr("2.veft: found 279 bytes"));
  EXPECT_THAT(broken("2.veft", ""), HasSubstr("2.veft: does not begin with opcode 200"));
  // The clocks of VEFT.main: TF before TI, MPI_Finalize after TF; control characters are shown, not obeyed.
  const auto with_field = [&](const std::string& field, const std::string& value) {
    std::string changed = main;
    const std::size_t at = changed.find(field, changed.find("Task:2")) + field.size();
    return changed.replace(at, changed.find_first_of(":\n", at) - at, value);
  };
  EXPECT_THAT(broken("VEFT.main", with_field(":TF:", "1")),
              HasSubstr("VEFT.main:5: TF is 1; expected at least TI"));
  std::uint64_t init = 0;
  std::memcpy(&init, veft.data(), sizeof init);
  EXPECT_THAT(broken("VEFT.main", with_field(":TF:", std::to_string(init))),
              HasSubstr("; expected at most " + std::to_string(init) + " (TF in VEFT.main)"));
  EXPECT_THAT(broken("VEFT.main", "4\n./\nTask:0\x1b[2J\n"), HasSubstr("found \"Task:0\\x1b[2J\""));
  write_file("VEFT.main", with_field(":RF:", "5"));
  const auto odd = run();
  ASSERT_TRUE(odd.ok());
  EXPECT_THAT(odd->warnings,
              Contains(HasSubstr("in 1 tasks, first 2, the wall clock (RI, RF) passed another")));
  write_file("VEFT.main", main);
  // Record 1 is at 40; its opcode at 72, its peer at 56.
  EXPECT_EQ(broken("2.veft", patched(72, "\x8b")),
            "2.veft: record 1: opcode 139 is unknown; expected 0-7 (collectives), 100 (Send), 109 (Recv), "
            "111 (Irecv), "
            "151 (Wait), 200 (Init) or 202 (Finalize)");
  EXPECT_THAT(broken("2.veft", patched(56, "\x04")), HasSubstr("2.veft: record 1: "));
  EXPECT_THAT(broken("2.veft", patched(0, "\x01")), HasSubstr("(TI in VEFT.main)"));
  EXPECT_THAT(broken("2.veft", patched(46, "\xff")), HasSubstr("2.veft: record 1: "));
  EXPECT_THAT(broken("2.comm", comm + comm),
              HasSubstr("2.comm: found 24 bytes that are not the world communicator alone"));
  fs::remove(directory_ / "2.veft");
  EXPECT_EQ(error_of(run()), "2.veft: no such file; expected one beside VEFT.main");
}

TEST_F(MergeDirectory, DamagedCapturesNeverCrash) {
  copy_capture("ring-4-send-recv-a");
  std::size_t merged = 0;
  const auto try_it = [&] {
    MergeReport report;
    auto ranks = load_capture((directory_ / "VEFT.main").string(), report.warnings);
    if (!ranks.ok()) return;
    const auto prepared = prepare(std::move(*ranks), TimeZero::kOwnInit, {}, report);
    if (!prepared.ok()) return;
    const formats::Trace trace = to_trace(**prepared);
    EXPECT_EQ(trace.records.size(), trace.header.messages + trace.header.collective_records);
    ++merged;
  };
  for (const std::string name : {"1.veft", "VEFT.main", "1.comm"}) {
    const std::string good = read_file(name);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ flip);
        write_file(name, bad);
        try_it();
      }
      write_file(name, good.substr(0, at));
      try_it();
    }
    write_file(name, good);
  }
  EXPECT_GT(merged, 100u);  // fields that are never looked at
}

/// Each rank sends to the next, twice with each of two tags, and receives with the tags the other way round.
std::vector<Script> ring(std::int32_t ranks, int rounds) {
  std::vector<Script> logs;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t next = (rank + 1) % ranks;
    const std::int32_t last = (rank + ranks - 1) % ranks;
    Script log(rank, ranks);
    log.at(0, 100).init();
    std::uint64_t request = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t first = request;
      for (const std::int32_t tag : {2, 1, 2, 1}) log.at(5, 2).irecv(last, tag, 64, ++request);
      for (const std::int32_t tag : {1, 2, 1, 2}) log.at(7, 3).send(next, tag, 64);
      log.at(11, 40).complete({received(first + 1, last, 2, 64), received(first + 2, last, 1, 64),
                               received(first + 3, last, 2, 64), received(first + 4, last, 1, 64)});
      log.at(13, 60).collective(MpiCall::kAllreduce, 8, 8);
    }
    logs.push_back(log.at(1, 1).finalize());
  }
  return logs;
}

TEST_F(MergeDirectory, MemoryAndThreadsDoNotChangeTheTrace) {
  constexpr std::int32_t kRanks = 7;
  constexpr std::uint64_t kRounds = 500;
  for (const Script& log : ring(kRanks, kRounds)) write_log(log);
  MergeOptions options;
  options.threads = 1;
  options.memory = 0;
  const auto report = run(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->written);
  EXPECT_EQ(report->messages, 4 * kRounds * kRanks);
  EXPECT_EQ(report->header.collectives, kRounds);
  EXPECT_EQ(report->file_bytes, 0U);
  const std::string output = fs::path(report->output).filename().string();
  const std::string expected = read_file(output);
  ASSERT_FALSE(expected.empty());
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1}}) {
      options.threads = threads;
      options.memory = memory;
      const auto again = run(options);
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(read_file(output), expected) << threads << " threads, " << memory << " bytes";
      EXPECT_EQ(again->file_bytes > 0, memory != 0);
    }
  }
}

TEST_F(MergeDirectory, OfSeveralBadLogsTheFirstIsNamed) {
  // A message from a rank that is not in the world, in each log: the error is that of the first, whichever
  // thread comes to it.
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    write_log(
        Script(rank, 8).at(0, 1).init().at(1, 1).recv(formats::kAnySource, 0, 8, 9, 0).at(1, 1).finalize());
  }
  MergeOptions options;
  options.threads = 4;
  const auto report = run(options);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("000000.0.vlog: event 1: a message from 9"));
}

TEST_F(MergeDirectory, CutLogsNeverCrash) {
  const auto logs = ping();
  write_log(logs[0]);
  write_log(logs[1]);
  const std::string name = "000001.0.vlog";
  const std::string good = read_file(name);
  ASSERT_FALSE(good.empty());
  // The stages without the output, whose syncing to disk would take most of the time.
  for (std::size_t size = 0; size < good.size(); ++size) {
    write_file(name, good.substr(0, size));
    std::vector<RankData> ranks;
    for (const char* file : {"000000.0.vlog", "000001.0.vlog"}) {
      auto log = formats::RankLogReader::open((directory_ / file).string());
      if (!log.ok()) break;
      std::vector<std::unique_ptr<formats::RankLogReader>> of_rank;
      of_rank.push_back(std::move(*log));
      auto data = load_rank(std::move(of_rank), 2);
      ASSERT_TRUE(data.ok()) << data.error().message;
      ranks.push_back(std::move(*data));
    }
    if (ranks.size() < 2) continue;
    MergeReport report;
    const auto prepared = prepare(std::move(ranks), TimeZero::kLatestInit, {}, report);
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    const formats::Trace trace = to_trace(**prepared);
    EXPECT_TRUE(formats::validate(trace).empty());
    EXPECT_EQ(execution_fault(trace), "");
    EXPECT_EQ(report.faults, 0u) << size;
  }
}

}  // namespace
}  // namespace vef::merge
