// SPDX-License-Identifier: Apache-2.0
#include "vef/settings/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace vef::settings {
namespace {

bool set(Settings& settings, const char* variable, const char* text) {
  return find(variable)->set(settings, text);
}

TEST(SettingsTest, SizesHaveUnitsAndBounds) {
  Settings settings;
  EXPECT_TRUE(set(settings, "VEF_BUFFER", "2097152"));
  EXPECT_EQ(settings.buffer_bytes, 2097152U);
  EXPECT_TRUE(set(settings, "VEF_BUFFER", "8M"));
  EXPECT_EQ(settings.buffer_bytes, 8388608U);
  EXPECT_TRUE(set(settings, "VEF_BUFFER", "16GiB"));
  EXPECT_EQ(settings.buffer_bytes, 17179869184U);
  for (const char* wrong : {"", "many", "1023KiB", "17GiB", "8 M", "8Mb", "-8M", "1e9",
                            "99999999999999999999", "18446744073709551616"}) {
    EXPECT_FALSE(set(settings, "VEF_BUFFER", wrong)) << wrong;
  }
  EXPECT_EQ(settings.buffer_bytes, 17179869184U);  // kept
}

TEST(SettingsTest, TimesAreNanoseconds) {
  Settings settings;
  EXPECT_TRUE(set(settings, "VEF_POLL_GAP", "0"));
  EXPECT_EQ(settings.poll_gap_ns, 0U);
  EXPECT_TRUE(set(settings, "VEF_TIME_RESOLUTION", "2us"));
  EXPECT_EQ(settings.time_resolution_ns, 2000U);
  EXPECT_FALSE(set(settings, "VEF_TIME_RESOLUTION", "0"));
  EXPECT_FALSE(set(settings, "VEF_TIME_RESOLUTION", "2s"));
}

TEST(SettingsTest, WordsAndLists) {
  Settings settings;
  EXPECT_TRUE(set(settings, "VEF_CALLS", "p2p,rma"));
  EXPECT_EQ(settings.calls, kPointToPoint | kOneSided);
  EXPECT_FALSE(set(settings, "VEF_CALLS", "p2p,,rma"));
  EXPECT_FALSE(set(settings, "VEF_CALLS", "sends"));
  EXPECT_TRUE(set(settings, "VEF_START", "off"));
  EXPECT_FALSE(settings.starts_on);
  EXPECT_TRUE(set(settings, "VEF_CLOCK_SYNC", "both"));
  EXPECT_EQ(settings.clock_sync, ClockSync::kBoth);
  EXPECT_FALSE(set(settings, "VEF_CLOCK_SYNC", "yes"));
  EXPECT_TRUE(set(settings, "VEF_CALL_SITES", "32"));
  EXPECT_FALSE(set(settings, "VEF_CALL_SITES", "33"));
  EXPECT_FALSE(set(settings, "VEF_DIR", std::string(2001, 'x').c_str()));
}

TEST(SettingsTest, SetsOfRanks) {
  EXPECT_TRUE(in_ranks(nullptr, 7));
  for (const int rank : {0, 3, 8, 64, 2147483647}) EXPECT_TRUE(in_ranks("0-3,8,64-", rank)) << rank;
  for (const int rank : {4, 7, 9, 63}) EXPECT_FALSE(in_ranks("0-3,8,64-", rank)) << rank;
  Settings settings;
  for (const char* wrong : {"", ",", "1,", "-3", "3-1", "a", "1-2-3", "0;1"}) {
    EXPECT_FALSE(set(settings, "VEF_RANKS", wrong)) << wrong;
  }
}

TEST(SettingsTest, ListsOfNames) {
  EXPECT_TRUE(in_names(nullptr, "x", 1));
  EXPECT_TRUE(in_names("solve,exchange", "exchange", 8));
  EXPECT_FALSE(in_names("solve,exchange", "exch", 4));
  EXPECT_FALSE(in_names("solve", "solver", 6));
}

TEST(SettingsTest, TheDocumentationHasThemAll) {
  std::ifstream file(VEF_SOURCE_DIR "/docs/recording.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const Definition& definition : definitions()) {
    const std::string variable = std::string("| `") + definition.variable + "` |";
    EXPECT_NE(page.find(variable), std::string::npos) << definition.variable;
    if (definition.option == nullptr) continue;
    EXPECT_NE(page.find(std::string("| `") + definition.option + "` " + variable), std::string::npos)
        << definition.option;
  }
}

TEST(SettingsTest, EachIsNamedOnce) {
  for (const Definition& definition : definitions()) {
    EXPECT_EQ(find(definition.variable), &definition);
    EXPECT_TRUE(std::string_view(definition.variable).starts_with("VEF_"));
  }
  EXPECT_EQ(find("VEF_BUFER"), nullptr);
}

}  // namespace
}  // namespace vef::settings
