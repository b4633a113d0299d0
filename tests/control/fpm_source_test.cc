// SPDX-License-Identifier: Apache-2.0
// Zebra's messages become routes of the RIB and of the FIB: what zebra 8.4.4 really sent, next-hop
// objects that are replaced, deleted and come late, and connections that end.
#include "control/fpm/fpm_source.hh"

#include <gtest/gtest.h>

#include "tests/control/built_router.hh"
#include "tests/control/zebra_frames.hh"

namespace rackway::control::testing {
namespace {

constexpr int kInterface = 3;

class FpmSourceTest : public FibBuilderTest {
 protected:
  FpmSourceTest() {
    kernel_.set_mtu(kInterface, 1500);
    router_.builder->bind(kInterface, kPort00);
    for (unsigned host = 2; host < 6; ++host) {
      kernel_.set({kInterface, ip("10.9.0." + std::to_string(host))}, mac(host));
    }
    router_.publish();
  }
  // Without its header.
  void take(std::string_view frame) {
    const auto octets = from_hex(frame);
    source_.take(std::span(octets).subspan(4));
  }
  void take(const Octets& messages) { source_.take(messages); }
  fib::Delta publish() {
    source_.finish();
    router_.builder->take_routes();
    return router_.publish_taken();
  }
  static std::string hop(unsigned host) {
    return " 10.9.0." + std::to_string(host) + "@n0p0=" + mac(host).to_string() + ",mtu1500*1";
  }
  [[nodiscard]] std::string way(std::string_view to) const { return router_.way(to); }
  // Next hops 2 and 3 via 10.9.0.2 and .3, and the group 23 of both.
  void take_next_hops() {
    take(next_hop_message(2, kInterface, "10.9.0.2"));
    take(next_hop_message(3, kInterface, "10.9.0.3"));
    take(group_message(23, {2, 3}));
  }

  FpmSource source_{*router_.builder};
};

TEST_F(FpmSourceTest, WhatZebraSends) {
  for (const auto frame : kZebraStarts) take(frame);
  publish();
  EXPECT_EQ(source_.routes(), 0u);
  EXPECT_EQ(source_.counters().ignored, 1u);  // the kernel's own
  take(kZebraNextHop9);
  take(kZebraRouteBy9);
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2));
  take(kZebraNextHop14);
  take(kZebraGroup13);
  take(kZebraReplacesBy13);
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2) + hop(3));
  take(kZebraBlackhole);
  take(kZebraUnreachable);
  take(kZebraNextHop31);
  take(kZebraRouteBy31);
  kernel_.set({kInterface, ip("fe80::1")}, mac(9));
  router_.publish();
  publish();
  EXPECT_EQ(way("203.0.113.0/24"), "blackhole");
  EXPECT_EQ(way("203.0.114.0/24"), "unreachable");
  EXPECT_EQ(way("2001:db8:78::/48"), "forward fe80::1@n0p0=" + mac(9).to_string() + ",mtu1500*1");
  take(kZebraWithdraws);
  take(kZebraMultipath);
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "");
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(2) + hop(3));
  EXPECT_EQ(source_.routes(), 4u);
  EXPECT_EQ(source_.waiting(), 0u);
  EXPECT_EQ(source_.counters().malformed, 0u);
}

TEST_F(FpmSourceTest, DeletedAndAddedInOneFrameIsNoChange) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 23));
  publish();
  auto again = route_message(true, "198.51.100.0/24", 0);
  append(again, route_message(false, "198.51.100.0/24", 23));
  take(again);
  EXPECT_EQ(publish(), fib::Delta{});
}

TEST_F(FpmSourceTest, TheOriginIsThatOfTheProtocol) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  take(route_message(false, "198.51.101.0/24", 2, 188));
  publish();
  const auto& rib = router_.builder->rib();
  EXPECT_EQ(rib.winner(prefix("198.51.100.0/24"))->candidate.origin, RouteOrigin::bgp);
  EXPECT_EQ(rib.winner(prefix("198.51.101.0/24"))->candidate.distance, 110);
  EXPECT_EQ(rib.routes(RouteSource::fpm), 2u);
  EXPECT_EQ(router_.builder->origin(prefix("198.51.101.0/24")).protocol, "ospf");
}

