// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_elf.h"

namespace vef::launch {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(ElfFileTest, ReadsNamesAndPutsInTheOrigin) {
  const TemporaryFolder directory;
  write_file(directory.file("app"),
             make_elf({"libone.so.1", "libtwo.so.2"}, "$ORIGIN/../lib:/opt/x:${ORIGIN}"));
  const auto found = read_elf_dependencies(directory.file("app"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->needed, ElementsAre("libone.so.1", "libtwo.so.2"));
  EXPECT_THAT(found->search_paths, ElementsAre(directory.file("../lib"), "/opt/x",
                                               directory.file("").substr(0, directory.file("").size() - 1)));
}

TEST(ElfFileTest, ReadsARealProgram) {
  const auto found = read_elf_dependencies("/proc/self/exe");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->needed, Contains("libc.so.6"));
}

TEST(ElfFileTest, OtherFilesHaveNone) {
  const TemporaryFolder directory;
  write_file(directory.file("script"), "#!/bin/sh\nexit 0\n");
  EXPECT_FALSE(read_elf_dependencies(directory.file("script")));
  EXPECT_FALSE(read_elf_dependencies(directory.file("absent")));
}

// Every truncation and every changed byte gives an answer, whatever it is.
TEST(ElfFileTest, SurvivesDamage) {
  const TemporaryFolder directory;
  const std::string whole = make_elf({"libmpi.so.40"}, "$ORIGIN");
  const std::string path = directory.file("damaged");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    EXPECT_FALSE(read_elf_dependencies(path));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[at] = value;
      write_file(path, changed);
      const auto found = read_elf_dependencies(path);
      if (found) {
        EXPECT_LE(found->needed.size(), 8U);
      }
    }
  }
}

}  // namespace
}  // namespace vef::launch
