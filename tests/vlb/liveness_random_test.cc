// SPDX-License-Identifier: Apache-2.0
// Liveness against the truth: nodes over links that are cut at random, in one direction or both,
// lose frames, and nodes that stop, go on and restart. While faults happen, no link is ever taken
// for alive long after one of its directions went; when they stop, all views say what is true.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/vlb/model_fabric.hh"

namespace rackway::vlb {
namespace {

using testing::ModelFabric;

constexpr Time kInterval = 10'000, kDetection = 30'000;
constexpr Time kSlack = 4 * ModelFabric::kStep;

class Storm {
 public:
  Storm(std::size_t nodes, std::vector<topo::LinkEnds> links, std::uint64_t seed)
      : fabric_(nodes, std::move(links)), random_(seed) {
    fabric_.random.seed(seed + 1);
    broken_for_.resize(fabric_.links().size() * 2);
    steady_for_.resize(nodes);
    was_running_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) fabric_.node(i).set_ready(true);
  }

  void rage(Time duration) {
    for (Time passed = 0; passed < duration; passed += ModelFabric::kStep) {
      if (below(200) == 0) fault();
      step();
    }
  }
  void calm() {
    for (std::size_t link = 0; link < fabric_.links().size(); ++link) {
      for (const auto end : {fabric_.links()[link].a, fabric_.links()[link].b}) {
        auto& wire = fabric_.wire(link, end.value);
        wire.loss = 0;
        wire.cut = below(4) == 0;  // faults stop, what is broken stays so
      }
    }
  }
  void run(Time duration) {
    for (Time passed = 0; passed < duration; passed += ModelFabric::kStep) step();
  }
  ModelFabric& fabric() { return fabric_; }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

 private:
  void fault() {
    const auto link = below(static_cast<unsigned>(fabric_.links().size()));
    const auto ends = fabric_.links()[link];
    auto& wire = fabric_.wire(link, below(2) == 0 ? ends.a.value : ends.b.value);
    const auto node = below(static_cast<unsigned>(fabric_.node(0).ways().size()));
    switch (below(8)) {
      case 0:
      case 1: wire.cut = true; break;
      case 2:
      case 3: wire.cut = false; break;
      case 4: wire.loss = below(10) * 0.1; break;
      case 5: fabric_.stop(node); break;
      case 6: fabric_.resume(node); break;
      default: fabric_.boot(node); fabric_.node(node).set_ready(true);
    }
  }

  // A link one direction of which has been broken for longer than it takes to notice at the far
  // end, and to be told, is not alive; if both ends were awake, or asleep, all that time.
  void step() {
    fabric_.step();
    for (std::size_t i = 0; i < steady_for_.size(); ++i) {
      const bool steady = was_running_[i] == fabric_.running(i);
      was_running_[i] = fabric_.running(i);
      steady_for_[i] = steady ? steady_for_[i] + ModelFabric::kStep : 0;
    }
    for (std::size_t link = 0; link < fabric_.links().size(); ++link) {
      const auto [a, b] = fabric_.links()[link];
      const Time broken = std::max(broken_for(link, a, b), broken_for(link, b, a));
      const Time noticing = std::min({broken, steady_for_[a.value], steady_for_[b.value]});
      if (noticing > 2 * kDetection + kSlack) expect_not_alive(link);
    }
  }
  Time broken_for(std::size_t link, NodeId from, NodeId to) {
    const bool works = !fabric_.wire(link, from.value).cut && fabric_.running(from.value) &&
                       fabric_.running(to.value);
    Time& time = broken_for_[link * 2 + (from < to ? 0 : 1)];
    return time = works ? 0 : time + ModelFabric::kStep;
  }
  void expect_not_alive(std::size_t link) {
    for (const auto end : {fabric_.links()[link].a, fabric_.links()[link].b}) {
      if (!fabric_.running(end.value)) continue;
      const auto local = fabric_.local_link(end.value, link);
      ASSERT_FALSE(fabric_.node(end.value).view().links[local].alive)
          << "link " << link << " at node " << end.value;
    }
  }

  ModelFabric fabric_;
  std::mt19937_64 random_;
  std::vector<Time> broken_for_;  // by link and direction
  std::vector<Time> steady_for_;  // by node: awake, or asleep, without a break
  std::vector<bool> was_running_;
};

bool link_works(ModelFabric& fabric, std::size_t link) {
  const auto [a, b] = fabric.links()[link];
  return !fabric.wire(link, a.value).cut && !fabric.wire(link, b.value).cut &&
         fabric.running(a.value) && fabric.running(b.value);
}

// What each node could reach for others, by the definition: downhill over links that work.
std::vector<std::vector<bool>> true_ways(ModelFabric& fabric, std::size_t nodes) {
  std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes));
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t from = 0; from < nodes; ++from) {
      const auto& table = fabric.table(from);
      for (std::uint16_t to = 0; to < nodes; ++to) {
        if (from == to || reaches[from][to]) continue;
        for (const auto local : table.links_to(NodeId{to})) {
          const auto link = table.local_links()[local];
          const bool gets_on = link.peer.value == to || reaches[link.peer.value][to];
          if (!link_works(fabric, link.number) || !gets_on) continue;
          reaches[from][to] = grows = true;
        }
      }
    }
  }
  return reaches;
}

