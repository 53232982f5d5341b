// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace vef::merge {

Workers::Workers(unsigned threads) : threads_(std::max(1U, threads)) {
  for (unsigned i = 0; threads_ > 1 && i < threads_; ++i) pool_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : pool_) thread.join();
}

void Workers::submit(std::function<void()> job) {
  if (threads_ == 1) {
    job();
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.size() < 2 * std::size_t{threads_}; });
  jobs_.push_back(std::move(job));
  lock.unlock();
  changed_.notify_all();
}

void Workers::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  for (unsigned i = 0; i < threads_; ++i) {
    submit([&] {
      for (std::size_t item = next++; item < count; item = next++) work(item);
    });
  }
  wait();
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    changed_.notify_all();
    job();
    lock.lock();
    --running_;
    changed_.notify_all();
  }
}

}  // namespace vef::merge
