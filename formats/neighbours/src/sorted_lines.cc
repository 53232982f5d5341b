// SPDX-License-Identifier: Apache-2.0
#include "sorted_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <queue>
#include <utility>

#include "little_endian.h"
#include "vef/base/temporary_file.h"

namespace vef::neighbours {

namespace {

constexpr std::size_t kHeadBytes = 20;  // of an entry in the file: time, order, size
constexpr std::size_t kReadBytes = 256 * 1024;

}  // namespace

SortedLines::~SortedLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SortedLines::add(const Key& key, std::string_view text) {
  entries_.push_back({key, text_.size(), text.size()});
  text_ += text;
  return text_.size() + entries_.size() * sizeof(Entry) > memory_ ? spill() : Status{};
}

void SortedLines::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

Status SortedLines::spill() {
  if (descriptor_ < 0) {
    descriptor_ = open_temporary_file(std::filesystem::path(beside_).parent_path().string());
    if (descriptor_ < 0) return system_error(beside_, "cannot create a temporary file in its folder", errno);
  }
  sort();
  const std::uint64_t begin = size_;
  std::string block;
  for (std::size_t i = 0; i <= entries_.size(); ++i) {
    if (block.size() >= kReadBytes || i == entries_.size()) {
      for (std::string_view left = block; !left.empty();) {
        const ssize_t done = ::pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(size_));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return system_error(beside_, "cannot write a temporary file in its folder", errno);
        size_ += static_cast<std::uint64_t>(done);
        left.remove_prefix(static_cast<std::size_t>(done));
      }
      block.clear();
    }
    if (i == entries_.size()) break;
    const Entry& entry = entries_[i];
    put_little(block, entry.key.time);
    put_little(block, entry.key.order);
    put_little(block, static_cast<std::uint32_t>(entry.size));
    block.append(text_, entry.begin, entry.size);
  }
  runs_.emplace_back(begin, size_);
  entries_.clear();
  text_.clear();
  return {};
}

/// A sorted part of the file at reading.
struct SortedLines::Run {
  std::uint64_t next = 0;  // in the file
  std::uint64_t end = 0;
  std::string buffer;
  std::size_t at = 0;
  Key key;
  std::size_t size = 0;

  /// Makes `wanted` bytes available, of which there are so many.
  Status fill(int descriptor, const std::string& path, std::size_t wanted) {
    if (buffer.size() - at >= wanted) return {};
    buffer.erase(0, std::exchange(at, 0));
    while (buffer.size() < wanted) {
      const std::size_t old = buffer.size();
      const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(end - next, kReadBytes));
      buffer.resize(old + more);
      const ssize_t got = ::pread(descriptor, buffer.data() + old, more, static_cast<off_t>(next));
      buffer.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        return system_error(path, "cannot read a temporary file in its folder", got < 0 ? errno : EIO);
      next += static_cast<std::uint64_t>(got);
    }
    return {};
  }

  bool at_end() const { return at == buffer.size() && next == end; }
  Status read_head(int descriptor, const std::string& path) {
    if (Status status = fill(descriptor, path, kHeadBytes); !status) return status;
    key.time = take_little<std::uint64_t>(buffer, at);
    key.order = take_little<std::uint64_t>(buffer, at);
    size = take_little<std::uint32_t>(buffer, at);
    return fill(descriptor, path, size);
  }
};

Status SortedLines::take(const std::function<Status(std::string_view text)>& give) {
  if (runs_.empty()) {
    sort();
    for (const Entry& entry : entries_) {
      if (Status status = give(std::string_view(text_).substr(entry.begin, entry.size)); !status)
        return status;
    }
    return {};
  }
  if (Status status = spill(); !status) return status;
  std::vector<Run> runs(runs_.size());
  const auto later = [&](std::size_t a, std::size_t b) { return runs[b].key < runs[a].key; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> order(later);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].next = runs_[i].first;
    runs[i].end = runs_[i].second;
    if (runs[i].at_end()) continue;
    if (Status status = runs[i].read_head(descriptor_, beside_); !status) return status;
    order.push(i);
  }
  while (!order.empty()) {
    const std::size_t i = order.top();
    order.pop();
    Run& run = runs[i];
    if (Status status = give(std::string_view(run.buffer).substr(run.at, run.size)); !status) return status;
    run.at += run.size;
    if (run.at_end()) continue;
    if (Status status = run.read_head(descriptor_, beside_); !status) return status;
    order.push(i);
  }
  return {};
}

}  // namespace vef::neighbours
