// SPDX-License-Identifier: Apache-2.0
// Where things are: programs in PATH, the recorder beside this program.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "vef/launch/launch.h"

namespace vef::launch {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

Result<std::string> find_library(const std::string& stem, const std::string& what, MpiFamily family) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return system_error("/proc/self/exe", "cannot be read", error.value());
  const fs::path root = program.parent_path().parent_path();
  const std::string name = stem + (family == MpiFamily::kOpenMpi ? "openmpi.so" : "mpich.so");
  std::string tried;
  for (const char* libraries : {"lib", VEF_INSTALL_LIBDIR, "lib64"}) {
    const fs::path path = root / libraries / "vefkit" / name;
    if (fs::exists(path, error)) return path.string();
    if (tried.empty()) tried = path.string();
  }
  return Error{ErrorKind::kSystem, tried + ": " + what + " for " + std::string(family_name(family)) +
                                       " is not there; was it built?"};
}

}  // namespace

std::optional<std::string> find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return is_executable(name) ? std::optional<std::string>(name) : std::nullopt;
  }
  const char* given = std::getenv("PATH");
  std::istringstream directories(given != nullptr ? given : "/usr/bin:/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path path = fs::path(directory.empty() ? "." : directory) / name;
    if (is_executable(path)) return path.string();
  }
  return {};
}

Result<std::string> find_shim(MpiFamily family) { return find_library("libvef-", "the recorder", family); }

Result<std::string> find_merge_plugin(MpiFamily family) {
  return find_library("libvef-merge-", "the plug-in of vef merge", family);
}

}  // namespace vef::launch
