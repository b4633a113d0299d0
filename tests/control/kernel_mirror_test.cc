// SPDX-License-Identifier: Apache-2.0
// The mirror against a living kernel: what it reads at the start, and each kind of change.
#include "control/kernel/kernel_mirror.hh"

#include <gtest/gtest.h>

#include "base/startup_error.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control {
namespace {

constexpr std::uint8_t kProtocolKernel = 2, kProtocolBoot = 3;

// Two cables, a and b, with 10.0.1.1/24, fd00:1::1/64 and 10.0.2.1/24, fd00:2::1/64.
class KernelMirrorTest : public testing::Test {
 protected:
  KernelMirrorTest() {
    sandbox_.add_link("va");
    sandbox_.add_link("vb");
    sandbox_.ip("addr add 10.0.1.1/24 dev va");
    sandbox_.ip("addr add 10.0.2.1/24 dev vb");
    sandbox_.ip("addr add fd00:1::1/64 dev va nodad");
    sandbox_.ip("addr add fd00:2::1/64 dev vb nodad");
    mirror_.emplace(sandbox_.name());
    EXPECT_TRUE(eventually(*mirror_, [&] { return mirror_->addresses().size() == 10; }));
    a_ = ifindex_of(*mirror_, "va");
    b_ = ifindex_of(*mirror_, "vb");
    (void)mirror_->take_changes();
    resyncs_ = mirror_->counters().resyncs;
  }

  KernelRoute route(const std::string& text) const {
    const auto found = mirror_->routes().find(prefix(text));
    return found == mirror_->routes().end() ? KernelRoute{} : found->second;
  }
  bool has_route(const std::string& text) const { return mirror_->routes().contains(prefix(text)); }
  // Runs `ip` and takes in what the kernel tells of it.
  void ip(const std::string& arguments) {
    sandbox_.ip(arguments);
    catch_up(*mirror_);
  }
  KernelRoute unicast(std::vector<KernelNextHop> next_hops) const {
    std::sort(next_hops.begin(), next_hops.end());
    return {KernelRouteType::unicast, kProtocolBoot, std::move(next_hops)};
  }
  KernelNextHop via_a(const std::string& gateway, std::uint16_t weight = 1) const {
    return {a_, addr(gateway), weight};
  }
  KernelNextHop via_b(const std::string& gateway, std::uint16_t weight = 1) const {
    return {b_, addr(gateway), weight};
  }
  // Events alone were enough.
  void expect_no_resync() const { EXPECT_EQ(mirror_->counters().resyncs, resyncs_); }

