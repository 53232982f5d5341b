// SPDX-License-Identifier: Apache-2.0
// What the rank log costs. The first JSON line: nanoseconds and instructions per append(), the turn-over of
// chunks apart, bytes per event on disk, and events per second of the reader. The second: what a long loop
// takes on disk, signatures (all but the times) in all and times per event.
//
// The loop has 10^6 iterations of 4 Irecv, 4 Isend, Waitall, and every tenth time an Allreduce, with times
// drawn as below, in nanoseconds. The first workload is a halo exchange: 26 Irecv, 26 Isend of face, edge and
// corner sizes, one Waitall, one Allreduce per step. Gaps and durations are log-normal in ticks of 2.5 GHz:
// Irecv and Isend 250 and 450 ns, sigma 0.35; computing 400 us, sigma 0.2; Waitall 30 us, Allreduce 20 us,
// sigma 0.6. Events are made beforehand, so that only append() is timed; clocks are read around batches.
//
//   rank_log_bench [EVENTS] [DIRECTORY]
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "vef/formats/rank_log_reader.h"
#include "vef/formats/rank_log_writer.h"

namespace {

using namespace vef::formats;

constexpr double kTicksPerNs = 2.5;
constexpr int kNeighbours = 26;

class Halo {
 public:
  explicit Halo(std::size_t events) : waits_(2 * kNeighbours) {
    while (list_.size() < events) step();
    list_.resize(events);
  }
  const std::vector<RankEvent>& events() const { return list_; }

 private:
  std::uint64_t time(double median_ns, double sigma) {
    return static_cast<std::uint64_t>(kTicksPerNs * std::exp(std::log(median_ns) + sigma * normal_(random_)));
  }

  RankEvent& add(EventKind kind, std::uint16_t call, double gap, double duration, double sigma) {
    RankEvent event;
    event.kind = kind;
    event.call = call;
    event.gap = time(gap, gap > 1e5 ? 0.2 : 0.35);
    event.duration = time(duration, sigma);
    list_.push_back(event);
    return list_.back();
  }

  static std::uint64_t size_of(int neighbour) { return neighbour < 6 ? 131072 : neighbour < 18 ? 1024 : 8; }

  void step() {
    // The completions of all steps share one list; only the requests differ, so each step keeps its own.
    std::vector<Completion>& wait = kept_.emplace_back(waits_);
    for (int i = 0; i < 2 * kNeighbours; ++i) {
      const bool receive = i < kNeighbours;
      const int neighbour = i % kNeighbours;
      RankEvent& event = add(receive ? EventKind::kIrecv : EventKind::kIsend, receive ? 12 : 11,
                             i == 0 ? 400e3 : 60, receive ? 250 : 450, 0.35);
      event.peer = 100 + 17 * neighbour;
      event.tag = neighbour;
      event.bytes = size_of(neighbour);
      event.request = ++request_;
      wait[i].request = request_;
      wait[i].is_receive = receive;
      if (receive) wait[i].source = event.peer, wait[i].tag = event.tag, wait[i].bytes = event.bytes;
    }
    add(EventKind::kComplete, 20, 80, 30e3, 0.6).completions = wait;
    RankEvent& reduce = add(EventKind::kCollective, 31, 5e3, 20e3, 0.6);
    reduce.peer = kUndefined;
    reduce.bytes = reduce.recv_bytes = 8;
  }

