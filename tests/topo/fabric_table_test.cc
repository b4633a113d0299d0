// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_table.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/topo/random_fabric.hh"
#include "topo/fabric_shapes.hh"

namespace rackway::topo::testing {
namespace {

using Links = std::vector<std::uint16_t>;

Links to_vector(std::span<const std::uint16_t> links) {
  return {links.begin(), links.end()};
}

const std::vector<LinkEnds> kRing{
    {node(0), node(1)}, {node(1), node(2)}, {node(2), node(3)}, {node(3), node(0)}};

TEST(FabricTable, MeshHasOneDirectLinkToEachAndAllOthersAsAlternates) {
  const std::vector<LinkEnds> links{{node(0), node(1)}, {node(0), node(2)}, {node(2), node(1)}};
  const FabricTable table(node(1), 3, links);
  ASSERT_EQ(table.local_links().size(), 2u);
  EXPECT_EQ(table.local_links()[0], (LocalLink{0, node(0)}));
  EXPECT_EQ(table.local_links()[1], (LocalLink{2, node(2)}));
  EXPECT_EQ(to_vector(table.links_to(node(0))), Links{0});
  EXPECT_EQ(to_vector(table.links_to(node(2))), Links{1});
  EXPECT_TRUE(table.links_to(node(1)).empty());
  EXPECT_EQ(to_vector(table.alternates_to(node(0))), Links{1});
  EXPECT_EQ(to_vector(table.alternates_to(node(2))), Links{0});
  EXPECT_TRUE(table.alternates_to(node(1)).empty());
  EXPECT_TRUE(table.is_mesh());
  EXPECT_EQ(table.hop_budget(), 2);
}

TEST(FabricTable, RingUsesBothWaysToTheFarSide) {
  const FabricTable table(node(0), 4, kRing);
  EXPECT_EQ(to_vector(table.links_to(node(1))), Links{0});
  EXPECT_EQ(to_vector(table.links_to(node(2))), (Links{0, 1}));
  EXPECT_EQ(to_vector(table.links_to(node(3))), Links{1});
  // The other neighbour is farther from that one than this node: it would send frames back.
  EXPECT_TRUE(table.alternates_to(node(1)).empty());
  EXPECT_EQ(table.hops_to(node(2)), 2);
  EXPECT_FALSE(table.is_mesh());
  EXPECT_EQ(table.hop_budget(), 4);
}

TEST(FabricTable, ARingWithALinkDownIsWalkedTheOtherWay) {
  const FabricTable table(node(0), 4, kRing, {true});
  ASSERT_EQ(table.local_links().size(), 2u) << "links keep their indices";
  for (std::uint16_t target = 1; target < 4; ++target) {
    EXPECT_EQ(to_vector(table.links_to(node(target))), Links{1});
    EXPECT_EQ(table.hops_to(node(target)), 4 - target);
  }
  EXPECT_EQ(table.hop_budget(), 6);
}

TEST(FabricTable, AMeshIsOneByTheDocumentWhateverIsDown) {
  const auto shape = full_mesh(4);
  const FabricTable table(node(0), 4, shape.links, {true});
  EXPECT_TRUE(table.is_mesh());
  EXPECT_EQ(to_vector(table.links_to(node(1))), (Links{1, 2}));
  auto doubled = shape.links;
  doubled.push_back(doubled.front());
  EXPECT_TRUE(FabricTable(node(2), 4, doubled).is_mesh());
  doubled[3] = doubled[4];
  EXPECT_FALSE(FabricTable(node(2), 4, doubled).is_mesh());
}

// Of a mesh without a link down the table is made in another way.
TEST(FabricTable, AWholeMeshIsAsByItsDistances) {
  std::mt19937 random(13);
  for (std::size_t nodes = 2; nodes < 9; ++nodes) {
    auto links = full_mesh(nodes).links;
    for (std::size_t more = random() % 4; more > 0; --more) {
      links.push_back({links[random() % links.size()].b, NodeId{0}});
      if (links.back().a == links.back().b) links.pop_back();
    }
    std::shuffle(links.begin(), links.end(), random);
    for (std::size_t self = 0; self < nodes; ++self) {
      const FabricTable table(node(self), nodes, links);
      const auto own = table.local_links();
      for (std::size_t to = 0; to < nodes; ++to) {
        Links first, others;
        for (std::uint16_t i = 0; i < own.size() && to != self; ++i) {
          (own[i].peer == node(to) ? first : others).push_back(i);
        }
        EXPECT_EQ(to_vector(table.links_to(node(to))), first);
        EXPECT_EQ(to_vector(table.alternates_to(node(to))), others);
        EXPECT_EQ(table.hops_to(node(to)), to == self ? 0 : 1);
      }
    }
  }
}

TEST(FabricTable, ParallelLinksAreBothUsed) {
  const std::vector<LinkEnds> links{{node(0), node(1)}, {node(1), node(0)}, {node(1), node(2)}};
  EXPECT_EQ(to_vector(FabricTable(node(0), 3, links).links_to(node(2))), (Links{0, 1}));
}

TEST(FabricTable, UnreachableNodesHaveNoLinks) {
  const std::vector<LinkEnds> links{{node(0), node(1)}};
  const FabricTable table(node(0), 3, links);
  EXPECT_TRUE(table.links_to(node(2)).empty());
  EXPECT_EQ(table.hops_to(node(2)), kUnreachable);
}

TEST(FabricTable, OneNodeAlone) {
  const FabricTable table(node(0), 1, {});
  EXPECT_TRUE(table.local_links().empty());
  EXPECT_TRUE(table.links_to(node(0)).empty());
  EXPECT_TRUE(table.is_mesh());
}

TEST(FabricTable, TheHopBudgetIsTwiceTheDiameterAsFarAsFourBitsGo) {
  EXPECT_EQ(hop_budget_for(0), 0);
  EXPECT_EQ(hop_budget_for(1), 2);
  EXPECT_EQ(hop_budget_for(7), 14);
  EXPECT_EQ(hop_budget_for(8), 15);
  EXPECT_EQ(hop_budget_for(kUnreachable), 15);
}

// By definition, from all distances: a link starts a shortest path if its far end is nearer by one,
// and is an alternate if its far end is as near as this node.
TEST(FabricTable, LinksAndAlternatesAreWhatTheDistancesSay) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const std::size_t nodes = 2 + random() % 24;
    auto links = random_links(random, nodes, random() % (3 * nodes));
    // Some nodes with more than a word of links.
    for (int extra = 0; round % 20 == 0 && extra < 150; ++extra) {
      links.push_back({node(0), node(1 + random() % (nodes - 1))});
    }
    std::vector<bool> down(random() % (links.size() + 1));
    for (auto&& link : down) link = random() % 6 == 0;
    const auto hops = naive_hops(nodes, links, down);
    for (std::size_t self = 0; self < nodes; ++self) {
      const FabricTable table(node(self), nodes, links, down);
      for (std::size_t to = 0; to < nodes; ++to) {
        Links first, alternates;
        const auto own = table.local_links();
        for (std::uint16_t i = 0; i < own.size(); ++i) {
          if (own[i].number < down.size() && down[own[i].number]) continue;
          if (to == self || hops[self][to] == kUnreachable) continue;
          const auto beyond = hops[own[i].peer.value][to];
          if (beyond < hops[self][to]) first.push_back(i);
          if (beyond == hops[self][to]) alternates.push_back(i);
        }
        ASSERT_EQ(to_vector(table.links_to(node(to))), first) << self << " to " << to;
        ASSERT_EQ(to_vector(table.alternates_to(node(to))), alternates) << self << " to " << to;
        ASSERT_EQ(table.hops_to(node(to)), hops[self][to]);
      }
    }
  }
}

