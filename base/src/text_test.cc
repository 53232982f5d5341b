// SPDX-License-Identifier: Apache-2.0
#include "vef/base/text.h"

#include <gtest/gtest.h>

namespace vef {
namespace {

TEST(Text, PrintableTextStaysAsItIs) {
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(escaped("./a.out -n 3 \\x"), "./a.out -n 3 \\x");
  EXPECT_EQ(escaped("gr\xc3\xb6\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x8c\x8d"),
            "gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x8c\x8d");
}

TEST(Text, ControlCharactersAreNamed) {
  EXPECT_EQ(escaped(std::string_view("a\nb\0\x1b[2J\x7f", 9)), "a\\x0ab\\x00\\x1b[2J\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b");  // CSI as one character of 8 bits
}

TEST(Text, WhatIsNoUtf8IsNamedByteByByte) {
  EXPECT_EQ(escaped("\xff"), "\\xff");
  EXPECT_EQ(escaped("\xc3"), "\\xc3");           // cut off
  EXPECT_EQ(escaped("\xc3x"), "\\xc3x");         // a second byte that is none
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");  // '/' in two bytes
  EXPECT_EQ(escaped("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

TEST(Text, ShellWords) {
  EXPECT_EQ(shell_word("run/app-2026.vef"), "run/app-2026.vef");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-dash"), "./-dash");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("-it's"), "./'-it'\\''s'");
  EXPECT_EQ(shell_word("a\nb"), "'a\nb'");
}

}  // namespace
}  // namespace vef
