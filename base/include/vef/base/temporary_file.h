// SPDX-License-Identifier: Apache-2.0
// Files without a name: they are gone with the process, however that ends.
#pragma once

#include <string>

namespace vef {

/// Opens such a file in `folder` (empty: the current one) for reading and writing. Returns its descriptor, to
/// be closed by the caller, or -1 with errno set. Thread safe.
int open_temporary_file(const std::string& folder);

}  // namespace vef
