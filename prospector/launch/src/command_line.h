// SPDX-License-Identifier: Apache-2.0
// The command line of a parallel launcher: what it is, which program it starts, and how variables get to the
// ranks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vef/launch/launch.h"

namespace vef::launch {

enum class LauncherKind {
  kOpenMpi,  // mpirun -x NAME=VALUE
  kHydra,    // mpiexec -genv NAME VALUE
  kSrun,     // srun --export=ALL,NAME=VALUE
  kNone,     // anything else: gets them in its own environment
};

LauncherKind find_launcher_kind(const std::string& command);

/// The first program that a launcher's command starts (of several, separated by ':'). Empty: cannot be told.
std::optional<std::string> find_program(LauncherKind kind, const std::vector<std::string>& command);

/// Takes a setting of `name` for the ranks out of the command. Empty: there was none.
std::optional<std::string> take_variable(LauncherKind kind, const std::string& name,
                                         std::vector<std::string>& command);

/// The command with the variables for the ranks; kNone: unchanged.
std::vector<std::string> with_variables(LauncherKind kind, const std::vector<std::string>& command,
                                        const Variables& variables);

}  // namespace vef::launch
