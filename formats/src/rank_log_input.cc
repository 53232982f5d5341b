// SPDX-License-Identifier: Apache-2.0
// The reader's access to files, and the listing of a capture directory.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "rank_log_chunks.h"

namespace vef::formats {
namespace rank_log {

InputFile::InputFile(std::string path, int fd, std::uint64_t size)
    : path_(std::move(path)), fd_(fd), size_(size) {}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

Result<InputFile> InputFile::open(const std::string& path) {
  // Not to wait for whoever would write into a FIFO.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error(path, "cannot open", errno);
  struct stat status;
  if (fstat(fd, &status) != 0) {
    const int failed = errno;
    close(fd);
    return system_error(path, "cannot open", failed);
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    return input_error(path, 0, "not a regular file; expected a rank log");
  }
  return InputFile(path, fd, static_cast<std::uint64_t>(status.st_size));
}

Result<std::size_t> InputFile::read(void* to, std::size_t size, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd_, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error(path_, "cannot read", errno);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace rank_log

namespace {

struct LogName {
  int rank = 0;
  int thread = 0;
  std::string file;
  std::string path;
};

/// RRRRRR.T.vlog
std::optional<LogName> parse_name(const std::string& file) {
  LogName name;
  name.file = file;
  const char* end = file.data() + file.size();
  const auto rank = std::from_chars(file.data(), end, name.rank);
  if (rank.ec != std::errc{} || rank.ptr - file.data() < 6 || rank.ptr == end || *rank.ptr != '.') return {};
  const auto thread = std::from_chars(rank.ptr + 1, end, name.thread);
  if (thread.ec != std::errc{} || name.rank < 0 || name.thread < 0) return {};
  if (std::string_view(thread.ptr, static_cast<std::size_t>(end - thread.ptr)) != ".vlog") return {};
  return name;
}

/// The names in a directory that `take` wants.
template <class Take>
Status read_names(const std::string& directory, Take take) {
  struct Close {
    void operator()(DIR* dir) const { closedir(dir); }
  };
  const std::unique_ptr<DIR, Close> dir(opendir(directory.c_str()));
  if (!dir) return system_error(directory, "cannot open the capture directory", errno);
  errno = 0;
  while (const dirent* entry = readdir(dir.get())) {
    take(std::string(entry->d_name));
    errno = 0;
  }
  if (errno != 0) return system_error(directory, "cannot read the capture directory", errno);
  return {};
}

Status add_logs(const std::string& directory, std::vector<LogName>& logs) {
  return read_names(directory, [&](const std::string& file) {
    if (std::optional<LogName> name = parse_name(file)) {
      name->path = directory + "/" + file;
      logs.push_back(std::move(*name));
    }
  });
}

}  // namespace

Result<std::vector<ScratchNote>> list_scratch_notes(const std::string& directory) {
  constexpr std::string_view kPrefix = "capture.scratch-";
  std::vector<ScratchNote> notes;
  auto status = read_names(directory, [&](const std::string& file) {
    if (!file.starts_with(kPrefix)) return;
    ScratchNote note{.host = file.substr(kPrefix.size()), .path = {}};
    std::ifstream in(directory + "/" + file);
    std::getline(in, note.path);
    std::error_code ignored;
    note.is_here = !note.path.empty() && std::filesystem::is_directory(note.path, ignored);
    notes.push_back(std::move(note));
  });
  if (!status.ok()) return status.error();
  std::sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.host < b.host; });
  return notes;
}

Result<std::vector<std::string>> list_rank_logs(const std::string& directory) {
  std::vector<LogName> logs;
  if (auto status = add_logs(directory, logs); !status.ok()) return status.error();
  const auto notes = list_scratch_notes(directory);
  if (!notes.ok()) return notes.error();
  for (const ScratchNote& note : *notes) {
    if (!note.is_here) continue;
    if (auto status = add_logs(note.path, logs); !status.ok()) return status.error();
  }
  // Stable: of a log that was copied into the directory, that copy is the one.
  std::stable_sort(logs.begin(), logs.end(), [](const LogName& a, const LogName& b) {
    return std::tie(a.rank, a.thread, a.file) < std::tie(b.rank, b.thread, b.file);
  });
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (i == 0 || logs[i].file != logs[i - 1].file) paths.push_back(std::move(logs[i].path));
  }
  return paths;
}

}  // namespace vef::formats