TEST_F(FpmSourceTest, AReplacedObjectMovesAllItsRoutesAsOneGroup) {
  take_next_hops();
  for (int n = 0; n < 100; ++n) {
    take(route_message(false, "198.51." + std::to_string(n) + ".0/24", 2));
  }
  for (int n = 0; n < 100; ++n) {
    take(route_message(false, "198.52." + std::to_string(n) + ".0/24", 23));
  }
  publish();
  take(next_hop_message(2, kInterface, "10.9.0.5"));
  const auto said = publish();
  EXPECT_EQ(said.groups.size(), 2u);
  EXPECT_TRUE(said.routes.empty());
  EXPECT_EQ(way("198.51.7.0/24"), "forward" + hop(5));
  EXPECT_EQ(way("198.52.7.0/24"), "forward" + hop(3) + hop(5));
}

TEST_F(FpmSourceTest, RoutesOfAnUnknownObjectWait) {
  take(route_message(false, "198.51.100.0/24", 23));
  take(group_message(23, {2, 3}));
  take(next_hop_message(2, kInterface, "10.9.0.2"));
  publish();
  EXPECT_EQ(source_.waiting(), 1u);
  EXPECT_EQ(way("198.51.100.0/24"), "");
  take(next_hop_message(3, kInterface, "10.9.0.3"));
  publish();
  EXPECT_EQ(source_.waiting(), 0u);
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2) + hop(3));
}

TEST_F(FpmSourceTest, AnObjectDeletedUnderItsRoutes) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  take(route_message(false, "198.51.101.0/24", 23));
  publish();
  take(removed_next_hop_message(2));
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "");
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(3));
  EXPECT_EQ(source_.waiting(), 1u);
  take(removed_next_hop_message(3));  // the group's last
  publish();
  EXPECT_EQ(way("198.51.101.0/24"), "");
  EXPECT_EQ(source_.waiting(), 2u);
  take_next_hops();
  publish();
  EXPECT_EQ(source_.waiting(), 0u);
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2));
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(2) + hop(3));
}

TEST_F(FpmSourceTest, NothingIsLeftOfWhatIsWithdrawn) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 99));
  take(route_message(false, "198.51.101.0/24", 23));
  take(kZebraBlackhole);
  for (const std::uint32_t id : {2, 3, 23}) take(removed_next_hop_message(id));
  for (const auto to : {"198.51.100.0/24", "198.51.101.0/24"}) take(route_message(true, to, 0));
  take(route_message(true, "203.0.113.0/24", 0));
  publish();
  EXPECT_EQ(source_.routes(), 0u);
  EXPECT_EQ(source_.waiting(), 0u);
  EXPECT_EQ(source_.next_hop_objects(), 0u);
  EXPECT_EQ(router_.builder->rib().prefixes(), 0u);
}

TEST_F(FpmSourceTest, ARouteOfTheKernelsOwnTakesThePlace) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  take(route_message(true, "198.51.100.0/24", 0, kByKernel));
  EXPECT_EQ(source_.routes(), 1u);
  take(route_message(false, "198.51.100.0/24", 2, kByKernel));
  EXPECT_EQ(source_.routes(), 0u);
}

// ---- connections

