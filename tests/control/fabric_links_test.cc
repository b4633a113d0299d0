// SPDX-License-Identifier: Apache-2.0
#include "control/fabric_links.hh"

#include <gtest/gtest.h>

#include <map>

#include "topo/fabric_shapes.hh"

namespace rackway::control {
namespace {

using namespace std::chrono_literals;
using Numbers = std::vector<std::uint32_t>;

constexpr NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

// A ring of four nodes: link i joins node i and the next one. All nodes have joined, all links are
// reported up, and what follows from that has been told.
class FabricLinksOfARing : public testing::Test {
 protected:
  FabricLinksOfARing() : FabricLinksOfARing(ring()) {}
  explicit FabricLinksOfARing(std::vector<topo::LinkEnds> links)
      : ends_(std::move(links)),
        links_(
            4, ends_,
            [this](NodeId to, const cluster::LinksDown& message) {
              if (deaf_.contains(to)) return false;
              told_[to].push_back(message.links);
              return true;
            },
            now_) {
    for (std::size_t i = 0; i < 4; ++i) links_.joined(node(i));
    for (std::size_t i = 0; i < 4; ++i) report(i);
    pass(2s);
    told_.clear();
  }

  static std::vector<topo::LinkEnds> ring() {
    return {{node(0), node(1)}, {node(1), node(2)}, {node(2), node(3)}, {node(3), node(0)}};
  }

  // The node reports its links, of which those are down.
  void report(std::size_t self, const Numbers& down = {}) {
    std::vector<cluster::LinkStatus> links;
    for (std::uint32_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i].a != node(self) && ends_[i].b != node(self)) continue;
      links.push_back({i, std::find(down.begin(), down.end(), i) == down.end(), {}});
    }
    links_.heard(node(self), links, now_);
  }
  void pass(FabricLinks::Clock::duration time) {
    now_ += time;
    links_.tick(now_);
  }
  [[nodiscard]] std::map<NodeId, std::vector<Numbers>> all_told(const Numbers& links) const {
    std::map<NodeId, std::vector<Numbers>> result;
    for (std::size_t i = 0; i < 4; ++i) result[node(i)] = {links};
    return result;
  }

  FabricLinks::Clock::time_point now_{};
  std::vector<topo::LinkEnds> ends_;
  std::map<NodeId, std::vector<Numbers>> told_;  // since the last look
  std::set<NodeId> deaf_;
  FabricLinks links_;
};

// A silent node is dead only if nobody hears it on the fabric either.
TEST_F(FabricLinksOfARing, ANodeLivesWhileAPeerHearsItsHellos) {
  const auto hears = [&](std::size_t self, std::uint32_t link, cluster::LinkState state, bool up) {
    links_.heard(node(self), {{link, up, state}}, now_);
  };
  EXPECT_FALSE(links_.is_heard_by_peers(node(0))) << "a carrier is no hello";
  hears(1, 0, cluster::LinkState::up, true);
  EXPECT_TRUE(links_.is_heard_by_peers(node(0)));
  EXPECT_FALSE(links_.is_heard_by_peers(node(1))) << "it hears, and is not known to be heard";
  hears(3, 3, cluster::LinkState::up, true);
  hears(1, 0, cluster::LinkState::down, true);
  EXPECT_TRUE(links_.is_heard_by_peers(node(0))) << "by the other one";
  links_.silent(node(0), now_);
  EXPECT_TRUE(links_.is_heard_by_peers(node(0))) << "its own silence says nothing";
  hears(3, 3, cluster::LinkState::up, false);
  EXPECT_FALSE(links_.is_heard_by_peers(node(0))) << "there is no carrier";
  hears(3, 3, cluster::LinkState::up, true);
  links_.silent(node(3), now_);
  EXPECT_FALSE(links_.is_heard_by_peers(node(0))) << "who heard it is silent as well";
  hears(1, 2, cluster::LinkState::up, true);
  EXPECT_FALSE(links_.is_heard_by_peers(node(3))) << "that is not its link";
}

TEST_F(FabricLinksOfARing, NothingIsToldTwice) {
  for (std::size_t i = 0; i < 4; ++i) report(i);
  pass(1h);
  EXPECT_TRUE(told_.empty());
}