  std::vector<Completion> waits_;
  std::vector<std::vector<Completion>> kept_;
  std::vector<RankEvent> list_;
  std::uint64_t request_ = 0;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

RankLogWriter* create(const std::string& directory, int rank) {
  RankLogOptions options;
  options.directory = directory.c_str();
  options.rank = rank;
  options.world_size = 64;
  options.start = {1'000'000, 1'000'000, 0};
  char error[256];
  RankLogWriter* writer = RankLogWriter::create(options, error, sizeof error);
  if (writer == nullptr) {
    std::fprintf(stderr, "rank_log_bench: %s\n", error);
    std::exit(1);
  }
  return writer;
}

struct Times {
  double append_ns = 0;     // median over batches without a turn-over
  double turn_over_ns = 0;  // amortised over all events
  std::size_t turn_overs = 0;
};

/// Time of this thread on a processor, so that a busy machine disturbs little.
double cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

Times measure_append(RankLogWriter& writer, const std::vector<RankEvent>& events) {
  constexpr std::size_t kBatch = 2000;
  std::vector<double> batches;
  Times times;
  const double begin = cpu_ns();
  for (std::size_t i = 0; i < events.size();) {
    const std::size_t end = std::min(i + kBatch, events.size());
    bool turned_over = false;
    const double before = cpu_ns();
    const std::size_t first = i;
    for (; i < end; ++i) turned_over |= writer.append(events[i]) == AppendResult::kTurnedOver;
    const double ns = (cpu_ns() - before) / static_cast<double>(end - first);
    if (turned_over)
      ++times.turn_overs;
    else
      batches.push_back(ns);
  }
  const double all = (cpu_ns() - begin) / static_cast<double>(events.size());
  std::nth_element(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2),
                   batches.end());
  times.append_ns = batches[batches.size() / 2];
  double sum = 0;
  for (const double batch : batches) sum += batch;
  times.turn_over_ns = std::max(0.0, all - sum / static_cast<double>(batches.size()));
  return times;
}

/// Single-steps a child from one signal to the next while it appends: exact, and needs no hardware counters.
double count_instructions(const std::string& directory, const std::vector<RankEvent>& events,
                          std::size_t from, std::size_t count) {
  const pid_t child = fork();
  if (child == 0) {
    RankLogWriter* writer = create(directory, 1);
    for (std::size_t i = 0; i < from; ++i) writer->append(events[i]);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGUSR1);
    for (std::size_t i = from; i < from + count; ++i) writer->append(events[i]);
    raise(SIGUSR1);
    writer->close(false);
    _exit(0);
  }
  int status = 0;
  long steps = -1;
  waitpid(child, &status, 0);
  if (WIFSTOPPED(status)) {
    steps = 0;
    while (true) {
      if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) break;
      waitpid(child, &status, 0);
      if (!WIFSTOPPED(status) || WSTOPSIG(status) == SIGUSR1) break;
      ++steps;
    }
    ptrace(PTRACE_DETACH, child, nullptr, nullptr);
    waitpid(child, &status, 0);
  }
  return steps < 0 ? -1 : static_cast<double>(steps) / static_cast<double>(count);
}

double measure_reader(const std::string& path, std::uint64_t expected) {
  const double before = cpu_ns();
  auto reader = RankLogReader::open(path);
  std::uint64_t count = 0;
  RankEvent event;
  while (reader.ok()) {
    const auto more = (*reader)->next(event);
    if (!more || !*more) break;
    ++count;
  }
  if (count != expected) {
    std::fprintf(stderr, "rank_log_bench: read %llu events of %llu\n", static_cast<unsigned long long>(count),
                 static_cast<unsigned long long>(expected));
    std::exit(1);
  }
  return static_cast<double>(count) / (1e-9 * (cpu_ns() - before));
}

/// The loop's events go to a log, one by one.
class Loop {
 public:
  explicit Loop(RankLogWriter& writer) : writer_(writer), wait_(8) {}

  void step(int number) {
    for (int i = 0; i < 8; ++i) {
      const bool receive = i < 4;
      RankEvent event;
      event.kind = receive ? EventKind::kIrecv : EventKind::kIsend;
      event.call = receive ? 12 : 11;
      event.peer = 10 * (i % 4);
      event.tag = i % 4;
      event.bytes = 8192;
      event.request = ++request_;
      wait_[static_cast<std::size_t>(i)] = {.request = request_};
      if (receive)
        wait_[static_cast<std::size_t>(i)] = {request_, event.peer, event.tag, event.bytes, true, false};
      append(event, i == 0 ? 100e3 : 60, receive ? 250 : 450, 0.35);
    }
    RankEvent wait;
    wait.kind = EventKind::kComplete;
    wait.call = 20;
    wait.completions = wait_;
    append(wait, 80, 30e3, 0.6);
    if (number % 10 != 0) return;
    RankEvent reduce;
    reduce.kind = EventKind::kCollective;
    reduce.call = 31;
    reduce.peer = kUndefined;
    reduce.bytes = reduce.recv_bytes = 8;
    append(reduce, 5e3, 20e3, 0.6);
  }

