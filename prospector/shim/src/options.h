// SPDX-License-Identifier: Apache-2.0
// The settings of this process, from its environment.
#pragma once

#include "vef/settings/settings.h"

namespace vef::shim {

/// A value that cannot be read is reported, and the default taken; so is a VEF_ variable that means nothing.
settings::Settings read_settings();

}  // namespace vef::shim
