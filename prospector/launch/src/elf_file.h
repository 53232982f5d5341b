// SPDX-License-Identifier: Apache-2.0
// The libraries that an ELF file asks for (gABI, chapter 5, dynamic section). 64-bit files of this machine's
// byte order.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vef::launch {

struct ElfDependencies {
  std::vector<std::string> needed;        // DT_NEEDED
  std::vector<std::string> search_paths;  // DT_RPATH, DT_RUNPATH, $ORIGIN put in
};

/// Empty: not such a file, or one without a dynamic section, or damaged.
std::optional<ElfDependencies> read_elf_dependencies(const std::string& path);

}  // namespace vef::launch
