// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_check.hh"

#include <gtest/gtest.h>

#include "tests/topo/random_fabric.hh"
#include "topo/fabric_shapes.hh"

namespace rackway::topo::testing {
namespace {

std::vector<LinkEnds> line(std::size_t nodes) {
  std::vector<LinkEnds> links;
  for (std::size_t i = 1; i < nodes; ++i) links.push_back({node(i - 1), node(i)});
  return links;
}

TEST(FabricCheck, MeshesAndButterfliesPass) {
  for (const auto& shape : {full_mesh(1), full_mesh(2), full_mesh(9), butterfly(2, 1),
                            butterfly(2, 2), butterfly(2, 3), butterfly(3, 3), butterfly(2, 6)}) {
    const auto fault = fabric_fault(names(shape.nodes), shape.links);
    EXPECT_FALSE(fault) << shape.nodes << ": " << fault->what;
  }
}

TEST(FabricCheck, ANodeOnItsOwnIsNamed) {
  auto links = line(4);
  links.pop_back();
  const auto fault = fabric_fault(names(4), links);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->node, node(3));
  EXPECT_EQ(fault->what, R"(node "n3" is not reachable from node "n0" over the fabric)");
  EXPECT_EQ(fault->what_to_do, "add a link to it in /fabric/links");
}

TEST(FabricCheck, TwoPhasesFitIntoTheHopBudgetUpToEightLinks) {
  EXPECT_FALSE(fabric_fault(names(9), line(9)));
  const auto fault = fabric_fault(names(10), line(10));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->node, node(9));
  EXPECT_EQ(fault->what,
            R"(nodes "n0" and "n9" are 9 links apart, so that a way over a third node may pass 17 )"
            "relays; a frame passes at most 15");
  EXPECT_TRUE(fabric_fault(names(1280), butterfly(2, 8).links)) << "edge nodes are 9 links apart";
}

TEST(FabricCheck, ATableThatSendsFramesBackIsNamed) {
  const auto links = line(4);
  // Node 3 believes in a link that is not there: the tables are of another fabric.
  auto ring = links;
  ring.push_back({node(3), node(0)});
  const auto fault = fabric_fault(names(4), links, [&](NodeId self) {
    const auto& believed = self == node(3) ? ring : links;
    return FabricTable(self, FabricGraph(4, believed), believed, Hops{3});
  });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->node, node(3));
  EXPECT_EQ(fault->what,
            R"(node "n3" sends frames for node "n0" to node "n0", which is not nearer)");
}

TEST(FabricCheck, ATableWithoutAWayIsNamed) {
  const auto links = line(4);
  const auto fault = fabric_fault(names(4), links, [&](NodeId self) {
    return FabricTable(self, FabricGraph(4, links, {false, false, self == node(1)}), links,
                       Hops{3});
  });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, R"(node "n1" has no link for frames to node "n3")");
}

TEST(FabricCheck, AHopBudgetThatIsTooShortIsNamed) {
  const auto links = line(4);
  const FabricGraph graph(4, links);
  const auto fault = fabric_fault(
      names(4), links, [&](NodeId self) { return FabricTable(self, graph, links, Hops{1}); });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, R"(node "n0" lets frames pass 2 relays, and two phases may take 5)");
}

TEST(FabricCheck, PassesExactlyThoseThatAreConnectedAndShort) {
  std::mt19937 random(3);
  std::size_t passed = 0;
  for (int round = 0; round < 500; ++round) {
    const std::size_t nodes = 2 + random() % 24;
    const auto links = random_links(random, nodes, nodes - 1 + random() % nodes);
    Hops farthest = 0;
    for (const auto& row : naive_hops(nodes, links)) {
      farthest = std::max(farthest, *std::max_element(row.begin(), row.end()));
    }
    const bool good = farthest <= 8;
    ASSERT_EQ(!fabric_fault(names(nodes), links), good);
    passed += good ? 1 : 0;
  }
  EXPECT_GT(passed, 100u);
  EXPECT_LT(passed, 400u);
}

}  // namespace
}  // namespace rackway::topo::testing
