// SPDX-License-Identifier: Apache-2.0
// Routes as the kernel tells of them: each kind of change, in both families.
#include <gtest/gtest.h>

#include "tests/control/kernel_mirror_fixture.hh"

namespace rackway::control::kernel_tests {
namespace {

using KernelMirrorRoutesTest = KernelMirrorTest;

TEST_F(KernelMirrorRoutesTest, LinkLocalAndMulticastRoutesAreLeftOut) {
  ip("route add multicast 239.0.0.0/8 dev va");
  ip("route add 224.0.0.0/4 dev va");
  ip("-6 route add ff05::/16 dev va");
  ip("-6 route add fe80:1::/64 dev va");
  ip("route add 240.0.0.0/4 via 10.0.1.2");
  ip("-6 route add fe00::/7 via fd00:1::2");
  for (const auto& [prefix, route] : mirror_->routes()) {
    EXPECT_FALSE(prefix.address.is_link_local()) << prefix.to_string();
    EXPECT_NE(prefix.address.data()[0], 0xff) << prefix.to_string();
    EXPECT_NE(prefix.address.data()[0] & 0xf0, 0xe0) << prefix.to_string();
  }
  EXPECT_TRUE(has_route("240.0.0.0/4"));
  EXPECT_TRUE(has_route("fe00::/7"));
}

TEST_F(KernelMirrorRoutesTest, FollowsAnIpv4Route) {
  ip("route add 20.0.0.0/8 via 10.0.1.2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  ip("route replace 20.0.0.0/8 via 10.0.2.2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_b("10.0.2.2")}));
  EXPECT_EQ(mirror_->take_changes().routes, std::set<IpPrefix>{prefix("20.0.0.0/8")});
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_EQ(mirror_->take_changes().routes, std::set<IpPrefix>{prefix("20.0.0.0/8")});
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, FollowsDefaultRoutes) {
  ip("route add default via 10.0.1.2");
  ip("-6 route add default via fd00:1::2");
  EXPECT_EQ(route("0.0.0.0/0"), unicast({via_a("10.0.1.2")}));
  EXPECT_EQ(route("::/0"), unicast({via_a("fd00:1::2")}));
  ip("route del default");
  ip("-6 route del default");
  EXPECT_FALSE(has_route("0.0.0.0/0"));
  EXPECT_FALSE(has_route("::/0"));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, FollowsIpv4Multipath) {
  ip("route add 20.0.0.0/8 nexthop via 10.0.2.2 weight 3 nexthop via 10.0.1.2 weight 256");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2", 256), via_b("10.0.2.2", 3)}));
  ip("route replace 20.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.1.3 nexthop via 10.0.2.2");
  EXPECT_EQ(route("20.0.0.0/8"),
            unicast({via_a("10.0.1.2"), via_a("10.0.1.3"), via_b("10.0.2.2")}));
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, FollowsIpv6MultipathOneNextHopAtATime) {
  ip("-6 route add fd20::/64 via fd00:1::2");
  ip("-6 route append fd20::/64 via fd00:2::2");
  EXPECT_EQ(route("fd20::/64"), unicast({via_a("fd00:1::2"), via_b("fd00:2::2")}));
  ip("-6 route append fd20::/64 nexthop via fd00:1::3 nexthop via fd00:2::3");
  EXPECT_EQ(route("fd20::/64").next_hops.size(), 4u);
  ip("-6 route del fd20::/64 via fd00:1::2");
  EXPECT_EQ(route("fd20::/64"),
            unicast({via_a("fd00:1::3"), via_b("fd00:2::2"), via_b("fd00:2::3")}));
  ip("-6 route del fd20::/64 nexthop via fd00:1::3 nexthop via fd00:2::2");
  EXPECT_EQ(route("fd20::/64"), unicast({via_b("fd00:2::3")}));
  ip("-6 route replace fd20::/64 nexthop via fd00:1::7 weight 5 nexthop via fd00:2::7");
  EXPECT_EQ(route("fd20::/64"), unicast({via_a("fd00:1::7", 5), via_b("fd00:2::7")}));
  ip("-6 route del fd20::/64");
  EXPECT_FALSE(has_route("fd20::/64"));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, PublishesTheLowestMetric) {
  for (const std::string family : {"-4", "-6"}) {
    const bool v4 = family == "-4";
    const std::string to = v4 ? "20.0.0.0/8" : "fd20::/64";
    const std::string near = v4 ? "10.0.1." : "fd00:1::";
    ip(family + " route add " + to + " metric 50 via " + near + "5");
    ip(family + " route add " + to + " metric 70 via " + near + "7");
    EXPECT_EQ(route(to), unicast({via_a(near + "5")}));
    ip(family + " route add " + to + " metric 20 via " + near + "2");
    EXPECT_EQ(route(to), unicast({via_a(near + "2")}));
    ip(family + " route del " + to + " metric 20");
    EXPECT_EQ(route(to), unicast({via_a(near + "5")}));
    ip(family + " route replace " + to + " metric 70 via " + near + "8");
    ip(family + " route del " + to + " metric 50");
    EXPECT_EQ(route(to), unicast({via_a(near + "8")}));
    ip(family + " route del " + to);
    EXPECT_FALSE(has_route(to));
  }
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, AWorseMetricIsNoChange) {
  ip("route add 20.0.0.0/8 metric 50 via 10.0.1.5");
  (void)mirror_->take_changes();
  ip("route add 20.0.0.0/8 metric 70 via 10.0.1.7");
  ip("route del 20.0.0.0/8 metric 70");
  EXPECT_TRUE(mirror_->take_changes().empty());
}

