// SPDX-License-Identifier: Apache-2.0
// Frames walked through whole fabrics: steering at the ingress node, then at each node what
// docs/fabric_tag.md says that it does, until the egress node. What one node does with one frame is
// in tests/node/relay_test.cc.
#include <gtest/gtest.h>

#include <random>

#include "tests/topo/random_fabric.hh"
#include "topo/fabric_shapes.hh"
#include "vlb/steering.hh"

namespace rackway::vlb {
namespace {

using topo::testing::node;

enum class End { arrived, no_path, hops_spent, wrong_target };

class WalkedFabric {
 public:
  // excluded: links that the tables do without. Valiant's scheme has the longest ways.
  WalkedFabric(std::size_t nodes, const std::vector<topo::LinkEnds>& links,
               const std::vector<bool>& excluded = {})
      : links_(links) {
    const topo::FabricGraph graph(nodes, links, excluded);
    const auto diameter = graph.diameter(topo::kMaxHopBudget);
    for (std::size_t i = 0; i < nodes; ++i) {
      steering_.emplace_back(topo::FabricTable(node(i), graph, links, diameter), node(i),
                             SteeringSetup{.mode = topo::SteeringMode::valiant});
    }
    set_dead(std::vector<bool>(links.size()));
  }

  // Each node sees its own links only.
  void set_dead(const std::vector<bool>& dead) {
    for (auto& steering : steering_) {
      std::vector<bool> carriers;
      for (const auto& link : steering.table().local_links())
        carriers.push_back(!dead[link.number]);
      steering.see(view_of_carriers(steering.table(), carriers), 0);
    }
  }

  End walk(std::size_t ingress, std::size_t egress, std::uint32_t flow_hash) {
    const NodeId to = node(egress);
    Path path;
    steering_[ingress].choose({&to, 1}, {&flow_hash, 1}, 0, {&path, 1});
    if (path.link == kNoLink) return End::no_path;
    unsigned budget = steering_[ingress].table().hop_budget();
    NodeId target = path.target, at = steering_[ingress].table().local_links()[path.link].peer;
    while (at != to) {
      const auto& here = steering_[at.value];
      if (target != at && here.table().is_mesh()) return End::wrong_target;
      if (budget-- == 0) return End::hops_spent;
      if (target == at) target = to;
      auto link = here.onward(target);
      if (link == kNoLink) {
        const auto around = here.detour(target, node(ingress));
        if (around.link == kNoLink) return End::no_path;
        link = around.link;
        target = around.peer;
      }
      at = here.table().local_links()[link].peer;
    }
    return End::arrived;
  }

  [[nodiscard]] std::size_t nodes() const { return steering_.size(); }

 private:
  std::vector<topo::LinkEnds> links_;
  std::vector<Steering> steering_;
};

constexpr std::uint32_t kFlows = 8;

template <class Visit>
void for_all_flows(WalkedFabric& fabric, Visit&& visit) {
  std::uint32_t flow = 1;
  for (std::size_t from = 0; from < fabric.nodes(); ++from) {
    for (std::size_t to = 0; to < fabric.nodes(); ++to) {
      for (std::uint32_t i = 0; from != to && i < kFlows; ++i) {
        visit(from, to, fabric.walk(from, to, flow++ * 2654435761u));
      }
    }
  }
}

void expect_all_arrive(WalkedFabric& fabric) {
  for_all_flows(fabric, [](std::size_t from, std::size_t to, End end) {
    ASSERT_EQ(end, End::arrived) << from << " to " << to;
  });
}

std::vector<topo::FabricShape> shapes() {
  return {topo::full_mesh(2),    topo::full_mesh(5),    topo::butterfly(2, 1),
          topo::butterfly(2, 2), topo::butterfly(2, 3), topo::butterfly(3, 2),
          topo::butterfly(2, 4)};
}

TEST(FabricWalk, EveryFrameArrivesInMeshesAndButterflies) {
  for (const auto& shape : shapes()) {
    WalkedFabric fabric(shape.nodes, shape.links);
    expect_all_arrive(fabric);
  }
}

TEST(FabricWalk, EveryFrameArrivesInAnyConnectedGraphThatIsNotTooWide) {
  std::mt19937 random(21);
  int walked = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t nodes = 2 + random() % 14;
    const auto links =
        topo::testing::random_links(random, nodes, nodes - 1 + random() % (2 * nodes));
    const topo::FabricGraph graph(nodes, links);
    const auto hops = graph.hops_from(node(0));
    if (std::ranges::count(hops, topo::kUnreachable) > 0 || graph.diameter(9) > 8) continue;
    WalkedFabric fabric(nodes, links);
    expect_all_arrive(fabric);
    ++walked;
  }
  EXPECT_GT(walked, 20);
}

TEST(FabricWalk, WithALinkDeadNoFrameOfAMeshIsLost) {
  const auto shape = topo::full_mesh(5);
  WalkedFabric fabric(shape.nodes, shape.links);
  for (std::size_t dead = 0; dead < shape.links.size(); ++dead) {
    std::vector<bool> links(shape.links.size());
    links[dead] = true;
    fabric.set_dead(links);
    expect_all_arrive(fabric);
  }
}

// Before anybody has heard of it only the ends of a dead link go around it; where no detour exists
// frames stop there, and none goes round in circles. With new tables all arrive again.
TEST(FabricWalk, WithALinkDeadFramesOfAButterflyArriveOrStopAndArriveAgainWithNewTables) {
  for (const auto& shape : {topo::butterfly(2, 2), topo::butterfly(2, 3), topo::butterfly(3, 2)}) {
    WalkedFabric before(shape.nodes, shape.links);
    std::size_t arrived = 0, stopped = 0;
    for (std::size_t dead = 0; dead < shape.links.size(); ++dead) {
      std::vector<bool> links(shape.links.size());
      links[dead] = true;
      before.set_dead(links);
      for_all_flows(before, [&](std::size_t from, std::size_t to, End end) {
        ASSERT_TRUE(end == End::arrived || end == End::no_path) << from << " to " << to;
        (end == End::arrived ? arrived : stopped) += 1;
      });
      WalkedFabric after(shape.nodes, shape.links, links);
      after.set_dead(links);
      expect_all_arrive(after);
    }
    EXPECT_GT(arrived, 10 * stopped);
  }
}

}  // namespace
}  // namespace rackway::vlb
