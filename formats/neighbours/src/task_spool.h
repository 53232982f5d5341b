// SPDX-License-Identifier: Apache-2.0
// Takes a trace apart by tasks, for formats that hold one task after another or one in each file: bytes come
// in any order of tasks and go out task by task. Beyond a bounded amount they wait in an unnamed temporary
// file beside the output. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"

namespace vef::neighbours {

class TaskSpool {
 public:
  /// `beside`: the path of the output. `memory`: how many bytes may wait in memory.
  TaskSpool(const std::string& beside, std::size_t tasks, std::size_t memory = std::size_t{256} << 20);
  ~TaskSpool();
  TaskSpool(const TaskSpool&) = delete;
  TaskSpool& operator=(const TaskSpool&) = delete;

  Status append(std::size_t task, std::string_view bytes);
  /// All that was appended for `task`, which is forgotten then.
  Result<std::string> take(std::size_t task);

 private:
  struct Extent {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  struct Task {
    std::string waiting;
    std::vector<Extent> written;
  };

  Status write_out();

  std::string beside_;
  std::size_t memory_;
  std::vector<Task> tasks_;
  std::size_t waiting_bytes_ = 0;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace vef::neighbours
