// SPDX-License-Identifier: Apache-2.0
#include "node/fragmenter.hh"

#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "tests/node/naive_reassembly.hh"
#include "tests/node/packet_pool.hh"

namespace rackway::node {

void PrintTo(const Fragments& f, std::ostream* out) {
  *out << f.count << " fragments, fault " << static_cast<int>(f.fault);
}

namespace testing {
namespace {

constexpr std::uint16_t kMore = 0x2000, kDont = 0x4000, kReserved = 0x8000;

struct Result {
  Fragments fragments;
  std::vector<Bytes> frames;
};

Result fragmented(const Bytes& bytes, std::uint16_t mtu, const Reception& how = {},
                  const PacketPool& pool = packet_pool(), std::size_t limit = 1500) {
  const unsigned before = pool.free_buffers();
  const OwnedFrame received(bytes, how);
  received.frame->port = 3;
  std::vector<rte_mbuf*> out(limit);
  Result result;
  result.fragments = fragment_ipv4({*received.frame, Family::ipv4}, mtu, *pool, out);
  EXPECT_EQ(bytes_of(received.frame), bytes);
  for (std::size_t i = 0; i < result.fragments.count; ++i) {
    EXPECT_EQ(out[i]->nb_segs, 1);
    EXPECT_EQ(out[i]->port, 3);
    EXPECT_LE(out[i]->pkt_len, kEthernet + mtu);
    result.frames.push_back(bytes_of(out[i]));
    rte_pktmbuf_free(out[i]);
  }
  EXPECT_EQ(pool.free_buffers(), before);
  return result;
}

FragmentFault fault_of(const Bytes& bytes, std::uint16_t mtu) {
  const auto result = fragmented(bytes, mtu);
  EXPECT_EQ(result.fragments.count == 0, result.fragments.fault != FragmentFault::none);
  return result.fragments.fault;
}

Bytes packet_in(const Bytes& frame) {
  return {frame.begin() + kEthernet, frame.end()};
}

std::vector<std::size_t> sizes(const Result& result) {
  std::vector<std::size_t> found;
  for (const auto& frame : result.frames) found.push_back(frame.size() - kEthernet);
  return found;
}

TEST(Fragmenter, EveryOctetOfTwoFragments) {
  const auto sent = frame(Ipv4{.ttl = 9, .payload = counting(60), .tos = 0x28});
  const auto [fragments, frames] = fragmented(sent, 68);
  ASSERT_EQ(fragments, (Fragments{2, FragmentFault::none}));
  EXPECT_EQ(frames[0],
            frame(Ipv4{.ttl = 9, .payload = counting(48), .tos = 0x28, .fragment = kMore}));
  EXPECT_EQ(frames[1],
            frame(Ipv4{.ttl = 9, .payload = counting(12, 48), .tos = 0x28, .fragment = 6}));
}

TEST(Fragmenter, WhatFitsIsCopied) {
  for (const std::size_t size : {20, 28, 1499, 1500}) {
    const auto sent = frame(Ipv4{.payload = counting(size - 20)});
    const auto [fragments, frames] = fragmented(padded(sent, 1600, 0xaa), 1500);
    ASSERT_EQ(fragments, (Fragments{1, FragmentFault::none}));
    EXPECT_EQ(frames[0], sent);
  }
}

TEST(Fragmenter, AroundTheMtu) {
  using Sizes = std::vector<std::size_t>;
  const auto cut = [](std::size_t size, std::uint16_t mtu) {
    return sizes(fragmented(frame(Ipv4{.payload = counting(size - 20)}), mtu));
  };
  EXPECT_EQ(cut(1499, 1500), (Sizes{1499}));
  EXPECT_EQ(cut(1500, 1500), (Sizes{1500}));
  EXPECT_EQ(cut(1501, 1500), (Sizes{1500, 21}));
  EXPECT_EQ(cut(1501, 1501), (Sizes{1501}));
  EXPECT_EQ(cut(1502, 1501), (Sizes{1500, 22}));  // 1481 octets are no multiple of eight
  EXPECT_EQ(cut(1500, 1499), (Sizes{1492, 28}));
  EXPECT_EQ(cut(2981, 1501), (Sizes{1500, 1501}));  // the last one need be none
  EXPECT_EQ(cut(2982, 1501), (Sizes{1500, 1500, 22}));
  EXPECT_EQ(cut(116, 68), (Sizes{68, 68}));
  EXPECT_EQ(cut(117, 68), (Sizes{68, 68, 21}));
}

TEST(Fragmenter, ReassemblesForEverySizeAndMtu) {
  for (std::uint16_t mtu = 68; mtu <= 93; ++mtu) {
    for (std::size_t payload = 0; payload <= 200; ++payload) {
      const auto sent = frame(Ipv4{.payload = counting(payload, 3)});
      const auto result = fragmented(sent, mtu);
      ASSERT_EQ(result.fragments.fault, FragmentFault::none);
      ASSERT_EQ(reassembled(result.frames), packet_in(sent)) << payload << " over " << mtu;
    }
  }
}

TEST(Fragmenter, LargePackets) {
  for (const std::size_t size : {9000, 65'535}) {
    const auto sent = frame(Ipv4{.payload = counting(size - 20)});
    // In two segments: one holds at most 65,535 octets, the Ethernet header included.
    const auto result = fragmented(sent, 1500, {.split = size / 2});
    EXPECT_EQ(result.fragments.count, (size - 20 + 1479) / 1480);
    EXPECT_EQ(reassembled(result.frames), packet_in(sent));
  }
  const auto smallest = fragmented(frame(Ipv4{.payload = counting(65'515)}), 68, {.split = 600});
  EXPECT_EQ(smallest.fragments.count, 1365);
}

TEST(Fragmenter, SegmentsMakeNoDifference) {
  const auto sent = frame(Ipv4{.payload = counting(300)});
  const auto expected = fragmented(sent, 100).frames;
  for (std::size_t split = kEthernet + 20; split <= sent.size(); ++split) {
    ASSERT_EQ(fragmented(sent, 100, {.split = split}).frames, expected) << split;
  }
}

TEST(Fragmenter, AFragmentKeepsItsPlaceInTheWhole) {
  for (const std::uint16_t field : {0x0007, 0x2007, 0x2000, 0x3000, 0xa007}) {
    const auto sent = frame(Ipv4{.payload = counting(104), .fragment = field});
    const auto result = fragmented(sent, 68);
    ASSERT_EQ(result.fragments.count, 3);
    EXPECT_EQ(get16(result.frames[0], kEthernet + 6), field | kMore);
    EXPECT_EQ(get16(result.frames[1], kEthernet + 6), (field | kMore) + 6);
    EXPECT_EQ(get16(result.frames[2], kEthernet + 6), field + 12);
    EXPECT_EQ(reassembled(result.frames), packet_in(sent));
  }
}

TEST(Fragmenter, FragmentsOfFragments) {
  const auto sent = frame(Ipv4{.payload = counting(4000)});
  std::vector<Bytes> all;
  for (const auto& once : fragmented(sent, 1500).frames) {
    for (const auto& twice : fragmented(once, 333).frames) all.push_back(twice);
  }
  EXPECT_EQ(reassembled(all), packet_in(sent));
}

TEST(Fragmenter, NotWithDontFragment) {
  EXPECT_EQ(fault_of(frame(Ipv4{.payload = counting(100), .fragment = kDont}), 68),
            FragmentFault::dont_fragment);
  EXPECT_EQ(fault_of(frame(Ipv4{.payload = counting(100), .fragment = kReserved}), 68),
            FragmentFault::none);
}

TEST(Fragmenter, NotBehindTheLastOffset) {
  const auto at = [](std::uint16_t field, std::size_t payload) {
    return fault_of(frame(Ipv4{.payload = counting(payload), .fragment = field}), 68);
  };
  EXPECT_EQ(at(0x1fff, 7), FragmentFault::none);
  EXPECT_EQ(at(0x1fff, 8), FragmentFault::malformed);
  EXPECT_EQ(at(0x1fff, 100), FragmentFault::malformed);
  EXPECT_EQ(at(0x1ff3, 103), FragmentFault::none);
  EXPECT_EQ(at(0x1ff3, 104), FragmentFault::malformed);
}

TEST(Fragmenter, NotOverAnMtuThatIpv4DoesNotKnow) {
  const auto sent = frame(Ipv4{.payload = counting(100)});
  for (const std::uint16_t mtu : {0, 20, 67}) {
    EXPECT_EQ(fault_of(sent, mtu), FragmentFault::mtu_too_small);
  }
}

TEST(Fragmenter, OnlyCopiedOptionsInLaterFragments) {
  // Router alert is copied; record route and no-operation are not.
  const auto alert = Bytes{0x94, 4, 0, 0}, route = Bytes{7, 7, 4, 1, 2, 3, 4}, nop = Bytes{1};
  const auto options = join({route, nop, alert});
  const auto sent = frame(Ipv4{.payload = counting(100), .options = options});
  const auto result = fragmented(sent, 68);
  ASSERT_EQ(sizes(result), (std::vector<std::size_t>{64, 64, 52}));
  EXPECT_EQ(result.frames[0],
            frame(Ipv4{.payload = counting(32), .fragment = kMore, .options = options}));
  EXPECT_EQ(result.frames[1],
            frame(Ipv4{.payload = counting(40, 32), .fragment = kMore | 4, .options = alert}));
  EXPECT_EQ(reassembled(result.frames), packet_in(sent));
}

TEST(Fragmenter, CopiedOptionsAreFilledUpToAWord) {
  const auto odd = Bytes{0x83, 7, 4, 10, 0, 0, 9};  // loose source route, copied
  const auto sent = frame(Ipv4{.payload = counting(100), .options = join({odd, Bytes{0}})});
  const auto result = fragmented(sent, 68);
  EXPECT_EQ(read_fragment(result.frames.at(1)).header.size(), 28u);
  EXPECT_EQ(Bytes(result.frames[1].begin() + 34, result.frames[1].begin() + 42),
            join({odd, Bytes{0}}));
  EXPECT_EQ(reassembled(result.frames), packet_in(sent));
}

TEST(Fragmenter, FortyOctetsOfOptionsOverTheSmallestMtu) {
  for (const std::uint8_t type : {0x07, 0x87}) {
    auto options = counting(40);
    options[0] = type;
    options[1] = 40;
    const auto sent = frame(Ipv4{.payload = counting(100), .options = options});
    const auto result = fragmented(sent, 68);
    ASSERT_EQ(result.fragments.fault, FragmentFault::none);
    EXPECT_EQ(sizes(result)[0], 68u);
    EXPECT_EQ(read_fragment(result.frames[1]).header.size(), type == 0x07 ? 20u : 60u);
    EXPECT_EQ(reassembled(result.frames), packet_in(sent));
  }
}

TEST(Fragmenter, OptionsThatMakeNoSense) {
  for (const Bytes& options : {Bytes{0x83, 0, 0, 0}, Bytes{0x83, 1, 0, 0}, Bytes{0x83, 5, 0, 0},
                               Bytes{1, 1, 1, 0x83}, Bytes{7, 255, 0, 0}}) {
    EXPECT_EQ(fault_of(frame(Ipv4{.payload = counting(100), .options = options}), 68),
              FragmentFault::malformed);
  }
  Bytes full(40, 1);
  full.back() = 0x83;  // its length would be behind the header
  EXPECT_EQ(fault_of(frame(Ipv4{.payload = counting(100), .options = full}), 68),
            FragmentFault::malformed);
  // Behind the end of options nothing is one.
  EXPECT_EQ(fault_of(frame(Ipv4{.payload = counting(100), .options = {0, 0x83, 0, 0}}), 68),
            FragmentFault::none);
}

TEST(Fragmenter, AllOrNothing) {
  const auto sent = frame(Ipv4{.payload = counting(480)});  // ten fragments
  for (const unsigned left : {0u, 1u, 9u}) {
    const auto taken = packet_pool().all_but(left);
    EXPECT_EQ(fragmented(sent, 68).fragments, (Fragments{0, FragmentFault::no_buffers}));
  }
  const auto taken = packet_pool().all_but(10);
  EXPECT_EQ(fragmented(sent, 68).fragments, (Fragments{10, FragmentFault::none}));
  EXPECT_EQ(fragmented(sent, 68, {}, packet_pool(), 9).fragments,
            (Fragments{0, FragmentFault::too_many}));
  EXPECT_EQ(fragmented(sent, 68, {}, packet_pool(), 10).fragments,
            (Fragments{10, FragmentFault::none}));
}

TEST(Fragmenter, BuffersSmallerThanTheMtu) {
  const auto sent = frame(Ipv4{.payload = counting(400)});
  const auto result = fragmented(sent, 1500, {}, small_pool());  // 100 octets: 86 of IP
  EXPECT_EQ(sizes(result)[0], 84u);
  EXPECT_EQ(reassembled(result.frames), packet_in(sent));
}

TEST(Fragmenter, KeepsWhatIsInFrontOfThePacket) {
  const auto untagged = frame(Ipv4{.payload = counting(100)});
  const auto tagged = join(
      {std::span(untagged).first(kMacs), Bytes{0x81, 0, 0, 7}, std::span(untagged).subspan(kMacs)});
  const OwnedFrame received(tagged);
  std::array<rte_mbuf*, 8> out{};
  const auto made = fragment_ipv4({.frame = *received.frame, .family = Family::ipv4, .l2_size = 18},
                                  68, *packet_pool(), out);
  std::vector<Bytes> frames;
  for (std::size_t i = 0; i < made.count; ++i) {
    frames.push_back(bytes_of(out[i]));
    rte_pktmbuf_free(out[i]);
    EXPECT_EQ(read_fragment(frames[i], 18).l2, Bytes(tagged.begin(), tagged.begin() + 18));
  }
  EXPECT_EQ(reassembled(frames, 18), packet_in(untagged));
}

TEST(Fragmenter, RandomPacketsReassemble) {
  std::mt19937_64 random(791);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  for (int i = 0; i < 3000; ++i) {
    Bytes options;
    while (options.size() < 36 && below(3) != 0) {
      const auto size = std::min<std::size_t>(2 + below(8), 40 - options.size());
      auto option = counting(size, static_cast<std::uint8_t>(random()));
      option[0] = static_cast<std::uint8_t>(2 + below(100) + 128 * below(2));
      option[1] = static_cast<std::uint8_t>(size);
      options = join({options, option});
    }
    options.resize((options.size() + 3) / 4 * 4);
    const auto field = static_cast<std::uint16_t>(below(0x1000) | (below(2) != 0 ? kMore : 0));
    const auto sent = frame(Ipv4{.payload = counting(below(4000), static_cast<std::uint8_t>(i)),
                                 .fragment = field,
                                 .options = options});
    const auto mtu = static_cast<std::uint16_t>(68 + below(1500));
    const auto split = kEthernet + 20 + options.size() + below(sent.size() - 33 - options.size());
    const auto result = fragmented(padded(sent, 60), mtu, {.split = std::min(split, sent.size())});
    ASSERT_EQ(result.fragments.fault, FragmentFault::none);
    ASSERT_EQ(reassembled(result.frames), packet_in(sent));
    for (const auto& one : result.frames) {
      const auto fragment = read_fragment(one);
      ASSERT_FALSE(fragment.more && fragment.payload.size() % 8 != 0 &&
                   &one != &result.frames.back());
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace rackway::node
