// SPDX-License-Identifier: Apache-2.0
// The door by which libFuzzer comes in.
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vef::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
