// SPDX-License-Identifier: Apache-2.0
#include "control/rib/rib.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/rib/target_merge.hh"
#include "tests/control/fake_kernel.hh"

namespace rackway::control::testing {
namespace {

using fib::GroupKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Paths via_hops(const std::vector<std::pair<const char*, unsigned>>& hops) {
  Paths paths;
  for (const auto& [address, weight] : hops) {
    paths.via.push_back({ip(address), static_cast<std::uint16_t>(weight)});
  }
  return paths;
}
Paths via_one(const char* address) {
  return via_hops({{address, 1}});
}
Paths connected(InterfaceRef interface) {
  return {{GroupKind::glean, {}}, {interface}, {}};
}
Paths to(const std::vector<NextHop>& next_hops) {
  return {{GroupKind::forward, next_hops}, {}, {}};
}
Paths of_kind(GroupKind kind) {
  return {{kind, {}}, {}, {}};
}
NextHop hop(InterfaceRef interface, const char* address, unsigned weight = 1) {
  return {{interface, ip(address)}, static_cast<std::uint16_t>(weight)};
}

class RibTest : public ::testing::Test {
 protected:
  // 10.0.1.0/24 on port 00, 10.0.2.0/24 on port 10.
  RibTest() {
    rib_.set(prefix("10.0.1.0/24"), RouteSource::kernel, RouteOrigin::connected,
             connected(kPort00));
    rib_.set(prefix("10.0.2.0/24"), RouteSource::kernel, RouteOrigin::connected,
             connected(kPort10));
    (void)rib_.refresh();
  }
  void add(const char* to, const Paths& paths) {
    rib_.set(prefix(to), RouteSource::added, RouteOrigin::added, paths);
  }
  void import(const char* to, const Paths& paths) {
    rib_.set(prefix(to), RouteSource::imported, RouteOrigin::imported, paths);
  }
  // "source kind hop*weight ..."; after a refresh.
  std::string way(const char* to) {
    (void)rib_.refresh();
    const auto winner = rib_.winner(prefix(to));
    if (!winner) return "none";
    const auto& target = rib_.target_of(*winner);
    auto text = std::string(to_string(winner->candidate.source));
    if (target.kind != GroupKind::forward) text += " " + std::to_string(int(target.kind));
    for (const auto& [neighbor, weight] : target.next_hops) {
      text += " " + neighbor.address.to_string() + "*" + std::to_string(weight);
    }
    return text;
  }

