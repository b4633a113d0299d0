// SPDX-License-Identifier: Apache-2.0
// What each thing in the kernel becomes in the FIB, and how little a change of it says.
#include "control/fib_builder.hh"

#include <gtest/gtest.h>

#include "tests/control/built_router.hh"

namespace rackway::control::testing {
namespace {

TEST_F(FibBuilderTest, NothingBecomesNothing) {
  EXPECT_TRUE(router_.publish().empty());
  expect_empty();
}

TEST_F(FibBuilderTest, AConnectedRouteIsGlean) {
  connect_two();
  EXPECT_EQ(picture_of(router_.fib),
            "10.0.1.0/24 glean\n"
            "10.0.2.0/24 glean\n"
            "address 10.0.1.1/24@n0p0\n"
            "address 10.0.2.1/24@n0p1\n"
            "groups 1\n");
}

TEST_F(FibBuilderTest, ANeighborOnAConnectedSubnetHasAHostRoute) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 7);
  const auto delta = router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.1.2@n0p0=02:00:00:00:00:07,mtu1500*1");
  EXPECT_EQ(delta.adjacencies.size(), 1u);
  EXPECT_EQ(delta.groups.size(), 2u);  // glean, then forward
  EXPECT_EQ(delta.routes.size(), 1u);
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "10.0.1.0/24 glean\n"
            "10.0.2.0/24 glean\n"
            "address 10.0.1.1/24@n0p0\n"
            "address 10.0.2.1/24@n0p1\n"
            "groups 1\n");
}

TEST_F(FibBuilderTest, ANeighborsNewMacIsOneRecord) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 7);
  router_.publish();
  const auto index = router_.index_of(kPort00, "10.0.1.2");
  kernel_.neighbor(kPort00, "10.0.1.2", 8);
  EXPECT_EQ(router_.publish(),
            (fib::Delta{.adjacencies = {{{{0}, index}, {0}, {}, mac(8), 1500, ip("10.0.1.2")}}}));
}

TEST_F(FibBuilderTest, ANeighborThatNoOnLinkRouteCoversHasNone) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.9.2", 7);  // nothing covers it
  kernel_.neighbor(kPort00, "10.0.2.2", 8);  // the subnet is another port's
  kernel_.route("10.0.8.0/24", unicast({via(kPort00, "10.0.1.2")}));
  kernel_.neighbor(kPort00, "10.0.8.2", 9);  // behind a gateway
  kernel_.route("10.0.7.0/24", of_type(KernelRouteType::local, {on(kPort00)}));
  kernel_.neighbor(kPort00, "10.0.7.2", 10);  // an address of our own
  router_.publish();
  for (const auto* host : {"10.0.9.2/32", "10.0.2.2/32", "10.0.8.2/32", "10.0.7.2/32"}) {
    EXPECT_EQ(router_.way(host), "") << host;
  }
  EXPECT_EQ(router_.fib.size().adjacencies, 4u);
}

TEST_F(FibBuilderTest, AMoreSpecificGatewayRouteTakesTheHostRouteAway) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 7);
  kernel_.neighbor(kPort00, "10.0.1.200", 8);
  router_.publish();
  kernel_.route("10.0.1.0/25", unicast({via(kPort01, "10.0.2.2")}));
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  EXPECT_EQ(router_.way("10.0.1.200/32"), "forward 10.0.1.200@n0p0=02:00:00:00:00:08,mtu1500*1");
  kernel_.no_route("10.0.1.0/25");
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.1.2@n0p0=02:00:00:00:00:07,mtu1500*1");
}

TEST_F(FibBuilderTest, TheHostRouteGoesAndComesWithTheConnectedRoute) {
  kernel_.neighbor(kPort00, "10.0.1.2", 7);
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  connect_two();
  EXPECT_NE(router_.way("10.0.1.2/32"), "");
  kernel_.no_route("10.0.1.0/24");
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
}

