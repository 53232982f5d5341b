// SPDX-License-Identifier: Apache-2.0
// The environment of the job as far as it explains how MPI behaved: names of an allow-list, and never one
// that may hold a secret.
#pragma once

#include "json_text.h"

namespace vef::shim {

/// Whether the variable NAME (of `length` characters) is kept.
bool is_kept_variable(const char* name, std::size_t length);

/// The kept variables as the object "environment".
void write_environment(JsonText& json);

}  // namespace vef::shim
