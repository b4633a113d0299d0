// SPDX-License-Identifier: Apache-2.0
// Changes of which the kernel does not tell: the mirror looks again when they may have happened.
#include <gtest/gtest.h>

#include "tests/control/kernel_mirror_fixture.hh"

namespace rackway::control::kernel_tests {
namespace {

using KernelMirrorResyncTest = KernelMirrorTest;

TEST_F(KernelMirrorResyncTest, DeletedLinkTakesEverythingAlong) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  ip("neigh add 10.0.2.2 lladdr 02:00:00:00:00:22 dev vb");
  (void)mirror_->take_changes();
  ip("link del vb");
  EXPECT_FALSE(mirror_->links().contains(b_));
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_FALSE(has_route("10.0.2.0/24"));
  EXPECT_FALSE(has_route("fd00:2::/64"));
  EXPECT_TRUE(mirror_->neighbors().empty());
  const KernelChanges changes = mirror_->take_changes();
  EXPECT_TRUE(changes.links.contains(b_));
  EXPECT_TRUE(changes.addresses.contains(b_));
  EXPECT_TRUE(changes.neighbors.contains({b_, addr("10.0.2.2")}));
  EXPECT_TRUE(changes.routes.contains(prefix("20.0.0.0/8")));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorResyncTest, LinkDownTakesRoutesSilently) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  ip("route add 21.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2");
  ip("-6 route add fd21::/64 nexthop via fd00:1::2 nexthop via fd00:2::2");
  ip("route add 22.0.0.0/8 metric 5 via 10.0.2.2");
  ip("route add 22.0.0.0/8 metric 9 via 10.0.1.2");
  ip("link set vb down");
  EXPECT_FALSE(mirror_->links().at(b_).up);
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_FALSE(has_route("10.0.2.0/24"));
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  EXPECT_EQ(route("fd21::/64"), unicast({via_a("fd00:1::2")}));
  EXPECT_EQ(route("22.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
  ip("link set vb up");
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2"), via_b("10.0.2.2")}));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorResyncTest, LostCarrierLeavesRoutes) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  sandbox_.ip("link set vb-far down");
  EXPECT_TRUE(eventually(*mirror_, [&] { return !mirror_->links().at(b_).carrier; }));
  EXPECT_TRUE(mirror_->links().at(b_).up);
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_b("10.0.2.2")}));
}

TEST_F(KernelMirrorResyncTest, LostCarrierTakesRoutesWhereTheKernelIgnoresThem) {
  sandbox_.run("sysctl -q -w net.ipv4.conf.all.ignore_routes_with_linkdown=1");
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  sandbox_.ip("link set vb-far down");
  EXPECT_TRUE(eventually(*mirror_, [&] { return !has_route("20.0.0.0/8"); }));
  sandbox_.ip("link set vb-far up");
  EXPECT_TRUE(eventually(*mirror_, [&] { return has_route("20.0.0.0/8"); }));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorResyncTest, LastAddressTakesRoutesSilently) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  ip("route add 21.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2");
  ip("addr del 10.0.2.1/24 dev vb");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  ip("addr add 10.0.2.1/24 dev vb");
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2"), via_b("10.0.2.2")}));
}

TEST_F(KernelMirrorResyncTest, SourceAddressTakesItsRoutesSilently) {
  ip("addr add 10.0.1.9/24 dev va");
  ip("route add 20.0.0.0/8 via 10.0.2.2 src 10.0.1.9");
  ip("addr del 10.0.1.9/24 dev va");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorResyncTest, Ipv6SwitchedOffAndOn) {
  ip("-6 route add fd20::/64 via fd00:2::2");
  ip("-6 route add fd21::/64 nexthop via fd00:1::2 nexthop via fd00:2::2");
  sandbox_.run("sysctl -q -w net.ipv6.conf.vb.disable_ipv6=1");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
  EXPECT_FALSE(has_route("fd20::/64"));
  sandbox_.run("sysctl -q -w net.ipv6.conf.vb.disable_ipv6=0");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorResyncTest, SeveralReasonsMakeOneResync) {
  sandbox_.ip("link set va down");
  sandbox_.ip("link set vb down");
  sandbox_.ip("link del vb");
  mirror_->read_events();
  EXPECT_EQ(mirror_->counters().resyncs, resyncs_ + 1);
}

TEST_F(KernelMirrorResyncTest, ADumpIsNotWaitedFor) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  sandbox_.ip("link set vb down");
  EXPECT_TRUE(mirror_->read_events());
  EXPECT_EQ(mirror_->counters().resyncs, resyncs_ + 1);
  EXPECT_TRUE(has_route("20.0.0.0/8"));  // until a later call takes the dump
  catch_up(*mirror_);
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorResyncTest, ExplicitResyncTellsTheDifferenceOnly) {
  sandbox_.ip("route add 20.0.0.0/8 via 10.0.1.2");
  ASSERT_TRUE(mirror_->resync());
  EXPECT_EQ(mirror_->take_changes().routes, std::set<IpPrefix>{prefix("20.0.0.0/8")});
  ASSERT_TRUE(mirror_->resync());
  catch_up(*mirror_);
  EXPECT_TRUE(mirror_->take_changes().empty());
}

// Where there is no IPv6, whose addresses come and go with a link, its state alone has to tell.
class LinkStateAloneTest : public testing::Test {
 protected:
  LinkStateAloneTest() {
    sandbox_.run("sysctl -q -w net.ipv6.conf.default.disable_ipv6=1");
    sandbox_.add_link("va");
    sandbox_.add_link("vb");
    sandbox_.ip("addr add 10.0.1.1/24 dev va");
    sandbox_.ip("addr add 10.0.2.1/24 dev vb");
    sandbox_.ip("route add 20.0.0.0/8 via 10.0.2.2");
    sandbox_.ip("route add 21.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2");
    mirror_.emplace(sandbox_.name());
  }
  bool has_route(const std::string& text) const { return mirror_->routes().contains(prefix(text)); }
  std::size_t next_hops(const std::string& text) const {
    return mirror_->routes().at(prefix(text)).next_hops.size();
  }

  Sandbox sandbox_;
  std::optional<KernelMirror> mirror_;
};

TEST_F(LinkStateAloneTest, DownAndUp) {
  sandbox_.ip("link set vb down");
  catch_up(*mirror_);
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_EQ(next_hops("21.0.0.0/8"), 1u);
  sandbox_.ip("link set vb up");
  EXPECT_TRUE(eventually(*mirror_, [&] { return next_hops("21.0.0.0/8") == 2; }));
}

TEST_F(LinkStateAloneTest, CarrierLostAndFound) {
  sandbox_.run("sysctl -q -w net.ipv4.conf.all.ignore_routes_with_linkdown=1");
  sandbox_.ip("link set vb-far down");
  EXPECT_TRUE(eventually(*mirror_, [&] { return !has_route("20.0.0.0/8"); }));
  EXPECT_EQ(next_hops("21.0.0.0/8"), 1u);
  sandbox_.ip("link set vb-far up");
  EXPECT_TRUE(eventually(*mirror_, [&] { return has_route("20.0.0.0/8"); }));
  EXPECT_EQ(next_hops("21.0.0.0/8"), 2u);
}

}  // namespace
}  // namespace rackway::control::kernel_tests