TEST_F(FibBuilderTest, AHostRouteOfTheKernelWins) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 7);
  kernel_.route("10.0.1.2/32", unicast({via(kPort01, "10.0.2.2")}));
  kernel_.neighbor(kPort01, "10.0.2.2", 9);
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.2.2@n0p1=02:00:00:00:00:09,mtu1500*1");
  kernel_.no_route("10.0.1.2/32");
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.1.2@n0p0=02:00:00:00:00:07,mtu1500*1");
}

TEST_F(FibBuilderTest, TheSameNeighborOnTwoPortsIsWhereTheSubnetIs) {
  kernel_.neighbor(kPort00, "10.0.2.2", 7);
  kernel_.neighbor(kPort01, "10.0.2.2", 8);
  connect_two();
  EXPECT_EQ(router_.way("10.0.2.2/32"), "forward 10.0.2.2@n0p1=02:00:00:00:00:08,mtu1500*1");
  kernel_.no_neighbor(kPort01, "10.0.2.2");
  router_.publish();
  EXPECT_EQ(router_.way("10.0.2.2/32"), "");
}

TEST_F(FibBuilderTest, RoutesThatShareNextHopsChangeByOneGroup) {
  connect_two();
  for (int i = 0; i < 100; ++i) {
    kernel_.route("198.51." + std::to_string(i) + ".0/24",
                  unicast({via(kPort00, "10.0.1.2"), via(kPort01, "10.0.2.2")}));
  }
  EXPECT_EQ(router_.publish().groups.size(), 1u);
  EXPECT_EQ(router_.way("198.51.7.0/24"), "glean");

  kernel_.neighbor(kPort01, "10.0.2.2", 9);
  const auto resolved = router_.publish();
  EXPECT_EQ(router_.way("198.51.7.0/24"), "forward 10.0.2.2@n0p1=02:00:00:00:00:09,mtu1500*1");
  EXPECT_EQ(resolved.adjacencies.size(), 1u);
  // Theirs, and that of the neighbour's host route, which is glean at first.
  EXPECT_EQ(resolved.groups.size(), 3u);
  ASSERT_EQ(resolved.routes.size(), 1u);
  EXPECT_EQ(resolved.routes[0].prefix, prefix("10.0.2.2/32"));

  kernel_.no_neighbor(kPort01, "10.0.2.2");
  const auto unresolved = router_.publish();
  EXPECT_EQ(router_.way("198.51.7.0/24"), "glean");
  EXPECT_TRUE(unresolved.routes.empty());
  EXPECT_EQ(unresolved.groups.size(), 1u);
  EXPECT_EQ(unresolved.removed_routes, std::vector<IpPrefix>{prefix("10.0.2.2/32")});
}

TEST_F(FibBuilderTest, LinkLocalGatewaysAreAnotherNeighborOnEachPort) {
  kernel_.route("2001:db8:1::/48", unicast({via(kPort00, "fe80::1")}));
  kernel_.route("2001:db8:2::/48", unicast({via(kPort10, "fe80::1")}));
  kernel_.neighbor(kPort00, "fe80::1", 1);
  kernel_.neighbor(kPort10, "fe80::1", 2);
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "2001:db8:1::/48 forward fe80::1@n0p0=02:00:00:00:00:01,mtu1500*1\n"
            "2001:db8:2::/48 forward fe80::1@n1p0=02:00:00:00:00:02,mtu1500*1\n"
            "adjacency fe80::1@n0p0=02:00:00:00:00:01,mtu1500\n"
            "adjacency fe80::1@n1p0=02:00:00:00:00:02,mtu1500\n"
            "groups 2\n");
  kernel_.no_neighbor(kPort00, "fe80::1");
  router_.publish();
  EXPECT_EQ(router_.way("2001:db8:1::/48"), "glean");
  EXPECT_EQ(router_.way("2001:db8:2::/48"), "forward fe80::1@n1p0=02:00:00:00:00:02,mtu1500*1");
}

TEST_F(FibBuilderTest, LinkLocalNeighborsHaveNoHostRoute) {
  kernel_.route("fe80::/64", unicast({on(kPort00)}, kByKernel));
  kernel_.connect(kPort00, "169.254.0.1", 16);
  kernel_.neighbor(kPort00, "fe80::1", 1);
  kernel_.neighbor(kPort00, "169.254.0.2", 2);
  router_.publish();
  EXPECT_EQ(router_.way("fe80::1/128"), "");
  EXPECT_EQ(router_.way("169.254.0.2/32"), "");
}

