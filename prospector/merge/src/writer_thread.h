// SPDX-License-Identifier: Apache-2.0
// Lets a trace be formatted and compressed in a thread of its own while its records are made.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace_io.h"

namespace vef::merge {

/// Hands records on to `writer` block by block. A fault of the writer comes back from a later call.
class WriterThread final : public formats::TraceWriter {
 public:
  explicit WriterThread(formats::TraceWriter& writer);
  ~WriterThread() override;

  Status write(const formats::Record& record) override {
    filling_.push_back(record);
    return filling_.size() < kBlock ? Status{} : hand_over();
  }
  Status finish() override;

 private:
  static constexpr std::size_t kBlock = 4096;

  Status hand_over();
  void run();

  formats::TraceWriter& writer_;
  std::vector<formats::Record> filling_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::vector<formats::Record> full_;  // empty: taken
  bool stopped_ = false;
  Status status_;
  std::thread thread_;
};

}  // namespace vef::merge
