// SPDX-License-Identifier: Apache-2.0
#include "vef/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace vef {
namespace {

TEST(ResultTest, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  ASSERT_TRUE(r.ok());
  std::unique_ptr<int> taken = std::move(*r);
  EXPECT_EQ(*taken, 7);
}

TEST(ResultTest, InputErrorNamesFileAndLine) {
  Status s = input_error("a.vef", 12, "3 fields; expected 7");
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().message, "a.vef:12: 3 fields; expected 7");
  EXPECT_EQ(input_error("a.vef", 0, "empty").message, "a.vef: empty");
}

TEST(ResultTest, SystemErrorNamesTheReason) {
  EXPECT_EQ(system_error("x", "open", ENOENT).message, "x: open: No such file or directory");
}

}  // namespace
}  // namespace vef
