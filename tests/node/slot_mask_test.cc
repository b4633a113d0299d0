// SPDX-License-Identifier: Apache-2.0
// The vector forms against the plain ones.
#include "node/slot_mask.hh"

#include <gtest/gtest.h>

#include <random>

namespace rackway::node::testing {
namespace {

// Values at the edges of their type more often than not.
std::uint16_t value(std::mt19937& random) {
  constexpr std::uint16_t kEdges[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 1500};
  return random() % 2 == 0 ? kEdges[random() % std::size(kEdges)]
                           : static_cast<std::uint16_t>(random());
}

TEST(SlotMask, VectorFormsAreAsThePlainOnes) {
  std::mt19937 random(1);
  alignas(64) std::array<std::uint16_t, kBurst> column;
  alignas(64) std::array<fib::Bucket, kBurst> buckets;
  for (int round = 0; round < 20'000; ++round) {
    for (std::size_t i = 0; i < kBurst; ++i) {
      column[i] = value(random);
      buckets[i] = {NodeId{value(random)}, value(random),
                    AdjacencyId{static_cast<std::uint32_t>(random())}};
    }
    const std::uint16_t wanted = value(random);
    ASSERT_EQ(equal(column, wanted), plain::equal(column, wanted));
    ASSERT_EQ(fitting(buckets, column), plain::fitting(buckets, column));
    ASSERT_EQ(of_node(buckets, NodeId{wanted}), plain::of_node(buckets, NodeId{wanted}));
  }
}

TEST(SlotMask, EachSlotHasItsBit) {
  for (std::size_t i = 0; i < kBurst; ++i) {
    alignas(64) std::array<std::uint16_t, kBurst> column{};
    alignas(64) std::array<fib::Bucket, kBurst> buckets{};
    column[i] = 7;
    buckets[i].node = NodeId{7};
    EXPECT_EQ(equal(column, 7), bit(i));
    EXPECT_EQ(of_node(buckets, NodeId{7}), bit(i));
    EXPECT_EQ(fitting(buckets, column), ~bit(i));
  }
}

}  // namespace
}  // namespace rackway::node::testing