  Rib rib_;
};

TEST_F(RibTest, ResolvesANextHopOnTheLink) {
  add("203.0.113.0/24", via_one("10.0.1.2"));
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.1.2*1");
  EXPECT_EQ(rib_.target_of(*rib_.winner(prefix("203.0.113.0/24"))),
            (Target{GroupKind::forward, {hop(kPort00, "10.0.1.2")}}));
}

TEST_F(RibTest, ANextHopThatNothingCoversLeadsNowhere) {
  add("203.0.113.0/24", via_one("192.0.2.1"));
  EXPECT_EQ(way("203.0.113.0/24"), "none");
  add("192.0.2.0/24", via_one("10.0.2.2"));
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.2.2*1");
  rib_.remove(prefix("192.0.2.0/24"), RouteSource::added);
  EXPECT_EQ(way("203.0.113.0/24"), "none");
}

TEST_F(RibTest, TheLeastDistanceOfThoseThatAreResolvedWins) {
  const auto to_here = prefix("203.0.113.0/24");
  import("203.0.113.0/24", via_one("10.0.1.2"));
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.1.2*1");
  rib_.set(to_here, RouteSource::kernel, RouteOrigin::bgp, to({hop(kPort10, "10.0.2.9")}));
  EXPECT_EQ(way("203.0.113.0/24"), "kernel 10.0.2.9*1");
  add("203.0.113.0/24", via_one("192.0.2.1"));
  EXPECT_EQ(way("203.0.113.0/24"), "kernel 10.0.2.9*1");
  add("203.0.113.0/24", via_one("10.0.2.3"));
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.2.3*1");
  rib_.set(to_here, RouteSource::kernel, RouteOrigin::kernel, to({hop(kPort10, "10.0.2.9")}));
  EXPECT_EQ(way("203.0.113.0/24"), "kernel 10.0.2.9*1");
  rib_.set(to_here, RouteSource::kernel, RouteOrigin::installed, to({hop(kPort10, "10.0.2.9")}));
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.2.3*1");
}

TEST(RibDistances, AreThoseThatItIsGiven) {
  Rib rib({.bgp = 220});
  rib.set(prefix("203.0.113.0/24"), RouteSource::kernel, RouteOrigin::bgp,
          to({hop(kPort10, "10.0.2.9")}));
  rib.set(prefix("203.0.113.0/24"), RouteSource::imported, RouteOrigin::imported,
          of_kind(GroupKind::blackhole));
  (void)rib.refresh();
  EXPECT_EQ(rib.winner(prefix("203.0.113.0/24"))->candidate.source, RouteSource::imported);
}

TEST_F(RibTest, FollowsTheRouteThatCoversANextHop) {
  import("203.0.113.0/24", via_one("192.0.2.1"));
  add("192.0.0.0/16", via_one("10.0.1.2"));
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.1.2*1");
  add("192.0.2.0/24", via_one("10.0.2.2"));  // a longer one comes
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.2.2*1");
  add("192.0.2.0/24", via_one("172.16.0.1"));  // that leads nowhere: the shorter one again
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.1.2*1");
}

TEST_F(RibTest, TellsOneChangeForAllRoutesOfANextHop) {
  for (int i = 0; i < 256; ++i) {
    import(("20." + std::to_string(i) + ".0.0/16").c_str(), via_one("192.0.2.1"));
  }
  add("192.0.2.0/24", via_one("10.0.1.2"));
  EXPECT_EQ(rib_.refresh().prefixes.size(), 257u);
  add("192.0.2.0/24", via_one("10.0.2.2"));
  const auto changes = rib_.refresh();
  EXPECT_THAT(changes.prefixes, ElementsAre(prefix("192.0.2.0/24")));
  EXPECT_EQ(changes.paths.size(), 2u);  // of the imported ones, and the one that is new
  EXPECT_EQ(way("20.255.0.0/16"), "imported 10.0.2.2*1");
  rib_.remove(prefix("192.0.2.0/24"), RouteSource::added);
  EXPECT_EQ(rib_.refresh().prefixes.size(), 257u);
}

TEST_F(RibTest, SaysNothingOfWhatIsSaidAgain) {
  add("203.0.113.0/24", via_one("10.0.1.2"));
  (void)rib_.refresh();
  add("203.0.113.0/24", via_one("10.0.1.2"));
  rib_.remove(prefix("198.51.100.0/24"), RouteSource::added);
  rib_.remove(prefix("203.0.113.0/24"), RouteSource::imported);
  EXPECT_FALSE(rib_.changed());
}

TEST_F(RibTest, NoRouteLeadsThroughItself) {
  add("192.0.2.0/24", via_one("192.0.2.1"));
  EXPECT_EQ(way("192.0.2.0/24"), "none");
  // Neither through itself nor, instead, through a shorter one; others take the shorter one.
  add("0.0.0.0/0", via_one("10.0.1.2"));
  import("203.0.113.0/24", via_one("192.0.2.1"));
  EXPECT_EQ(way("192.0.2.0/24"), "none");
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.1.2*1");
  // A longer one helps.
  add("192.0.2.1/32", via_one("10.0.2.2"));
  EXPECT_EQ(way("192.0.2.0/24"), "added 10.0.2.2*1");
}

TEST_F(RibTest, SeesACircle) {
  add("172.16.1.0/24", via_one("172.16.2.1"));
  add("172.16.2.0/24", via_one("172.16.3.1"));
  add("172.16.3.0/24", via_one("172.16.1.1"));
  for (const auto* to : {"172.16.1.0/24", "172.16.2.0/24", "172.16.3.0/24"}) {
    EXPECT_EQ(way(to), "none") << to;
  }
  add("172.16.3.0/24", via_hops({{"10.0.1.2", 1}, {"172.16.1.1", 1}}));
  for (const auto* to : {"172.16.1.0/24", "172.16.2.0/24", "172.16.3.0/24"}) {
    EXPECT_EQ(way(to), "added 10.0.1.2*1") << to;
  }
}

TEST_F(RibTest, GoesNoDeeperThanItsBound) {
  const auto chain = [&](unsigned length) {
    for (unsigned i = 1; i < length; ++i) {
      add(("172.16." + std::to_string(i) + ".0/24").c_str(),
          via_one(("172.16." + std::to_string(i + 1) + ".1").c_str()));
    }
    add(("172.16." + std::to_string(length) + ".0/24").c_str(), via_one("10.0.1.2"));
    return way("172.16.1.0/24");
  };
  EXPECT_EQ(chain(Resolver::kMostDepth), "added 10.0.1.2*1");
  EXPECT_EQ(chain(Resolver::kMostDepth + 1), "none");
  EXPECT_EQ(way("172.16.2.0/24"), "added 10.0.1.2*1");
}

TEST_F(RibTest, OneThatIsTheRouterItselfOrElsewhereLeadsNowhere) {
  rib_.set(prefix("10.0.1.1/32"), RouteSource::kernel, RouteOrigin::connected,
           of_kind(GroupKind::local));
  rib_.set(prefix("10.0.1.255/32"), RouteSource::kernel, RouteOrigin::connected,
           of_kind(GroupKind::broadcast));
  add("203.0.113.0/24", via_one("10.0.1.1"));
  add("198.51.100.0/24", via_one("10.0.1.255"));
  EXPECT_EQ(way("203.0.113.0/24"), "none");
  EXPECT_EQ(way("198.51.100.0/24"), "none");
}

TEST_F(RibTest, ANextHopThatIsRefusedRefuses) {
  add("192.0.2.1/32", of_kind(GroupKind::blackhole));
  add("192.0.2.2/32", of_kind(GroupKind::prohibit));
  import("203.0.113.0/24", via_one("192.0.2.1"));
  EXPECT_EQ(way("203.0.113.0/24"), "imported " + std::to_string(int(GroupKind::blackhole)));
  import("203.0.113.0/24", via_hops({{"192.0.2.1", 1}, {"192.0.2.2", 1}, { "10.0.1.2", 1 }}));
  EXPECT_EQ(way("203.0.113.0/24"), "imported 10.0.1.2*1");
}

TEST_F(RibTest, SharesFollowTheWeightsOnTheWay) {
  add("192.0.2.0/24", via_hops({{"10.0.1.2", 1}, {"10.0.2.2", 3}}));
  add("203.0.113.0/24", via_hops({{"10.0.2.3", 1}, {"192.0.2.1", 2}}));
  // A third by .3; of two thirds a quarter by .1.2, three quarters by .2.2.
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.1.2*1 10.0.2.2*3 10.0.2.3*2");
  add("203.0.113.0/24", via_hops({{"10.0.2.2", 1}, {"192.0.2.1", 2}}));
  EXPECT_EQ(way("203.0.113.0/24"), "added 10.0.1.2*1 10.0.2.2*5");
}

TEST_F(RibTest, MatchesTheLongestThatLeadsSomewhere) {
  add("203.0.0.0/16", via_one("10.0.1.2"));
  add("203.0.113.0/24", via_one("192.0.2.1"));
  (void)rib_.refresh();
  const auto match = rib_.longest_match(ip("203.0.113.9"), 32);
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->prefix, prefix("203.0.0.0/16"));
  EXPECT_FALSE(rib_.longest_match(ip("203.0.113.9"), 15).has_value());
  EXPECT_FALSE(rib_.longest_match(ip("2001:db8::1"), 128).has_value());
}

TEST_F(RibTest, SaysHowANextHopWasResolved) {
  using Outcome = ResolutionStep::Outcome;
  import("203.0.113.0/24", via_one("192.0.2.1"));
  add("192.0.2.0/24", via_hops({{"10.0.1.2", 1}, {"172.16.0.1", 1}}));
  (void)rib_.refresh();
  const auto to_here = prefix("203.0.113.0/24");
  const auto answer = rib_.explain(to_here, rib_.candidates(to_here).front());
  ASSERT_EQ(answer.steps.size(), 3u);
  EXPECT_EQ(answer.steps[0].depth, 0u);
  EXPECT_EQ(answer.steps[0].address, ip("192.0.2.1"));
  EXPECT_EQ(answer.steps[0].through, prefix("192.0.2.0/24"));
  EXPECT_EQ(answer.steps[0].origin, RouteOrigin::added);
  EXPECT_EQ(answer.steps[0].outcome, Outcome::recursive);
  EXPECT_EQ(answer.steps[1].depth, 1u);
  EXPECT_EQ(answer.steps[1].through, prefix("10.0.1.0/24"));
  EXPECT_EQ(answer.steps[1].outcome, Outcome::on_link);
  EXPECT_EQ(answer.steps[2].outcome, Outcome::no_route);
  EXPECT_FALSE(answer.steps[2].through.has_value());
}

TEST_F(RibTest, ForgetsWhatNobodyHas) {
  for (int i = 0; i < 50; ++i) {
    add(("20." + std::to_string(i) + ".0.0/16").c_str(),
        via_one(("10.0.1." + std::to_string(2 + i)).c_str()));
    import(("20." + std::to_string(i) + ".0.0/16").c_str(), via_one("10.0.2.2"));
  }
  (void)rib_.refresh();
  EXPECT_EQ(rib_.next_hops(), 51u);
  EXPECT_EQ(rib_.routes(RouteSource::added), 50u);
  for (int i = 0; i < 50; ++i) {
    const auto gone = prefix("20." + std::to_string(i) + ".0.0/16");
    rib_.remove(gone, RouteSource::added);
    rib_.remove(gone, RouteSource::imported);
  }
  EXPECT_EQ(rib_.refresh().prefixes.size(), 50u);
  EXPECT_EQ(rib_.next_hops(), 0u);
  EXPECT_EQ(rib_.prefixes(), 2u);
  EXPECT_EQ(rib_.routes(RouteSource::imported), 0u);
  EXPECT_EQ(way("20.0.0.0/16"), "none");
}

TEST(TargetMerge, KeepsWeightsWithin16Bits) {
  const Target few{GroupKind::forward, {hop(kPort00, "10.0.1.2", 65535)}};
  const Target many{GroupKind::forward,
                    {hop(kPort00, "10.0.1.3", 1), hop(kPort10, "10.0.2.2", 65535)}};
  const auto merged = merge_targets({{few, 65535}, {many, 1}});
  EXPECT_THAT(merged->next_hops,
              ElementsAre(hop(kPort00, "10.0.1.2", 65535), hop(kPort00, "10.0.1.3", 1),
                          hop(kPort10, "10.0.2.2", 1)));
  EXPECT_EQ(merge_targets({}), std::nullopt);
}

TEST(TargetMerge, TakesNoMoreNeighboursThanAGroupHasRoomFor) {
  std::vector<WeightedTarget> targets;
  for (unsigned i = 0; i < 600; ++i) {
    const Neighbor neighbor{kPort00, IpAddress(Ipv4Address{0x0a000000 + i})};
    targets.push_back({{GroupKind::forward, {{neighbor, 1}}}, 1});
  }
  EXPECT_EQ(merge_targets(targets)->next_hops.size(), fib::kMaxGroupMembers);
}

}  // namespace
}  // namespace rackway::control::testing
