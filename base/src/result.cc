// SPDX-License-Identifier: Apache-2.0
#include "vef/base/result.h"

#include <cstring>

namespace vef {

Error input_error(const std::string& file, unsigned long long line, const std::string& message) {
  std::string where = file;
  if (line != 0) where += ":" + std::to_string(line);
  return {ErrorKind::kInput, where + ": " + message};
}

Error system_error(const std::string& file, const std::string& what, int errno_value) {
  return {ErrorKind::kSystem, file + ": " + what + ": " + std::strerror(errno_value)};
}

Error usage_error(const std::string& message) { return {ErrorKind::kUsage, message}; }

}  // namespace vef
