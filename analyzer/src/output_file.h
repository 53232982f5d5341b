// SPDX-License-Identifier: Apache-2.0
// A text file that appears whole or not at all: written as a temporary file beside it, which finish()
// renames. Without finish() the destructor removes the temporary file. What is not a regular file (a pipe,
// /dev/null) is written in place. Not thread safe.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "vef/base/result.h"

namespace vef::analyzer {

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Faults are kept until finish().
  void write(std::string_view text);
  Status finish();

 private:
  std::string path_;
  std::string temporary_;  // empty: written in place, or done
  std::FILE* file_ = nullptr;
  int fault_ = 0;  // errno of the first fault
};

}  // namespace vef::analyzer
