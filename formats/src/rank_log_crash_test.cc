// SPDX-License-Identifier: Apache-2.0
// Kills at any instant, full disks, limits: nothing that append() accepted is lost, nothing comes twice, and
// the process that records lives on.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include <sys/mman.h>

#include "rank_log_test_util.h"

namespace vef::formats::testing {
namespace {

/// The i-th event of the endless loop below; its request tells its number.
RankEvent loop_event(std::uint64_t i) {
  RankEvent event;
  event.kind = i % 2 == 0 ? EventKind::kIsend : EventKind::kIrecv;
  event.peer = static_cast<std::int32_t>(i % 26);
  event.bytes = 4096;
  event.request = i + 1;
  event.gap = i * 7919 % 4001;
  event.duration = i * 104729 % 997;
  return event;
}

void expect_loop(const ReadBack& back, std::uint64_t at_least) {
  ASSERT_EQ(back.error, "");
  EXPECT_FALSE(back.damage.any()) << joined(back.damage.notes);
  ASSERT_GE(back.events.size(), at_least);
  for (std::uint64_t i = 0; i < back.events.size(); ++i)
    ASSERT_TRUE(back.events[i] == OwnedEvent(loop_event(i))) << i;
}

/// Runs `body` in a child; returns its exit status, or minus the signal that ended it.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(RankLogCrash, SigkillLosesNothing) {
  // The child counts accepted events in shared memory, which unlike a pipe costs nothing, so that kills land
  // everywhere, turn-overs included.
  for (int round = 0; round < 12; ++round) {
    TemporaryFolder scratch;
    auto* accepted = static_cast<std::atomic<std::uint64_t>*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void*>(accepted), MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
      RankLogWriter* writer = RankLogWriter::create(nanosecond_options(scratch.path()), nullptr, 0);
      if (writer == nullptr) _exit(1);
      for (std::uint64_t i = 0;; ++i) {
        if (writer->append(loop_event(i)) == AppendResult::kStopped) _exit(1);
        accepted->store(i + 1, std::memory_order_release);
      }
    }
    while (accepted->load() == 0 && waitpid(child, nullptr, WNOHANG) == 0) usleep(100);
    usleep(static_cast<useconds_t>(500 + 3700 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    expect_loop(read_back(scratch.file("000007.0.vlog")), accepted->load());
    munmap(accepted, 4096);
  }
}

TEST(RankLogCrash, KillsDuringTurnOvers) {
  // The child says when it begins an append that will turn the chunk over, and is killed within.
  for (int round = 0; round < 30; ++round) {
    TemporaryFolder scratch;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      RankLogWriter* writer = RankLogWriter::create(nanosecond_options(scratch.path()), nullptr, 0);
      if (writer == nullptr) _exit(1);
      std::uint64_t chunk = 0;  // length of the first chunk, the others are alike
      for (std::uint64_t i = 0;; ++i) {
        if (chunk != 0 && i % chunk == 0 && write(pipe_ends[1], &i, sizeof i) != sizeof i) _exit(1);
        const AppendResult result = writer->append(loop_event(i));
        if (result == AppendResult::kStopped) _exit(1);
        if (result == AppendResult::kTurnedOver && chunk == 0) chunk = i;
      }
    }
    std::uint64_t accepted = 0;
    ASSERT_EQ(read(pipe_ends[0], &accepted, sizeof accepted), static_cast<ssize_t>(sizeof accepted));
    usleep(static_cast<useconds_t>(round * 60));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    expect_loop(read_back(scratch.file("000007.0.vlog")), accepted);
  }
}

/// A child killed right after it made the log; its .open file is then set back to `open_bytes` zeros, as it
/// is before the recorder has written its header.
ReadBack kill_at_creation(const TemporaryFolder& scratch, std::uint64_t events, std::size_t open_bytes) {
  const int status = in_child([&] {
    RankLogWriter* writer = RankLogWriter::create(nanosecond_options(scratch.path()), nullptr, 0);
    if (writer == nullptr) return 1;
    for (std::uint64_t i = 0; i < events; ++i) writer->append(loop_event(i));
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, -SIGKILL);
  std::string open = read_file(scratch.file("000007.0.open"));
  open.resize(std::min(open.size(), open_bytes));
  std::fill_n(open.begin(), std::min<std::size_t>(open.size(), 4096), '\0');
  write_file(scratch.file("000007.0.open"), open);
  return read_back(scratch.file("000007.0.vlog"));
}

TEST(RankLogCrash, AKillWhileTheLogIsMadeIsNoDamage) {
  for (const std::size_t open_bytes : {std::size_t{0}, std::size_t{4096}, std::size_t{1} << 30}) {
    TemporaryFolder scratch;
    const ReadBack back = kill_at_creation(scratch, 0, open_bytes);
    EXPECT_EQ(back.error, "");
    EXPECT_FALSE(back.damage.any()) << open_bytes << ": " << joined(back.damage.notes);
    EXPECT_FALSE(back.info.complete);
    EXPECT_EQ(back.events.size(), 0u);
  }
}

TEST(RankLogCrash, ALostHeaderOfAnOpenChunkWithEventsIsDamage) {
  TemporaryFolder scratch;
  const ReadBack back = kill_at_creation(scratch, 10, std::size_t{1} << 30);
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.damage.corrupt);
  EXPECT_EQ(back.events.size(), 0u);
}

TEST(RankLogCrash, FileSizeLimitIsAnErrorAndNoSignal) {
  TemporaryFolder scratch;
  const std::string count_file = scratch.file("count");
  // SIGXFSZ has its default action, which would kill the child.
  const int status = in_child([&] {
    RankLogWriter* writer = RankLogWriter::create(nanosecond_options(scratch.path()), nullptr, 0);
    if (writer == nullptr) return 1;
    const rlimit limit = {600'000, 600'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    std::uint64_t i = 0;
    while (writer->append(loop_event(i)) != AppendResult::kStopped && i < 10'000'000) ++i;
    if (std::strstr(writer->error(), "File too large") == nullptr) return 3;
    if (writer->append(loop_event(i)) != AppendResult::kStopped || writer->events() != i) return 4;
    write_file(count_file, std::to_string(i));
    return writer->close(true) ? 5 : 0;
  });
  ASSERT_EQ(status, 0);
  const std::uint64_t accepted = std::stoull(read_file(count_file));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  ASSERT_EQ(back.error, "");
  EXPECT_EQ(back.events.size(), accepted);  // the chunk that could not be sealed is still in the .open file
  EXPECT_FALSE(back.info.complete);
  ASSERT_EQ(back.damage.notes.size(), 1u);
  EXPECT_NE(back.damage.notes[0].find("recording stopped early"), std::string::npos);
  for (std::uint64_t i = 0; i < back.events.size(); ++i)
    ASSERT_TRUE(back.events[i] == OwnedEvent(loop_event(i)));
}

TEST(RankLogCrash, WithoutAMappingOnlyAKillLosesTheOpenChunk) {
  for (const bool killed : {false, true}) {
    TemporaryFolder scratch;
    const int status = in_child([&] {
      RankLogOptions options = nanosecond_options(scratch.path());
      options.map_open_file = false;
      RankLogWriter* writer = RankLogWriter::create(options, nullptr, 0);
      if (writer == nullptr) return 1;
      bool turned_over = false;
      for (std::uint64_t i = 0; i < 200'000; ++i)
        turned_over |= writer->append(loop_event(i)) == AppendResult::kTurnedOver;
      if (!turned_over) return 2;
      if (killed) raise(SIGKILL);
      return writer->close(true) ? 0 : 3;
    });
    EXPECT_EQ(status, killed ? -SIGKILL : 0);
    EXPECT_FALSE(std::filesystem::exists(scratch.file("000007.0.open")));
    const ReadBack back = read_back(scratch.file("000007.0.vlog"));
    EXPECT_EQ(back.error, "");
    EXPECT_EQ(back.damage.any(), killed) << joined(back.damage.notes);
    EXPECT_EQ(back.info.complete, !killed);
    if (killed)
      EXPECT_LT(back.events.size(), 200'000u);
    else
      EXPECT_EQ(back.events.size(), 200'000u);
    EXPECT_GT(back.events.size(), 0u);
    for (std::uint64_t i = 0; i < back.events.size(); ++i)
      ASSERT_TRUE(back.events[i] == OwnedEvent(loop_event(i))) << i;
  }
}

TEST(RankLogCrash, FileSizeLimitAtCreation) {
  TemporaryFolder scratch;
  const int status = in_child([&] {
    const rlimit limit = {100'000, 100'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    char error[256] = "";
    if (RankLogWriter::create(nanosecond_options(scratch.path()), error, sizeof error) != nullptr) return 2;
    return std::strstr(error, "cannot reserve its blocks") != nullptr ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

/// A file system mounted for one test; needs the right to mount.
class Mount {
 public:
  Mount(const std::string& path, const char* type, const char* options)
      : path_(path), good_(mount("none", path.c_str(), type, 0, options) == 0) {}
  ~Mount() {
    if (good_) umount2(path_.c_str(), MNT_DETACH);
  }
  bool good() const { return good_; }

 private:
  std::string path_;
  bool good_;
};

TEST(RankLogCrash, FullDiskIsAnErrorAndNoSignal) {
  TemporaryFolder scratch;
  const Mount disk(scratch.path(), "tmpfs", "size=1m");
  if (!disk.good()) GTEST_SKIP() << "may not mount a file system here";
  const std::string count_file = scratch.path() + ".count";
  const int status = in_child([&] {
    RankLogWriter* writer = RankLogWriter::create(nanosecond_options(scratch.path()), nullptr, 0);
    if (writer == nullptr) return 1;
    std::uint64_t i = 0;
    while (writer->append(loop_event(i)) != AppendResult::kStopped && i < 10'000'000) ++i;
    if (std::strstr(writer->error(), "No space left on device") == nullptr) return 3;
    write_file(count_file, std::to_string(i));
    return writer->close(true) ? 5 : 0;
  });
  ASSERT_EQ(status, 0);
  const std::uint64_t accepted = std::stoull(read_file(count_file));
  std::filesystem::remove(count_file);
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  ASSERT_EQ(back.error, "");
  EXPECT_EQ(back.events.size(), accepted);
  EXPECT_GT(accepted, 100'000u);
}

TEST(RankLogCrash, DiskFullAtCreation) {
  TemporaryFolder scratch;
  const Mount disk(scratch.path(), "tmpfs", "size=128k");
  if (!disk.good()) GTEST_SKIP() << "may not mount a file system here";
  char error[256] = "";
  EXPECT_EQ(RankLogWriter::create(nanosecond_options(scratch.path()), error, sizeof error), nullptr);
  EXPECT_NE(std::string(error).find("cannot reserve its blocks: No space left"), std::string::npos) << error;
}

TEST(RankLogCrash, WithoutFallocate) {
  TemporaryFolder scratch;
  const Mount disk(scratch.path(), "ramfs", nullptr);
  if (!disk.good()) GTEST_SKIP() << "may not mount a file system here";
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(writer->append(loop_event(i)), AppendResult::kOk);
  expect_loop(read_back(scratch.file("000007.0.vlog")), 1000);
  ASSERT_TRUE(writer->close(true));
  expect_loop(read_back(scratch.file("000007.0.vlog")), 1000);
}

TEST(RankLogCrash, AForkedChildGivesUpTheLog) {
  TemporaryFolder scratch;
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  for (std::uint64_t i = 0; i < 10; ++i) writer->append(loop_event(i));
  EXPECT_EQ(in_child([&] {
              writer->abandon();
              return 0;
            }),
            0);
  for (std::uint64_t i = 10; i < 20; ++i) writer->append(loop_event(i));
  ASSERT_TRUE(writer->close(true));
  const ReadBack back = read_back(scratch.file("000007.0.vlog"));
  expect_loop(back, 20);
  EXPECT_EQ(back.events.size(), 20u);
}

}  // namespace
}  // namespace vef::formats::testing
