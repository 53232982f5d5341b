// SPDX-License-Identifier: Apache-2.0
// Files for the tests of this room: a folder of their own that goes with the test, and contents in one go.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "temporary_folder.h"
#include "vef/formats/trace_io.h"

namespace vef::formats::testing {

using test_support::TemporaryFolder;

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << path;
  return path;
}

inline std::string test_data(const std::string& name) {
  return std::string(VEF_SOURCE_DIR "/tests/data/") + name;
}

/// What a trace of two tasks and one collective looks like; every kind of record and of dependency, by hand.
inline constexpr std::string_view kSmallTrace =
    "VEF3 2 5 2 1 2 0 1000\n"
    "C0 0 1\n"
    "C1 1 0\n"
    "0 0 1 100 4 50 -1\n"
    "1 1 1 0 0 20 -1\n"
    "2 1 0 0 6 7 0\n"
    "G0 C1 2 1 8 8 1 3 2\n"
    "G0 C1 2 0 8 8 2 4 2\n"
    "3 0 0 0 3 1 G0\n"
    "4 1 1 0 3 2 G0\n";

}  // namespace vef::formats::testing
