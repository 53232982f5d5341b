// SPDX-License-Identifier: Apache-2.0
// What is said about a command line that cannot be understood: one line on stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vef::cli {

/// The name in `known` that `word` was probably meant to be; empty: none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// "vef: 'chek' is no command; did you mean check? vef --help lists them". `app`: the root, after its parse
/// failed.
std::string usage_message(const CLI::App* app, const CLI::Error& error);

}  // namespace vef::cli
