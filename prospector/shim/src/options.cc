// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "message.h"

namespace vef::shim {

settings::Settings read_settings() {
  settings::Settings read;
  for (const settings::Definition& definition : settings::definitions()) {
    const char* text = std::getenv(definition.variable);
    if (text == nullptr || *text == '\0' || definition.set(read, text)) continue;
    say_once("%s: found '%.60s'; expected %s; the default is used", definition.variable, text,
             definition.expected);
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::size_t length = std::strcspn(*entry, "=");
    char name[64];
    if (std::strncmp(*entry, "VEF_", 4) != 0 || length >= sizeof name) continue;
    std::memcpy(name, *entry, length);
    name[length] = '\0';
    if (settings::find(name) == nullptr) {
      say_once("%s: found in the environment; expected a setting of the recorder (see vef record --help)",
               name);
    }
  }
  return read;
}

}  // namespace vef::shim
