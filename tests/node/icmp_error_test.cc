// SPDX-License-Identifier: Apache-2.0
#include "node/icmp_error.hh"

#include <gtest/gtest.h>

#include "tests/node/icmp_message.hh"
#include "tests/node/packet_pool.hh"

namespace rackway::node::testing {
namespace {

const IpAddress kRouter4 = ip("10.0.0.1"), kRouter6 = ip("2001:db8::1");

IcmpReport report(Family family, IcmpError error, std::uint16_t mtu = 0) {
  return {.error = error, .source = family == Family::ipv4 ? kRouter4 : kRouter6, .mtu = mtu};
}

Family family_of(const Bytes& bytes, std::size_t l2_size = kEthernet) {
  return bytes[l2_size] >> 4 == 4 ? Family::ipv4 : Family::ipv6;
}

// What is built for a frame; that nothing is lost is checked on the way.
class IcmpErrorTest : public ::testing::Test {
 protected:
  Bytes built(const Bytes& bytes, IcmpError error, std::uint16_t mtu = 0,
              const Reception& how = {}) {
    const unsigned before = packet_pool().free_buffers();
    const Family family = family_of(bytes);
    Bytes result;
    {
      const OwnedFrame about(bytes, how);
      const OwnedFrame message(builder_.build({*about.frame, family}, report(family, error, mtu)));
      EXPECT_EQ(bytes_of(about.frame), bytes);
      require(message.frame != nullptr, "no message");
      EXPECT_EQ(message.frame->nb_segs, 1);
      EXPECT_EQ(message.frame->pkt_len, message.frame->data_len);
      EXPECT_GE(rte_pktmbuf_headroom(message.frame), 4);
      result = bytes_of(message.frame);
    }
    EXPECT_EQ(packet_pool().free_buffers(), before);
    return result;
  }
  IcmpMessage read(const Bytes& bytes, IcmpError error, std::uint16_t mtu = 0,
                   const Reception& how = {}) {
    return read_icmp_error(built(bytes, error, mtu, how));
  }

