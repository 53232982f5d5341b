// SPDX-License-Identifier: Apache-2.0
// The files that are mapped into this process, to say where in the program an address lies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::shim {

/// What the loader knows of the file at an address.
struct Module {
  std::uintptr_t bias = 0;  // address = offset in the file's address space + bias
  char path[1024] = "";
  char build_id[129] = "";  // hexadecimal; empty: the file has none
};

/// The module at `address`; false: none.
bool find_module(std::uintptr_t address, Module& module);

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The address ranges of this recorder and of the libraries of MPI (libmpi*, libmpich*, ...): what lies
/// between the program and the recorder. Returns how many there are, at most `room`.
std::size_t find_inner_ranges(AddressRange* ranges, std::size_t room);

}  // namespace vef::shim
