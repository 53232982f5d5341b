// SPDX-License-Identifier: Apache-2.0
// Text from a trace on its way into the page: nothing in it may become markup or script.
#pragma once

#include <string>
#include <string_view>

namespace vef::analyzer {

/// `text` for HTML text and quoted attributes. Control characters and bytes that are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

/// `json`, which must be pure ASCII, for a <script> element: no '<' remains.
std::string escape_script(std::string_view json);

}  // namespace vef::analyzer
