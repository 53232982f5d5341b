// SPDX-License-Identifier: Apache-2.0
#include "symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>
#include <string>

namespace vef::merge {
namespace {

/// The line of its own call, and the address to which that call returns, as the file counts addresses.
struct Here {
  std::uint64_t returns_to;
};
[[gnu::noinline]] Here where_called() {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  Dl_info found{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &found, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return {0};
  return {address - map->l_addr};
}

const std::string kSelf = std::filesystem::read_symlink("/proc/self/exe").string();

TEST(SymbolsTest, AReturnAddressIsAFunctionAndALine) {
  Symbols symbols;
  const Here here = where_called();
  const int line = __LINE__ - 1;
  const SourcePlace place = symbols.find(kSelf, "", here.returns_to - 1);
  EXPECT_EQ(symbols.problem(kSelf, ""), "");
  EXPECT_NE(place.function.find("SymbolsTest_AReturnAddressIsAFunctionAndALine_Test::TestBody()"),
            std::string::npos)
      << place.function;
  EXPECT_TRUE(place.file.ends_with("symbols_test.cc")) << place.file;
  EXPECT_EQ(place.line, line);
}

TEST(SymbolsTest, AnotherBuildOrNoFileTellsNothing) {
  Symbols symbols;
  const std::uint64_t address = where_called().returns_to - 1;
  EXPECT_EQ(symbols.find(kSelf, "00112233", address).function, "");
  EXPECT_NE(symbols.problem(kSelf, "00112233").find("; expected 00112233"), std::string::npos);
  EXPECT_EQ(symbols.find("/no/such/file", "", address).file, "");
  EXPECT_EQ(symbols.problem("/no/such/file", ""), "/no/such/file: no such file");
  EXPECT_EQ(symbols.find("/etc/passwd", "", address).line, 0);
  EXPECT_EQ(symbols.problem("/etc/passwd", ""), "/etc/passwd: no ELF file");
}

TEST(SymbolsTest, AnAddressOfNothingIsUnknown) {
  Symbols symbols;
  EXPECT_EQ(symbols.find(kSelf, "", ~std::uint64_t{0} - 16).line, 0);
}

}  // namespace
}  // namespace vef::merge
