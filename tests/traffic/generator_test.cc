// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/generator.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace rackway::traffic {
namespace {

constexpr NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

const std::vector<double> kRates = {10e9, 10e9, 40e9, 25e9};

std::vector<Packet> packets(Generator& generator, std::size_t at, Picoseconds until) {
  std::vector<Packet> all;
  if (!generator.at(node(at)).sends()) return all;
  for (auto packet = generator.at(node(at)).next(); packet.born < until;
       packet = generator.at(node(at)).next()) {
    all.push_back(packet);
  }
  return all;
}

bool same(const Packet& a, const Packet& b) {
  return a.born == b.born && a.flow == b.flow && a.sequence == b.sequence &&
         a.flow_hash == b.flow_hash && a.octets == b.octets && a.ingress == b.ingress &&
         a.egress == b.egress;
}

TEST(Generator, EachPairHasWhatTheMatrixSays) {
  for (const double load : {0.3, 0.8, 1.0}) {
    for (const auto kind : kMatrixKinds) {
      const auto matrix = make_matrix(kind, kRates, 5).scaled(load);
      Generator generator(matrix, kRates, FlowMix::heavy_tailed(), PacketSizes::imix(), 1);
      constexpr Picoseconds kTime = 20 * kMillisecond;
      for (std::size_t from = 0; from < kRates.size(); ++from) {
        std::map<int, double> bits;
        for (const auto& packet : packets(generator, from, kTime)) {
          bits[packet.egress.value] += 8.0 * (packet.octets + kFrameOverhead);
        }
        EXPECT_EQ(bits.size(), matrix.from(node(from)).size());
        for (const auto& demand : matrix.from(node(from))) {
          const double expected = demand.rate * static_cast<double>(kTime) / kSecond;
          EXPECT_NEAR(bits[demand.egress.value] / expected, 1, 0.03)
              << name_of(kind) << " at " << load;
        }
      }
    }
  }
}

// Not only in the long run: no pair is ever ahead or behind by more than a few bursts.
TEST(Generator, PairsKeepToTheirSharesOverShortTimes) {
  const std::vector<double> rates(8, 10e9);
  auto mix = FlowMix::heavy_tailed();
  mix.burst = 1;
  Generator generator(uniform(rates), rates, mix, PacketSizes::fixed(64), 1);
  std::map<int, int> sent;
  for (int i = 1; i <= 70'000; ++i) {
    ++sent[generator.at(node(0)).next().egress.value];
    if (i % 70 != 0) continue;
    for (const auto& [egress, count] : sent) ASSERT_NEAR(count, i / 7, 1);
  }
}

TEST(Generator, TheCableIsNeverFasterThanItsRate) {
  for (const double load : {0.5, 1.0}) {
    Generator generator(uniform(kRates).scaled(load), kRates, FlowMix::heavy_tailed(),
                        PacketSizes::imix(), 2);
    Picoseconds before = 0;
    for (const auto& packet : packets(generator, 0, 5 * kMillisecond)) {
      ASSERT_GE(packet.born - before, time_on_cable(packet.octets, picoseconds_per_octet(10e9)));
      before = packet.born;
    }
  }
}

TEST(Generator, FlowsAreNumberedWithoutGapsAndKeepTheirEnds) {
  Generator generator(uniform(kRates), kRates, FlowMix::heavy_tailed(16), PacketSizes::imix(), 3);
  struct Seen {
    std::uint32_t next{0}, hash{0};
    NodeId ingress, egress;
  };
  std::map<std::uint32_t, Seen> flows;
  for (std::size_t from = 0; from < kRates.size(); ++from) {
    for (const auto& packet : packets(generator, from, 2 * kMillisecond)) {
      auto& seen = flows[packet.flow];
      ASSERT_EQ(packet.sequence, seen.next);
      if (seen.next++ == 0) {
        seen = {1, packet.flow_hash, packet.ingress, packet.egress};
      }
      ASSERT_EQ(packet.flow_hash, seen.hash);
      ASSERT_EQ(packet.ingress, seen.ingress);
      ASSERT_EQ(packet.egress, seen.egress);
      ASSERT_EQ(packet.ingress, node(from));
    }
  }
  EXPECT_GT(flows.size(), 1000u);
}

TEST(Generator, ManyFlowsAreUnderWayAtATime) {
  const std::vector<double> rates(2, 10e9);
  Generator generator(uniform(rates), rates, FlowMix::steady(100), PacketSizes::fixed(64), 3);
  std::map<std::uint32_t, int> flows;
  for (const auto& packet : packets(generator, 0, kMillisecond)) ++flows[packet.flow];
  EXPECT_EQ(flows.size(), 100u);
}

TEST(Generator, TheSameForASeedWhateverTheOrderOfAsking) {
  const auto matrix = uniform(kRates).scaled(0.8);
  const auto make = [&matrix](std::uint64_t seed) {
    return std::make_unique<Generator>(matrix, kRates, FlowMix::heavy_tailed(), PacketSizes::imix(),
                                       seed);
  };
  const auto one = make(7), two = make(7), other = make(8);
  std::vector<std::vector<Packet>> first;
  for (std::size_t i = 0; i < 4; ++i) first.push_back(packets(*one, i, kMillisecond));
  for (std::size_t i = 4; i-- > 0;) {
    const auto again = packets(*two, i, kMillisecond);
    ASSERT_EQ(again.size(), first[i].size());
    ASSERT_TRUE(std::equal(again.begin(), again.end(), first[i].begin(), same));
    const auto different = packets(*other, i, kMillisecond);
    EXPECT_FALSE(different.size() == first[i].size() &&
                 std::equal(different.begin(), different.end(), first[i].begin(), same));
  }
}

TEST(Generator, ANodeThatWasDeadGoesOnLater) {
  Generator generator(uniform(kRates), kRates, FlowMix::steady(4), PacketSizes::fixed(64), 3);
  Source& source = generator.at(node(1));
  const auto before = source.next();
  source.skip_to(kMillisecond);
  EXPECT_GT(source.next().born, kMillisecond);
  EXPECT_LT(before.born, kMillisecond);
}

}  // namespace
}  // namespace rackway::traffic
