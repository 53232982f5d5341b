// SPDX-License-Identifier: Apache-2.0
#include "writer_thread.h"

#include <utility>

namespace vef::merge {

WriterThread::WriterThread(formats::TraceWriter& writer) : writer_(writer) {
  filling_.reserve(kBlock);
  full_.reserve(kBlock);
  thread_ = std::thread([this] { run(); });
}

WriterThread::~WriterThread() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status WriterThread::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return full_.empty(); });
  if (!status_.ok()) return status_;
  std::swap(full_, filling_);
  lock.unlock();
  changed_.notify_all();
  return {};
}

Status WriterThread::finish() {
  if (auto status = filling_.empty() ? Status{} : hand_over(); !status.ok()) return status;
  std::unique_lock lock(mutex_);
  stopped_ = true;
  lock.unlock();
  changed_.notify_all();
  thread_.join();
  return status_.ok() ? writer_.finish() : status_;
}

void WriterThread::run() {
  std::vector<formats::Record> block;
  block.reserve(kBlock);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !full_.empty(); });
    if (full_.empty()) return;
    std::swap(block, full_);
    lock.unlock();
    changed_.notify_all();
    Status status;
    for (const formats::Record& record : block) {
      if (status = writer_.write(record); !status.ok()) break;
    }
    block.clear();
    lock.lock();
    if (status_.ok()) status_ = status;
  }
}

}  // namespace vef::merge
