// SPDX-License-Identifier: Apache-2.0
#include "vef/base/units.h"

#include <gtest/gtest.h>

namespace vef {
namespace {

TEST(UnitsTest, SerialisationRoundsUp) {
  // 4096 B at 100 Gb/s: 32768 bits / 0.1 bits per ps = 327,680 ps.
  EXPECT_EQ(serialisation_time(4096, 100'000'000'000), 327'680);
  // 1 B at 3 Gb/s: 8/0.003 = 2666.67 -> 2667 ps.
  EXPECT_EQ(serialisation_time(1, 3'000'000'000), 2667);
  EXPECT_EQ(serialisation_time(0, 1), 0);
  EXPECT_EQ(serialisation_time(~0ull, 1), kNever);
}

TEST(UnitsTest, ParsesWhatConfigurationsUse) {
  EXPECT_EQ(*parse_time("5ns"), 5'000);
  EXPECT_EQ(*parse_time("1.5 us"), 1'500'000);
  EXPECT_EQ(*parse_bytes("128KiB"), 131'072u);
  EXPECT_EQ(*parse_bytes("9600"), 9600u);
  EXPECT_EQ(*parse_rate("400Gbps"), 400'000'000'000u);
  EXPECT_EQ(*parse_rate("100 Gb/s"), 100'000'000'000u);
}

TEST(UnitsTest, RefusesWhatIsNoQuantity) {
  for (const char* bad : {"", "fast", "-1ns", "5 parsecs", "1e30s", "nan ns"})
    EXPECT_FALSE(parse_time(bad).ok()) << bad;
  EXPECT_NE(parse_rate("400G").error().message.find("Gbps"), std::string::npos);
}

TEST(UnitsTest, FormatsForPeople) {
  EXPECT_EQ(format_time(13'421'772'800), "13.42 ms");
  EXPECT_EQ(format_time(0), "0 s");
  EXPECT_EQ(format_bytes(131'072), "128 KiB");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(123), "123");
  EXPECT_EQ(format_rate(400'000'000'000), "400 Gb/s");
}

}  // namespace
}  // namespace vef
