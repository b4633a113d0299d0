// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.hh"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <unordered_set>

namespace rackway {
namespace {

IpAddress address(std::string_view text) {
  return IpAddress::parse(text).value();
}
IpPrefix prefix(std::string_view text) {
  return IpPrefix::parse(text).value();
}

TEST(IpAddress, ParsesIpv4InNetworkByteOrder) {
  const auto parsed = address("10.1.2.255");
  EXPECT_EQ(parsed.family(), Family::ipv4);
  EXPECT_TRUE(parsed.is_v4());
  EXPECT_EQ(parsed.size(), 4u);
  EXPECT_EQ(parsed.v4().value, 0x0a0102ffu);
  EXPECT_EQ(parsed.data()[0], 10);
  EXPECT_EQ(parsed.data()[3], 255);
  EXPECT_EQ(parsed, IpAddress(Ipv4Address{0x0a0102ff}));
}

TEST(IpAddress, ParsesIpv6InNetworkByteOrder) {
  const auto parsed = address("2001:db8::ff");
  EXPECT_EQ(parsed.family(), Family::ipv6);
  EXPECT_FALSE(parsed.is_v4());
  EXPECT_EQ(parsed.size(), 16u);
  EXPECT_EQ(parsed.data()[0], 0x20);
  EXPECT_EQ(parsed.data()[3], 0xb8);
  EXPECT_EQ(parsed.data()[15], 0xff);
  EXPECT_EQ(IpAddress(parsed.v6()), parsed);
}

TEST(IpAddress, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "10",
                           "10.0.0",
                           "10.0.0.256",
                           "10.0.0.1.2",
                           "10.0.0.1 ",
                           " 10.0.0.1",
                           "10.0.0.-1",
                           "010.0.0.1",
                           "0x0a.0.0.1",
                           "10.0.0.1/32",
                           ":",
                           "1::2::3",
                           "12345::",
                           "::g",
                           "fe80::1%eth0",
                           "[::1]",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "localhost"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
}

TEST(IpAddress, FormatsTheShortestText) {
  for (const char* text : {"0.0.0.0", "255.255.255.255", "10.0.0.1", "::", "::1", "2001:db8::ff",
                           "1:2:3:4:5:6:7:8", "fe80::1:0:0:1", "::ffff:10.0.0.1"}) {
    EXPECT_EQ(address(text).to_string(), text);
  }
  EXPECT_EQ(address("2001:0DB8:0:0:0:0:0:FF").to_string(), "2001:db8::ff");
}

TEST(IpAddress, IsMadeOfFourOrSixteenBytes) {
  const std::array<std::uint8_t, 16> bytes{0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
  EXPECT_EQ(IpAddress::from_bytes(bytes.data(), 4), address("32.1.13.184"));
  EXPECT_EQ(IpAddress::from_bytes(bytes.data(), 16), address("2001:db8::9"));
  for (const std::size_t size : {0, 3, 5, 15, 17}) {
    EXPECT_EQ(IpAddress::from_bytes(bytes.data(), size), std::nullopt) << size;
  }
}

TEST(IpAddress, KnowsUnspecifiedAndLinkLocal) {
  EXPECT_TRUE(address("0.0.0.0").is_unspecified());
  EXPECT_TRUE(address("::").is_unspecified());
  EXPECT_FALSE(address("0.0.0.1").is_unspecified());
  EXPECT_FALSE(address("::1").is_unspecified());
  for (const char* text : {"169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::1"}) {
    EXPECT_TRUE(address(text).is_link_local()) << text;
  }
  for (const char* text : {"169.253.255.255", "169.255.0.0", "fe7f:ffff::", "fec0::", "::"}) {
    EXPECT_FALSE(address(text).is_link_local()) << text;
  }
}

TEST(IpAddress, FamiliesAreOrderedAndDistinct) {
  EXPECT_NE(address("0.0.0.0"), address("::"));
  EXPECT_NE(address("32.1.13.184"), address("2001:db8::"));  // the same leading bytes
  EXPECT_LT(address("255.255.255.255"), address("::"));
  EXPECT_LT(address("10.0.0.255"), address("10.0.1.0"));
  EXPECT_LT(address("1::"), address("1::1"));
  const std::unordered_set<IpAddress> set{address("0.0.0.0"), address("::"), address("0.0.0.0")};
  EXPECT_EQ(set.size(), 2u);
}

TEST(IpPrefix, ParsesAndFormats) {
  for (const char* text : {"0.0.0.0/0", "128.0.0.0/1", "10.0.0.0/8", "10.0.0.2/31", "10.0.0.1/32",
                           "::/0", "8000::/1", "2001:db8::/32", "2001:db8::2/127", "::1/128"}) {
    EXPECT_EQ(prefix(text).to_string(), text);
  }
  EXPECT_EQ(prefix("10.0.0.0/8").address, address("10.0.0.0"));
  EXPECT_EQ(prefix("10.0.0.0/8").length, 8);
}

TEST(IpPrefix, RefusesHostBits) {
  for (const char* text : {"0.0.0.1/0", "128.0.0.0/0", "192.0.0.0/1", "10.0.0.1/31", "10.1.0.0/15",
                           "::1/0", "c000::/1", "2001:db8::1/64", "::1/127"}) {
    EXPECT_FALSE(IpPrefix::parse(text)) << text;
  }
}

TEST(IpPrefix, RefusesWhatIsNone) {
  for (const char* text : {"", "/", "/8", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
                           "10.0.0.0/+8", "10.0.0.0/ 8", "10.0.0.0/8 ", "10.0.0.0/8/8",
                           "10.0.0.0/0x8", "10.0.0.0/4294967304", "::/129", "::", "x/8"}) {
    EXPECT_FALSE(IpPrefix::parse(text)) << text;
  }
}

TEST(IpPrefix, CoveringClearsHostBits) {
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 0), prefix("0.0.0.0/0"));
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 7), prefix("10.0.0.0/7"));
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 8), prefix("10.0.0.0/8"));
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 9), prefix("10.128.0.0/9"));
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 31), prefix("10.255.255.254/31"));
  EXPECT_EQ(IpPrefix::covering(address("10.255.255.255"), 32), prefix("10.255.255.255/32"));
  EXPECT_EQ(IpPrefix::covering(address("2001:db8::ffff"), 0), prefix("::/0"));
  EXPECT_EQ(IpPrefix::covering(address("2001:db8::ffff"), 115), prefix("2001:db8::e000/115"));
  EXPECT_EQ(IpPrefix::covering(address("2001:db8::ffff"), 128), prefix("2001:db8::ffff/128"));
}

