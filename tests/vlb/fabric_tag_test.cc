// SPDX-License-Identifier: Apache-2.0
#include "vlb/fabric_tag.hh"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace rackway::vlb {
namespace {

using Octets = std::array<std::uint8_t, 12>;

FabricTag example() {
  return {.kind = FabricKind::data,
          .target = NodeId{0x123},
          .egress = NodeId{0x456},
          .hop_budget = 0x7,
          .time_stamp = 0x89a,
          .epoch_mark = 0x2b,
          .ingress = NodeId{0xcde},
          .adjacency = AdjacencyId{0x00f12345}};
}

TEST(FabricTag, GoldenOctets) {
  Octets frame{};
  write_tag(frame.data(), example());
  EXPECT_EQ(frame, (Octets{0xd2, 0x12, 0x34, 0x56, 0x78, 0x9a,  //
                           0xae, 0xcd, 0xe0, 0xf1, 0x23, 0x45}));
}

TEST(FabricTag, ReadsWhatWasWritten) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    FabricTag tag{.kind = FabricKind::data,
                  .target = NodeId{static_cast<std::uint16_t>(random() & 0xfff)},
                  .egress = NodeId{static_cast<std::uint16_t>(random() & 0xfff)},
                  .hop_budget = static_cast<std::uint8_t>(random() & 0xf),
                  .time_stamp = static_cast<std::uint16_t>(random() & 0xfff),
                  .epoch_mark = static_cast<std::uint8_t>(random() & 0x3f),
                  .ingress = NodeId{static_cast<std::uint16_t>(random() & 0xfff)},
                  .adjacency = AdjacencyId{static_cast<std::uint32_t>(random() & 0xffffff)}};
    Octets frame{};
    write_tag(frame.data(), tag);
    ASSERT_EQ(read_tag(frame.data()), tag);
    ASSERT_TRUE(is_data(frame.data()));
  }
}

TEST(FabricTag, WrittenAddressesAreLocalAndUnicast) {
  Octets frame{};
  write_tag(frame.data(), example());
  EXPECT_EQ(frame[0] & 3, 2);
  EXPECT_EQ(frame[6] & 3, 2);
}

TEST(FabricTag, OtherKindsFixedBitsAndSpareBitsAreNotData) {
  Octets good{};
  write_tag(good.data(), example());
  for (int kind = 0; kind < 256; ++kind) {
    Octets frame = good;
    frame[0] = static_cast<std::uint8_t>(kind);
    EXPECT_EQ(is_data(frame.data()), kind == 0xd2) << kind;
  }
  for (const int fixed : {0, 1, 3}) {
    Octets frame = good;
    frame[6] = static_cast<std::uint8_t>((frame[6] & ~3) | fixed);
    EXPECT_FALSE(is_data(frame.data())) << fixed;
  }
  for (int spare = 1; spare < 16; ++spare) {
    Octets frame = good;
    frame[8] = static_cast<std::uint8_t>((frame[8] & 0xf0) | spare);
    EXPECT_FALSE(is_data(frame.data())) << spare;
  }
}

TEST(FabricTag, PassingOnChangesTargetAndHopsOnly) {
  Octets frame{};
  write_tag(frame.data(), example());
  TagWord word(frame.data());
  EXPECT_EQ(word.egress(), example().egress);
  EXPECT_EQ(word.hop_budget(), example().hop_budget);
  EXPECT_EQ(word.target(), example().target);
  word.pass_on(NodeId{0x789});
  word.store(frame.data());
  auto expected = example();
  expected.target = NodeId{0x789};
  expected.hop_budget = static_cast<std::uint8_t>(example().hop_budget - 1);
  EXPECT_EQ(read_tag(frame.data()), expected);
}

TEST(FabricTag, AWordIsDataForItsTargetWhereTheFrameIs) {
  std::mt19937 random(1);
  Octets good{};
  write_tag(good.data(), example());
  EXPECT_TRUE(TagWord(good.data()).is_data_for(example().target));
  for (int round = 0; round < 100'000; ++round) {
    Octets frame = good;
    for (auto flips = random() % 4; flips > 0; --flips) {
      frame[random() % frame.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    ASSERT_EQ(TagWord(frame.data()).is_data(), is_data(frame.data()));
    ASSERT_EQ(TagWord(frame.data()).target(), target_of(frame.data()));
    const bool expected = is_data(frame.data()) && target_of(frame.data()) == example().target;
    ASSERT_EQ(TagWord(frame.data()).is_data_for(example().target), expected);
  }
}

// Else a switch that learns where sources are would not pass frames on to such destinations.
TEST(FabricTag, NoSourceAddressIsADestinationAddress) {
  for (std::uint64_t epoch = 0; epoch < 1000; ++epoch) {
    auto tag = example();
    tag.epoch_mark = epoch_mark_of(Epoch{epoch});
    ASSERT_EQ(tag.epoch_mark, epoch % 52);
    Octets frame{};
    write_tag(frame.data(), tag);
    ASSERT_EQ(frame[6], (epoch % 52) << 2 | 2);
    MacAddress source;
    std::copy_n(frame.begin() + 6, 6, source.bytes.begin());
    ASSERT_FALSE(is_fabric_address(source)) << epoch;
  }
}

TEST(FabricTag, TheTimeStampCountsSixteenMicroseconds) {
  EXPECT_EQ(time_stamp_at(0), 0);
  EXPECT_EQ(time_stamp_at(15), 0);
  EXPECT_EQ(time_stamp_at(16), 1);
  EXPECT_EQ(time_stamp_at(65'535), 0xfff);
  EXPECT_EQ(time_stamp_at(65'536), 0);
  EXPECT_EQ(time_stamp_at(0xffff'ffff), 0xfff);
}

TEST(FabricTag, FabricAddresses) {
  EXPECT_TRUE(is_fabric_address(*MacAddress::parse("d2:00:00:00:00:00")));
  EXPECT_TRUE(is_fabric_address(*MacAddress::parse("d6:12:34:56:78:9a")));
  EXPECT_FALSE(is_fabric_address(*MacAddress::parse("02:52:57:00:00:01")));
  EXPECT_FALSE(is_fabric_address(*MacAddress::parse("ff:ff:ff:ff:ff:ff")));
}

}  // namespace
}  // namespace rackway::vlb
