// SPDX-License-Identifier: Apache-2.0
// Against naive counting over whole lists.
#include "vlb/traffic/meter.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vlb/traffic/random.hh"

namespace rackway::traffic {
namespace {

// RFC 4737, 3.3 and 4.2.1, word by word. 0 for a packet in order.
std::vector<std::uint32_t> extents_of(const std::vector<std::uint32_t>& arrivals) {
  std::vector<std::uint32_t> extents;
  std::uint32_t next_expected = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (arrivals[i] >= next_expected) {
      next_expected = arrivals[i] + 1;
      extents.push_back(0);
      continue;
    }
    std::size_t first = 0;
    while (arrivals[first] < arrivals[i]) ++first;
    extents.push_back(static_cast<std::uint32_t>(i - first));
  }
  return extents;
}

// 0..n-1, some lost, some late by up to `late` places.
std::vector<std::uint32_t> disturbed(std::uint32_t n, double lost, double moved, std::uint32_t late,
                                     Random& random) {
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (random.unit() < lost) continue;
    const double delay = random.unit() < moved ? 1 + random.below(late) + 0.5 : 0;
    order.emplace_back(i + delay, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> arrivals;
  for (const auto& [at, sequence] : order) arrivals.push_back(sequence);
  return arrivals;
}

TEST(FlowOrder, ExamplesOfTheRfc) {
  // One packet that is late by four, as in its table 1, and a block of three.
  FlowOrder order;
  std::vector<std::uint32_t> extents;
  for (const auto sequence : {0u, 1u, 2u, 4u, 5u, 6u, 7u, 3u, 8u}) {
    extents.push_back(order.arrived(0, sequence));
  }
  EXPECT_EQ(extents, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 4, 0}));
  extents.clear();
  for (const auto sequence : {0u, 1u, 5u, 6u, 2u, 3u, 4u, 7u}) {
    extents.push_back(order.arrived(1, sequence));
  }
  EXPECT_EQ(extents, (std::vector<std::uint32_t>{0, 0, 0, 0, 2, 3, 4, 0}));
}

TEST(FlowOrder, LossAloneIsNoReordering) {
  FlowOrder order;
  for (std::uint32_t i = 0; i < 1000; i += 3) EXPECT_EQ(order.arrived(9, i), 0u);
}

TEST(FlowOrder, LikeTheDefinition) {
  Random random(1);
  FlowOrder order;
  for (std::uint32_t flow = 0; flow < 300; ++flow) {
    const auto arrivals = disturbed(200, 0.05 * (flow % 3), 0.1, 1 + random.below(8), random);
    const auto expected = extents_of(arrivals);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_EQ(order.arrived(flow, arrivals[i]), expected[i]) << flow << " " << i;
    }
  }
}

// More gaps than are remembered: still the same packets, and no extent is overstated.
TEST(FlowOrder, ForgetsGapsButNotThatAPacketIsLate) {
  Random random(2);
  for (std::uint32_t round = 0; round < 50; ++round) {
    FlowOrder order;
    const auto arrivals = disturbed(2000, 0.3, 0.2, 300, random);
    const auto expected = extents_of(arrivals);
    std::size_t understated = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const auto extent = order.arrived(0, arrivals[i]);
      ASSERT_EQ(extent > 0, expected[i] > 0);
      ASSERT_LE(extent, expected[i]);
      understated += extent < expected[i] ? 1 : 0;
    }
    EXPECT_GT(understated, 0u);
  }
}

TEST(FlowOrder, BeginsWhereItIsTold) {
  FlowOrder order;
  order.expect(3, 100);
  EXPECT_EQ(order.arrived(3, 100), 0u);
  EXPECT_EQ(order.arrived(3, 102), 0u);
  EXPECT_EQ(order.arrived(3, 101), 1u);
}