TEST_F(FibBuilderTest, AnIpv6GatewayCarriesIpv4) {
  kernel_.route("198.51.100.0/24", unicast({via(kPort00, "fe80::1")}));
  kernel_.neighbor(kPort00, "fe80::1", 1);
  router_.publish();
  EXPECT_EQ(router_.way("198.51.100.0/24"), "forward fe80::1@n0p0=02:00:00:00:00:01,mtu1500*1");
}

TEST_F(FibBuilderTest, MultipathHasWeightsAndOnlyResolvedMembers) {
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2", 3), via(kPort10, "10.0.3.2", 1),
                                      via(kPort11, "10.0.4.2", 65535)}));
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.neighbor(kPort11, "10.0.4.2", 2);
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"),
            "forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500*3"
            " 10.0.4.2@n1p1=02:00:00:00:00:02,mtu1500*65535");
  kernel_.neighbor(kPort10, "10.0.3.2", 3);
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"),
            "forward 10.0.3.2@n1p0=02:00:00:00:00:03,mtu1500*1"
            " 10.0.4.2@n1p1=02:00:00:00:00:02,mtu1500*65535");
  EXPECT_EQ(router_.fib.find(router_.group_of("0.0.0.0/0"))->members.size(), 2u);
}

TEST_F(FibBuilderTest, AGroupHasAtMostItsMostMembers) {
  std::vector<KernelNextHop> hops;
  for (unsigned i = 0; i < fib::kMaxGroupMembers + 88; ++i) {
    const IpAddress gateway = Ipv4Address{0x0a000000 + i};
    hops.push_back({ifindex_of(kPort00), gateway, 1});
    kernel_.set(KernelNeighborKey{ifindex_of(kPort00), gateway}, mac(i));
  }
  kernel_.route("0.0.0.0/0", unicast(hops));
  router_.publish();
  EXPECT_EQ(router_.fib.find(router_.group_of("0.0.0.0/0"))->members.size(), fib::kMaxGroupMembers);
  EXPECT_EQ(router_.builder->cut_short(), 1u);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  router_.publish();
  EXPECT_EQ(router_.builder->cut_short(), 0u);
}

TEST_F(FibBuilderTest, UnresolvedAreTheNextHopsWithoutANeighbor) {
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2"), via(kPort10, "10.0.3.2")}));
  kernel_.route("2001:db8::/32", unicast({via(kPort11, "fe80::1")}));
  kernel_.route("198.51.100.0/24", unicast({via(kPort00, "10.0.1.2")}));
  kernel_.neighbor(kPort10, "10.0.3.2", 1);
  kernel_.neighbor(kPort00, "10.0.1.77", 2);  // nobody's next hop
  router_.publish();
  const int port00 = ifindex_of(kPort00), port11 = ifindex_of(kPort11);
  EXPECT_EQ(router_.builder->unresolved(),
            (std::vector<KernelNeighborKey>{{port00, ip("10.0.1.2")}, {port11, ip("fe80::1")}}));
  kernel_.no_route("0.0.0.0/0");
  kernel_.no_route("198.51.100.0/24");
  kernel_.neighbor(kPort11, "fe80::1", 3);
  router_.publish();
  EXPECT_TRUE(router_.builder->unresolved().empty());
}

TEST_F(FibBuilderTest, AnMtuChangeReachesThePortsAdjacencies) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.neighbor(kPort00, "10.0.1.3", 2);
  kernel_.neighbor(kPort01, "10.0.2.2", 3);
  router_.publish();
  kernel_.set_mtu(ifindex_of(kPort00), 9000);
  const auto delta = router_.publish();
  EXPECT_EQ(delta.adjacencies.size(), 2u);
  EXPECT_TRUE(delta.groups.empty());
  EXPECT_TRUE(delta.routes.empty());
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu9000*1");
  EXPECT_EQ(router_.way("10.0.2.2/32"), "forward 10.0.2.2@n0p1=02:00:00:00:00:03,mtu1500*1");
}

