// SPDX-License-Identifier: Apache-2.0
#include "vlb/onward.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "topo/fabric_shapes.hh"

namespace rackway::vlb {
namespace {

constexpr NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

std::uint16_t peer(const topo::FabricTable& table, std::uint16_t link) {
  return table.local_links()[link].peer.value;
}

TEST(Onward, NoLinkBeforeAnyIsDealt) {
  const Onward onward;
  for (std::size_t target = 0; target < kMaxNodes; ++target) {
    EXPECT_EQ(onward.links()[target], kNoLink);
    EXPECT_EQ(onward.detour(node(target), node(0)).link, kNoLink);
  }
}

TEST(Onward, InAMeshTheDirectLinkAndAnyOtherAsADetour) {
  const auto shape = topo::full_mesh(4);
  const topo::FabricTable table(node(0), 4, shape.links);
  Onward onward;
  onward.deal(table, [](std::uint16_t link, NodeId) { return link != 0; });
  EXPECT_EQ(onward.links()[0], kNoLink);
  EXPECT_EQ(onward.links()[1], kNoLink) << "the link is dead";
  EXPECT_EQ(peer(table, onward.links()[2]), 2);
  EXPECT_EQ(peer(table, onward.links()[3]), 3);
  EXPECT_EQ(onward.links()[4], kNoLink);
  EXPECT_EQ(onward.detour(node(0), node(3)).link, kNoLink);
  EXPECT_EQ(onward.detour(node(1), node(2)).peer, node(3)) << "not back to where it entered";
  EXPECT_EQ(onward.detour(node(1), node(3)).peer, node(2));
  EXPECT_NE(onward.detour(node(1), node(0)).link, kNoLink);
  EXPECT_EQ(onward.detour(node(0xffff), node(0)).link, kNoLink);
}

TEST(Onward, ADetourGoesBackWhereItIsTheOnlyOne) {
  const auto shape = topo::full_mesh(4);
  const topo::FabricTable table(node(0), 4, shape.links);
  Onward onward;
  onward.deal(table, [](std::uint16_t link, NodeId) { return link == 2; });
  for (const std::size_t ingress : {1, 2, 3}) {
    EXPECT_EQ(onward.detour(node(1), node(ingress)).peer, node(3));
  }
}

TEST(Onward, TargetsShareTheShortestPathsThatAreLive) {
  // Relay 4 of a 4-ary 2-fly: four ways to the edge nodes behind the other relays of its stage.
  const auto shape = topo::butterfly(4, 2);
  const auto self = node(shape.edge_nodes);
  const topo::FabricTable table(self, shape.nodes, shape.links);
  Onward onward;
  std::set<std::uint16_t> taken;
  onward.deal(table, [](std::uint16_t, NodeId) { return true; });
  for (std::size_t relay = 1; relay < 4; ++relay) {
    const auto target = node(shape.edge_nodes + relay);
    ASSERT_EQ(table.links_to(target).size(), 4u);
    taken.insert(onward.links()[target.value]);
  }
  EXPECT_EQ(taken.size(), 3u);
}

// Whatever is usable: a live first link if there is one, a live alternate if there is one.
TEST(Onward, IsOneOfTheUsableLinksOfTheTable) {
  std::mt19937 random(9);
  const auto shape = topo::butterfly(3, 2);
  for (int round = 0; round < 200; ++round) {
    const auto self = node(random() % shape.nodes);
    const topo::FabricTable table(self, shape.nodes, shape.links);
    std::set<std::pair<std::uint16_t, std::uint16_t>> unusable;
    for (int i = 0; i < 60; ++i) {
      unusable.emplace(random() % table.local_links().size(), random() % shape.nodes);
    }
    const auto usable = [&](std::uint16_t link, NodeId target) {
      return !unusable.contains({link, target.value});
    };
    Onward onward;
    onward.deal(table, usable);
    for (std::size_t target = 0; target < shape.nodes; ++target) {
      const auto expect_one_of = [&](std::span<const std::uint16_t> links, std::uint16_t picked) {
        std::vector<std::uint16_t> allowed;
        std::ranges::copy_if(links, std::back_inserter(allowed),
                             [&](std::uint16_t link) { return usable(link, node(target)); });
        if (allowed.empty()) allowed.push_back(kNoLink);
        EXPECT_EQ(std::ranges::count(allowed, picked), 1);
      };
      expect_one_of(table.links_to(node(target)), onward.links()[target]);
      const auto ingress = node(random() % shape.nodes);
      expect_one_of(table.alternates_to(node(target)), onward.detour(node(target), ingress).link);
    }
  }
}

}  // namespace
}  // namespace rackway::vlb