  Sandbox sandbox_;
  std::optional<KernelMirror> mirror_;
  int a_{}, b_{};
  std::uint64_t resyncs_{};
};

TEST_F(KernelMirrorTest, MissingNamespaceIsAStartupError) {
  EXPECT_THROW(KernelMirror("rwt-no-such-namespace"), StartupError);
}

TEST_F(KernelMirrorTest, UnexpandedNextHopsAreAStartupError) {
  sandbox_.run("sysctl -q -w net.ipv4.nexthop_compat_mode=0");
  EXPECT_THROW(KernelMirror(sandbox_.name()), StartupError);
}

TEST_F(KernelMirrorTest, ReadsLinksAtStart) {
  sandbox_.ip("link set vb mtu 1400");
  sandbox_.ip("link set vb address 02:00:00:00:00:0b");
  const KernelMirror fresh(sandbox_.name());
  const KernelLink expected{b_, "vb", true, true, 1400, mac("02:00:00:00:00:0b")};
  EXPECT_EQ(fresh.links().at(b_), expected);
  const KernelLink loopback{1, "lo", true, true, 65536, {}};
  EXPECT_EQ(fresh.links().at(1), loopback);
  EXPECT_EQ(fresh.links().size(), 5u);
}

TEST_F(KernelMirrorTest, ReadsAddressesAtStart) {
  const auto& addresses = mirror_->addresses();
  EXPECT_TRUE(addresses.contains({a_, addr("10.0.1.1"), 24}));
  EXPECT_TRUE(addresses.contains({b_, addr("fd00:2::1"), 64}));
  EXPECT_TRUE(addresses.contains({1, addr("127.0.0.1"), 8}));
  EXPECT_TRUE(addresses.contains({1, addr("::1"), 128}));
  EXPECT_EQ(addresses.size(), 10u);
}

TEST_F(KernelMirrorTest, ReadsRoutesOfBothTablesAtStart) {
  const KernelRoute connected{KernelRouteType::unicast, kProtocolKernel, {{a_, std::nullopt, 1}}};
  const KernelRoute own{KernelRouteType::local, kProtocolKernel, {{a_, std::nullopt, 1}}};
  const KernelRoute all{KernelRouteType::broadcast, kProtocolKernel, {{a_, std::nullopt, 1}}};
  EXPECT_EQ(route("10.0.1.0/24"), connected);
  EXPECT_EQ(route("fd00:1::/64"), connected);
  EXPECT_EQ(route("10.0.1.1/32"), own);
  EXPECT_EQ(route("fd00:1::1/128"), own);
  EXPECT_EQ(route("10.0.1.255/32"), all);
  EXPECT_EQ(route("127.0.0.0/8").type, KernelRouteType::local);
}

TEST_F(KernelMirrorTest, EverythingIsAChangeAtFirst) {
  KernelMirror fresh(sandbox_.name());
  const KernelChanges changes = fresh.take_changes();
  EXPECT_EQ(changes.links.size(), fresh.links().size());
  EXPECT_EQ(changes.routes.size(), fresh.routes().size());
  EXPECT_TRUE(changes.addresses.contains(a_));
  EXPECT_TRUE(fresh.take_changes().empty());
}

TEST_F(KernelMirrorTest, LinkLocalAndMulticastRoutesAreLeftOut) {
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

TEST_F(KernelMirrorTest, FollowsAnIpv4Route) {
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

TEST_F(KernelMirrorTest, FollowsDefaultRoutes) {
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

TEST_F(KernelMirrorTest, FollowsIpv4Multipath) {
  ip("route add 20.0.0.0/8 nexthop via 10.0.2.2 weight 3 nexthop via 10.0.1.2 weight 256");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2", 256), via_b("10.0.2.2", 3)}));
  ip("route replace 20.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.1.3 nexthop via 10.0.2.2");
  EXPECT_EQ(route("20.0.0.0/8"),
            unicast({via_a("10.0.1.2"), via_a("10.0.1.3"), via_b("10.0.2.2")}));
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  expect_no_resync();
}

TEST_F(KernelMirrorTest, FollowsIpv6MultipathOneNextHopAtATime) {
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

TEST_F(KernelMirrorTest, PublishesTheLowestMetric) {
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

TEST_F(KernelMirrorTest, AWorseMetricIsNoChange) {
  ip("route add 20.0.0.0/8 metric 50 via 10.0.1.5");
  (void)mirror_->take_changes();
  ip("route add 20.0.0.0/8 metric 70 via 10.0.1.7");
  ip("route del 20.0.0.0/8 metric 70");
  EXPECT_TRUE(mirror_->take_changes().empty());
}

TEST_F(KernelMirrorTest, EqualIpv4MetricsStandInTheKernelsOrder) {
  ip("route add 20.0.0.0/8 via 10.0.1.2");
  ip("route append 20.0.0.0/8 via 10.0.1.3");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  ip("route prepend 20.0.0.0/8 via 10.0.1.4");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.4")}));
  ip("route del 20.0.0.0/8 via 10.0.1.4");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  ip("route del 20.0.0.0/8 via 10.0.1.2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("10.0.1.3")}));
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  expect_no_resync();
}

TEST_F(KernelMirrorTest, RoutesThatDifferInTheirSourceOnlyAreTwo) {
  sandbox_.ip("addr add 10.0.1.9/24 dev va");
  ip("route add 20.0.0.0/8 via 10.0.1.2 src 10.0.1.1");
  ip("route append 20.0.0.0/8 via 10.0.1.2 src 10.0.1.9");
  ip("route del 20.0.0.0/8 via 10.0.1.2 src 10.0.1.1");
  EXPECT_TRUE(has_route("20.0.0.0/8"));
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorTest, OneSubnetOnTwoLinks) {
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

TEST_F(KernelMirrorTest, LocalTableWinsOverMain) {
  ip("route add 10.0.1.1/32 via 10.0.2.2");
  ip("-6 route add fd00:1::1/128 via fd00:2::2");
  EXPECT_EQ(route("10.0.1.1/32").type, KernelRouteType::local);
  EXPECT_EQ(route("fd00:1::1/128").type, KernelRouteType::local);
  ip("addr del 10.0.1.1/24 dev va");
  ip("addr del fd00:1::1/64 dev va");
  EXPECT_EQ(route("10.0.1.1/32"), unicast({via_b("10.0.2.2")}));
  EXPECT_EQ(route("fd00:1::1/128"), unicast({via_b("fd00:2::2")}));
}

TEST_F(KernelMirrorTest, ReadsRefusingTypes) {
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

TEST_F(KernelMirrorTest, UnsupportedRoutesAreLeftOut) {
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

TEST_F(KernelMirrorTest, AnycastIsLocal) {
  sandbox_.run("sysctl -q -w net.ipv6.conf.all.forwarding=1");
  EXPECT_TRUE(eventually(*mirror_, [&] { return has_route("fd00:1::/128"); }));
  EXPECT_EQ(route("fd00:1::/128").type, KernelRouteType::local);
}

TEST_F(KernelMirrorTest, Ipv4ThroughAnIpv6Gateway) {
  ip("route add 20.0.0.0/8 via inet6 fd00:1::2 dev va");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_a("fd00:1::2")}));
  ip("route replace 20.0.0.0/8 nexthop via inet6 fe80::5 dev vb nexthop via 10.0.1.2");
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_b("fe80::5"), via_a("10.0.1.2")}));
  EXPECT_EQ(KernelMirror(sandbox_.name()).routes(), mirror_->routes());
  ip("route del 20.0.0.0/8");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorTest, RouteWithoutGateway) {
  ip("route add 20.0.0.0/8 dev va");
  ip("-6 route add fd20::/64 dev va");
  const KernelRoute expected = unicast({{a_, std::nullopt, 1}});
  EXPECT_EQ(route("20.0.0.0/8"), expected);
  EXPECT_EQ(route("fd20::/64"), expected);
}

TEST_F(KernelMirrorTest, ManyNextHops) {
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

TEST_F(KernelMirrorTest, FollowsAddresses) {
  ip("addr add 10.9.0.1/16 dev va");
  EXPECT_TRUE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 16}));
  const KernelChanges added = mirror_->take_changes();
  EXPECT_EQ(added.addresses, std::set<int>{a_});
  EXPECT_TRUE(added.routes.contains(prefix("10.9.0.0/16")));
  ip("addr del 10.9.0.1/16 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 16}));
  EXPECT_EQ(mirror_->take_changes().addresses, std::set<int>{a_});
}

TEST_F(KernelMirrorTest, OneAddressWithTwoPeers) {
  ip("addr add 10.9.0.1 peer 10.9.0.2 dev va");
  ip("addr add 10.9.0.1 peer 10.9.0.3 dev va");
  ip("addr del 10.9.0.1 peer 10.9.0.2 dev va");
  EXPECT_TRUE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 32}));
  ip("addr del 10.9.0.1 peer 10.9.0.3 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 32}));
}

TEST_F(KernelMirrorTest, TentativeAddressComesWhenItIsUsable) {
  sandbox_.run("sysctl -q -w net.ipv6.conf.va.accept_dad=1 net.ipv6.conf.va.dad_transmits=1");
  ip("addr add fd00:9::1/64 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("fd00:9::1"), 64}));
  EXPECT_TRUE(eventually(*mirror_, [&] {
    return mirror_->addresses().contains({a_, addr("fd00:9::1"), 64});
  }));
}

TEST_F(KernelMirrorTest, FollowsLinkSettings) {
  ip("link set vb mtu 1300");
  ip("link set vb address 02:00:00:00:00:bb");
  EXPECT_EQ(mirror_->links().at(b_).mtu, 1300u);
  EXPECT_EQ(mirror_->links().at(b_).mac, mac("02:00:00:00:00:bb"));
  EXPECT_EQ(mirror_->take_changes().links, std::set<int>{b_});
}

TEST_F(KernelMirrorTest, RenamedLinkKeepsItsIndex) {
  ip("link set vb name vc");
  EXPECT_EQ(mirror_->links().at(b_).name, "vc");
  EXPECT_EQ(mirror_->take_changes().links, std::set<int>{b_});
  EXPECT_TRUE(has_route("10.0.2.0/24"));
}

TEST_F(KernelMirrorTest, NewLinkAppears) {
  ip("link add vc type bridge");
  const int c = ifindex_of(*mirror_, "vc");
  ASSERT_NE(c, 0);
  EXPECT_FALSE(mirror_->links().at(c).up);
  EXPECT_TRUE(mirror_->take_changes().links.contains(c));
}

TEST_F(KernelMirrorTest, LeavingABridgeIsNoDeletion) {
  ip("link add br0 type bridge");
  ip("link set vb master br0");
  ip("link set vb nomaster");
  EXPECT_TRUE(mirror_->links().contains(b_));
  EXPECT_TRUE(mirror_->addresses().contains({b_, addr("10.0.2.1"), 24}));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, DeletedLinkTakesEverythingAlong) {
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

TEST_F(KernelMirrorTest, LinkDownTakesRoutesSilently) {
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

TEST_F(KernelMirrorTest, LostCarrierLeavesRoutes) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  sandbox_.ip("link set vb-far down");
  EXPECT_TRUE(eventually(*mirror_, [&] { return !mirror_->links().at(b_).carrier; }));
  EXPECT_TRUE(mirror_->links().at(b_).up);
  EXPECT_EQ(route("20.0.0.0/8"), unicast({via_b("10.0.2.2")}));
}

TEST_F(KernelMirrorTest, LostCarrierTakesRoutesWhereTheKernelIgnoresThem) {
  sandbox_.run("sysctl -q -w net.ipv4.conf.all.ignore_routes_with_linkdown=1");
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  sandbox_.ip("link set vb-far down");
  EXPECT_TRUE(eventually(*mirror_, [&] { return !has_route("20.0.0.0/8"); }));
  sandbox_.ip("link set vb-far up");
  EXPECT_TRUE(eventually(*mirror_, [&] { return has_route("20.0.0.0/8"); }));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, LastAddressTakesRoutesSilently) {
  ip("route add 20.0.0.0/8 via 10.0.2.2");
  ip("route add 21.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2");
  ip("addr del 10.0.2.1/24 dev vb");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2")}));
  ip("addr add 10.0.2.1/24 dev vb");
  EXPECT_EQ(route("21.0.0.0/8"), unicast({via_a("10.0.1.2"), via_b("10.0.2.2")}));
}

TEST_F(KernelMirrorTest, SourceAddressTakesItsRoutesSilently) {
  ip("addr add 10.0.1.9/24 dev va");
  ip("route add 20.0.0.0/8 via 10.0.2.2 src 10.0.1.9");
  ip("addr del 10.0.1.9/24 dev va");
  EXPECT_FALSE(has_route("20.0.0.0/8"));
}

TEST_F(KernelMirrorTest, Ipv6SwitchedOffAndOn) {
  ip("-6 route add fd20::/64 via fd00:2::2");
  ip("-6 route add fd21::/64 nexthop via fd00:1::2 nexthop via fd00:2::2");
  sandbox_.run("sysctl -q -w net.ipv6.conf.vb.disable_ipv6=1");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
  EXPECT_FALSE(has_route("fd20::/64"));
  sandbox_.run("sysctl -q -w net.ipv6.conf.vb.disable_ipv6=0");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, SeveralReasonsMakeOneResync) {
  sandbox_.ip("link set va down");
  sandbox_.ip("link set vb down");
  sandbox_.ip("link del vb");
  mirror_->read_events();
  EXPECT_EQ(mirror_->counters().resyncs, resyncs_ + 1);
}

TEST_F(KernelMirrorTest, LinkMovedToAnotherNamespaceIsGone) {
  const Sandbox other;
  ip("link set vb netns " + other.name());
  EXPECT_FALSE(mirror_->links().contains(b_));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, ExplicitResyncTellsTheDifferenceOnly) {
  sandbox_.ip("route add 20.0.0.0/8 via 10.0.1.2");
  ASSERT_TRUE(mirror_->resync());
  EXPECT_EQ(mirror_->take_changes().routes, std::set<IpPrefix>{prefix("20.0.0.0/8")});
  ASSERT_TRUE(mirror_->resync());
  catch_up(*mirror_);
  EXPECT_TRUE(mirror_->take_changes().empty());
}

}  // namespace
}  // namespace rackway::control
