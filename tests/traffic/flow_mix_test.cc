// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/flow_mix.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "vlb/traffic/packet_sizes.hh"

namespace rackway::traffic {
namespace {

TEST(Random, GeometricAndExponentialHaveTheirMeans) {
  Random random(1);
  double geometric = 0, exponential = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto draw = random.geometric(4);
    ASSERT_GE(draw, 1u);
    geometric += draw;
    exponential += random.exponential(3);
  }
  EXPECT_NEAR(geometric / kDraws, 4, 0.05);
  EXPECT_NEAR(exponential / kDraws, 3, 0.03);
  EXPECT_EQ(random.geometric(1), 1u);
}

TEST(PacketSizes, PartsInTheirShares) {
  const auto imix = PacketSizes::imix();
  Random random(2);
  int of_64 = 0, of_594 = 0, of_1518 = 0;
  constexpr int kDraws = 120'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto size = imix.draw(random);
    of_64 += size == 64;
    of_594 += size == 594;
    of_1518 += size == 1518;
  }
  EXPECT_EQ(of_64 + of_594 + of_1518, kDraws);
  EXPECT_NEAR(of_64, kDraws * 7 / 12, 1000);
  EXPECT_NEAR(of_594, kDraws * 4 / 12, 1000);
  EXPECT_DOUBLE_EQ(imix.mean(), (7 * 64 + 4 * 594 + 1518) / 12.0);
  EXPECT_DOUBLE_EQ(imix.mean_on_cable(), imix.mean() + 20);
}

TEST(PacketSizes, OneSize) {
  Random random(3);
  EXPECT_EQ(PacketSizes::fixed(64).draw(random), 64);
  EXPECT_EQ(PacketSizes::fixed(64).name(), "64");
}

TEST(FlowMix, LengthsAreHeavyTailed) {
  const auto mix = FlowMix::heavy_tailed();
  Random random(4);
  std::vector<double> lengths(200'000);
  for (auto& length : lengths) {
    length = mix.draw_length(random);
    ASSERT_GE(length, mix.shortest);
    ASSERT_LE(length, mix.longest);
  }
  std::sort(lengths.begin(), lengths.end());
  EXPECT_EQ(lengths[lengths.size() / 2], 3);
  const double all = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  double in_long = 0;
  for (const auto length : lengths) in_long += length >= 100 ? length : 0;
  EXPECT_GT(in_long / all, 0.4);  // of the packets
  // The median of a Pareto distribution with shape 1.1 from 2 on, and its 99th percentile.
  EXPECT_NEAR(lengths[lengths.size() * 99 / 100], 2 * std::pow(100, 1 / 1.1), 8);
}

TEST(FlowMix, SteadyFlowsDoNotEnd) {
  Random random(5);
  EXPECT_EQ(FlowMix::steady().draw_length(random), 0xffffffffu);
}

TEST(FlowShares, FlowsAreDrawnByTheirShares) {
  auto mix = FlowMix::heavy_tailed(40);
  const FlowShares shares(mix);
  Random random(6);
  std::vector<int> drawn(40);
  constexpr int kDraws = 400'000;
  for (int i = 0; i < kDraws; ++i) ++drawn[shares.draw(random)];
  double sum = 0;
  for (int rank = 0; rank < 40; ++rank) sum += 1 / (rank + mix.knee);
  for (int rank = 0; rank < 40; ++rank) {
    EXPECT_NEAR(drawn[rank], kDraws / (rank + mix.knee) / sum, 600) << rank;
  }
}

TEST(FlowShares, EqualOnesAndASingleOne) {
  Random random(7);
  const FlowShares equal(FlowMix::steady(10)), single(FlowMix::heavy_tailed(1));
  std::vector<int> drawn(10);
  for (int i = 0; i < 100'000; ++i) {
    ++drawn[equal.draw(random)];
    ASSERT_EQ(single.draw(random), 0u);
  }
  for (const auto count : drawn) EXPECT_NEAR(count, 10'000, 500);
}

}  // namespace
}  // namespace rackway::traffic
