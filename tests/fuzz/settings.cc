// SPDX-License-Identifier: Apache-2.0
// What users select by environment variables: the recorder reads it inside of other people's jobs.
#include "vef/settings/settings.h"
#include "target.h"

using namespace vef;

bool fuzz::run(std::string_view input) {
  const std::string text(input);
  settings::Settings settings;
  for (const settings::Definition& definition : settings::definitions())
    definition.set(settings, text.c_str());
  for (const std::int32_t rank : {0, 3, 64, 2'147'483'647}) settings::in_ranks(text.c_str(), rank);
  settings::in_names(text.c_str(), "solve", 5);
  return true;
}

std::vector<std::string> fuzz::seeds() {
  return {"0-3,8,64-", "8MiB", "1us", "p2p,collectives", "both", "solve,exchange", "3", "on", "/tmp/run"};
}
