// SPDX-License-Identifier: Apache-2.0
#include "node/icmp_error_rules.hh"

#include <gtest/gtest.h>

#include <set>

#include "tests/node/packet_pool.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kIcmp = 1, kFragment = 44, kAuthentication = 51, kIcmpv6 = 58, kNone = 59,
                       kOptions = 60;
constexpr IcmpError kAll[] = {IcmpError::ttl_exceeded,     IcmpError::no_route,
                              IcmpError::host_unreachable, IcmpError::prohibited,
                              IcmpError::too_big,          IcmpError::beyond_scope};

bool answered(const Bytes& bytes, IcmpError with, bool l2_group = false,
              const Reception& how = {}) {
  const OwnedFrame frame(bytes, how);
  const auto family = bytes[kEthernet] >> 4 == 4 ? Family::ipv4 : Family::ipv6;
  return may_be_answered({*frame.frame, family, l2_group}, with);
}
bool answered(const Bytes& bytes) {
  return answered(bytes, IcmpError::ttl_exceeded);
}

// With which of all errors, as bits in their order.
unsigned answers(const Bytes& bytes, bool l2_group = false) {
  unsigned bits = 0;
  for (const auto error : kAll) bits = bits << 1 | (answered(bytes, error, l2_group) ? 1u : 0u);
  return bits;
}
constexpr unsigned kNever = 0, kAllOfIpv4 = 0b111110, kAllOfIpv6 = 0b111111, kOnlyTooBig = 0b000010;

TEST(IcmpRulesIpv4, OrdinaryPackets) {
  EXPECT_EQ(answers(frame(Ipv4{})), kAllOfIpv4);
  EXPECT_EQ(answers(frame(Ipv4{.protocol = kTcp})), kAllOfIpv4);
  EXPECT_EQ(answers(frame(Ipv4{.protocol = 253, .payload = {}})), kAllOfIpv4);
}

TEST(IcmpRulesIpv4, AddressesThatAreNotOneHost) {
  for (const auto* address :
       {"0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.0.1", "224.0.0.1", "239.255.255.255",
        "240.0.0.1", "255.255.255.254", "255.255.255.255"}) {
    EXPECT_EQ(answers(frame(Ipv4{.source = address})), kNever) << address;
    EXPECT_EQ(answers(frame(Ipv4{.destination = address})), kNever) << address;
  }
  for (const auto* address : {"1.0.0.0", "126.255.255.255", "128.0.0.1", "223.255.255.255"}) {
    EXPECT_EQ(answers(frame(Ipv4{.source = address})), kAllOfIpv4) << address;
    EXPECT_EQ(answers(frame(Ipv4{.destination = address})), kAllOfIpv4) << address;
  }
}

TEST(IcmpRulesIpv4, FramesToAGroup) {
  EXPECT_EQ(answers(frame(Ipv4{}), true), kNever);
}

TEST(IcmpRulesIpv4, OnlyTheFirstFragment) {
  EXPECT_TRUE(answered(frame(Ipv4{.fragment = 0x2000})));
  EXPECT_TRUE(answered(frame(Ipv4{.fragment = 0x4000})));
  EXPECT_TRUE(answered(frame(Ipv4{.fragment = 0x8000})));
  for (const std::uint16_t field : {0x0001, 0x2001, 0x1fff, 0x3fff, 0x1000}) {
    EXPECT_EQ(answers(frame(Ipv4{.fragment = field})), kNever) << field;
  }
}

