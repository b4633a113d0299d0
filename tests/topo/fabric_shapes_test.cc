// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_shapes.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rackway::topo {
namespace {

std::vector<std::size_t> degrees(const FabricShape& shape) {
  std::vector<std::size_t> result(shape.nodes);
  for (const auto& link : shape.links) {
    ++result[link.a.value];
    ++result[link.b.value];
  }
  return result;
}

bool joins_no_pair_twice(const FabricShape& shape) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  return std::ranges::all_of(shape.links, [&](const LinkEnds& link) {
    return link.a != link.b && pairs.insert(std::minmax(link.a, link.b)).second;
  });
}

// The way of a frame through the stages, by digits alone: at each stage one digit of the relay's
// number becomes that of the target, and the target is at the last relay.
bool leads_through_all_stages(const FabricShape& shape, std::size_t k, std::size_t n,
                              std::size_t from, std::size_t to) {
  const auto joined = [&](std::size_t a, std::size_t b) {
    return std::ranges::any_of(shape.links, [&](const LinkEnds& link) {
      return (link.a.value == a && link.b.value == b) || (link.a.value == b && link.b.value == a);
    });
  };
  const std::size_t width = shape.edge_nodes / k;
  std::size_t relay = from / k, weight = width;
  if (!joined(from, shape.edge_nodes + relay)) return false;
  for (std::size_t stage = 1; stage < n; ++stage) {
    weight /= k;
    const std::size_t next = relay - relay / weight % k * weight + to / k / weight % k * weight;
    if (!joined(shape.edge_nodes + (stage - 1) * width + relay,
                shape.edge_nodes + stage * width + next)) {
      return false;
    }
    relay = next;
  }
  return joined(shape.edge_nodes + (n - 1) * width + relay, to);
}

TEST(FabricShapes, AMeshJoinsEachPairOnce) {
  EXPECT_EQ(full_mesh(1).links.size(), 0u);
  for (std::size_t nodes = 1; nodes <= 20; ++nodes) {
    const auto shape = full_mesh(nodes);
    EXPECT_EQ(shape.nodes, nodes);
    EXPECT_EQ(shape.edge_nodes, nodes);
    EXPECT_EQ(shape.links.size(), nodes * (nodes - 1) / 2);
    EXPECT_TRUE(joins_no_pair_twice(shape));
  }
}

TEST(FabricShapes, TheSmallestButterflyLinkByLink) {
  const auto shape = butterfly(2, 2);  // 0 to 3; relays 4, 5 of the first stage; 6, 7 of the second
  const auto link = [](std::uint16_t a, std::uint16_t b) { return LinkEnds{NodeId{a}, NodeId{b}}; };
  EXPECT_EQ(shape.nodes, 8u);
  EXPECT_EQ(shape.edge_nodes, 4u);
  EXPECT_EQ(shape.links, (std::vector<LinkEnds>{link(0, 4), link(1, 4), link(2, 5), link(3, 5),
                                                link(4, 6), link(4, 7), link(5, 6), link(5, 7),
                                                link(0, 6), link(1, 6), link(2, 7), link(3, 7)}));
}

TEST(FabricShapes, OneStageIsAStar) {
  const auto shape = butterfly(3, 1);
  EXPECT_EQ(shape.nodes, 4u);
  EXPECT_EQ(degrees(shape), (std::vector<std::size_t>{1, 1, 1, 3}));
}

TEST(FabricShapes, EveryPairOfEdgeNodesIsJoinedThroughAllStages) {
  for (const auto& [k, n] : std::vector<std::pair<std::size_t, std::size_t>>{
           {2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 2}, {3, 3}, {4, 2}, {5, 2}}) {
    const auto shape = butterfly(k, n);
    const std::size_t width = shape.edge_nodes / k;
    EXPECT_EQ(shape.nodes, shape.edge_nodes + n * width);
    EXPECT_TRUE(joins_no_pair_twice(shape));
    const auto degree = degrees(shape);
    for (std::size_t node = 0; node < shape.nodes; ++node) {
      const bool is_edge = node < shape.edge_nodes;
      EXPECT_EQ(degree[node], n == 1 ? (is_edge ? 1 : k) : (is_edge ? 2 : 2 * k)) << node;
    }
    for (std::size_t from = 0; from < shape.edge_nodes; ++from) {
      for (std::size_t to = 0; to < shape.edge_nodes; ++to) {
        EXPECT_TRUE(leads_through_all_stages(shape, k, n, from, to)) << from << " " << to;
      }
    }
  }
}

}  // namespace
}  // namespace rackway::topo
