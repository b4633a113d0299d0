// SPDX-License-Identifier: Apache-2.0
#include "node/ipv6_chain.hh"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>

#include "tests/node/frames.hh"

namespace rackway::node {

void PrintTo(const Ipv6Chain& c, std::ostream* out) {
  *out << "end " << static_cast<int>(c.end) << ", protocol " << int{c.protocol} << " at "
       << c.offset << (c.fragment ? ", fragment" : "");
}

namespace testing {
namespace {

constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kEsp = 50,
                       kAuthentication = 51, kIcmpv6 = 58, kNone = 59, kOptions = 60,
                       kMobility = 135, kHip = 139, kShim6 = 140;

// An extension header of `size` octets; the second octet says so in the units of its kind.
Bytes header(std::uint8_t next, std::size_t size = 8) {
  Bytes bytes(size);
  bytes[0] = next;
  bytes[1] = static_cast<std::uint8_t>(size / 8 - 1);
  return bytes;
}
Bytes authentication(std::uint8_t next, std::size_t size) {
  Bytes bytes(size);
  bytes[0] = next;
  bytes[1] = static_cast<std::uint8_t>(size / 4 - 2);
  return bytes;
}
Bytes fragment(std::uint8_t next, std::uint16_t offset_and_flags) {
  Bytes bytes{next, 0xee, 0, 0, 1, 2, 3, 4};  // the reserved octet is no length
  put16(bytes, 2, offset_and_flags);
  return bytes;
}

Bytes chained(std::uint8_t first, std::initializer_list<std::span<const std::uint8_t>> parts) {
  return packet(Ipv6{.next_header = first, .payload = join(parts)});
}

// In a buffer of exactly the readable octets, for the address sanitizer.
Ipv6Chain chain_of(const Bytes& bytes, std::size_t readable = SIZE_MAX) {
  readable = std::min(readable, bytes.size());
  const auto exact = std::make_unique<std::uint8_t[]>(readable);
  std::copy_n(bytes.begin(), readable, exact.get());
  return ipv6_chain(exact.get(), readable);
}

TEST(Ipv6Chain, NoExtensionHeaders) {
  for (const std::uint8_t protocol : {kUdp, kTcp, kIcmpv6, kEsp, kNone, std::uint8_t{253}}) {
    EXPECT_EQ(chain_of(packet(Ipv6{.next_header = protocol})),
              (Ipv6Chain{.protocol = protocol, .offset = 40}));
  }
}

TEST(Ipv6Chain, EachExtensionHeaderIsFollowed) {
  for (const std::uint8_t first : {kHopByHop, kRouting, kOptions, kMobility, kHip, kShim6}) {
    for (const std::size_t size : {8, 16, 64, 2048}) {
      EXPECT_EQ(chain_of(chained(first, {header(kTcp, size), counting(20)})),
                (Ipv6Chain{.protocol = kTcp, .offset = static_cast<std::uint32_t>(40 + size)}))
          << int{first};
    }
  }
}

TEST(Ipv6Chain, AuthenticationCountsInWords) {
  for (const std::size_t size : {8, 12, 24, 28}) {
    EXPECT_EQ(chain_of(chained(kAuthentication, {authentication(kUdp, size), counting(8)})),
              (Ipv6Chain{.protocol = kUdp, .offset = static_cast<std::uint32_t>(40 + size)}));
  }
}

TEST(Ipv6Chain, TheOrderOfRfc8200) {
  EXPECT_EQ(
      chain_of(chained(kHopByHop, {header(kOptions), header(kRouting, 24), header(kFragment),
                                   fragment(kAuthentication, 0), authentication(kOptions, 24),
                                   header(kIcmpv6), counting(8)})),
      (Ipv6Chain{.fragment = true, .protocol = kIcmpv6, .offset = 40 + 8 + 8 + 24 + 8 + 8 + 24}));
}

TEST(Ipv6Chain, FirstAndAtomicFragments) {
  for (const std::uint16_t field : {0x0000, 0x0001, 0x0006}) {
    const auto chain = chain_of(chained(kFragment, {fragment(kUdp, field), counting(8)}));
    EXPECT_EQ(chain, (Ipv6Chain{.fragment = true, .protocol = kUdp, .offset = 48})) << field;
    EXPECT_EQ(chain.flow_protocol(), kFragment);
  }
}

TEST(Ipv6Chain, LaterFragmentsEndTheChain) {
  for (const std::uint16_t field : {0x0008, 0x0009, 0xfff8}) {
    for (const std::uint8_t next : {kUdp, kIcmpv6, kOptions}) {
      const auto chain = chain_of(chained(kFragment, {fragment(next, field), counting(8)}));
      EXPECT_EQ(
          chain,
          (Ipv6Chain{
              .end = ChainEnd::later_fragment, .fragment = true, .protocol = next, .offset = 48}));
      EXPECT_EQ(chain.flow_protocol(), kFragment);
    }
  }
}

TEST(Ipv6Chain, HopByHopElsewhereIsMalformed) {
  EXPECT_EQ(chain_of(chained(kOptions, {header(kHopByHop), header(kUdp), counting(8)})),
            (Ipv6Chain{.end = ChainEnd::malformed, .protocol = kHopByHop, .offset = 48}));
}

TEST(Ipv6Chain, APacketThatEndsWithinItsChainIsMalformed) {
  const auto bytes = chained(kRouting, {header(kOptions, 16), header(kUdp, 24)});
  for (std::uint16_t length = 0; length < 40; ++length) {
    auto cut = bytes;
    put16(cut, 4, length);  // the frame goes on: padding
    EXPECT_EQ(chain_of(cut).end, ChainEnd::malformed) << length;
  }
  EXPECT_EQ(chain_of(bytes), (Ipv6Chain{.protocol = kUdp, .offset = 80}));
}

TEST(Ipv6Chain, WhatCanNotBeReadIsOutOfReach) {
  const auto bytes = chained(kRouting, {header(kOptions, 16), header(kUdp, 24), counting(8)});
  for (std::size_t readable = 40; readable < 48; ++readable) {
    EXPECT_EQ(chain_of(bytes, readable),
              (Ipv6Chain{.end = ChainEnd::out_of_reach, .protocol = kRouting, .offset = 40}));
  }
  for (std::size_t readable = 48; readable < 64; ++readable) {
    EXPECT_EQ(chain_of(bytes, readable),
              (Ipv6Chain{.end = ChainEnd::out_of_reach, .protocol = kOptions, .offset = 56}));
  }
  // The first eight octets of the last header say where the upper layer is.
  EXPECT_EQ(chain_of(bytes, 64), (Ipv6Chain{.protocol = kUdp, .offset = 80}));
}

TEST(Ipv6Chain, NoMoreHeadersThanAllowed) {
  for (const int count : {7, 8, 9, 100}) {
    Bytes payload;
    for (int i = 1; i < count; ++i) payload = join({payload, header(kOptions)});
    payload = join({payload, header(kUdp), counting(8)});
    const auto chain = chain_of(packet(Ipv6{.next_header = kOptions, .payload = payload}));
    if (count <= kMaxExtensionHeaders) {
      EXPECT_EQ(chain, (Ipv6Chain{.protocol = kUdp,
                                  .offset = static_cast<std::uint32_t>(40 + 8 * count)}));
    } else {
      EXPECT_EQ(chain,
                (Ipv6Chain{.end = ChainEnd::out_of_reach, .protocol = kOptions, .offset = 104}));
    }
  }
}

// The same question answered by recursion over what is left of the packet.
Ipv6Chain naive(std::uint8_t protocol, std::span<const std::uint8_t> left, std::size_t readable,
                std::uint32_t offset, int headers, bool seen) {
  const auto end = [&](ChainEnd why) { return Ipv6Chain{why, seen, protocol, offset}; };
  const bool plain = protocol == 0 || protocol == 43 || protocol == 60 || protocol == 135 ||
                     protocol == 139 || protocol == 140;
  if (!plain && protocol != 44 && protocol != 51) return end(ChainEnd::upper_layer);
  if (protocol == 0 && headers != 0) return end(ChainEnd::malformed);
  if (left.size() < 8) return end(ChainEnd::malformed);
  if (headers >= 8 || readable < 8) return end(ChainEnd::out_of_reach);
  const std::size_t size = plain ? 8 * (1 + left[1]) : protocol == 44 ? 8 : 4 * (2 + left[1]);
  if (left.size() < size) return end(ChainEnd::malformed);
  const auto behind = static_cast<std::uint32_t>(offset + size);
  if (protocol == 44 && get16(left, 2) >= 8) {
    return {ChainEnd::later_fragment, true, left[0], behind};
  }
  return naive(left[0], left.subspan(size), readable - std::min(readable, size), behind,
               headers + 1, seen || protocol == 44);
}

class RandomChains {
 public:
  Bytes next() {
    static constexpr std::uint8_t kKinds[] = {0, 43, 44, 51, 60, 135, 139, 140, 6, 17, 58, 59, 50};
    Bytes payload;
    const auto headers = below(12);
    for (std::size_t i = 0; i < headers; ++i) {
      Bytes one = counting(8 * (1 + below(3)), static_cast<std::uint8_t>(random_()));
      one[0] = below(3) == 0 ? kKinds[below(std::size(kKinds))] : kKinds[1 + below(7)];
      one[1] = static_cast<std::uint8_t>(below(8) == 0 ? below(256) : one.size() / 8 - 1);
      put16(one, 2, below(4) == 0 ? random_() : below(8));
      payload = join({payload, one});
    }
    payload = join({payload, counting(below(20))});
    Ipv6 made{.next_header = kKinds[below(std::size(kKinds))], .payload = payload};
    if (below(4) == 0) made.payload_length = static_cast<std::uint16_t>(below(payload.size() + 1));
    return packet(made);
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::mt19937_64 random_{20261130};
};

TEST(Ipv6Chain, AgreesWithANaiveWalk) {
  RandomChains random;
  std::array<int, 4> ends{};
  for (int i = 0; i < 200'000; ++i) {
    const auto bytes = random.next();
    const std::size_t readable =
        random.below(4) == 0 ? 40 + random.below(bytes.size() - 39) : bytes.size();
    // What is not readable counts as there, so the naive walk sees all of the packet.
    const auto payload = std::span(bytes).subspan(40, get16(bytes, 4));
    const auto expected = naive(bytes[6], payload, readable - 40, 40, 0, false);
    ASSERT_EQ(chain_of(bytes, readable), expected) << to_hex(bytes) << "\nreadable " << readable;
    ++ends[static_cast<std::size_t>(expected.end)];
  }
  for (const int count : ends) EXPECT_GT(count, 5'000);
}

}  // namespace
}  // namespace testing
}  // namespace rackway::node