// Where a frame ends up when every node sends it over its first live first link, and without one
// over its first live alternate: at its target, at a node without a way, or nowhere.
enum class End { target, stuck, circle };

End walk(const std::vector<FabricTable>& tables, std::size_t from, std::size_t to,
         std::uint32_t dead_link) {
  const auto live = [&](std::size_t at, std::span<const std::uint16_t> links) -> const LocalLink* {
    for (const auto link : links) {
      const auto& local = tables[at].local_links()[link];
      if (local.number != dead_link) return &local;
    }
    return nullptr;
  };
  for (std::size_t step = 0; step <= 2 * tables.size(); ++step) {
    if (from == to) return End::target;
    const auto* way = live(from, tables[from].links_to(node(to)));
    if (way == nullptr) way = live(from, tables[from].alternates_to(node(to)));
    if (way == nullptr) return End::stuck;
    from = way->peer.value;
  }
  return End::circle;
}

TEST(FabricTable, OneDeadLinkMakesNoFrameGoRoundInCircles) {
  std::mt19937 random(12);
  std::size_t arrived = 0, stuck = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t nodes = 3 + random() % 9;
    const auto links = random_links(random, nodes, nodes + random() % (2 * nodes));
    std::vector<FabricTable> tables;
    for (std::size_t i = 0; i < nodes; ++i) tables.emplace_back(node(i), nodes, links);
    for (std::uint32_t dead = 0; dead < links.size(); ++dead) {
      for (std::size_t from = 0; from < nodes; ++from) {
        for (std::size_t to = 0; to < nodes; ++to) {
          const auto end = walk(tables, from, to, dead);
          ASSERT_NE(end, End::circle) << from << " to " << to << " without link " << dead;
          (end == End::target ? arrived : stuck) += 1;
        }
      }
    }
  }
  EXPECT_GT(arrived, 10 * stuck);
}

}  // namespace
}  // namespace rackway::topo::testing
