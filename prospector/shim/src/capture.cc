// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "job.h"
#include "json_text.h"
#include "message.h"
#include "mpi_library.h"

namespace vef::shim {
namespace {

constexpr const char* kMarker = "capture.job";
constexpr int kMostSuffixes = 10000;

/// "4194304", "64k", "8M", "1G" (powers of 1024). False: something else.
bool parse_size(const char* text, std::uint64_t& value) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (errno != 0) return false;
  unsigned shift = 0;
  if (*end == 'k' || *end == 'K') shift = 10;
  if (*end == 'M') shift = 20;
  if (*end == 'G') shift = 30;
  if (shift != 0) ++end;
  if (*end != '\0' || number > (~std::uint64_t{0} >> shift)) return false;
  value = static_cast<std::uint64_t>(number) << shift;
  return true;
}

void read_number(const char* name, std::uint64_t least, std::uint64_t most, std::uint64_t& value) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return;
  std::uint64_t read = 0;
  if (parse_size(text, read) && read >= least && read <= most) {
    value = read;
  } else {
    say_once("%s: found '%.60s'; expected a number from %llu to %llu; %llu is used", name, text,
             static_cast<unsigned long long>(least), static_cast<unsigned long long>(most),
             static_cast<unsigned long long>(value));
  }
}

enum class Owner { kUs, kOthers, kUnknown };

/// Whether the marker in `directory` names our job. Its writer may be between mkdir and write: waits up to 2
/// s.
Owner read_marker(const char* directory, const char* job) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%s", directory, kMarker);
  for (int attempt = 0; attempt < 200; ++attempt) {
    char text[1024];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0) {
      const ssize_t length = read(file, text, sizeof text - 1);
      close(file);
      if (length > 0 && text[length - 1] == '\n') {
        text[length - 1] = '\0';
        return std::strcmp(text, job) == 0 ? Owner::kUs : Owner::kOthers;
      }
    } else if (errno != ENOENT) {
      return Owner::kOthers;
    }
    usleep(10'000);
  }
  return Owner::kUnknown;
}

bool write_marker(const char* directory, const char* job) {
  char path[4096];
  char text[1024];
  std::snprintf(path, sizeof path, "%s/%s", directory, kMarker);
  const int length = std::snprintf(text, sizeof text, "%s\n", job);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const bool written = write(file, text, static_cast<std::size_t>(length)) == length;
  return close(file) == 0 && written;
}

}  // namespace

CaptureOptions read_options() {
  CaptureOptions options;
  const char* directory = std::getenv("VEF_DIR");
  if (directory != nullptr && *directory != '\0') options.directory = directory;
  read_number("VEF_BUFFER", 1U << 20, std::uint64_t{1} << 34, options.buffer_bytes);
  read_number("VEF_POLL_GAP", 0, 1'000'000'000, options.poll_gap_ns);
  return options;
}

bool Capture::open(const CaptureOptions& options, std::int32_t rank, std::int32_t world_size) {
  options_ = options;
  rank_ = rank;
  world_size_ = world_size;
  find_program(program_, sizeof program_);
  find_job(world_size, job_, sizeof job_);
  if (gethostname(host_, sizeof host_ - 1) != 0) host_[0] = '\0';
  char wanted[2048];
  if (options.directory != nullptr) {
    const int length = std::snprintf(wanted, sizeof wanted, "%s", options.directory);
    if (length >= static_cast<int>(sizeof wanted)) {
      std::snprintf(error_, sizeof error_, "VEF_DIR: found %d characters; expected at most %zu", length,
                    sizeof wanted - 1);
      return false;
    }
  } else {
    default_directory(program_, job_, wanted, sizeof wanted);
  }
  return join_or_make(wanted);
}

bool Capture::join_or_make(const char* wanted) {
  for (int suffix = 0; suffix < kMostSuffixes; ++suffix) {
    if (suffix == 0) {
      std::snprintf(directory_, sizeof directory_, "%s", wanted);
    } else {
      std::snprintf(directory_, sizeof directory_, "%s.%d", wanted, suffix);
    }
    if (mkdir(directory_, 0700) == 0) {
      if (write_marker(directory_, job_)) return true;
      std::snprintf(error_, sizeof error_, "%s/%s: cannot be written: %s", directory_, kMarker,
                    std::strerror(errno));
      return false;
    }
    if (errno != EEXIST) {
      std::snprintf(error_, sizeof error_, "%s: cannot be made: %s", directory_, std::strerror(errno));
      return false;
    }
    if (read_marker(directory_, job_) == Owner::kUs) return true;
  }
  std::snprintf(error_, sizeof error_, "%s: this directory and %d numbered ones belong to other jobs", wanted,
                kMostSuffixes - 1);
  return false;
}

bool Capture::write_description(const formats::ClockSample& start, const formats::ClockSample* end) const {
  if (rank_ != 0) return true;
  char path[4096];
  char temporary[4096];
  std::snprintf(path, sizeof path, "%s/capture.json", directory_);
  std::snprintf(temporary, sizeof temporary, "%s/capture.json.new", directory_);
  const int file = ::open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  static char text[65536];
  JsonText json(text, sizeof text);
  json.open();
  json.number("version", 1);
  json.text("recorder", "vefkit " VEF_VERSION);
  json.text("program", program_);
  json.command_line("command");
  json.text("mpi_library", library_version);
  json.text("mpi_family", kFamily);
  json.number("world_size", static_cast<std::uint64_t>(world_size_));
  json.text("host", host_);
  json.text("job", job_);
  json.number("start_wall_ns", start.wall_ns);
  if (end != nullptr) json.number("end_wall_ns", end->wall_ns);
  json.number("buffer_bytes", options_.buffer_bytes);
  json.number("poll_gap_ns", options_.poll_gap_ns);
  json.boolean("complete", end != nullptr);
  json.close();
  const bool written = write(file, text, json.length()) == static_cast<ssize_t>(json.length());
  const bool closed = ::close(file) == 0;
  return written && closed && rename(temporary, path) == 0;
}

}  // namespace vef::shim
