// SPDX-License-Identifier: Apache-2.0
// The few lines the recorder ever prints, on stderr, each in one write.
#pragma once

namespace vef::shim {

/// "vef: text\n".
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

/// The same, by one process of each node only: for what befalls all ranks alike. Knows the launchers'
/// environment.
[[gnu::format(printf, 1, 2)]] void say_once(const char* format, ...);

}  // namespace vef::shim