  IcmpErrorBuilder builder_{*packet_pool()};
};

Bytes packet_in(const Bytes& frame) {
  return {frame.begin() + kEthernet, frame.end()};
}
Bytes start_of(const Bytes& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST_F(IcmpErrorTest, EveryOctetOfTtlExceeded) {
  const auto expected =
      hex("00 00 00 00 00 00 00 00 00 00 00 00 08 00 45 c0"
          "00 3c 00 00 00 00 40 01 ad f9 0a 00 00 01 c0 00"
          "02 07 0b 00 d7 27 00 00 00 00 45 00 00 20 12 34"
          "00 00 01 11 ca 91 c0 00 02 07 1b 00 00 01 03 e8"
          "07 d0 00 0c 00 00 08 09 0a 0b");
  const auto about = frame(Ipv4{.ttl = 1, .payload = ports(1000, 2000, 4)});
  EXPECT_EQ(to_hex(built(about, IcmpError::ttl_exceeded)), to_hex(expected));
}

TEST_F(IcmpErrorTest, EveryOctetOfPacketTooBig) {
  const auto expected =
      hex("00 00 00 00 00 00 00 00 00 00 00 00 86 dd 6c 00"
          "00 00 00 3c 3a 40 20 01 0d b8 00 00 00 00 00 00"
          "00 00 00 00 00 01 20 01 0d b8 00 77 00 00 00 00"
          "00 00 00 00 00 07 02 00 8c fd 00 00 05 78 60 a1"
          "23 45 00 0c 11 40 20 01 0d b8 00 77 00 00 00 00"
          "00 00 00 00 00 07 20 01 0d b8 00 27 00 00 00 00"
          "00 00 00 00 00 01 03 e8 07 d0 00 0c 00 00 08 09"
          "0a 0b");
  const auto about = frame(Ipv6{.payload = ports(1000, 2000, 4)});
  EXPECT_EQ(to_hex(built(about, IcmpError::too_big, 1400)), to_hex(expected));
}

struct Numbers {
  IcmpError error;
  int type, code;
  std::uint32_t word;  // with an MTU of 1400 given for all
};

TEST_F(IcmpErrorTest, TypesAndCodesOfIcmp) {
  for (const auto& [error, type, code, word] :
       {Numbers{IcmpError::ttl_exceeded, 11, 0, 0}, Numbers{IcmpError::no_route, 3, 0, 0},
        Numbers{IcmpError::host_unreachable, 3, 1, 0}, Numbers{IcmpError::prohibited, 3, 13, 0},
        Numbers{IcmpError::too_big, 3, 4, 1400}}) {
    const auto m = read(frame(Ipv4{}), error, 1400);
    EXPECT_EQ(m.type, type);
    EXPECT_EQ(m.code, code);
    EXPECT_EQ(m.word, word);
  }
}

TEST_F(IcmpErrorTest, TypesAndCodesOfIcmpv6) {
  for (const auto& [error, type, code, word] :
       {Numbers{IcmpError::ttl_exceeded, 3, 0, 0}, Numbers{IcmpError::no_route, 1, 0, 0},
        Numbers{IcmpError::host_unreachable, 1, 3, 0}, Numbers{IcmpError::prohibited, 1, 1, 0},
        Numbers{IcmpError::beyond_scope, 1, 2, 0}, Numbers{IcmpError::too_big, 2, 0, 1400}}) {
    const auto m = read(frame(Ipv6{}), error, 1400);
    EXPECT_EQ(m.type, type);
    EXPECT_EQ(m.code, code);
    EXPECT_EQ(m.word, word);
  }
}

TEST_F(IcmpErrorTest, TheMtuOfIpv4IsWhatItIs) {
  for (const std::uint16_t mtu : {68, 576, 1280, 9000, 65535}) {
    EXPECT_EQ(read(frame(Ipv4{}), IcmpError::too_big, mtu).word, mtu);
  }
}

TEST_F(IcmpErrorTest, TheMtuOfIpv6IsNeverBelow1280) {
  for (const std::uint16_t mtu : {0, 68, 1279, 1280}) {
    EXPECT_EQ(read(frame(Ipv6{}), IcmpError::too_big, mtu).word, 1280u);
  }
  EXPECT_EQ(read(frame(Ipv6{}), IcmpError::too_big, 1281).word, 1281u);
  EXPECT_EQ(read(frame(Ipv6{}), IcmpError::too_big, 65535).word, 65535u);
}

TEST_F(IcmpErrorTest, HeaderFieldsAreNotThoseOfThePacket) {
  auto m = read(frame(Ipv4{.ttl = 1, .tos = 0x2b, .fragment = 0x4000}), IcmpError::ttl_exceeded);
  EXPECT_EQ(m.traffic_class, 0xc0);
  EXPECT_EQ(m.fragment, 0);
  EXPECT_EQ(m.ttl, 64);
  EXPECT_EQ(m.source, kRouter4);
  EXPECT_EQ(m.destination, ip("192.0.2.7"));
  m = read(frame(Ipv6{.hop_limit = 1}), IcmpError::ttl_exceeded);
  EXPECT_EQ(m.traffic_class, 0xc0);
  EXPECT_EQ(m.ttl, 64);
  EXPECT_EQ(m.source, kRouter6);
  EXPECT_EQ(m.destination, ip("2001:db8:77::7"));
}

TEST_F(IcmpErrorTest, IdsCountUpAsMessagesMayBeFragmented) {
  for (std::uint16_t id = 0; id < 3; ++id) {
    EXPECT_EQ(read(frame(Ipv4{}), IcmpError::no_route).id, id);
  }
}

TEST_F(IcmpErrorTest, QuotesAsMuchOfIpv4AsFitsIn576Octets) {
  for (const std::size_t size : {20, 21, 27, 28, 547, 548, 549, 576, 1500}) {
    const auto about = frame(Ipv4{.payload = counting(size - 20)});
    const auto message = built(about, IcmpError::no_route);
    const std::size_t quoted = std::min<std::size_t>(size, 548);
    EXPECT_EQ(message.size(), kEthernet + 28 + quoted);
    EXPECT_EQ(read_icmp_error(message).quote, start_of(packet_in(about), quoted)) << size;
  }
}

TEST_F(IcmpErrorTest, QuotesAsMuchOfIpv6AsFitsIn1280Octets) {
  for (const std::size_t size : {40, 41, 47, 1231, 1232, 1233, 1280, 1500}) {
    const auto about = frame(Ipv6{.payload = counting(size - 40)});
    const auto message = built(about, IcmpError::no_route);
    const std::size_t quoted = std::min<std::size_t>(size, 1232);
    EXPECT_EQ(message.size(), kEthernet + 48 + quoted);
    EXPECT_EQ(read_icmp_error(message).quote, start_of(packet_in(about), quoted)) << size;
  }
}

TEST_F(IcmpErrorTest, QuotesOptions) {
  const auto about = frame(Ipv4{.payload = counting(3), .options = counting(40, 1)});
  EXPECT_EQ(read(about, IcmpError::ttl_exceeded).quote, packet_in(about));
}

TEST_F(IcmpErrorTest, QuotesNoPadding) {
  for (const std::size_t payload : {0, 1, 7, 8, 20}) {
    const auto four = frame(Ipv4{.payload = counting(payload)});
    EXPECT_EQ(read(padded(four, 700, 0xaa), IcmpError::no_route).quote, packet_in(four));
    const auto six = frame(Ipv6{.payload = counting(payload)});
    EXPECT_EQ(read(padded(six, 1500, 0xaa), IcmpError::no_route).quote, packet_in(six));
  }
}

TEST_F(IcmpErrorTest, SegmentsMakeNoDifference) {
  const auto four = frame(Ipv4{.ttl = 1, .payload = counting(600)});
  const auto quote = start_of(packet_in(four), 548);
  for (std::size_t split = kEthernet + 20; split <= four.size(); ++split) {
    ASSERT_EQ(read(four, IcmpError::ttl_exceeded, 0, {.split = split}).quote, quote) << split;
  }
  const auto six = frame(Ipv6{.payload = counting(1300)});
  const auto quote6 = start_of(packet_in(six), 1232);
  for (std::size_t split = kEthernet + 40; split <= six.size(); ++split) {
    ASSERT_EQ(read(six, IcmpError::too_big, 1280, {.split = split}).quote, quote6) << split;
  }
}

TEST_F(IcmpErrorTest, APacketBehindAVlanTag) {
  const auto about = frame(Ipv4{});
  const auto tagged =
      join({std::span(about).first(kMacs), Bytes{0x81, 0, 0, 7}, std::span(about).subspan(kMacs)});
  const OwnedFrame received(tagged);
  const OwnedFrame message(
      builder_.build({.frame = *received.frame, .family = Family::ipv4, .l2_size = 18},
                     report(Family::ipv4, IcmpError::no_route)));
  EXPECT_EQ(read_icmp_error(bytes_of(message.frame)).quote, packet_in(about));
}

TEST_F(IcmpErrorTest, NothingWithoutABuffer) {
  const OwnedFrame about(frame(Ipv4{}));
  const auto taken = packet_pool().all_but(0);
  EXPECT_EQ(builder_.build({*about.frame, Family::ipv4}, report(Family::ipv4, IcmpError::no_route)),
            nullptr);
}

TEST_F(IcmpErrorTest, NothingFromBuffersThatAreTooSmall) {
  IcmpErrorBuilder small(*small_pool());  // 100 octets
  const unsigned before = small_pool().free_buffers();
  const auto of = [](const Bytes& bytes, IcmpErrorBuilder& builder) {
    const OwnedFrame about(bytes);
    const OwnedFrame message(
        builder.build({*about.frame, Family::ipv4}, report(Family::ipv4, IcmpError::no_route)));
    return message.frame != nullptr;
  };
  EXPECT_TRUE(of(frame(Ipv4{.payload = counting(100 - kEthernet - 28 - 20)}), small));
  EXPECT_FALSE(of(frame(Ipv4{.payload = counting(100 - kEthernet - 28 - 20 + 1)}), small));
  EXPECT_EQ(small_pool().free_buffers(), before);
}

// Checksums over any content and length, odd ones as well; the reader has its own sum.
TEST_F(IcmpErrorTest, ChecksumsHoldForAnyContent) {
  for (std::size_t size = 0; size < 300; ++size) {
    const auto payload = counting(size, static_cast<std::uint8_t>(7 * size));
    EXPECT_NO_THROW(read(frame(Ipv4{.payload = payload}), IcmpError::no_route)) << size;
    EXPECT_NO_THROW(read(frame(Ipv6{.payload = payload}), IcmpError::no_route)) << size;
  }
  for (const std::uint8_t octet : {0x00, 0xff}) {
    const Bytes payload(1200, octet);
    EXPECT_NO_THROW(read(frame(Ipv4{.payload = payload}), IcmpError::no_route));
    EXPECT_NO_THROW(read(frame(Ipv6{.payload = payload}), IcmpError::too_big, 65535));
  }
}

}  // namespace
}  // namespace rackway::node::testing
