// SPDX-License-Identifier: Apache-2.0
// Options of the commands that read traces of any format, and what they say of losses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vef/neighbours/neighbours.h"
#include "vef/tracelib/collectives.h"

namespace vef::cli {

/// What a command that reads a trace lets the user say of it.
struct InputOptions {
  std::string from;
  neighbours::Options reading;
};

void add_input_options(CLI::App& app, InputOptions& options);

/// For formats that know no collectives.
neighbours::CollectiveExpander expander(tracelib::Expansion expansion);

/// One line of stderr for each kind.
void print_losses(const std::string& file, const neighbours::Losses& losses);

/// The whole trace of any format that is read; says what was lost.
Result<formats::Trace> read_any_trace(const std::string& path, const InputOptions& options);

}  // namespace vef::cli