TEST_F(KernelMirrorRoutesTest, EqualIpv4MetricsStandInTheKernelsOrder) {
  const auto expect_used = [&](const std::string& gateway) {
    EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a(gateway)}));
    EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
    EXPECT_NE(sandbox_.output_of("route get 20.0.0.1").find(gateway), std::string::npos);
  };
  ip("route add 20.0.0.0/8 via 10.0.1.2");
  ip("route append 20.0.0.0/8 via 10.0.1.3");
  expect_used("10.0.1.2");
  ip("route prepend 20.0.0.0/8 via 10.0.1.4");
  expect_used("10.0.1.4");
  ip("route del 20.0.0.0/8 via 10.0.1.4");
  expect_used("10.0.1.2");
  ip("route del 20.0.0.0/8 via 10.0.1.2");
  expect_used("10.0.1.3");
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, RoutesThatDifferInTheirSourceOnlyAreTwo) {
  sandbox_.ip("addr add 10.0.1.9/24 dev va");
  ip("route add 20.0.0.0/8 via 10.0.1.2 src 10.0.1.1");
  ip("route append 20.0.0.0/8 via 10.0.1.2 src 10.0.1.9");
  ip("route del 20.0.0.0/8 via 10.0.1.2 src 10.0.1.1");
  EXPECT_TRUE(has_route("20.0.0.0/8"));
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorRoutesTest, OneSubnetOnTwoLinks) {
  ip("addr add 10.0.1.7/24 dev vb");
  ip("addr add fd00:1::7/64 dev vb nodad");
  EXPECT_EQ(route("10.0.1.0/24").next_hops.front().ifindex, a_);
  EXPECT_EQ(route("fd00:1::/64").next_hops.front().ifindex, a_);
  ip("addr del 10.0.1.1/24 dev va");
  ip("addr del fd00:1::1/64 dev va");
  EXPECT_EQ(route("10.0.1.0/24").next_hops.front().ifindex, b_);
  EXPECT_EQ(route("fd00:1::/64").next_hops.front().ifindex, b_);
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorRoutesTest, LocalTableWinsOverMain) {
  ip("route add 10.0.1.1/32 via 10.0.2.2");
  ip("-6 route add fd00:1::1/128 via fd00:2::2");
  EXPECT_EQ(route("10.0.1.1/32").type, KernelRouteType::local);
  EXPECT_EQ(route("fd00:1::1/128").type, KernelRouteType::local);
  ip("addr del 10.0.1.1/24 dev va");
  ip("addr del fd00:1::1/64 dev va");
  EXPECT_EQ(route("10.0.1.1/32"), unicast({via_b("10.0.2.2")}));
  EXPECT_EQ(route("fd00:1::1/128"), unicast({via_b("fd00:2::2")}));
}

