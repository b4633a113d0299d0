// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_graph.hh"

#include <gtest/gtest.h>

#include "tests/topo/random_fabric.hh"

namespace rackway::topo::testing {
namespace {

TEST(FabricGraph, NeighboursInTheOrderOfTheLinks) {
  const std::vector<LinkEnds> links{{node(0), node(1)}, {node(2), node(0)}, {node(1), node(0)}};
  const FabricGraph graph(3, links, {false, true});
  ASSERT_EQ(graph.neighbors(node(0)).size(), 2u);
  EXPECT_EQ(graph.neighbors(node(0))[0].node, node(1));
  EXPECT_EQ(graph.neighbors(node(0))[0].link, 0u);
  EXPECT_EQ(graph.neighbors(node(0))[1].link, 2u);
  EXPECT_TRUE(graph.neighbors(node(2)).empty());
}

TEST(FabricGraph, DistancesAndDiameterAsTheNaiveOnes) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t nodes = 1 + random() % (round % 10 == 0 ? 150 : 20);
    const auto links = random_links(random, nodes, nodes == 1 ? 0 : random() % (2 * nodes));
    std::vector<bool> down(links.size());
    for (auto&& link : down) link = random() % 8 == 0;
    const auto expected = naive_hops(nodes, links, down);
    const FabricGraph graph(nodes, links, down);
    Hops farthest = 0;
    for (std::size_t from = 0; from < nodes; ++from) {
      ASSERT_EQ(graph.hops_from(node(from)), expected[from]);
      for (const auto hops : expected[from]) {
        if (hops != kUnreachable) farthest = std::max(farthest, hops);
      }
    }
    ASSERT_EQ(graph.diameter(1000), farthest);
    ASSERT_EQ(graph.diameter(3), std::min<Hops>(farthest, 3));
  }
}

}  // namespace
}  // namespace rackway::topo::testing