void expect_truth(ModelFabric& fabric, std::size_t nodes) {
  const auto reaches = true_ways(fabric, nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (!fabric.running(i)) continue;
    const auto& view = fabric.node(i).view();
    const auto local = fabric.table(i).local_links();
    for (std::size_t l = 0; l < local.size(); ++l) {
      const bool works = link_works(fabric, local[l].number);
      ASSERT_EQ(view.links[l].alive, works) << "node " << i << " to " << local[l].peer.value;
      if (!works) continue;
      ASSERT_TRUE(view.peers[l].ready);
      for (std::uint16_t to = 0; to < nodes; ++to) {
        if (to == local[l].peer.value) continue;
        ASSERT_EQ(view.peers[l].to[to].alive, reaches[local[l].peer.value][to])
            << "node " << i << " of " << local[l].peer.value << " to " << to;
      }
    }
  }
}

// Longest hold, then detection and the hellos that carry the news over the graph.
void settle(Storm& storm, std::size_t hops) {
  storm.run(LinkLiveness::kLongestHold + 2 * kDetection);
  storm.run(kDetection + static_cast<Time>(hops + 1) * kInterval);
}

void weather(std::size_t nodes, const std::vector<topo::LinkEnds>& links, std::size_t hops,
             std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Storm storm(nodes, links, seed);
  storm.rage(3'000'000);
  storm.calm();
  settle(storm, hops);
  expect_truth(storm.fabric(), nodes);
  // One more fault: known within detection, a hello to tell, and one more for each hop.
  for (std::size_t i = 0; i < nodes; ++i) {
    if (!storm.fabric().running(i)) continue;
    storm.fabric().stop(i);
    break;
  }
  storm.run(kDetection + static_cast<Time>(hops) * kInterval + kSlack);
  expect_truth(storm.fabric(), nodes);
}

TEST(LivenessRandom, MeshesKnowTheTruth) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) weather(4, ModelFabric::mesh(4), 1, seed);
  weather(7, ModelFabric::mesh(7), 1, 100);
}

TEST(LivenessRandom, OtherGraphsKnowTheTruth) {
  const auto ring = [](std::uint16_t nodes) {
    std::vector<topo::LinkEnds> links;
    for (std::uint16_t i = 0; i < nodes; ++i) {
      links.push_back({NodeId{i}, NodeId{static_cast<std::uint16_t>((i + 1) % nodes)}});
    }
    return links;
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) weather(6, ring(6), 3, seed);
  // Two stages of two relays between four edges.
  std::vector<topo::LinkEnds> butterfly;
  for (std::uint16_t edge = 0; edge < 4; ++edge) {
    for (std::uint16_t relay = 4; relay < 6; ++relay) {
      butterfly.push_back({NodeId{edge}, NodeId{relay}});
    }
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) weather(6, butterfly, 2, seed);
}

// A link that loses most frames goes up and down; each time it stays down for longer.
TEST(LivenessRandom, ALossyLinkIsNoStorm) {
  ModelFabric fabric(2, ModelFabric::mesh(2));
  fabric.run(100'000);
  fabric.wire(0, 0).loss = fabric.wire(0, 1).loss = 0.7;
  fabric.run(120'000'000);
  for (std::size_t i = 0; i < 2; ++i) {
    unsigned ups = 0;
    while (const auto event = fabric.node(i).take_event()) {
      if (event->kind == LivenessEventKind::link_up) ++ups;
    }
    EXPECT_LE(ups, 24u);
    EXPECT_EQ(fabric.node(i).lost_events(), 0u);
  }
}

// Nor are hellos: news do not make more than a few a interval.
TEST(LivenessRandom, HellosStayFew) {
  ModelFabric fabric(8, ModelFabric::mesh(8));
  fabric.run(1'000'000);
  const double per_link_and_interval = static_cast<double>(fabric.hellos_sent()) / (56 * 100);
  EXPECT_GT(per_link_and_interval, 0.9);
  EXPECT_LT(per_link_and_interval, 1.3);
}

}  // namespace
}  // namespace rackway::vlb
