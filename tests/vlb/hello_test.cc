// SPDX-License-Identifier: Apache-2.0
#include "vlb/hello.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace rackway::vlb {
namespace {

using Octets = std::vector<std::uint8_t>;

Hello example() {
  return {.sender = NodeId{1},
          .receiver = NodeId{2},
          .boot_id = 0x0102030405060708,
          .hears = 0x1112131415161718,
          .sequence = 0x21222324,
          .timing = {10'000, 3},
          .ready = true,
          .stamp = 0x31323334,
          .echo = 0x41424344,
          .echo_held = 0x51525354};
}

std::vector<LinkView> ways_of(std::size_t nodes) {
  return std::vector<LinkView>(nodes);
}

Octets written(const Hello& hello, const std::vector<LinkView>& ways) {
  std::array<std::uint8_t, kMaxHelloBytes> frame;
  frame.fill(0xee);
  const auto size = write_hello(hello, ways, frame);
  return {frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(Hello, GoldenOctets) {
  auto ways = ways_of(10);
  ways[0] = {.alive = true, .load = 0x64, .delay = 0x0203};
  ways[9] = {.alive = true, .load = 0xc8, .delay = 0xffff};
  ways[3] = {.alive = false, .load = 9, .delay = 9};
  EXPECT_EQ(written(example(), ways),
            (Octets{0xd6, 0x00, 0x20, 0x02, 0x00, 0x00,              // to
                    0x02, 0x00, 0x10, 0x00, 0x00, 0x00,              // from
                    0x88, 0xb5, 0x01, 0x03, 0x01, 0x00,              // version, flags
                    0x00, 0x0a, 0x00, 0x02,                          // nodes, told
                    0x21, 0x22, 0x23, 0x24, 0x00, 0x00, 0x27, 0x10,  // interval
                    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // boot id
                    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,  // hears
                    0x31, 0x32, 0x33, 0x34, 0x41, 0x42, 0x43, 0x44,  // stamp, echo
                    0x51, 0x52, 0x53, 0x54,                          // held for
                    0x80, 0x40,                                      // reachable
                    0x00, 0x00, 0x64, 0x02, 0x03, 0x00, 0x09, 0xc8, 0xff, 0xff}));
}

TEST(Hello, FlagsAreBitsOfTheirOwn) {
  const auto flags = [](bool ready, bool draining, bool held) {
    Hello hello = example();
    hello.ready = ready;
    hello.draining = draining;
    hello.held = held;
    return written(hello, ways_of(4))[16];
  };
  EXPECT_EQ(flags(true, false, false), 1);
  EXPECT_EQ(flags(false, true, false), 2);
  EXPECT_EQ(flags(false, false, true), 4);
}

TEST(Hello, TheSmallestIsPadded) {
  const auto frame = written(example(), ways_of(3));
  EXPECT_EQ(frame.size(), kMinHelloBytes);
  EXPECT_EQ(frame.back(), 0);
  EXPECT_TRUE(read_hello(frame).has_value());
}

Hello any_hello(std::mt19937_64& random, std::size_t nodes) {
  Hello hello{.boot_id = random() | 1,
              .hears = random(),
              .sequence = static_cast<std::uint32_t>(random()),
              .timing = {static_cast<Time>(1'000 + random() % 9'999'001),
                         static_cast<std::uint8_t>(2 + random() % 49)},
              .ready = random() % 2 == 0,
              .draining = random() % 2 == 0,
              .held = random() % 2 == 0,
              .stamp = static_cast<Time>(random()),
              .echo = static_cast<Time>(random()),
              .echo_held = static_cast<Time>(random())};
  hello.sender.value = static_cast<std::uint16_t>(random() % nodes);
  hello.receiver.value =
      static_cast<std::uint16_t>((hello.sender.value + 1 + random() % (nodes - 1)) % nodes);
  return hello;
}

std::vector<LinkView> any_ways(std::mt19937_64& random, std::size_t nodes) {
  auto ways = ways_of(nodes);
  for (auto& way : ways) {
    way.alive = random() % 3 > 0;
    way.load = static_cast<Load>(random());
    way.delay = static_cast<std::uint16_t>(random());
  }
  return ways;
}

TEST(Hello, ReadsWhatWasWritten) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t nodes = 2 + random() % 200;
    const auto hello = any_hello(random, nodes);
    auto ways = any_ways(random, nodes);
    const auto frame = written(hello, ways);
    ASSERT_LE(frame.size(), kMaxHelloBytes);
    const auto heard = read_hello(frame);
    ASSERT_TRUE(heard.has_value());
    ASSERT_EQ(heard->hello, hello);
    ASSERT_EQ(heard->nodes, nodes);
    auto there = ways_of(nodes);
    heard->ways.update(there);
    ways[hello.sender.value] = {};
    for (auto& way : ways) {
      if (!way.alive) way = {};
    }
    ASSERT_EQ(there, ways);
  }
}

// A mesh of 128 tells all in one hello; 4096 nodes take several, each of which has room.
TEST(Hello, EveryWayIsToldInTime) {
  for (const auto& [nodes, hellos] :
       std::vector<std::pair<std::size_t, unsigned>>{{128, 1}, {280, 1}, {1024, 5}, {4096, 23}}) {
    auto ways = ways_of(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      ways[node] = {.alive = true, .load = 7, .delay = static_cast<std::uint16_t>(node + 1)};
    }
    ways[1] = {};  // the sender
    for (std::uint32_t start : {0u, 17u, 0x7ffffff0u}) {
      auto there = ways_of(nodes);
      Hello hello = example();
      for (unsigned i = 0; i < hellos; ++i) {
        hello.sequence = start + i;
        const auto frame = written(hello, ways);
        const auto heard = read_hello(frame);
        ASSERT_TRUE(heard.has_value());
        EXPECT_EQ(heard->ways.update(there), i == 0);
      }
      EXPECT_EQ(there, ways) << nodes << " nodes from " << start;
      for (std::size_t node = 0; node < nodes; ++node) EXPECT_EQ(there[node].alive, node != 1);
    }
  }
}

TEST(Hello, WhatIsNotToldStaysAsItWas) {
  std::vector<LinkView> there(4096, {.alive = true, .load = 3, .delay = 4});
  auto ways = there;
  for (auto& way : ways) way.load = 9;
  const auto frame = written(example(), ways);
  const auto heard = read_hello(frame);
  ASSERT_TRUE(heard.has_value());
  EXPECT_TRUE(heard->ways.update(there));  // the sender itself
  EXPECT_GT(std::ranges::count(there, LinkView{true, 9, 4}), 128);
  EXPECT_GT(std::ranges::count(there, LinkView{true, 3, 4}), 3000);
}

TEST(Hello, AWayThatEndsLosesItsLoad) {
  std::vector<LinkView> there(4, {.alive = true, .load = 3, .delay = 4});
  const auto frame = written(example(), ways_of(4));
  const auto heard = read_hello(frame);
  ASSERT_TRUE(heard.has_value());
  EXPECT_TRUE(heard->ways.update(there));
  EXPECT_EQ(there, ways_of(4));
  EXPECT_FALSE(heard->ways.update(there));
}

// ---- what is not believed

HelloFault fault_of(const Octets& frame) {
  const auto heard = read_hello(frame);
  EXPECT_FALSE(heard.has_value());
  return heard ? HelloFault{99} : heard.error();
}

Octets good_frame() {
  auto ways = ways_of(100);
  ways[7] = {.alive = true, .load = 1, .delay = 2};
  return written(example(), ways);
}

TEST(Hello, AnotherVersionIsToldFromNonsense) {
  auto frame = good_frame();
  frame[14] = 2;
  EXPECT_EQ(fault_of(frame), HelloFault::version);
}

TEST(Hello, EverySizeButTheRightOneIsMalformed) {
  const auto good = good_frame();
  for (std::size_t size = 0; size < good.size() + 40; ++size) {
    auto frame = good;
    frame.resize(size);
    EXPECT_EQ(read_hello(frame).has_value(), size == good.size()) << size;
  }
  EXPECT_EQ(fault_of(Octets(kMaxHelloBytes + 1, 0)), HelloFault::malformed);
}

TEST(Hello, EachFieldOutOfBoundsIsMalformed) {
  struct Change {
    const char* what;
    std::size_t at;
    std::vector<std::uint8_t> octets;
  };
  const std::vector<Change> changes{
      {"kind", 0, {0xd2}},
      {"receiver beyond the nodes", 1, {0x06, 0x40, 0x64}},
      {"receiver differs in its two places", 1, {0x00, 0x30}},
      {"hop budget", 4, {0x10}},
      {"tag's time stamp", 5, {0x01}},
      {"group address", 6, {0x03}},
      {"epoch mark", 6, {0x06}},
      {"sender beyond the nodes", 7, {0x06, 0x40}},
      {"sender is receiver", 7, {0x00, 0x20}},
      {"spare bits of the tag", 8, {0x11}},
      {"adjacency", 11, {0x01}},
      {"EtherType", 12, {0x08, 0x00}},
      {"multiplier 0", 15, {0}},
      {"multiplier 1", 15, {1}},
      {"multiplier 51", 15, {51}},
      {"unknown flag", 16, {8}},
      {"spare", 17, {1}},
      {"no nodes", 18, {0, 0}},
      {"more nodes than there can be", 18, {0x10, 0x01}},
      {"nodes that the size does not fit", 18, {0, 120}},
      {"more ways than there are", 20, {0, 2}},
      {"fewer ways than there are", 20, {0, 0}},
      {"interval below the least", 26, {0, 0, 0x03, 0xe7}},
      {"interval above the greatest", 26, {0, 0x98, 0x96, 0x81}},
      {"no boot id", 30, {0, 0, 0, 0, 0, 0, 0, 0}},
      {"the sender reaches itself", 58, {0x41}},
      {"a node beyond the last can be reached", 58 + 12, {0x08}},
      {"a way to a node beyond the last", 58 + 13, {0, 100}},
      {"a way to a node that can not be reached", 58 + 13, {0, 8}},
  };
  ASSERT_TRUE(read_hello(good_frame()).has_value());
  for (const auto& change : changes) {
    auto frame = good_frame();
    std::ranges::copy(change.octets, frame.begin() + static_cast<std::ptrdiff_t>(change.at));
    EXPECT_FALSE(read_hello(frame).has_value()) << change.what;
  }
}

// Any octets: read without a fault (for the sanitizers), and what is believed is within bounds.
TEST(Hello, AnyOctetsAreJudged) {
  std::mt19937_64 random(2);
  unsigned believed = 0;
  for (int i = 0; i < 200'000; ++i) {
    auto frame = good_frame();
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    }
    if (random() % 8 == 0) frame.resize(random() % (frame.size() + 1));
    const auto heard = read_hello(frame);
    if (!heard) continue;
    ++believed;
    std::vector<LinkView> there(kMaxNodes);
    heard->ways.update(there);
    ASSERT_LT(heard->hello.sender.value, heard->nodes);
    ASSERT_EQ(std::find_if(there.begin() + heard->nodes, there.end(),
                           [](const LinkView& way) { return way != LinkView{}; }),
              there.end());
  }
  EXPECT_GT(believed, 1000u);  // times and loads may be anything
}

}  // namespace
}  // namespace rackway::vlb
