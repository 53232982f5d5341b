// SPDX-License-Identifier: Apache-2.0
// Jobs that run beside the caller, their results taken in the order of the jobs. One object per thread.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <system_error>
#include <utility>

namespace vef::formats {

template <class T>
class OrderedJobs {
 public:
  /// `most`: under way at a time, the ones included whose results wait to be taken.
  explicit OrderedJobs(std::size_t most) : most_(most) {}

  bool empty() const { return jobs_.empty(); }
  bool full() const { return jobs_.size() >= most_; }
  /// Not to be called when full. What a job refers to must outlive this object, whose destructor waits.
  template <class Job>
  void start(Job job) {
    try {
      jobs_.push_back(std::async(std::launch::async, job));
    } catch (const std::system_error&) {  // no further threads: then when it is asked for
      jobs_.push_back(std::async(std::launch::deferred, job));
    }
  }
  /// The result of the oldest job, waited for. Not to be called when empty.
  T take() {
    T result = jobs_.front().get();
    jobs_.pop_front();
    return result;
  }

 private:
  std::size_t most_;
  std::deque<std::future<T>> jobs_;
};

}  // namespace vef::formats
