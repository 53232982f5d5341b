// SPDX-License-Identifier: Apache-2.0
// Writes the rank logs of a synthetic run (a 2D halo exchange with Irecv, Isend and Waitall, and an
// all-reduce every tenth step; log-normal gaps), merges them, and prints one line of JSON: events per second,
// bytes per event in memory, bytes per record in the trace.
//
//     bench_merge [RANKS] [STEPS] [FOLDER]     default: 64 3000 $TMPDIR
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>

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
  Recorder(const std::string& directory, int rank, int ranks)
      : rank_(rank), torus_(ranks), random_(rank + 1) {
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
    event.gap = static_cast<std::uint64_t>(jitter_(random_) * 1'000);
    event.duration = static_cast<std::uint64_t>(jitter_(random_) * duration);
    if (writer_->append(event) == AppendResult::kStopped) fail(writer_->error());
  }

  int rank_;
  Torus torus_;
  std::mt19937_64 random_;
  std::lognormal_distribution<double> jitter_{0.0, 0.3};
  RankLogWriter* writer_ = nullptr;
  std::uint64_t request_ = 0;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::max(1, std::atoi(argv[1])) : 64;
  const int steps = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3000;
  const fs::path folder = (argc > 3 ? fs::path(argv[3]) : fs::temp_directory_path()) / "vef-bench-merge";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (int rank = 0; rank < ranks; ++rank) Recorder(folder.string(), rank, ranks).run(steps);

  const double start = processor_seconds();
  const auto report = vef::merge::merge({folder.string()}, (folder / "out.vef.zst").string(), {});
  if (!report) fail(report.error().message);
  if (!report->written) fail(vef::merge::describe(report->unmatched.front()));
  const double seconds = processor_seconds() - start;
  std::string stages;
  for (const auto& [stage, stage_seconds] : report->seconds) {
    stages += ",\"" + stage + "_s\":" + std::to_string(stage_seconds);
  }
  const auto events = static_cast<double>(report->events);
  const auto records = static_cast<double>(report->header.messages + report->header.collective_records);
  std::printf(
      "{\"bench\":\"merge\",\"ranks\":%d,\"events\":%.0f,\"records\":%.0f,\"events_per_s\":%.0f,"
      "\"model_bytes_per_event\":%.1f,\"trace_bytes_per_record\":%.2f%s}\n",
      ranks, events, records, events / seconds, static_cast<double>(report->model_bytes) / events,
      static_cast<double>(report->output_bytes) / records, stages.c_str());
  fs::remove_all(folder);
  return 0;
}
