// SPDX-License-Identifier: Apache-2.0
#include "call_sites.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vef::shim {
namespace {

/// What was described.
struct Described {
  std::vector<std::string> modules;
  std::vector<std::vector<std::uint64_t>> sites;

  static void take(void* context, const formats::RankEvent& event) {
    auto& self = *static_cast<Described*>(context);
    if (event.kind == formats::EventKind::kModule) {
      EXPECT_EQ(event.request, self.modules.size() + 1);
      self.modules.emplace_back(event.text);
    } else {
      EXPECT_EQ(event.kind, formats::EventKind::kSite);
      EXPECT_EQ(event.site, self.sites.size() + 1);
      self.sites.emplace_back(event.requests.begin(), event.requests.end());
    }
  }
};

/// Gives its memory back.
struct OwnSites : CallSites {
  ~OwnSites() { release(); }
};

TEST(CallSitesTest, AReturnAddressIsASiteDescribedOnce) {
  // Addresses of the C library: the recorder's own file (here the test) does not count as the program.
  char* program = reinterpret_cast<char*>(dlsym(RTLD_DEFAULT, "qsort"));
  ASSERT_NE(program, nullptr);
  Dl_info library;
  ASSERT_NE(dladdr(program, &library), 0);
  OwnSites sites;
  ASSERT_TRUE(sites.start(1)) << sites.error();
  Described described;
  EXPECT_EQ(sites.find(program + 16, Described::take, &described), 1U);
  EXPECT_EQ(sites.find(program + 32, Described::take, &described), 2U);
  EXPECT_EQ(sites.find(program + 16, Described::take, &described), 1U);
  ASSERT_EQ(described.modules.size(), 1U);
  EXPECT_EQ(described.modules[0].substr(0, described.modules[0].find('\n')), library.dli_fname);
  EXPECT_GE(described.modules[0].size() - described.modules[0].find('\n'),
            33U);  // a build id of 16 bytes or more
  const auto offset = static_cast<std::uint64_t>(program - static_cast<char*>(library.dli_fbase));
  ASSERT_EQ(described.sites.size(), 2U);
  EXPECT_EQ(described.sites[0], (std::vector<std::uint64_t>{std::uint64_t{1} << 48 | (offset + 16)}));
  EXPECT_EQ(described.sites[1], (std::vector<std::uint64_t>{std::uint64_t{1} << 48 | (offset + 32)}));
}

struct Deep {
  OwnSites sites;
  Described described;
  std::vector<std::uint32_t> numbers;
};

/// Called by qsort of the C library: its stack goes on outside the test.
int compare(const void* one, const void* other, void* context) {
  auto& deep = *static_cast<Deep*>(context);
  deep.numbers.push_back(deep.sites.find(__builtin_return_address(0), Described::take, &deep.described));
  return *static_cast<const int*>(one) - *static_cast<const int*>(other);
}

TEST(CallSitesTest, WalksTheStackAsDeepAsAsked) {
  Deep deep;
  ASSERT_TRUE(deep.sites.start(8)) << deep.sites.error();  // a sanitizer has frames of its own in between
  int values[] = {3, 1};
  qsort_r(values, 2, sizeof values[0], compare, &deep);
  qsort_r(values, 2, sizeof values[0], compare, &deep);  // another place
  // One comparison each, and more where a sanitizer looks over the sort's shoulder.
  ASSERT_GE(deep.numbers.size(), 2U);
  EXPECT_EQ(deep.numbers.front(), 1U);
  EXPECT_NE(deep.numbers.front(), deep.numbers.back());
  const auto& first = deep.described.sites[deep.numbers.front() - 1];
  EXPECT_EQ(first.size(), 8U);
  EXPECT_NE(first, deep.described.sites[deep.numbers.back() - 1]);
}

TEST(CallSitesTest, CodeOfNoFileHasModuleZero) {
  OwnSites sites;
  ASSERT_TRUE(sites.start(1));
  Described described;
  std::vector<char> heap(4096);
  EXPECT_EQ(sites.find(heap.data(), Described::take, &described), 1U);
  EXPECT_EQ(described.sites[0][0] >> 48, 0U);
}

TEST(CallSitesTest, EndsAtItsRoom) {
  OwnSites sites;
  ASSERT_TRUE(sites.start(1));
  std::uint32_t last = 0;
  const auto ignore = [](void*, const formats::RankEvent&) {};
  for (std::uintptr_t i = 1; i <= 9000; ++i)
    last = sites.find(reinterpret_cast<void*>(i * 16), ignore, nullptr);
  EXPECT_EQ(last, 0U);
  EXPECT_EQ(sites.find(reinterpret_cast<void*>(16), ignore, nullptr), 1U);
}

}  // namespace
}  // namespace vef::shim
