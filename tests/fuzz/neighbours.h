// SPDX-License-Identifier: Apache-2.0
// What the targets of neighbouring formats share.
#pragma once

#include "target.h"
#include "vef/formats/validate.h"
#include "vef/neighbours/neighbours.h"

namespace vef::fuzz {

/// Reads a file as `format`; what can be read must be sound as a trace, but for what `validate` may find.
inline bool read_file_as(const char* format, const std::string& path) {
  neighbours::Losses losses;
  const auto trace = neighbours::read_trace(path, format, {}, losses);
  if (!trace) {
    check_message(trace.error().message);
    return false;
  }
  const auto faults = formats::validate(*trace);
  for (const formats::TraceFault& fault : faults) check_message(fault.message);
  return faults.empty();
}

/// The same of `input` in a file.
inline bool read_as(const char* format, std::string_view input) {
  static const Folder folder;
  return read_file_as(format, folder.write("input", input));
}

/// A small trace as `format` has it, each in a file `name` of its own.
inline std::string converted(const char* trace, const std::string& name) {
  const Folder folder;
  const std::string path = folder.path() + "/" + name;
  const auto conversion = neighbours::convert(trace, path, "", "", {});
  if (!conversion) fail(conversion.error().message);
  return contents(path);
}

}  // namespace vef::fuzz