TEST(LatencyHistogram, PercentilesAreWithinOneSixtyFourth) {
  Random random(3);
  LatencyHistogram histogram;
  std::vector<Picoseconds> times;
  for (int i = 0; i < 50'000; ++i) {
    times.push_back(static_cast<Picoseconds>(std::exp(random.unit() * 40)));
    histogram.add(times.back());
  }
  std::sort(times.begin(), times.end());
  for (const double share : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * 50'000));
    const auto exact = static_cast<double>(times[std::max<std::size_t>(rank, 1) - 1]);
    const auto read = static_cast<double>(histogram.percentile(share));
    EXPECT_GE(read, exact) << share;
    EXPECT_LE(read, exact * (1 + 1 / 64.)) << share;
  }
}

TEST(LatencyHistogram, TheEndsOfItsRange) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0);
  histogram.add(-5);
  EXPECT_EQ(histogram.percentile(1), 0);
  histogram.add(std::numeric_limits<Picoseconds>::max());
  EXPECT_EQ(histogram.percentile(1), std::numeric_limits<Picoseconds>::max());
  LatencyHistogram other;
  other.add(7);
  histogram.merge(other);
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.percentile(0.6), 7);
}

Packet packet(std::uint32_t flow, std::uint32_t sequence, std::uint16_t octets = 100) {
  return {1000, flow, sequence, 0, octets, NodeId{0}, NodeId{1}};
}

TEST(Meter, CountsWhatIsSentAndArrives) {
  Meter meter;
  EXPECT_EQ(meter.goodput(), 1);
  EXPECT_EQ(meter.reordered_share(), 0);
  for (std::uint32_t i = 0; i < 5; ++i) meter.sent(packet(0, i));
  meter.sent(packet(1, 7, 300));
  for (const auto i : {0u, 2u, 3u, 1u}) meter.arrived(packet(0, i), 5000);
  EXPECT_EQ(meter.sent(), (Count{6, 800}));
  EXPECT_EQ(meter.arrived(), (Count{4, 400}));
  EXPECT_EQ(meter.lost(), 2u);
  EXPECT_EQ(meter.goodput(), 0.5);
  EXPECT_EQ(meter.reordered(), 1u);
  EXPECT_EQ(meter.reordered_share(), 0.25);
  EXPECT_EQ(meter.extent(1), 2u);
  EXPECT_NEAR(static_cast<double>(meter.latency().percentile(0.5)), 4000, 63);
}

// The first packet that is told of is the first of its flow, be it in the middle.
TEST(Meter, MeasuresFlowsFromWhereItIsTold) {
  Meter meter;
  for (const auto i : {50u, 51u, 52u}) meter.sent(packet(4, i));
  for (const auto i : {51u, 50u, 52u}) meter.arrived(packet(4, i), 2000);
  EXPECT_EQ(meter.reordered(), 1u);
  EXPECT_EQ(meter.extent(0.5), 1u);
}

TEST(Meter, ManyFlowsLikeTheDefinition) {
  Random random(5);
  Meter meter;
  std::uint64_t reordered = 0, arrived = 0;
  std::vector<std::uint32_t> extents;
  for (std::uint32_t flow = 0; flow < 200; ++flow) {
    const auto arrivals = disturbed(100, 0.02, 0.1, 6, random);
    for (std::uint32_t i = 0; i < 100; ++i) meter.sent(packet(flow, i));
    for (const auto sequence : arrivals) meter.arrived(packet(flow, sequence), 3000);
    for (const auto extent : extents_of(arrivals)) {
      if (extent > 0) extents.push_back(extent);
    }
    arrived += arrivals.size();
  }
  reordered = extents.size();
  std::sort(extents.begin(), extents.end());
  EXPECT_EQ(meter.reordered(), reordered);
  EXPECT_EQ(meter.lost(), 20'000 - arrived);
  for (const double share : {0.25, 0.5, 0.9, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(reordered)));
    EXPECT_EQ(meter.extent(share), extents[rank - 1]);
  }
}

}  // namespace
}  // namespace rackway::traffic
