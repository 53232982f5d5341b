// SPDX-License-Identifier: Apache-2.0
// The directory of one run: which one it is, or is made. The ranks agree without a message, by the job's
// name, which the first of them writes into the directory (capture.job). Called by one thread at a time.
//
// `vef record` makes the directory beforehand and reserves it for what it starts (capture.reserved holds
// VEF_JOB): the first job that comes takes it; spawned ones and later ones get a suffix .1, .2, ...
#pragma once

#include <cstddef>
#include <cstdint>

#include "job.h"

namespace vef::shim {

class RunDirectory {
 public:
  /// Finds or makes the directory. `reserved_for`: VEF_JOB, or null. False: not possible, `error()` says why
  /// in one line.
  bool open(const char* wanted, const char* reserved_for, const Job& job, const char* host);

  /// Where the logs of this rank go: the directory itself, or below `scratch`, of which a note is then left
  /// in the directory for the merge. False as above.
  bool place_logs(const char* scratch, const Job& job, const char* host);

  const char* path() const { return path_; }
  const char* logs() const { return logs_; }
  const char* error() const { return error_; }

 private:
  enum class Owner { kUs, kOthers, kUnknown };
  bool claim(const Job& job);
  Owner find_owner(const char* reserved_for, const Job& job, const char* host);
  bool is_this_launch(const Job& job, const char* host);
  bool fail(const char* path, const char* what);

  char path_[3072] = "";
  char logs_[3072] = "";
  char error_[3584] = "";
};

}  // namespace vef::shim
