// SPDX-License-Identifier: Apache-2.0
// Numbers that are used again, deltas that were lost, everything withdrawn, ports that appear late.
#include <gtest/gtest.h>

#include "tests/control/built_router.hh"

namespace rackway::control::testing {
namespace {

TEST_F(FibBuilderTest, AFreedGroupIdIsTakenAgain) {
  const auto blackhole = of_type(KernelRouteType::blackhole);
  kernel_.route("10.1.0.0/16", blackhole);
  kernel_.route("10.2.0.0/16", of_type(KernelRouteType::prohibit));
  router_.publish();
  const auto freed = router_.group_of("10.1.0.0/16");
  kernel_.no_route("10.1.0.0/16");
  EXPECT_EQ(router_.publish().removed_groups, std::vector<GroupId>{freed});
  kernel_.route("10.3.0.0/16", of_type(KernelRouteType::unreachable));
  router_.publish();
  EXPECT_EQ(router_.group_of("10.3.0.0/16"), freed);
}

TEST_F(FibBuilderTest, AnAdjacencyIndexRestsUntilAllNodesHaveForgottenIt) {
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.neighbor(kPort10, "10.0.3.2", 2);  // another node counts for itself
  router_.publish();
  const auto index = router_.index_of(kPort00, "10.0.1.2");
  EXPECT_EQ(router_.index_of(kPort10, "10.0.3.2"), index);
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  const Epoch gone_with = router_.epoch;
  router_.builder->all_nodes_have({gone_with.value - 1});
  kernel_.neighbor(kPort00, "10.0.1.3", 3);
  router_.publish();
  EXPECT_NE(router_.index_of(kPort00, "10.0.1.3"), index);
  router_.builder->all_nodes_have(gone_with);
  kernel_.neighbor(kPort01, "10.0.2.2", 4);
  router_.publish();
  EXPECT_EQ(router_.index_of(kPort01, "10.0.2.2"), index);
}

TEST_F(FibBuilderTest, ChangesThatCancelSayNothing) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  router_.publish();
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  kernel_.no_route("0.0.0.0/0");
  router_.builder->take(kernel_.take_changes());
  EXPECT_TRUE(router_.builder->changed());
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  EXPECT_TRUE(router_.publish().empty());
}

TEST_F(FibBuilderTest, WithdrawnRoutesLeaveNothing) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.neighbor(kPort11, "fe80::1", 2);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2"), via(kPort11, "fe80::1", 4)}));
  kernel_.route("2001:db8::/32", of_type(KernelRouteType::blackhole));
  router_.publish();
  for (const auto& to : {"0.0.0.0/0", "2001:db8::/32", "10.0.1.0/24", "10.0.2.0/24"}) {
    kernel_.no_route(to);
  }
  for (const auto& address : std::set(kernel_.addresses)) kernel_.remove(address);
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort11, "fe80::1");
  router_.publish();
  expect_empty();
}

// The next delta also takes away what the lost one would have.
TEST_F(FibBuilderTest, AfterALostDeltaEverythingIsCompared) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::blackhole));
  router_.publish();
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  kernel_.no_route("192.0.2.0/24");
  kernel_.remove(KernelAddress{ifindex_of(kPort01), ip("10.0.2.1"), 24});
  kernel_.route("198.51.100.0/24", of_type(KernelRouteType::prohibit));
  router_.builder->take(kernel_.take_changes());
  EXPECT_FALSE(router_.builder->take_delta(router_.fib, {99}).empty());
  router_.builder->compare_everything();
  EXPECT_TRUE(router_.builder->changed());
  router_.publish_taken();
  EXPECT_EQ(picture_of(router_.fib),
            "0.0.0.0/0 glean\n"
            "10.0.1.0/24 glean\n"
            "10.0.2.0/24 glean\n"
            "198.51.100.0/24 prohibit\n"
            "address 10.0.1.1/24@n0p0\n"
            "groups 3\n");
}

TEST_F(FibBuilderTest, AfterALostDeltaOfEverythingNothingStays) {
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::blackhole));
  router_.publish();
  kernel_.no_route("192.0.2.0/24");
  router_.builder->take(kernel_.take_changes());
  (void)router_.builder->take_delta(router_.fib, {99});
  router_.builder->compare_everything();
  EXPECT_TRUE(router_.builder->changed());
  router_.publish_taken();
  expect_empty();
}

TEST_F(FibBuilderTest, APortMayAppearLater) {
  router_.builder.emplace(kNodes, kernel_.view());
  kernel_.connect(kPort00, "10.0.1.1", 24);
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "0.0.0.0/0 local\n"
            "10.0.1.0/24 local\n"
            "groups 1\n");
  router_.builder->bind(ifindex_of(kPort00), kPort00);
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "0.0.0.0/0 forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500*1\n"
            "10.0.1.0/24 glean\n"
            "10.0.1.2/32 forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500*1\n"
            "address 10.0.1.1/24@n0p0\n"
            "adjacency 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500\n"
            "groups 2\n");
}

TEST_F(FibBuilderTest, APortMayAppearAsAnotherInterface) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  router_.publish();
  constexpr int kNew = 77;
  kernel_.set(KernelNeighborKey{kNew, ip("10.0.5.2")}, mac(5));
  kernel_.set(prefix("10.0.5.0/24"), unicast({{kNew, std::nullopt, 1}}, kByKernel));
  kernel_.set_mtu(kNew, 9000);
  router_.builder->bind(kNew, kPort00);
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "10.0.1.0/24 local\n"
            "10.0.2.0/24 glean\n"
            "10.0.5.0/24 glean\n"
            "10.0.5.2/32 forward 10.0.5.2@n0p0=02:00:00:00:00:05,mtu9000*1\n"
            "address 10.0.2.1/24@n0p1\n"
            "adjacency 10.0.5.2@n0p0=02:00:00:00:00:05,mtu9000\n"
            "groups 3\n");
}

TEST_F(FibBuilderTest, TellsWhereARouteIsFrom) {
  connect_two();
  kernel_.neighbor(kPort00, "10.0.1.2", 1);
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::blackhole));
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}, kByBgp));
  kernel_.route("198.51.100.0/24", unicast({via(kPort00, "10.0.1.2")}, 201));
  router_.publish();
  const auto expect_origin = [&](const char* to, const std::string& protocol) {
    const auto origin = router_.builder->origin(prefix(to));
    EXPECT_EQ(origin.protocol, protocol) << to;
    EXPECT_FALSE(origin.stale) << to;
  };
  expect_origin("10.0.1.0/24", "kernel");
  expect_origin("10.0.1.2/32", "neighbor");
  expect_origin("0.0.0.0/0", "bgp");
  expect_origin("198.51.100.0/24", "201");
  kernel_.no_route("192.0.2.0/24");  // withdrawn, though the nodes have it for a moment longer
  router_.builder->take(kernel_.take_changes());
  expect_origin("192.0.2.0/24", "");
}

}  // namespace
}  // namespace rackway::control::testing
