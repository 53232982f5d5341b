// SPDX-License-Identifier: Apache-2.0
#include "vef/base/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace vef {

int open_temporary_file(const std::string& folder) {
  const std::string where = folder.empty() ? "." : folder;
  int descriptor = ::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  // Some file systems (NFS, for one) have no such files: one with a name, for a moment.
  std::string name = where + "/.vef-temporary-XXXXXX";
  descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(name.c_str());
  return descriptor;
}

}  // namespace vef
