// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_table.hh"

#include <gtest/gtest.h>

#include <vector>

namespace rackway::topo {
namespace {

constexpr NodeId node(int i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

std::vector<std::uint16_t> to_vector(std::span<const std::uint16_t> links) {
  return {links.begin(), links.end()};
}

TEST(FabricTable, MeshHasOneDirectLinkToEach) {
  const std::vector<LinkEnds> links{{node(0), node(1)}, {node(0), node(2)}, {node(2), node(1)}};
  const FabricTable table(node(1), 3, links);
  ASSERT_EQ(table.local_links().size(), 2u);
  EXPECT_EQ(table.local_links()[0], (LocalLink{0, node(0)}));
  EXPECT_EQ(table.local_links()[1], (LocalLink{2, node(2)}));
  EXPECT_EQ(to_vector(table.links_to(node(0))), (std::vector<std::uint16_t>{0}));
  EXPECT_EQ(to_vector(table.links_to(node(2))), (std::vector<std::uint16_t>{1}));
  EXPECT_TRUE(table.links_to(node(1)).empty());
}

TEST(FabricTable, RingUsesBothWaysToTheFarSide) {
  const std::vector<LinkEnds> links{
      {node(0), node(1)}, {node(1), node(2)}, {node(2), node(3)}, {node(3), node(0)}};
  const FabricTable table(node(0), 4, links);
  EXPECT_EQ(to_vector(table.links_to(node(1))), (std::vector<std::uint16_t>{0}));
  EXPECT_EQ(to_vector(table.links_to(node(2))), (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(to_vector(table.links_to(node(3))), (std::vector<std::uint16_t>{1}));
}

TEST(FabricTable, UnreachableNodesHaveNoLinks) {
  const std::vector<LinkEnds> links{{node(0), node(1)}};
  const FabricTable table(node(0), 3, links);
  EXPECT_TRUE(table.links_to(node(2)).empty());
}

TEST(FabricTable, OneNodeAlone) {
  const FabricTable table(node(0), 1, {});
  EXPECT_TRUE(table.local_links().empty());
  EXPECT_TRUE(table.links_to(node(0)).empty());
}

}  // namespace
}  // namespace rackway::topo
