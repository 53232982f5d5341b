// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace vef::shim {
namespace {

std::string object_with(const char* value, std::size_t size) {
  std::string buffer(size, '?');
  JsonText json(buffer.data(), buffer.size());
  json.open();
  json.text("value", value);
  json.number("number", 18446744073709551615U);
  json.boolean("flag", true);
  json.command_line("command");
  json.close();
  return buffer.substr(0, json.length());
}

TEST(JsonTextTest, IsReadByAParser) {
  const auto read = nlohmann::json::parse(object_with("a \"quoted\\ \x01 \xc3\xa9 \xff", 65536));
  EXPECT_EQ(read["value"], "a \"quoted\\ \x01 \xc3\xa9 \xef\xbf\xbd");  // what is not UTF-8 becomes U+FFFD
  EXPECT_EQ(read["number"], 18446744073709551615U);
  EXPECT_EQ(read["flag"], true);
  ASSERT_TRUE(read["command"].is_array());
  EXPECT_NE(read["command"][0].get<std::string>().find("shim_test"), std::string::npos);
}

TEST(JsonTextTest, CutsStringsThatDoNotFit) {
  const auto read = nlohmann::json::parse(object_with(std::string(100'000, '"').c_str(), 4096));
  EXPECT_LT(read["value"].get<std::string>().size(), 4096U);
  EXPECT_EQ(read["flag"], true);
}

}  // namespace
}  // namespace vef::shim
