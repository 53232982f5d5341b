// SPDX-License-Identifier: Apache-2.0
#include "rank_log_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace vef::formats::rank_log {
namespace {

/// Growing a file beyond RLIMIT_FSIZE raises SIGXFSZ, which kills the process unless it is ignored: do not
/// try.
int check_size_limit(std::uint64_t end) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return 0;
  return limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur ? EFBIG : 0;
}

}  // namespace

int create_file(const char* path, int& fd) noexcept {
  fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return fd < 0 ? errno : 0;
}

int write_all(int fd, const void* data, std::size_t size, std::uint64_t offset) noexcept {
  if (const int error = check_size_limit(offset + size)) return error;
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = pwrite(fd, at, size, static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return EIO;
    at += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

int reserve_blocks(int fd, std::size_t size) noexcept {
  if (const int error = check_size_limit(size)) return error;
  int failed;
  do {
    failed = fallocate(fd, 0, 0, static_cast<off_t>(size));
  } while (failed != 0 && errno == EINTR);
  if (failed == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  static constexpr char kZeros[1 << 14] = {};
  for (std::size_t at = 0; at < size; at += sizeof kZeros) {
    const std::size_t piece = size - at < sizeof kZeros ? size - at : sizeof kZeros;
    if (const int error = write_all(fd, kZeros, piece, at)) return error;
  }
  return 0;
}

const char* error_text(int error) noexcept {
  const char* text = strerrordesc_np(error);
  return text != nullptr ? text : "unknown error";
}

}  // namespace vef::formats::rank_log
