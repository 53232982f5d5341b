// SPDX-License-Identifier: Apache-2.0
#include "task_spool.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "vef/base/temporary_file.h"

namespace vef::neighbours {

TaskSpool::TaskSpool(const std::string& beside, std::size_t tasks, std::size_t memory)
    : beside_(beside), memory_(memory), tasks_(tasks) {}

TaskSpool::~TaskSpool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status TaskSpool::append(std::size_t task, std::string_view bytes) {
  tasks_[task].waiting.append(bytes);
  waiting_bytes_ += bytes.size();
  return waiting_bytes_ > memory_ ? write_out() : Status{};
}

Status TaskSpool::write_out() {
  if (descriptor_ < 0) {
    descriptor_ = open_temporary_file(std::filesystem::path(beside_).parent_path().string());
    if (descriptor_ < 0) return system_error(beside_, "cannot create a temporary file in its folder", errno);
  }
  for (Task& task : tasks_) {
    std::string_view left = task.waiting;
    if (left.empty()) continue;
    task.written.push_back({size_, left.size()});
    while (!left.empty()) {
      const ssize_t done = ::pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(size_));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return system_error(beside_, "cannot write a temporary file in its folder", errno);
      size_ += static_cast<std::uint64_t>(done);
      left.remove_prefix(static_cast<std::size_t>(done));
    }
    task.waiting = {};
  }
  waiting_bytes_ = 0;
  return {};
}

Result<std::string> TaskSpool::take(std::size_t index) {
  Task task = std::exchange(tasks_[index], {});
  std::size_t total = task.waiting.size();
  waiting_bytes_ -= task.waiting.size();
  for (const Extent& extent : task.written) total += extent.size;
  if (task.written.empty()) return std::move(task.waiting);
  std::string all(total, '\0');
  char* out = all.data();
  for (const Extent& extent : task.written) {
    for (std::size_t done = 0; done < extent.size;) {
      const ssize_t got =
          ::pread(descriptor_, out, extent.size - done, static_cast<off_t>(extent.offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        return system_error(beside_, "cannot read a temporary file in its folder", got < 0 ? errno : EIO);
      out += got;
      done += static_cast<std::size_t>(got);
    }
  }
  task.waiting.copy(out, task.waiting.size());
  return all;
}

}  // namespace vef::neighbours
