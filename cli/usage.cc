// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vef::cli {
namespace {

/// Levenshtein's distance.
std::size_t edits(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> subcommands(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> long_options(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edits(word, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  const auto used = app->get_subcommands();
  const CLI::App* sub = used.empty() ? app : used.front();
  const std::string help = sub == app ? "vef --help" : "vef " + sub->get_name() + " --help";
  std::string text = error.what();
  std::string meant;
  const auto extras = app->remaining(true);
  const bool unknown_option = !extras.empty() && extras.front().starts_with("-");
  if (used.empty() && !extras.empty() && !unknown_option) {
    text = "'" + extras.front() + "' is no command";
    meant = nearest(extras.front(), subcommands(app));
  } else if (unknown_option) {
    const std::string word = extras.front().substr(0, extras.front().find('='));
    text = "'" + word + "' is no option" + (sub == app ? "" : " of " + sub->get_name());
    meant = nearest(word, long_options(sub));
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
    text = "'" + extras.front() + "' is one argument too many";
  } else if (used.empty()) {
    text = "found no command";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!meant.empty()) text += "; did you mean " + meant + "?";
  return "vef: " + text + (meant.empty() ? "; " : " ") + "see " + help + "\n";
}

}  // namespace vef::cli
