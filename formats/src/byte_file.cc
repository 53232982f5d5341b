// SPDX-License-Identifier: Apache-2.0
#include "byte_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace vef::formats {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// PATH with its links resolved where it exists, so that a rename replaces the file and not the link to it.
std::string resolve(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string result = resolved;
  std::free(resolved);
  return result;
}

}  // namespace

InputFile::InputFile(std::string path, int descriptor, std::uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

InputFile::~InputFile() { ::close(descriptor_); }

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path) {
  const int descriptor = path == kStandardInput ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(path, "cannot open", errno);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = known ? static_cast<std::uint64_t>(status.st_size) : 0;
  return std::unique_ptr<InputFile>(new InputFile(path, descriptor, size));
}

Result<std::string_view> InputFile::peek(std::size_t wanted) {
  if (buffer_.empty()) buffer_.resize(kBufferBytes);  // read_at() alone needs none
  if (end_ - begin_ < wanted && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted) {
    const ssize_t got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path_, "cannot read", errno);
    if (got == 0) break;
    end_ += static_cast<std::size_t>(got);
    read_ += static_cast<std::uint64_t>(got);
  }
  return std::string_view(buffer_.data() + begin_, end_ - begin_);
}

Result<std::string> InputFile::read_at(std::uint64_t offset, std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path_, "cannot read", errno);
    if (got == 0) return input_error(path_, 0, "became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

OutputFile::OutputFile(std::string path, std::string target, std::string temporary, int descriptor)
    : path_(std::move(path)),
      target_(std::move(target)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (descriptor_ >= 0 && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return system_error(path, "cannot write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return system_error(path, "cannot write", errno);
    return std::unique_ptr<OutputFile>(new OutputFile(path, path, "", descriptor));
  }
  static std::atomic<unsigned> counter{0};
  const std::string target = resolve(path);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string temporary = folder_of(target) + "/.vef-" + std::to_string(::getpid()) + "-" +
                                  std::to_string(counter.fetch_add(1)) + ".tmp";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      return std::unique_ptr<OutputFile>(new OutputFile(path, target, temporary, descriptor));
    }
    if (errno != EEXIST) return system_error(path, "cannot create a file in its folder", errno);
  }
  return system_error(path, "cannot create a file in its folder", EEXIST);
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error(path_, "cannot write", errno);
    offset_ += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Status OutputFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error(path_, "cannot write", errno);
    offset += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Status OutputFile::commit() {
  // Devices and pipes cannot be synced; that is no fault.
  if (::fsync(descriptor_) != 0 && !temporary_.empty()) return system_error(path_, "cannot write", errno);
  if (temporary_.empty()) {
    const int closed = ::close(std::exchange(descriptor_, -1));
    return closed == 0 ? Status{} : Status{system_error(path_, "cannot write", errno)};
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return system_error(path_, "cannot rename the finished file", errno);
  }
  ::close(std::exchange(descriptor_, -1));
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);  // not every file system can; the data itself is safe already
    ::close(folder);
  }
  return {};
}

}  // namespace vef::formats
