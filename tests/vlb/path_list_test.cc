// SPDX-License-Identifier: Apache-2.0
#include "vlb/path_list.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace rackway::vlb {
namespace {

constexpr NodeId node(int i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

std::vector<topo::LinkEnds> mesh(std::size_t nodes) {
  std::vector<topo::LinkEnds> links;
  for (std::uint16_t a = 0; a < nodes; ++a) {
    for (std::uint16_t b = a + 1u; b < nodes; ++b) links.push_back({NodeId{a}, NodeId{b}});
  }
  return links;
}

FabricView random_view(std::mt19937& random, std::size_t links, std::size_t nodes) {
  const auto link = [&] {
    return LinkView{random() % 4 != 0, static_cast<Load>(random()),
                    static_cast<std::uint16_t>(random() % 8 == 0 ? 0xffff : random() % 1000)};
  };
  FabricView view;
  for (std::size_t i = 0; i < links; ++i) {
    view.links.push_back(link());
    view.peers.push_back({true, random() % 8 == 0, {}});
    if (random() % 8 == 0) continue;  // has not said anything yet
    for (std::size_t to = 0; to < nodes; ++to) view.peers.back().to.push_back(link());
  }
  return view;
}

TEST(PathList, InAMeshStraightAndOverEachOtherNode) {
  const topo::FabricTable table(node(1), 4, mesh(4));
  const PathList paths(table, node(1));
  EXPECT_EQ(paths[0], Path{});
  for (const int egress : {0, 2, 3}) {
    const auto range = paths.to(node(egress));
    ASSERT_EQ(range.relays - range.first, 1);
    EXPECT_EQ(paths[range.first].target, node(egress));
    EXPECT_EQ(paths[range.first].relayed, 0u);
    std::set<int> relays;
    for (PathIndex i = range.relays; i < range.end; ++i) {
      EXPECT_EQ(paths[i].relayed, 1u);
      EXPECT_EQ(table.local_links()[paths[i].link].peer, paths[i].target);
      relays.insert(paths[i].target.value);
    }
    std::set<int> others{0, 2, 3};
    others.erase(egress);
    EXPECT_EQ(relays, others);
  }
  EXPECT_EQ(paths.to(node(1)).first, paths.to(node(1)).end);
  EXPECT_EQ(paths.size(), 1u + 9);
}

// By the words of fabric_view.hh.
TEST(PathList, APathIsAsItsLinksAre) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t nodes = 2 + random() % 6;
    const NodeId self = node(static_cast<int>(random() % nodes));
    const topo::FabricTable table(self, nodes, mesh(nodes));
    const PathList paths(table, self);
    const auto view = random_view(random, nodes - 1, nodes);
    for (std::uint16_t egress = 0; egress < nodes; ++egress) {
      const auto range = paths.to(NodeId{egress});
      for (PathIndex i = range.first; i < range.end; ++i) {
        const auto state = paths.state(i, NodeId{egress}, view);
        const LinkView& own = view.links[paths[i].link];
        const PeerView& peer = view.peers[paths[i].link];
        if (i < range.relays) {
          ASSERT_EQ(state.alive, own.alive);
          ASSERT_EQ(state.open, own.alive);
          ASSERT_EQ(state.load, static_cast<float>(own.load) / 200);
          ASSERT_EQ(state.delay, own.delay == 0xffff ? kUnknownDelay : own.delay);
          continue;
        }
        const LinkView onward = peer.to.empty() ? LinkView{} : peer.to[egress];
        ASSERT_EQ(state.alive, own.alive && onward.alive);
        ASSERT_EQ(state.open, own.alive && onward.alive && !peer.draining);
        if (!state.alive) continue;
        const auto load = std::max(own.load, onward.load);
        const bool unknown = own.delay == 0xffff || onward.delay == 0xffff;
        ASSERT_EQ(state.load, static_cast<float>(load) / 200);
        ASSERT_EQ(state.delay, unknown ? kUnknownDelay : std::uint32_t{own.delay} + onward.delay);
      }
    }
  }
}

// 0 - 1, 0 - 2, 1 - 3, 2 - 3, 3 - 4: two shortest paths from 0 to 3, and relays that are not
// neighbours.
TEST(PathList, InAnyGraphByTheShortestPaths) {
  const std::vector<topo::LinkEnds> links{{node(0), node(1)},
                                          {node(0), node(2)},
                                          {node(1), node(3)},
                                          {node(2), node(3)},
                                          {node(3), node(4)}};
  const topo::FabricTable table(node(0), 5, links);
  const PathList paths(table, node(0));
  const auto range = paths.to(node(4));
  ASSERT_EQ(range.relays - range.first, 2);
  std::multiset<int> relays;
  for (PathIndex i = range.relays; i < range.end; ++i) relays.insert(paths[i].target.value);
  EXPECT_EQ(relays, (std::multiset<int>{1, 2, 3, 3}));
  FabricView view;
  view.links.assign(2, {true, 10, 5});
  view.peers.assign(2, {true, false, std::vector<LinkView>(5, LinkView{true, 20, 50})});
  view.peers[1].to[3] = {true, 100, 70};
  view.peers[1].to[4] = {false, 0, 0};
  EXPECT_TRUE(paths.state(range.first, node(4), view).alive);
  EXPECT_EQ(paths.state(range.first, node(4), view).delay, 55u);
  EXPECT_FALSE(paths.state(static_cast<PathIndex>(range.first + 1), node(4), view).alive);
  for (PathIndex i = range.relays; i < range.end; ++i) {
    if (paths[i].target != node(3)) continue;
    const auto state = paths.state(i, node(4), view);
    EXPECT_TRUE(state.alive);
    EXPECT_EQ(state.load, paths[i].link == 1 ? 0.5f : 0.1f);
  }
}

TEST(PathList, AnIndexIsEnoughForTheLargestMesh) {
  constexpr std::size_t kNodes = 600;
  const topo::FabricTable table(node(7), kNodes, mesh(kNodes));
  const PathList paths(table, node(7));
  EXPECT_LE(paths.size(), 65'536u);
  for (std::uint16_t egress = 0; egress < kNodes; ++egress) {
    const auto range = paths.to(NodeId{egress});
    if (egress == 7) continue;
    ASSERT_EQ(range.relays - range.first, 1);
    ASSERT_GT(range.end - range.relays, 100);
  }
}

// Where not all fit, no relay has more than its part of the paths to all egress nodes together.
TEST(PathList, InALargeMeshAllRelaysAreUsedAlike) {
  for (const std::size_t nodes : {256, 257, 600}) {
    const topo::FabricTable table(node(7), nodes, mesh(nodes));
    const PathList paths(table, node(7));
    std::vector<std::size_t> uses(nodes);
    std::size_t all = 0;
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const Path& path = paths[static_cast<PathIndex>(i)];
      if (path.relayed == 0) continue;
      ++uses[path.target.value];
      ++all;
    }
    uses.erase(uses.begin() + 7);
    const auto mean = static_cast<double>(all) / static_cast<double>(nodes - 1);
    const auto [least, most] = std::minmax_element(uses.begin(), uses.end());
    EXPECT_GE(static_cast<double>(*least), mean - 3) << nodes;
    EXPECT_LE(static_cast<double>(*most), mean + 3) << nodes;
  }
}

}  // namespace
}  // namespace rackway::vlb
