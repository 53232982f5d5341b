// SPDX-License-Identifier: Apache-2.0
// Threads for the parts of the merge that do not depend on each other. With one thread all runs in the
// caller's, at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vef::merge {

class Workers {
 public:
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned threads() const { return threads_; }
  /// Waits while twice as many jobs as there are threads are queued.
  void submit(std::function<void()> job);
  /// Until all that was submitted is done.
  void wait();
  /// `work` for 0 to count - 1, in any order; returns when all is done.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void run();

  unsigned threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::size_t running_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> pool_;
};

}  // namespace vef::merge
