// SPDX-License-Identifier: Apache-2.0
// What lies beside a Paraver trace: what its numbers mean (.pcf), and what its lines are called (.row).
#pragma once

#include <cstddef>
#include <string>

namespace vef::neighbours::paraver {

std::string pcf();
std::string row(std::size_t tasks);

}  // namespace vef::neighbours::paraver
