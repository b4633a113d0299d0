// SPDX-License-Identifier: Apache-2.0
#include "base/mac_address.hh"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace rackway {
namespace {

TEST(MacAddress, ParsesAndFormats) {
  const auto mac = MacAddress::parse("02:0a:FF:00:9c:01");
  ASSERT_TRUE(mac);
  EXPECT_EQ(mac->bytes, (std::array<std::uint8_t, 6>{0x02, 0x0a, 0xff, 0x00, 0x9c, 0x01}));
  EXPECT_EQ(mac->to_string(), "02:0a:ff:00:9c:01");
  EXPECT_EQ(MacAddress::parse(mac->to_string()), mac);
}

TEST(MacAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"", "02:00:00:00:00", "02:00:00:00:00:0", "02:00:00:00:00:001", "02:00:00:00:00:01:02",
        "02-00-00-00-00-01", "0200.0000.0001", "020000000001", "02:00:00:00:00:0g",
        "0x:00:00:00:00:01", "-2:00:00:00:00:01", "+2:00:00:00:00:01", " 2:00:00:00:00:01",
        "2::00:00:00:00:01", "02:00:00:00:00:1 ", "02:00:00:00:00;01"}) {
    EXPECT_EQ(MacAddress::parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(MacAddress::parse(std::string_view("02:00:00:00:00:0\0", 17)), std::nullopt);
}

TEST(MacAddress, KnowsMulticastAndZero) {
  EXPECT_TRUE(MacAddress::parse("01:00:5e:00:00:01")->is_multicast());
  EXPECT_TRUE(MacAddress::parse("33:33:00:00:00:01")->is_multicast());
  EXPECT_TRUE(MacAddress::parse("ff:ff:ff:ff:ff:ff")->is_multicast());
  EXPECT_FALSE(MacAddress::parse("02:01:01:01:01:01")->is_multicast());
  EXPECT_TRUE(MacAddress{}.is_zero());
  EXPECT_FALSE(MacAddress::parse("00:00:00:00:00:01")->is_zero());
  EXPECT_FALSE(MacAddress::parse("01:00:00:00:00:00")->is_zero());
}

TEST(MacAddress, IsOrderedAsOnTheWire) {
  EXPECT_LT(*MacAddress::parse("02:00:00:00:00:ff"), *MacAddress::parse("02:00:00:00:01:00"));
}

}  // namespace
}  // namespace rackway
