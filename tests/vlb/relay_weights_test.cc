// SPDX-License-Identifier: Apache-2.0
#include "vlb/relay_weights.hh"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace rackway::vlb {
namespace {

constexpr NodeId node(int i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

TEST(RelayWeights, AreEqualWithoutRates) {
  EXPECT_EQ(relay_weights(node(1), std::vector<double>(4, 0), std::vector<double>(4, 0)),
            std::vector<double>(4, 0.25));
}

TEST(RelayWeights, AreInProportionToRates) {
  const std::vector<double> rates{10, 40, 0, 50};
  EXPECT_EQ(relay_weights(node(0), rates, std::vector<double>(4, 0)),
            (std::vector<double>{0.1, 0.4, 0, 0.5}));
}

TEST(RelayWeights, AThinLinkGetsLess) {
  // To node 1 2 * 10 * 40 / 100 = 8 is needed and half of it there: 10, 20 and 50 of 80 are left.
  const std::vector<double> rates{10, 40, 0, 50}, links{0, 4, 0, 10};
  EXPECT_EQ(relay_weights(node(0), rates, links), (std::vector<double>{0.125, 0.25, 0, 0.625}));
}

// Zhang-Shen and McKeown's theorem, with links of just 2ab/R: whatever the traffic, if no node has
// more to take in or send out than its rate, no link has more to carry than it can.
TEST(RelayWeights, CarryAnyAdmissibleTraffic) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t nodes = 2 + random() % 9;
    std::vector<double> rates(nodes);
    for (auto& rate : rates) rate = 1 + random() % 100;
    const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
    std::vector<double> in = rates, out = rates;  // what is left
    std::vector<std::vector<double>> traffic(nodes, std::vector<double>(nodes, 0));
    for (int i = 0; i < 300; ++i) {
      const auto a = random() % nodes, b = random() % nodes;
      if (a == b) continue;
      const double part = std::min(in[a], out[b]) * (1 + random() % 100) / 100;
      traffic[a][b] += part;
      in[a] -= part;
      out[b] -= part;
    }
    std::vector<std::vector<double>> load(nodes, std::vector<double>(nodes, 0));
    for (std::size_t a = 0; a < nodes; ++a) {
      const auto weights =
          relay_weights(node(static_cast<int>(a)), rates, std::vector<double>(nodes, 0));
      for (std::size_t b = 0; b < nodes; ++b) {
        for (std::size_t relay = 0; relay < nodes; ++relay) {
          if (relay != a) load[a][relay] += traffic[a][b] * weights[relay];
          if (relay != b) load[relay][b] += traffic[a][b] * weights[relay];
        }
      }
    }
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = 0; b < nodes; ++b) {
        if (a == b) continue;
        ASSERT_LE(load[a][b], 2 * rates[a] * rates[b] / all * (1 + 1e-9));
      }
    }
  }
}

}  // namespace
}  // namespace rackway::vlb
