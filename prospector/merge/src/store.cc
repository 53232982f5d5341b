// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "vef/base/temporary_file.h"

namespace vef::merge {

namespace {

constexpr std::size_t kPage = 1 << 16;      // of the largest pages in use
constexpr std::size_t kSmallest = 1 << 20;  // blocks below this are of the heap
constexpr std::size_t kCopyStep = 4 << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Memory of this process that is resident; 0: not known.
std::uint64_t resident_bytes() {
  char text[128];
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  unsigned long long pages = 0;
  if (std::sscanf(text, "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Store::Store(std::string directory, std::uint64_t bound)
    : directory_(directory.empty() ? "." : std::move(directory)), bound_(bound) {}

Store::~Store() {
  for (const Block& block : mapped_) munmap(block.data, block.bytes);
  if (fd_ >= 0) close(fd_);
}

Status Store::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

Store::Block Store::heap_block(std::size_t bytes) {
  heap_ += bytes;
  return {static_cast<std::byte*>(::operator new(bytes)), bytes, 0, false};
}

Store::Block Store::fail(std::size_t bytes, const char* what, int number) {
  if (status_.ok()) status_ = system_error(directory_, what, number);
  return heap_block(bytes);
}

bool Store::open_file() {
  if (fd_ < 0) fd_ = open_temporary_file(directory_);
  return fd_ >= 0;
}

Store::Block Store::take(std::size_t bytes) {
  const bool fits = bound_ == 0 || bytes < kSmallest || heap_ + bytes <= bound_ / 2;
  return fits ? heap_block(bytes) : take_of_file(bytes);
}

Store::Block Store::take_of_file(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!open_file()) return fail(bytes, "cannot create a temporary file", errno);
  const std::size_t whole = whole_pages(bytes);
  // All of it is allocated now: a full disk must not be found out by writing to the mapping.
  if (const int failed = posix_fallocate(fd_, static_cast<off_t>(end_), static_cast<off_t>(whole));
      failed != 0)
    return fail(bytes, "no room for a temporary file", failed);
  void* at = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(end_));
  if (at == MAP_FAILED) return fail(bytes, "cannot map a temporary file", errno);
  mapped_.push_back({static_cast<std::byte*>(at), whole, end_, true});
  end_ += whole;
  in_file_ += whole;
  return mapped_.back();
}

void Store::give_back(const Block& block) {
  if (!block.mapped) {
    heap_ -= block.bytes;
    ::operator delete(block.data);
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(mapped_.begin(), mapped_.end(), [&](const Block& one) { return one.data == block.data; });
  if (found != mapped_.end()) mapped_.erase(found);
  munmap(block.data, block.bytes);
  in_file_ -= block.bytes;
  // Where the file system cannot, the room is lost until the end.
  static_cast<void>(fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(block.offset), static_cast<off_t>(block.bytes)));
}

void Store::shrink(Block& block, std::size_t bytes) {
  const std::size_t kept = std::max(whole_pages(bytes), kPage);
  if (kept >= block.bytes) return;
  const std::lock_guard lock(mutex_);
  const std::size_t rest = block.bytes - kept;
  munmap(block.data + kept, rest);
  static_cast<void>(fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(block.offset + kept), static_cast<off_t>(rest)));
  for (Block& one : mapped_) {
    if (one.data == block.data) one.bytes = kept;
  }
  in_file_ -= rest;
  block.bytes = kept;
}

void Store::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kCopyStep) {
    std::memcpy(to + done, from + done, std::min(kCopyStep, bytes - done));
    if (bytes > kCopyStep) trim();
  }
}

void Store::trim() {
  if (bound_ == 0 || in_file_ == 0 || resident_bytes() < bound_ / 8 * 7) return;
  const std::lock_guard lock(mutex_);
  // Of a shared mapping this forgets nothing: what was written is in the file.
  for (const Block& block : mapped_) madvise(block.data, block.bytes, MADV_DONTNEED);
}

}  // namespace vef::merge
