// SPDX-License-Identifier: Apache-2.0
// The two ends of a connected socket, so that the merge can tell which two processes it joins.
#pragma once

#include <cstddef>

namespace vef::shim {

/// "127.0.0.1:4000 127.0.0.1:39999", the own end first; "" where an end has no internet address. Keeps errno.
void name_socket(int file, char* text, std::size_t size);

}  // namespace vef::shim
