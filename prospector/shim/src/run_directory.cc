// SPDX-License-Identifier: Apache-2.0
#include "run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "message.h"
#include "name_hash.h"

namespace vef::shim {
namespace {

constexpr int kMostSuffixes = 10000;

/// Makes DIRECTORY/NAME with one line of text; false with EEXIST: it is there already.
bool write_line(const char* directory, const char* name, const char* line) {
  char path[4096];
  char text[4096];
  std::snprintf(path, sizeof path, "%s/%s", directory, name);
  const int length = std::snprintf(text, sizeof text, "%s\n", line);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const bool written = write(file, text, static_cast<std::size_t>(length)) == length;
  return close(file) == 0 && written;
}

enum class Line { kRead, kAbsent, kUnreadable };

/// The one line of DIRECTORY/NAME. Its writer may be between open and write: waits up to 2 s for the end of
/// the line.
Line read_line(const char* directory, const char* name, char* text, std::size_t size) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%s", directory, name);
  for (int attempt = 0; attempt < 200; ++attempt) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return errno == ENOENT ? Line::kAbsent : Line::kUnreadable;
    const ssize_t length = read(file, text, size - 1);
    close(file);
    if (length > 0 && text[length - 1] == '\n') {
      text[length - 1] = '\0';
      return Line::kRead;
    }
    usleep(10'000);
  }
  return Line::kUnreadable;
}

/// The directories above `path`, as far as they are missing.
void make_parents(const char* path) {
  char part[3072];
  std::snprintf(part, sizeof part, "%s", path);
  for (char* slash = std::strchr(part + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0777);
    *slash = '/';
  }
}

}  // namespace

bool RunDirectory::fail(const char* path, const char* what) {
  std::snprintf(error_, sizeof error_, "%.3000s: %s: %s", path, what, std::strerror(errno));
  return false;
}

bool RunDirectory::open(const char* wanted, const char* reserved_for, const Job& job, const char* host) {
  for (int suffix = 0; suffix < kMostSuffixes; ++suffix) {
    if (suffix == 0) {
      std::snprintf(path_, sizeof path_, "%s", wanted);
    } else {
      std::snprintf(path_, sizeof path_, "%s.%d", wanted, suffix);
    }
    bool made = mkdir(path_, 0700) == 0;
    if (!made && errno == ENOENT) {
      make_parents(path_);
      made = mkdir(path_, 0700) == 0;
    }
    if (!made && errno != EEXIST) return fail(path_, "cannot be made");
    if (made && !claim(job) && errno != EEXIST) return fail(path_, "capture.job cannot be written");
    if (find_owner(reserved_for, job, host) != Owner::kUs) continue;
    // `vef record` lists what its jobs recorded into.
    if (suffix != 0 && reserved_for == nullptr)
      say_once("%s belongs to another job; this one is recorded in %s", wanted, path_);
    return true;
  }
  std::snprintf(error_, sizeof error_, "%s: this directory and %d numbered ones belong to other jobs", wanted,
                kMostSuffixes - 1);
  return false;
}

bool RunDirectory::claim(const Job& job) { return write_line(path_, "capture.job", job.name); }

RunDirectory::Owner RunDirectory::find_owner(const char* reserved_for, const Job& job, const char* host) {
  char text[2048];
  // One that has just been made is claimed in the next moment.
  for (int attempt = 0; attempt < 200; ++attempt) {
    const Line line = read_line(path_, "capture.job", text, sizeof text);
    if (line == Line::kRead) {
      const bool ours = std::strcmp(text, job.name) == 0 && is_this_launch(job, host);
      return ours ? Owner::kUs : Owner::kOthers;
    }
    if (line == Line::kUnreadable) return Owner::kUnknown;
    if (read_line(path_, "capture.reserved", text, sizeof text) == Line::kRead) {
      if (reserved_for == nullptr || std::strcmp(text, reserved_for) != 0) return Owner::kOthers;
      if (!claim(job) && errno != EEXIST) return Owner::kUnknown;
    } else {
      usleep(10'000);
    }
  }
  return Owner::kUnknown;
}

/// Where the name does not tell two launches apart, the first rank of each host notes its launcher.
bool RunDirectory::is_this_launch(const Job& job, const char* host) {
  if (job.launcher[0] == '\0') return true;
  char name[320];
  char text[2048];
  std::snprintf(name, sizeof name, "capture.host-%s", host);
  if (write_line(path_, name, job.launcher)) return true;
  return read_line(path_, name, text, sizeof text) == Line::kRead && std::strcmp(text, job.launcher) == 0;
}

bool RunDirectory::place_logs(const char* scratch, const Job& job, const char* host) {
  if (scratch == nullptr) {
    std::memcpy(logs_, path_, sizeof logs_);
    return true;
  }
  char full[4096] = "";
  if (realpath(path_, full) == nullptr) return fail(path_, "has no absolute path");
  std::snprintf(logs_, sizeof logs_, "%.2000s/vef-%u-%016llx", scratch, static_cast<unsigned>(geteuid()),
                static_cast<unsigned long long>(name_hash(full) ^ (name_hash(job.name) << 1)));
  struct stat found {};
  if (mkdir(logs_, 0700) != 0 && errno != EEXIST) return fail(logs_, "cannot be made");
  if (lstat(logs_, &found) != 0) return fail(logs_, "cannot be used");
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 077) != 0) {
    std::snprintf(error_, sizeof error_,
                  "%.3000s: found something of another user; expected an own directory", logs_);
    return false;
  }
  char name[320];
  std::snprintf(name, sizeof name, "capture.scratch-%s", host);
  if (write_line(path_, name, logs_) || errno == EEXIST) return true;
  return fail(path_, "the note of where the logs lie cannot be written");
}

}  // namespace vef::shim
