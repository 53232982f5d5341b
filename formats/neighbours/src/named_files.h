// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vef/base/result.h"

namespace vef::neighbours {

/// The path of a file that line `line` of `index` names: looked for from the folder of `index`, then from the
/// current one. Links resolved, it must lie below the folder of `index`, unless `allow_outside`; a hostile
/// index must not make us read what its owner cannot see. It must be a regular file.
Result<std::string> find_named_file(const std::string& index, std::uint64_t line, std::string_view name,
                                    bool allow_outside);

/// Creates INDEX_files, the folder for files that an index names, and returns its path.
Result<std::string> create_files_folder(const std::string& index);

}  // namespace vef::neighbours