TEST_F(FabricLinksOfARing, OneEndThatSaysDownIsEnoughAndBothHaveToSayUp) {
  report(1, {1});
  pass(50ms);
  EXPECT_EQ(told_, all_told({1}));
  told_.clear();
  report(2, {1});
  report(1);
  pass(1s);
  EXPECT_TRUE(told_.empty());
  report(2);
  pass(50ms);
  EXPECT_EQ(told_, all_told({}));
}

TEST_F(FabricLinksOfARing, WhatComesTogetherIsToldTogetherAndNotMuchLater) {
  report(1, {1});
  pass(30ms);
  report(3, {2});
  pass(19ms);
  EXPECT_TRUE(told_.empty());
  pass(1ms);
  EXPECT_EQ(told_, all_told({1, 2}));
}

TEST_F(FabricLinksOfARing, ADeadNodesLinksAreDownByTheOtherEnds) {
  report(1, {1});
  report(3, {2});
  links_.silent(node(2), now_);
  pass(50ms);
  EXPECT_EQ(told_, all_told({1, 2}));
}

TEST_F(FabricLinksOfARing, ASilentNodesWordNoLongerCounts) {
  report(2, {1});
  pass(50ms);
  told_.clear();
  links_.silent(node(2), now_);
  report(1);
  pass(50ms);
  EXPECT_EQ(told_, all_told({}));
}

TEST_F(FabricLinksOfARing, ALinkBetweenSilentNodesStaysAsItWas) {
  report(2, {2});
  pass(50ms);
  told_.clear();
  for (const std::size_t i : {3, 2, 1, 0}) links_.silent(node(i), now_);
  pass(1h);
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(links_.down(), (std::vector<bool>{false, false, true, false}));
}

TEST_F(FabricLinksOfARing, WhoCanNotBeToldIsToldLater) {
  deaf_ = {node(0)};
  report(1, {1});
  pass(50ms);
  pass(20ms);
  EXPECT_EQ(told_.size(), 3u);
  deaf_.clear();
  pass(20ms);
  EXPECT_EQ(told_, all_told({1}));
}

TEST_F(FabricLinksOfARing, ANodeThatJoinsIsToldAtOnceWhatTheOthersKnow) {
  report(1, {1});
  pass(50ms);
  told_.clear();
  links_.joined(node(3));
  pass(0ms);
  EXPECT_EQ(told_, (std::map<NodeId, std::vector<Numbers>>{{node(3), {{1}}}}));
}

TEST_F(FabricLinksOfARing, ReportsAboutTheLinksOfOthersAreNotBelieved) {
  links_.heard(node(0), {{1, false, {}}, {4, false, {}}, {0xffffffff, false, {}}}, now_);
  pass(1s);
  EXPECT_TRUE(told_.empty());
}

TEST(FabricLinks, AfterTheStartNodesHaveTimeToReport) {
  const std::vector<topo::LinkEnds> line{{node(0), node(1)}, {node(1), node(2)}};
  FabricLinks::Clock::time_point now{};
  std::vector<Numbers> told;
  FabricLinks links(
      3, line,
      [&](NodeId, const cluster::LinksDown& message) {
        told.push_back(message.links);
        return true;
      },
      now);
  links.joined(node(0));
  links.heard(node(0), {{0, true, {}}}, now);
  now += 1999ms;
  links.tick(now);
  EXPECT_TRUE(told.empty());
  now += 1ms;
  links.tick(now);
  EXPECT_EQ(told, std::vector<Numbers>{{}}) << "the node may know of links that have come back";
}

TEST(FabricLinks, InAMeshNobodyHasToBeTold) {
  FabricLinks::Clock::time_point now{};
  FabricLinks links(
      3, topo::full_mesh(3).links,
      [](NodeId, const cluster::LinksDown&) {
        ADD_FAILURE();
        return true;
      },
      now);
  links.joined(node(0));
  links.heard(node(0), {{0, false, {}}}, now);
  links.tick(now + 1h);
  EXPECT_TRUE(links.down()[0]);
}

}  // namespace
}  // namespace rackway::control
