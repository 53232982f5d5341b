// SPDX-License-Identifier: Apache-2.0
// Starts a job under the recorder: finds which MPI the program uses, the recorder that belongs to it, and the
// command that preloads it into the ranks and into nothing else. Not thread safe (environment, signals).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vef/base/result.h"

namespace vef::launch {

enum class MpiFamily { kOpenMpi, kMpich };

std::string_view family_name(MpiFamily family);         // "Open MPI", "MPICH"
Result<MpiFamily> parse_family(std::string_view text);  // "openmpi", "mpich"

/// The MPI a program is linked to, itself or through its libraries. Empty: none (a script, or an interpreter
/// that loads it later). Reads the file only; no program is run.
Result<std::optional<MpiFamily>> find_program_family(const std::string& path);

/// The MPI whose mpirun or mpiexec this is, by its file's name or by what it says of its version. Empty: not
/// known.
std::optional<MpiFamily> find_launcher_family(const std::string& path);

/// The MPI of the job that this process is a rank of, by what its launcher put into the environment. Empty:
/// no rank, or not known.
std::optional<MpiFamily> find_job_family();

/// The recorder for a family: in ../lib/vefkit (or the system's other library directory) beside the directory
/// of the running program.
Result<std::string> find_shim(MpiFamily family);
/// The plug-in for a family through which `vef merge` uses MPI; it lies beside the recorder.
Result<std::string> find_merge_plugin(MpiFamily family);

/// The file that a command names: itself if it has a slash, else the first in PATH. Empty: there is none.
std::optional<std::string> find_executable(const std::string& name);

/// Names and values of the environment.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string directory{};            // empty: <program>-<date>-<time>
  Variables settings{};               // of the recorder (vef/settings/settings.h)
  std::optional<MpiFamily> family{};  // empty: found out
  std::vector<std::string> command{};
};

struct Plan {
  MpiFamily family = MpiFamily::kOpenMpi;
  std::string shim;
  std::string directory;  // absolute
  std::string job;        // VEF_JOB
  std::vector<std::string> command{};
  Variables environment;  // of the command itself
};

/// Decides everything; changes nothing.
Result<Plan> plan(const Request& request);

/// Makes the directory, runs the command, waits. The command's exit status, 128 + n if signal n ended it. If
/// this process dies first, the command gets SIGTERM.
Result<int> run(const Plan& plan);

/// The directories that the jobs of a plan recorded into, in the order in which they came: the plan's own,
/// and for spawned processes and further jobs of one script those with the suffixes .1, .2, ...
std::vector<std::string> find_captures(const Plan& plan);

/// Removes what run() left in a directory into which nothing was recorded.
void remove_unused(const Plan& plan);

}  // namespace vef::launch