TEST_F(FibBuilderTest, AnMtuThatNoRecordMayHaveIsBounded) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  for (const auto& [mtu, bounded] : std::map<std::uint32_t, std::string>{
           {0, "68"}, {67, "68"}, {65535, "65535"}, {65536, "65535"}, {0xffffffff, "65535"}}) {
    kernel_.set_mtu(ifindex_of(kPort00), mtu);
    router_.publish();
    EXPECT_EQ(router_.way("10.0.1.2/32"),
              "forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu" + bounded + "*1");
  }
}

TEST_F(FibBuilderTest, AnInterfaceThatIsNoPortIsTheKernels) {
  kernel_.add(KernelAddress{kTunnel, ip("10.9.0.1"), 24});
  kernel_.route("10.9.0.0/24", unicast({{kTunnel, std::nullopt, 1}}, kByKernel));
  kernel_.route("10.10.0.0/16", unicast({{kTunnel, ip("10.9.0.2"), 1}}));
  kernel_.set(KernelNeighborKey{kTunnel, ip("10.9.0.2")}, mac(1));
  kernel_.set_mtu(kTunnel, 1000);
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "10.10.0.0/16 local\n"
            "10.9.0.0/24 local\n"
            "groups 1\n");
  EXPECT_TRUE(router_.builder->unresolved().empty());
}

TEST_F(FibBuilderTest, OfMixedNextHopsThePortsAreTaken) {
  kernel_.route("10.10.0.0/16", unicast({{kTunnel, ip("10.9.0.2"), 1}, via(kPort00, "10.0.1.2")}));
  kernel_.route("10.11.0.0/16", unicast({on(kPort00), via(kPort00, "10.0.1.2")}));
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  router_.publish();
  EXPECT_EQ(router_.way("10.10.0.0/16"), "forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500*1");
  EXPECT_EQ(router_.way("10.11.0.0/16"), "glean");
}

TEST_F(FibBuilderTest, EveryTypeHasItsKind) {
  kernel_.route("10.0.0.1/32", of_type(KernelRouteType::local, {{kLoopback, std::nullopt, 1}}));
  kernel_.route("10.0.1.1/32", of_type(KernelRouteType::local, {on(kPort00)}));
  kernel_.route("10.0.1.255/32", of_type(KernelRouteType::broadcast, {on(kPort00)}));
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::blackhole));
  kernel_.route("198.51.100.0/24", of_type(KernelRouteType::unreachable));
  kernel_.route("203.0.113.0/24", of_type(KernelRouteType::prohibit));
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "10.0.0.1/32 local\n"
            "10.0.1.1/32 local\n"
            "10.0.1.255/32 broadcast\n"
            "192.0.2.0/24 blackhole\n"
            "198.51.100.0/24 unreachable\n"
            "203.0.113.0/24 prohibit\n"
            "groups 5\n");
}

TEST_F(FibBuilderTest, AddressesComeAndGo) {
  const KernelAddress first{ifindex_of(kPort10), ip("10.0.3.1"), 24};
  const KernelAddress longer{ifindex_of(kPort10), ip("10.0.3.1"), 25};
  const KernelAddress local{ifindex_of(kPort10), ip("fe80::1"), 64};
  kernel_.add(first);
  kernel_.add(local);
  EXPECT_EQ(router_.publish(), (fib::Delta{.addresses = {{{1}, {0}, {}, ip("10.0.3.1"), 24},
                                                         {{1}, {0}, {}, ip("fe80::1"), 64}}}));
  kernel_.remove(first);
  kernel_.add(longer);
  EXPECT_EQ(router_.publish(),
            (fib::Delta{.addresses = {{{1}, {0}, {}, ip("10.0.3.1"), 25}},
                        .removed_addresses = {{{1}, {0}, {}, ip("10.0.3.1"), 24}}}));
  kernel_.remove(longer);
  kernel_.remove(local);
  router_.publish();
  expect_empty();
}

}  // namespace
}  // namespace rackway::control::testing
