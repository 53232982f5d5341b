// SPDX-License-Identifier: Apache-2.0
#include "vef/base/temporary_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace vef {
namespace {

TEST(TemporaryFile, HoldsBytesAndHasNoName) {
  std::string folder = testing::TempDir() + "vef-nameless-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const int file = open_temporary_file(folder);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(::pwrite(file, "abc", 3, 5), 3);
  char back[3] = {};
  EXPECT_EQ(::pread(file, back, 3, 5), 3);
  EXPECT_EQ(std::string(back, 3), "abc");
  ::close(file);
  std::filesystem::remove(folder);
}

TEST(TemporaryFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_EQ(open_temporary_file("/nowhere/at/all"), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace vef
