// SPDX-License-Identifier: Apache-2.0
// Text of unknown origin (names in files, what a program was called) made fit for messages and metadata.
#pragma once

#include <string>
#include <string_view>

namespace vef {

/// Appends the byte as \xNN.
void append_hex_byte(std::string& out, unsigned char byte);

/// `text` with control characters and whatever is no UTF-8 as \xNN: one line that a terminal only shows.
std::string escaped(std::string_view text);

/// `name`, a file's, as a word that a shell reads as just that, and no command as an option.
std::string shell_word(std::string_view name);

}  // namespace vef