TEST(IcmpRulesIpv4, OnlyQueriesOfIcmp) {
  const std::set<int> queries{0, 8, 9, 10, 13, 14, 15, 16, 17, 18, 42, 43};
  for (int type = 0; type < 256; ++type) {
    const Bytes icmp{static_cast<std::uint8_t>(type), 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(answered(frame(Ipv4{.protocol = kIcmp, .payload = icmp})), queries.contains(type))
        << type;
    const Ipv4 behind_options{.protocol = kIcmp, .payload = icmp, .options = Bytes(40, 8)};
    EXPECT_EQ(answered(frame(behind_options)), queries.contains(type)) << type;
  }
}

TEST(IcmpRulesIpv4, IcmpWithoutAType) {
  EXPECT_FALSE(answered(frame(Ipv4{.protocol = kIcmp, .payload = {}})));
  // Padding that looks like an echo request is not one.
  EXPECT_FALSE(answered(padded(frame(Ipv4{.protocol = kIcmp, .payload = {}}), 60, 8)));
  EXPECT_TRUE(answered(frame(Ipv4{.protocol = kIcmp, .payload = {8}})));
}

TEST(IcmpRulesIpv6, OrdinaryPackets) {
  for (const std::uint8_t protocol : {kUdp, kTcp, kNone, std::uint8_t{50}, std::uint8_t{253}}) {
    EXPECT_EQ(answers(frame(Ipv6{.next_header = protocol})), kAllOfIpv6);
  }
}

TEST(IcmpRulesIpv6, SourcesThatAreNotOneNode) {
  for (const auto* address : {"::", "::1", "ff02::1", "ff0e::1"}) {
    EXPECT_EQ(answers(frame(Ipv6{.source = address})), kNever) << address;
  }
  for (const auto* address : {"::2", "fe80::1", "fc00::1", "100::"}) {
    EXPECT_EQ(answers(frame(Ipv6{.source = address})), kAllOfIpv6) << address;
  }
}

TEST(IcmpRulesIpv6, DestinationsThatAreNotOneNode) {
  EXPECT_EQ(answers(frame(Ipv6{.destination = "::"})), kNever);
  EXPECT_EQ(answers(frame(Ipv6{.destination = "::1"})), kNever);
  EXPECT_EQ(answers(frame(Ipv6{.destination = "ff0e::1"})), kOnlyTooBig);
  EXPECT_EQ(answers(frame(Ipv6{}), true), kOnlyTooBig);
  EXPECT_EQ(answers(frame(Ipv6{.source = "ff0e::1", .destination = "ff0e::1"})), kNever);
}

TEST(IcmpRulesIpv6, OnlyInformationalIcmpv6AndNoRedirects) {
  for (int type = 0; type < 256; ++type) {
    const Bytes icmp{static_cast<std::uint8_t>(type), 0, 0, 0, 0, 0, 0, 0};
    const bool expected = type >= 128 && type != 137;
    EXPECT_EQ(answers(frame(Ipv6{.next_header = kIcmpv6, .payload = icmp})),
              expected ? kAllOfIpv6 : kNever)
        << type;
    const auto options = join({Bytes{kIcmpv6, 1}, Bytes(14), icmp});
    EXPECT_EQ(answered(frame(Ipv6{.next_header = kOptions, .payload = options})), expected);
    const auto hidden = join({Bytes{kAuthentication, 0, 0, 0, 0, 0, 0, 0},
                              Bytes{kIcmpv6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, icmp});
    EXPECT_EQ(answered(frame(Ipv6{.next_header = 0, .payload = hidden})), expected);
    const auto first = join({Bytes{kIcmpv6, 0, 0, 1, 0, 0, 0, 9}, icmp});
    EXPECT_EQ(answered(frame(Ipv6{.next_header = kFragment, .payload = first})), expected);
  }
}

TEST(IcmpRulesIpv6, IcmpWithoutAType) {
  const auto bare = frame(Ipv6{.next_header = kIcmpv6, .payload = {}});
  EXPECT_EQ(answers(bare), kNever);
  EXPECT_EQ(answers(padded(bare, 60, 128)), kNever);
  EXPECT_TRUE(answered(frame(Ipv6{.next_header = kIcmpv6, .payload = {128}})));
  const auto chained =
      frame(Ipv6{.next_header = kOptions, .payload = {kIcmpv6, 0, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(answers(padded(chained, 70, 128)), kNever);
}

TEST(IcmpRulesIpv6, LaterFragmentsIfTheyHoldNoIcmpv6) {
  const auto later = [](std::uint8_t next) {
    return frame(Ipv6{.next_header = kFragment,
                      .payload = join({Bytes{next, 0, 0, 8, 0, 0, 0, 9}, Bytes(32, 128)})});
  };
  EXPECT_EQ(answers(later(kUdp)), kAllOfIpv6);
  EXPECT_EQ(answers(later(kIcmpv6)), kNever);
  for (const std::uint8_t unknown : {0, 43, 44, 51, 60, 135, 139, 140}) {
    EXPECT_EQ(answers(later(unknown)), kNever) << int{unknown};
  }
}

TEST(IcmpRulesIpv6, ChainsThatEndNowhere) {
  const auto cut = frame(Ipv6{.next_header = kOptions, .payload = {kUdp, 1, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(answers(cut), kNever);
  EXPECT_EQ(answers(padded(cut, 200)), kNever);
  Bytes nine;
  for (int i = 0; i < 8; ++i) nine = join({nine, Bytes{kOptions, 0, 0, 0, 0, 0, 0, 0}});
  nine = join({nine, Bytes{kUdp, 0, 0, 0, 0, 0, 0, 0}, Bytes(8)});
  EXPECT_EQ(answers(frame(Ipv6{.next_header = kOptions, .payload = nine})), kNever);
  // ICMPv6 behind more octets of headers than are read for this.
  const auto far = join({Bytes{kIcmpv6, 63}, Bytes(510), Bytes{128, 0, 0, 0}});
  EXPECT_EQ(answers(frame(Ipv6{.next_header = kOptions, .payload = far})), kNever);
}

TEST(IcmpRules, SegmentsMakeNoDifference) {
  const auto echo4 = frame(Ipv4{.protocol = kIcmp, .payload = {8, 0}, .options = Bytes(40, 1)});
  for (std::size_t split = kEthernet + 60; split <= echo4.size(); ++split) {
    EXPECT_TRUE(answered(echo4, IcmpError::no_route, false, {.split = split})) << split;
  }
  for (const std::uint8_t type : {1, 128}) {
    const auto chained = join({Bytes{kIcmpv6, 3}, Bytes(30), Bytes{type, 0, 0, 0}});
    const auto six = frame(Ipv6{.next_header = kOptions, .payload = chained});
    for (std::size_t split = kEthernet + 40; split <= six.size(); ++split) {
      EXPECT_EQ(answered(six, IcmpError::no_route, false, {.split = split}), type == 128) << split;
    }
  }
}

}  // namespace
}  // namespace rackway::node::testing
