// SPDX-License-Identifier: Apache-2.0
// A trace that may be played.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "vef/base/result.h"
#include "vef/formats/validate.h"

namespace vef::tracelib {

/// Reads and checks it. Of several faults the first counts.
inline Result<std::shared_ptr<const formats::Trace>> load_trace(const std::string& file) {
  auto read = formats::read_trace(file);
  if (!read) return read.error();
  if (const auto faults = formats::validate(*read); !faults.empty())
    return input_error(file, faults.front().line, faults.front().message);
  return std::make_shared<const formats::Trace>(std::move(*read));
}

}  // namespace vef::tracelib
