// SPDX-License-Identifier: Apache-2.0
// Writes the rank logs of a synthetic run (a 2D halo exchange with Irecv, Isend and Waitall, and an
// all-reduce every tenth step; log-normal gaps), merges them, and prints one line of JSON: events per second,
// peak memory, bytes of logs and trace. How to use it: README.md.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log_writer.h"
#include "vef/merge/merge.h"

namespace {

namespace fs = std::filesystem;
using namespace vef::formats;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "bench_merge: %s\n", message.c_str());
  std::exit(1);
}

/// How times scatter: log-normal, from a table, so that writing the logs takes less than merging them.
class Jitter {
 public:
  Jitter() : values_(1 << 16) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> distribution(0.0, 0.3);
    for (double& value : values_) value = distribution(random);
  }
  double next(std::uint64_t& state) const {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return values_[state >> 48];
  }

 private:
  std::vector<double> values_;
};

/// The neighbours of a rank on a torus as square as the number of ranks allows.
struct Torus {
  explicit Torus(int ranks) : height(static_cast<int>(std::sqrt(ranks))) {
    while (ranks % height != 0) --height;
    width = ranks / height;
  }
  int neighbour(int rank, int direction) const {
    const int x = rank % width;
    const int y = rank / width;
    switch (direction) {
      case 0:
        return y * width + (x + 1) % width;
      case 1:
        return y * width + (x + width - 1) % width;
      case 2:
        return (y + 1) % height * width + x;
      default:
        return (y + height - 1) % height * width + x;
    }
  }
  int height;
  int width = 0;
};

class Recorder {
 public:
  Recorder(const std::string& directory, int rank, int ranks, const Jitter& jitter)
      : rank_(rank), torus_(ranks), jitter_(jitter), random_(static_cast<std::uint64_t>(rank) + 1) {
    RankLogOptions options;
    options.directory = directory.c_str();
    options.rank = rank;
    options.world_size = ranks;
    options.host = "node0";
    options.program = "halo";
    options.mpi_library = "none";
    options.ticks_are_ns = true;
    char error[256] = "";
    writer_ = RankLogWriter::create(options, error, sizeof error);
    if (writer_ == nullptr) fail(error);
  }

  void run(int steps) {
    append(make(EventKind::kInit, MpiCall::kInit), 1e6);
    for (int step = 0; step < steps; ++step) {
      exchange();
      if (step % 10 == 9) reduce();
    }
    append(make(EventKind::kFinalize, MpiCall::kFinalize), 1e3);
    if (!writer_->close(true)) fail("a rank log could not be closed");
  }

 private:
  static RankEvent make(EventKind kind, MpiCall call) {
    RankEvent event;
    event.kind = kind;
    event.call = static_cast<std::uint16_t>(call);
    return event;
  }