TEST_F(KernelMirrorRoutesTest, ReadsRefusingTypes) {
  const std::vector<std::pair<std::string, KernelRouteType>> types = {
      {"blackhole", KernelRouteType::blackhole},
      {"unreachable", KernelRouteType::unreachable},
      {"prohibit", KernelRouteType::prohibit}};
  for (const auto& [name, type] : types) {
    const KernelRoute expected{type, kProtocolBoot, {}};
    ip("route replace " + name + " 20.0.0.0/8");
    ip("-6 route replace " + name + " fd20::/64");
    EXPECT_EQ(route("20.0.0.0/8"), expected) << name;
    EXPECT_EQ(route("fd20::/64"), expected) << name;
    const KernelMirror fresh(sandbox_.name());
    EXPECT_EQ(fresh.routes().at(prefix("fd20::/64")), expected) << name;
  }
  ip("route replace 20.0.0.0/8 via 10.0.1.2");
  ip("-6 route replace fd20::/64 via fd00:1::2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  EXPECT_EQ(route("fd20::/64"), unicast({via_a("fd00:1::2")}));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, UnsupportedRoutesAreLeftOut) {
  ip("route add throw 21.0.0.0/8");
  ip("route add 22.0.0.0/8 via 10.0.1.2 table 100");
  ip("route add 23.0.0.0/8 tos 0x10 via 10.0.1.2");
  ip("-6 route add fd24::/64 from fd99::/64 via fd00:1::2");
  EXPECT_FALSE(has_route("21.0.0.0/8"));
  EXPECT_FALSE(has_route("22.0.0.0/8"));
  EXPECT_FALSE(has_route("23.0.0.0/8"));
  EXPECT_FALSE(has_route("fd24::/64"));
  EXPECT_EQ(mirror_->counters().malformed, 0u);
}

TEST_F(KernelMirrorRoutesTest, UnsupportedRouteMayTakeTheirPlace) {
  ip("route add 21.0.0.0/8 via 10.0.1.2");
  ip("-6 route add fd21::/64 via fd00:1::2");
  ip("route replace throw 21.0.0.0/8");
  ip("-6 route replace throw fd21::/64");
  EXPECT_FALSE(has_route("21.0.0.0/8"));
  EXPECT_FALSE(has_route("fd21::/64"));
  ip("route replace 21.0.0.0/8 via 10.0.1.3");
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.3")}));
  expect_no_resync();
}

TEST_F(KernelMirrorRoutesTest, AnycastIsLocal) {
  sandbox_.run("sysctl -q -w net.ipv6.conf.all.forwarding=1");
  EXPECT_TRUE(eventually(*mirror_, [&] { return has_route("fd00:1::/128"); }));
  EXPECT_EQ(route("fd00:1::/128").type, KernelRouteType::local);
}

TEST_F(KernelMirrorRoutesTest, Ipv4ThroughAnIpv6Gateway) {
  ip("route add 20.0.0.0/8 via inet6 fd00:1::2 dev va");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("fd00:1::2")}));
  ip("route replace 20.0.0.0/8 nexthop via inet6 fe80::5 dev vb nexthop via 10.0.1.2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_b("fe80::5"), via_a("10.0.1.2")}));
  EXPECT_EQ(KernelMirror(sandbox_.name()).routes(), mirror_->routes());
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorRoutesTest, RouteWithoutGateway) {
  ip("route add 20.0.0.0/8 dev va");
  ip("-6 route add fd20::/64 dev va");
  const KernelRoute expected = unicast({{a_, std::nullopt, 1}});
  EXPECT_EQ(route("20.0.0.0/8"), expected);
  EXPECT_EQ(route("fd20::/64"), expected);
}

TEST_F(KernelMirrorRoutesTest, ManyNextHops) {
  for (const int count : {1, 64, 1, 65, 128}) {
    std::string v4 = "route replace 20.0.0.0/8", v6 = "-6 route replace fd20::/64";
    for (int i = 0; i < count; ++i) {
      v4 += " nexthop via 10.0.1." + std::to_string(i + 10);
      v6 += " nexthop via fd00:1::" + std::to_string(i + 10);
    }
    ip(v4);
    ip(v6);
    EXPECT_EQ(route("20.0.0.0/8").next_hops.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(route("fd20::/64").next_hops.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
  }
  expect_no_resync();
}

}  // namespace
}  // namespace rackway::control::kernel_tests
