// SPDX-License-Identifier: Apache-2.0
// What the program calls and the recorder cannot see: functions of MPI that are not in its table, and a
// library that the program opened itself.
#pragma once

#include <cstddef>

namespace vef::shim {

/// Looks through the undefined symbols of the program and its libraries for functions of MPI that the
/// recorder does not know. True: there are such, and `text` names them in one line.
bool find_unknown_calls(char* text, std::size_t size);

}  // namespace vef::shim