  void exchange() {
    constexpr std::uint64_t kBytes = 8192;
    Completion done[8];
    for (int direction = 0; direction < 4; ++direction) {
      RankEvent event = make(EventKind::kIrecv, MpiCall::kIrecv);
      event.peer = torus_.neighbour(rank_, direction);
      event.tag = direction ^ 1;  // sent the other way
      event.bytes = kBytes;
      event.request = ++request_;
      done[direction] = {request_, event.peer, event.tag, kBytes, true, false};
      append(event, 200);
    }
    for (int direction = 0; direction < 4; ++direction) {
      RankEvent event = make(EventKind::kIsend, MpiCall::kIsend);
      event.peer = torus_.neighbour(rank_, direction);
      event.tag = direction;
      event.bytes = kBytes;
      event.request = ++request_;
      done[4 + direction].request = request_;
      append(event, 400);
    }
    RankEvent event = make(EventKind::kComplete, MpiCall::kWaitall);
    event.completions = done;
    append(event, 20'000);
  }

  void reduce() {
    RankEvent event = make(EventKind::kCollective, MpiCall::kAllreduce);
    event.peer = kUndefined;
    event.bytes = event.recv_bytes = 8;
    append(event, 30'000);
  }

  void append(RankEvent event, double duration) {
    event.gap = static_cast<std::uint64_t>(jitter_.next(random_) * 1'000);
    event.duration = static_cast<std::uint64_t>(jitter_.next(random_) * duration);
    if (writer_->append(event) == AppendResult::kStopped) fail(writer_->error());
  }

  int rank_;
  Torus torus_;
  const Jitter& jitter_;
  std::uint64_t random_;
  RankLogWriter* writer_ = nullptr;
  std::uint64_t request_ = 0;
};

struct Options {
  int ranks = 64;
  int steps = 3000;
  unsigned threads = 1;
  std::uint64_t memory = 0;
  fs::path folder = fs::temp_directory_path() / "vef-bench-merge";
  bool write = true;
  bool merge = true;
  bool keep = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--keep") {
      options.keep = true;
    } else if (name == "--only-write") {
      options.merge = false;
      options.keep = true;
    } else if (name == "--only-merge") {
      options.write = false;
      options.keep = true;
    } else if (i + 1 == argc) {
      fail(
          "expected [--ranks N] [--steps N] [--threads N] [--memory BYTES] [--folder PATH] [--keep] "
          "[--only-write] [--only-merge]");
    } else if (name == "--ranks") {
      options.ranks = std::max(1, std::atoi(argv[++i]));
    } else if (name == "--steps") {
      options.steps = std::max(1, std::atoi(argv[++i]));
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::max(1, std::atoi(argv[++i])));
    } else if (name == "--memory") {
      options.memory = std::strtoull(argv[++i], nullptr, 10);
    } else if (name == "--folder") {
      options.folder = argv[++i];
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  return options;
}

/// In processes of its own, so that their memory does not count.
void write_logs(const Options& options) {
  fs::remove_all(options.folder);
  fs::create_directories(options.folder);
  constexpr int kWriters = 2;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (fork() != 0) continue;
    const Jitter jitter;
    for (int rank = writer; rank < options.ranks; rank += kWriters)
      Recorder(options.folder.string(), rank, options.ranks, jitter).run(options.steps);
    _exit(0);
  }
  int status = 0;
  while (wait(&status) > 0) {
    if (status != 0) fail("the logs could not be written");
  }
}

std::uint64_t log_bytes(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".vlog") bytes += entry.file_size();
  }
  return bytes;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void merge_logs(const Options& options) {
  vef::merge::MergeOptions how;
  how.threads = options.threads;
  how.memory = options.memory;
  const double processor = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto report =
      vef::merge::merge({options.folder.string()}, (options.folder / "out.vef.zst").string(), how);
  if (!report) fail(report.error().message);
  if (!report->written) fail(vef::merge::describe(report->unmatched.front()));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double used = processor_seconds() - processor;
  std::string stages;
  for (const auto& [stage, stage_seconds] : report->seconds) {
    stages += ",\"" + stage + "_s\":" + std::to_string(stage_seconds);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto events = static_cast<double>(report->events);
  const auto records = static_cast<double>(report->header.messages + report->header.collective_records);
  const auto logs = static_cast<double>(log_bytes(options.folder));
  std::printf(
      "{\"bench\":\"merge\",\"ranks\":%d,\"threads\":%u,\"memory\":%llu,\"events\":%.0f,\"records\":%.0f,"
      "\"events_per_s\":%.0f,\"events_per_processor_s\":%.0f,\"seconds\":%.2f,\"peak_rss_bytes\":%ld,"
      "\"log_bytes\":%.0f,\"log_bytes_per_event\":%.2f,\"trace_bytes\":%llu,\"trace_bytes_per_record\":%.2f"
      "%s}\n",
      report->tasks, options.threads, static_cast<unsigned long long>(options.memory), events, records,
      events / seconds, events / used, seconds, usage.ru_maxrss * 1024, logs, logs / events,
      static_cast<unsigned long long>(report->output_bytes),
      static_cast<double>(report->output_bytes) / records, stages.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.write) write_logs(options);
  if (options.merge) merge_logs(options);
  if (!options.keep) fs::remove_all(options.folder);
  return 0;
}
