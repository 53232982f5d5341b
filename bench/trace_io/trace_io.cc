// SPDX-License-Identifier: Apache-2.0
// Writes and reads a synthetic trace (a ring with a receive mark before each receive and an all-reduce every
// tenth step) and prints one line of JSON: records per second and bytes per record, best of the repetitions.
//
//     bench_trace_io [RECORDS] [FOLDER] [REPETITIONS]     default: 5000000 $TMPDIR 3
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>

#include "vef/formats/trace_io.h"
#include "vef/formats/validate.h"

namespace {

using namespace vef::formats;

[[noreturn]] void fail(const vef::Error& error) {
  std::fprintf(stderr, "bench_trace_io: %s\n", error.message.c_str());
  std::exit(1);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Generator {
 public:
  explicit Generator(std::uint64_t records) : records_(records) {
    trace_.header.tasks = kTasks;
    trace_.communicators.resize(1);
    for (TaskId task = 0; task < kTasks; ++task) trace_.communicators[0].push_back(task);
    trace_.records.reserve(records + 4 * kTasks);
  }

  Trace run() {
    for (int step = 0; trace_.records.size() < records_; ++step) {
      const std::uint64_t first = next_id_;
      for (TaskId task = 0; task < kTasks; ++task) add_send(task, step);
      for (TaskId task = 0; task < kTasks; ++task) add_mark(task);
      for (TaskId task = 0; task < kTasks; ++task) {
        const auto left = static_cast<std::uint64_t>((task + kTasks - 1) % kTasks);
        last_[task] = {DepKind::kReceive, first + left};
      }
      if (step % 10 == 9) add_allreduce();
    }
    return std::move(trace_);
  }

 private:
  static constexpr TaskId kTasks = 64;
  struct Last {
    DepKind kind = DepKind::kIndependent;
    std::uint64_t id = 0;
  };

  Record next_of(TaskId task, RecordKind kind, std::uint64_t time) {
    Record record;
    record.kind = kind;
    record.dep = last_[task].kind;
    record.dep_id = last_[task].id;
    record.task = task;
    record.time = time + random_() % 1000;
    return record;
  }
  void add_send(TaskId task, int step) {
    Record record = next_of(task, RecordKind::kMessage, 20'000);
    record.peer = (task + 1) % kTasks;
    record.id = next_id_++;
    record.send_bytes = step % 3 == 0 ? 65'536 : 1'024;
    last_[task] = {DepKind::kSend, record.id};
    trace_.records.push_back(record);
    ++trace_.header.messages;
  }
  void add_mark(TaskId task) {
    Record record = next_of(task, RecordKind::kMark, 500);
    record.peer = task;
    record.id = next_id_++;
    trace_.records.push_back(record);
    ++trace_.header.messages;
  }
  void add_allreduce() {
    for (TaskId task = 0; task < kTasks; ++task) {
      Record record = next_of(task, RecordKind::kCollective, 3'000);
      record.op = CollectiveOp::kAllreduce;
      record.id = trace_.header.collectives;
      record.send_bytes = record.recv_bytes = 8;
      last_[task] = {DepKind::kCollective, record.id};
      trace_.records.push_back(record);
      ++trace_.header.collective_records;
    }
    ++trace_.header.collectives;
  }

  std::uint64_t records_;
  Trace trace_;
  std::uint64_t next_id_ = 0;
  Last last_[kTasks];
  std::mt19937_64 random_{1};
};

double write_seconds(const std::string& path, const Trace& trace) {
  const double start = processor_seconds();
  if (vef::Status status = write_trace(path, trace); !status) fail(status.error());
  return processor_seconds() - start;
}

double read_seconds(const std::string& path, std::uint64_t expected) {
  const double start = processor_seconds();
  auto reader = TraceReader::open(path);
  if (!reader) fail(reader.error());
  Record record;
  for (std::uint64_t count = 0;; ++count) {
    const auto more = (*reader)->next(record);
    if (!more) fail(more.error());
    if (!*more && count != expected)
      fail({vef::ErrorKind::kInput, "read " + std::to_string(count) + " records"});
    if (!*more) return processor_seconds() - start;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000'000;
  const std::filesystem::path folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().c_str();
  const int repetitions = argc > 3 ? std::max(1, std::atoi(argv[3])) : 3;
  const Trace trace = Generator(wanted).run();
  const auto records = static_cast<double>(trace.records.size());

  const double start = processor_seconds();
  if (const auto faults = validate(trace); !faults.empty())
    fail({vef::ErrorKind::kInput, faults.front().message});
  std::printf("{\"bench\":\"trace_io\",\"records\":%zu,\"validated_per_s\":%.0f", trace.records.size(),
              records / (processor_seconds() - start));
  for (const char* ending : {".vef", ".vef.gz", ".vef.zst", ".vefb"}) {
    const std::string path = (folder / (std::string("bench_trace_io") + ending)).string();
    double write = 1e30;
    double read = 1e30;
    for (int i = 0; i < repetitions; ++i) {
      write = std::min(write, write_seconds(path, trace));
      read = std::min(read, read_seconds(path, trace.records.size()));
    }
    std::printf(",\"%s\":{\"read_per_s\":%.0f,\"written_per_s\":%.0f,\"bytes_per_record\":%.2f}", ending + 1,
                records / read, records / write,
                static_cast<double>(std::filesystem::file_size(path)) / records);
    std::filesystem::remove(path);
  }
  std::printf("}\n");
  return 0;
}