 private:
  void append(RankEvent& event, double gap, double duration, double sigma) {
    event.gap = static_cast<std::uint64_t>(gap * std::exp(0.2 * normal_(random_)));
    event.duration = static_cast<std::uint64_t>(duration * std::exp(sigma * normal_(random_)));
    writer_.append(event);
  }

  RankLogWriter& writer_;
  std::vector<Completion> wait_;
  std::uint64_t request_ = 0;
  std::mt19937_64 random_{2};
  std::normal_distribution<double> normal_;
};

/// Sums up what the columns of all chunks take: heads, fields, classes, bits (docs/rank-log.md).
std::array<std::uint64_t, 4> stored_bytes(const std::string& path) {
  constexpr std::streamoff kFileHeader = 504, kChunkHeader = 80, kStored = 32;
  std::array<std::uint64_t, 4> sum{};
  std::ifstream in(path, std::ios::binary);
  for (std::streamoff at = kFileHeader;;) {
    std::array<std::uint32_t, 4> stored{};
    in.seekg(at + kStored);
    if (!in.read(reinterpret_cast<char*>(stored.data()), sizeof stored)) return sum;
    at += kChunkHeader;
    for (std::size_t i = 0; i < 4; ++i) {
      sum[i] += stored[i];
      at += stored[i];
    }
  }
}

void measure_loop(const std::string& directory) {
  constexpr int kIterations = 1'000'000;
  RankLogWriter* writer = create(directory, 2);
  Loop loop(*writer);
  for (int i = 0; i < kIterations; ++i) loop.step(i);
  const auto events = static_cast<double>(writer->events());
  writer->close(true);
  const std::string path = directory + "/000002.0.vlog";
  const std::array<std::uint64_t, 4> stored = stored_bytes(path);
  std::printf(
      "{\"benchmark\":\"rank_log\",\"workload\":\"loop\",\"iterations\":%d,\"events\":%.0f,"
      "\"signature_bytes\":%llu,\"time_bytes_per_event\":%.3f,\"bytes_per_event\":%.3f}\n",
      kIterations, events, static_cast<unsigned long long>(stored[0] + stored[1]),
      static_cast<double>(stored[2] + stored[3]) / events,
      static_cast<double>(std::filesystem::file_size(path)) / events);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000'000;
  std::string directory =
      (argc > 2 ? std::string(argv[2]) : std::filesystem::temp_directory_path().string()) +
      "/rank_log_bench_XXXXXX";
  if (mkdtemp(directory.data()) == nullptr || events < 10'000) {
    std::fprintf(stderr, "usage: rank_log_bench [EVENTS >= 10000] [DIRECTORY]\n");
    return 2;
  }
  const Halo halo(events);
  RankLogWriter* writer = create(directory, 0);
  const Times times = measure_append(*writer, halo.events());
  std::uint64_t end = 0;
  for (const RankEvent& event : halo.events()) end += event.gap + event.duration;
  writer->sample_clock(
      {1'000'000 + end, 1'000'000 + static_cast<std::uint64_t>(static_cast<double>(end) / kTicksPerNs), 0});
  const std::uint64_t written = writer->events();
  if (!writer->close(true)) return 1;
  const std::string path = directory + "/000000.0.vlog";
  const double bytes = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(written);
  measure_reader(path, written);
  double reader = 0;
  for (int i = 0; i < 3; ++i) reader = std::max(reader, measure_reader(path, written));
  const double steps = count_instructions(directory, halo.events(), 5400, 5400 / 5);
  std::printf(
      "{\"benchmark\":\"rank_log\",\"workload\":\"halo26+allreduce\",\"events\":%zu,\"append_ns\":%.1f,"
      "\"append_instructions\":%.1f,\"turn_over_ns_per_event\":%.1f,\"turn_overs\":%zu,"
      "\"bytes_per_event\":%.3f,\"reader_events_per_second\":%.4g}\n",
      static_cast<std::size_t>(written), times.append_ns, steps, times.turn_over_ns, times.turn_overs, bytes,
      reader);
  measure_loop(directory);
  std::filesystem::remove_all(directory);
  return 0;
}
