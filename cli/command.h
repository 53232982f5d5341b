// SPDX-License-Identifier: Apache-2.0
// One subcommand of `vef` = one file here, which adds itself to the CLI11 application and leaves its work as
// a function. Exit status: 0 done; 1 the input is at fault or a check failed; 2 wrong usage.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "vef/base/result.h"

namespace vef::cli {

enum ExitStatus : int { kDone = 0, kFailed = 1, kWrongUsage = 2 };

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // returns an ExitStatus; results on stdout, everything for people on stderr
};

/// Prints "vef: message" on stderr; returns the status that belongs to the error's kind.
int report_error(const Error& error);

// In the order of `vef --help`.
Command add_record(CLI::App& root);
Command add_merge(CLI::App& root);
Command add_info(CLI::App& root);
Command add_check(CLI::App& root);
Command add_report(CLI::App& root);
Command add_replay(CLI::App& root);
Command add_convert(CLI::App& root);
Command add_network(CLI::App& root);
Command add_shim_path(CLI::App& root);

}  // namespace vef::cli
