// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr, drawn only when stderr is a terminal and at most ten times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vef::cli {

class Progress {
 public:
  /// `enabled` false (as with --quiet) keeps it silent everywhere.
  explicit Progress(std::string label, bool enabled = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  void clear();

  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace vef::cli