TEST_F(FpmSourceTest, ATableThatComesAgainMovesNothingThoughIdsAreOthers) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 23));
  take(route_message(false, "198.51.101.0/24", 2));
  publish();
  source_.mark_stale();
  EXPECT_EQ(source_.stale(), 2u);
  EXPECT_EQ(publish(), fib::Delta{});
  // What was 2 is 3 now and the reverse; the group comes before its members.
  take(group_message(7, {3, 2}));
  take(next_hop_message(3, kInterface, "10.9.0.2"));
  take(next_hop_message(2, kInterface, "10.9.0.3"));
  EXPECT_EQ(publish(), fib::Delta{});
  take(route_message(false, "198.51.100.0/24", 7));
  take(route_message(false, "198.51.101.0/24", 3));
  EXPECT_EQ(publish(), fib::Delta{});
  EXPECT_EQ(source_.stale(), 0u);
  EXPECT_EQ(source_.confirmed(), 2u);
  EXPECT_EQ(source_.sweep(), 0u);
  EXPECT_EQ(publish(), fib::Delta{});
}

TEST_F(FpmSourceTest, WhatIsNotNamedAgainIsSwept) {
  take_next_hops();
  for (const auto to : {"198.51.100.0/24", "198.51.101.0/24", "198.51.102.0/24"}) {
    take(route_message(false, to, 2));
  }
  publish();
  source_.mark_stale();
  take(next_hop_message(8, kInterface, "10.9.0.2"));
  take(route_message(false, "198.51.100.0/24", 8));
  take(route_message(true, "198.51.101.0/24", 0));
  publish();
  EXPECT_EQ(source_.stale(), 2u);
  EXPECT_EQ(source_.confirmed(), 1u);
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(2));  // a new zebra tidies up the kernel
  EXPECT_EQ(way("198.51.102.0/24"), "forward" + hop(2));
  EXPECT_EQ(source_.sweep(), 2u);
  publish();
  EXPECT_EQ(way("198.51.101.0/24"), "");
  EXPECT_EQ(way("198.51.102.0/24"), "");
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2));
}

// Stale routes stay by what they went by, whatever a new zebra calls by that id.
TEST_F(FpmSourceTest, AnIdOfAnotherConnectionIsAnotherObject) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  publish();
  source_.mark_stale();
  take(next_hop_message(2, kInterface, "10.9.0.5"));
  take(route_message(false, "198.51.101.0/24", 2));
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "forward" + hop(2));
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(5));
}

TEST_F(FpmSourceTest, AnObjectThatTakesAPlaceAndBecomesAnotherLeavesStaleRoutes) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  take(route_message(false, "198.51.101.0/24", 23));
  publish();
  source_.mark_stale();
  take_next_hops();
  take(next_hop_message(2, kInterface, "10.9.0.5"));
  EXPECT_EQ(publish(), fib::Delta{});
  take(removed_next_hop_message(3));
  take(removed_next_hop_message(2));
  EXPECT_EQ(publish(), fib::Delta{});
  EXPECT_EQ(source_.waiting(), 0u);
  EXPECT_EQ(source_.sweep(), 2u);
  EXPECT_EQ(source_.next_hop_objects(), 0u);
}

TEST_F(FpmSourceTest, InterfacesThatMeanSomethingElse) {
  take_next_hops();
  take(route_message(false, "198.51.100.0/24", 2));
  publish();
  router_.builder->bind(kInterface, kPort11);
  router_.publish();
  publish();
  EXPECT_EQ(way("198.51.100.0/24"), "forward 10.9.0.2@n1p1=" + mac(2).to_string() + ",mtu1500*1");
}

TEST_F(FpmSourceTest, MalformedMessagesAreCountedAndSkipped) {
  auto messages = next_hop_message(2, kInterface, "10.9.0.2");
  auto cut = route_message(false, "198.51.100.0/24", 2);
  cut[4] = std::byte{0x68};  // a next-hop object, whose attributes are other ones
  append(messages, cut);
  append(messages, route_message(false, "198.51.101.0/24", 2));
  messages.resize(messages.size() + 8);  // no header
  take(messages);
  publish();
  EXPECT_EQ(source_.counters().messages, 3u);
  EXPECT_EQ(source_.counters().malformed, 2u);
  EXPECT_EQ(way("198.51.101.0/24"), "forward" + hop(2));
}

}  // namespace
}  // namespace rackway::control::testing
