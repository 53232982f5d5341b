// SPDX-License-Identifier: Apache-2.0
// The lock of the process-wide tables. Taken only under MPI_THREAD_MULTIPLE: at every lower level the program
// itself keeps its threads from being in MPI, and so in a wrapper, at the same time.
#pragma once

#include <sched.h>

#include <atomic>

#include "hidden.h"

namespace vef::shim {

/// MPI_THREAD_MULTIPLE was provided; set once, before a second thread can call.
VEF_HIDDEN extern bool threads_are_concurrent;

class SpinLock {
 public:
  void lock() {
    for (int tries = 0; flag_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > 100) sched_yield();  // the holder may have lost its processor
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

class TableGuard {
 public:
  explicit TableGuard(SpinLock& lock) : lock_(threads_are_concurrent ? &lock : nullptr) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~TableGuard() {
    if (lock_ != nullptr) lock_->unlock();
  }
  TableGuard(const TableGuard&) = delete;
  TableGuard& operator=(const TableGuard&) = delete;

 private:
  SpinLock* lock_;
};

}  // namespace vef::shim
