// SPDX-License-Identifier: Apache-2.0
// Which MPI a program or a launcher belongs to.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "elf_file.h"
#include "vef/launch/launch.h"

namespace vef::launch {
namespace {

namespace fs = std::filesystem;

/// By the name that the library's version of the binary interface gives it.
std::optional<MpiFamily> family_of_library(std::string_view name) {
  for (const std::string_view known :
       {"libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so.40", "libmpi_cxx.so.40"}) {
    if (name == known) return MpiFamily::kOpenMpi;
  }
  for (const std::string_view known :
       {"libmpich.so.12", "libmpi.so.12", "libmpichcxx.so.12", "libmpichfort.so.12"}) {
    if (name == known) return MpiFamily::kMpich;
  }
  return {};
}

void add_configured_directories(const fs::path& file, int depth, std::vector<std::string>& directories) {
  std::ifstream lines(file);
  for (std::string line; depth < 4 && std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first.starts_with('/')) directories.push_back(first);
    if (first != "include") continue;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(second).parent_path(), ignored)) {
      if (entry.path().extension() == ".conf")
        add_configured_directories(entry.path(), depth + 1, directories);
    }
  }
}

/// Where the dynamic linker looks besides an object's own search path (ld.so(8)).
std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  const char* given = std::getenv("LD_LIBRARY_PATH");
  std::istringstream paths(given != nullptr ? given : "");
  for (std::string path; std::getline(paths, path, ':');) {
    if (!path.empty()) directories.push_back(path);
  }
  add_configured_directories("/etc/ld.so.conf", 0, directories);
  for (const char* path : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) directories.emplace_back(path);
  return directories;
}

std::optional<std::string> find_library(const std::string& name, const std::vector<std::string>& own,
                                        const std::vector<std::string>& common) {
  if (name.find('/') != std::string::npos) return name;
  for (const auto* list : {&own, &common}) {
    for (const std::string& directory : *list) {
      std::error_code ignored;
      const fs::path path = fs::path(directory) / name;
      if (fs::exists(path, ignored)) return path.string();
    }
  }
  return {};
}

std::optional<MpiFamily> family_of_name(const std::string& name) {
  for (const std::string_view part : {"openmpi", "orterun", "ompi", "prterun"}) {
    if (name.find(part) != std::string::npos) return MpiFamily::kOpenMpi;
  }
  for (const std::string_view part : {"mpich", "hydra"}) {
    if (name.find(part) != std::string::npos) return MpiFamily::kMpich;
  }
  return {};
}

/// Standard output of "PATH --version", its first 4 KiB. No shell is involved.
std::string ask_version(const std::string& path) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(path.c_str(), path.c_str(), "--version", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 512> block{};
  ssize_t got = 0;
  while (child > 0 && text.size() < 4096 && (got = read(ends[0], block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

std::string_view family_name(MpiFamily family) {
  return family == MpiFamily::kOpenMpi ? "Open MPI" : "MPICH";
}

std::optional<MpiFamily> find_job_family() {
  // Open MPI's mpirun, and what MPICH's (Hydra, and Slurm's PMI) tells its ranks.
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return MpiFamily::kOpenMpi;
  if (std::getenv("PMI_SIZE") != nullptr || std::getenv("PMI_RANK") != nullptr) return MpiFamily::kMpich;
  return {};
}

Result<MpiFamily> parse_family(std::string_view text) {
  if (text == "openmpi") return MpiFamily::kOpenMpi;
  if (text == "mpich") return MpiFamily::kMpich;
  return usage_error("found the MPI '" + std::string(text) + "'; expected openmpi or mpich");
}

Result<std::optional<MpiFamily>> find_program_family(const std::string& path) {
  const std::vector<std::string> common = library_directories();
  std::set<std::string> seen{path};
  std::deque<std::string> open{path};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return system_error(path, "no such program", ENOENT);
  while (!open.empty()) {
    const std::string object = open.front();
    open.pop_front();
    const auto dependencies = read_elf_dependencies(object);
    if (!dependencies) continue;
    for (const std::string& name : dependencies->needed) {
      if (const auto family = family_of_library(name)) return std::optional<MpiFamily>(*family);
      const auto found = find_library(name, dependencies->search_paths, common);
      if (found && seen.insert(*found).second) open.push_back(*found);
    }
  }
  return std::optional<MpiFamily>();
}

std::optional<MpiFamily> find_launcher_family(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  for (const std::string& name :
       {fs::path(path).filename().string(), error ? "" : real.filename().string()}) {
    if (const auto family = family_of_name(name)) return family;
  }
  const std::string version = ask_version(path);
  for (const std::string_view text : {"Open MPI", "OpenRTE", "PRRTE"}) {
    if (version.find(text) != std::string::npos) return MpiFamily::kOpenMpi;
  }
  for (const std::string_view text : {"HYDRA", "MPICH", "Intel(R) MPI", "mvapich", "MVAPICH"}) {
    if (version.find(text) != std::string::npos) return MpiFamily::kMpich;
  }
  return {};
}

}  // namespace vef::launch