TEST(IpPrefix, HostHasAllBits) {
  EXPECT_EQ(IpPrefix::host(address("10.0.0.1")), prefix("10.0.0.1/32"));
  EXPECT_EQ(IpPrefix::host(address("::1")), prefix("::1/128"));
}

TEST(IpPrefix, CoversFromItsFirstToItsLastAddress) {
  struct Case {
    const char *prefix, *before, *first, *last, *after;
  };
  for (const auto& c :
       {Case{"10.0.0.0/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
        Case{"10.0.0.128/25", "10.0.0.127", "10.0.0.128", "10.0.0.255", "10.0.1.0"},
        Case{"10.0.0.2/31", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"},
        Case{"10.0.0.2/32", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3"},
        Case{"128.0.0.0/1", "127.255.255.255", "128.0.0.0", "255.255.255.255", "::"},
        Case{"1:0:0:2::/64", "1:0:0:1:ffff:ffff:ffff:ffff",
             "1:0:0:2::", "1:0:0:2:ffff:ffff:ffff:ffff", "1:0:0:3::"},
        Case{"1::2/127", "1::1", "1::2", "1::3", "1::4"},
        Case{"1::2/128", "1::1", "1::2", "1::2", "1::3"}}) {
    const auto p = prefix(c.prefix);
    EXPECT_FALSE(p.covers(address(c.before))) << c.prefix;
    EXPECT_TRUE(p.covers(address(c.first))) << c.prefix;
    EXPECT_TRUE(p.covers(address(c.last))) << c.prefix;
    EXPECT_FALSE(p.covers(address(c.after))) << c.prefix;
  }
}

TEST(IpPrefix, OfLengthZeroCoversItsFamilyOnly) {
  EXPECT_TRUE(prefix("0.0.0.0/0").covers(address("255.255.255.255")));
  EXPECT_FALSE(prefix("0.0.0.0/0").covers(address("::")));
  EXPECT_TRUE(prefix("::/0").covers(address("ffff::")));
  EXPECT_FALSE(prefix("::/0").covers(address("0.0.0.0")));
  EXPECT_NE(prefix("0.0.0.0/0"), prefix("::/0"));
}

bool bit(const IpAddress& a, int index) {
  return (a.data()[index / 8] >> (7 - index % 8) & 1) != 0;
}

// Bit by bit, the definition.
bool covers_plainly(const IpPrefix& p, const IpAddress& a) {
  for (int i = 0; i < p.length; ++i) {
    if (bit(p.address, i) != bit(a, i)) return false;
  }
  return true;
}

TEST(IpPrefix, CoversAsItsDefinitionSays) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::array<std::uint8_t, 16> bytes;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const std::size_t size = random() % 2 == 0 ? 4 : 16;
    const auto a = IpAddress::from_bytes(bytes.data(), size).value();
    const auto length = static_cast<std::uint8_t>(random() % (8 * size + 1));
    const auto p = IpPrefix::covering(a, length);
    EXPECT_TRUE(p.covers(a));
    EXPECT_EQ(IpPrefix::parse(p.to_string()), p);
    for (int i = length; i < static_cast<int>(8 * size); ++i) ASSERT_FALSE(bit(p.address, i));
    const auto flipped = random() % (8 * size);
    bytes[flipped / 8] ^= static_cast<std::uint8_t>(0x80 >> (flipped % 8));
    const auto other = IpAddress::from_bytes(bytes.data(), size).value();
    ASSERT_EQ(p.covers(other), covers_plainly(p, other)) << p.to_string() << other.to_string();
    ASSERT_EQ(p.covers(other), flipped >= length);
  }
}

}  // namespace
}  // namespace rackway
