// SPDX-License-Identifier: Apache-2.0
// In which epoch each half of a change comes: nodes commit one after the other, so an adjacency is
// there before it is named and is named no more before it goes. BuiltRouter holds every epoch of
// every test against that; here are the epochs one by one.
#include <gtest/gtest.h>

#include "tests/control/built_router.hh"

namespace rackway::control::testing {
namespace {

constexpr const char* kVia2 = "forward 10.0.1.2@n0p0=02:00:00:00:00:02,mtu1500*1";

class FibBuilderOrderTest : public FibBuilderTest {
 protected:
  FibBuilderOrderTest() { connect_two(); }

  fib::Delta take_and_publish_epoch() {
    router_.builder->take(kernel_.take_changes());
    return router_.publish_epoch();
  }
  void resolve_2() {
    kernel_.neighbor(kPort00, "10.0.1.2", 2);
    router_.publish();
  }
  [[nodiscard]] bool changed() const { return router_.builder->changed(); }
  [[nodiscard]] fib::AdjacencyKey key(InterfaceRef port, std::string_view address) const {
    return {port.node, router_.index_of(port, address)};
  }
};

TEST_F(FibBuilderOrderTest, ANewNeighborIsNamedAnEpochLater) {
  kernel_.neighbor(kPort00, "10.0.1.2", 2);
  const auto first = take_and_publish_epoch();
  EXPECT_EQ(first.adjacencies.size(), 1u);
  EXPECT_EQ(router_.way("10.0.1.2/32"), "glean");
  ASSERT_TRUE(changed());
  const auto second = router_.publish_epoch();
  const auto group = router_.group_of("10.0.1.2/32");
  EXPECT_EQ(
      second,
      (fib::Delta{.groups = {{group, fib::GroupKind::forward, {{key(kPort00, "10.0.1.2"), 1}}}}}));
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, ANewMemberJoinsAnEpochLater) {
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2"), via(kPort01, "10.0.2.2")}));
  resolve_2();
  kernel_.neighbor(kPort01, "10.0.2.2", 3);
  (void)take_and_publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"), kVia2);
  ASSERT_TRUE(changed());
  (void)router_.publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"),
            std::string(kVia2) + " 10.0.2.2@n0p1=02:00:00:00:00:03,mtu1500*1");
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, AnotherMacOrMtuNeedsOneEpoch) {
  resolve_2();
  kernel_.neighbor(kPort00, "10.0.1.2", 9);
  kernel_.set_mtu(ifindex_of(kPort00), 9000);
  EXPECT_EQ(take_and_publish_epoch(),
            (fib::Delta{.adjacencies = {
                            {key(kPort00, "10.0.1.2"), {0}, {}, mac(9), 9000, ip("10.0.1.2")}}}));
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, ARouteToAKnownNeighborNeedsOneEpoch) {
  resolve_2();
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  (void)take_and_publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"), kVia2);
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, AGoneNeighborsAdjacencyGoesAnEpochLater) {
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
  resolve_2();
  const auto gone = key(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  const auto first = take_and_publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "glean");
  EXPECT_EQ(first.removed_routes, std::vector<IpPrefix>{prefix("10.0.1.2/32")});
  EXPECT_NE(router_.fib.find(gone), nullptr);
  ASSERT_TRUE(changed());
  EXPECT_EQ(router_.publish_epoch(), (fib::Delta{.removed_adjacencies = {gone}}));
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, AnAdjacencyThatNoGroupNamesGoesAtOnce) {
  kernel_.neighbor(kPort00, "fe80::1", 7);
  (void)take_and_publish_epoch();
  EXPECT_FALSE(changed());
  const auto gone = key(kPort00, "fe80::1");
  kernel_.no_neighbor(kPort00, "fe80::1");
  EXPECT_EQ(take_and_publish_epoch(), (fib::Delta{.removed_adjacencies = {gone}}));
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, ANeighborThatReturnsInBetweenIsNamedAtOnce) {
  resolve_2();
  const auto same = key(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  (void)take_and_publish_epoch();
  kernel_.neighbor(kPort00, "10.0.1.2", 9);
  EXPECT_EQ(take_and_publish_epoch().adjacencies,
            (std::vector<fib::Adjacency>{{same, {0}, {}, mac(9), 1500, ip("10.0.1.2")}}));
  EXPECT_EQ(router_.way("10.0.1.2/32"), "forward 10.0.1.2@n0p0=02:00:00:00:00:09,mtu1500*1");
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, ANeighborGoneBeforeItWasNamedGoesAtOnce) {
  kernel_.neighbor(kPort00, "10.0.1.2", 2);
  (void)take_and_publish_epoch();
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  (void)take_and_publish_epoch();
  EXPECT_EQ(router_.fib.size().adjacencies, 0u);
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  EXPECT_FALSE(changed());
}

// Its index rests from when it went, not from when it was last named.
TEST_F(FibBuilderOrderTest, AnIndexRestsFromItsRemovalOn) {
  resolve_2();
  const auto index = router_.index_of(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  (void)take_and_publish_epoch();
  router_.builder->all_nodes_have(router_.epoch);
  kernel_.neighbor(kPort00, "10.0.1.3", 3);
  router_.publish();
  EXPECT_NE(router_.index_of(kPort00, "10.0.1.3"), index);
  router_.builder->all_nodes_have(router_.epoch);
  kernel_.neighbor(kPort00, "10.0.1.4", 4);
  router_.publish();
  EXPECT_EQ(router_.index_of(kPort00, "10.0.1.4"), index);
}

TEST_F(FibBuilderOrderTest, ALostSecondHalfIsMadeUpFor) {
  kernel_.neighbor(kPort00, "10.0.1.2", 2);
  (void)take_and_publish_epoch();
  (void)router_.builder->take_delta(router_.fib, {router_.epoch.value + 1});
  EXPECT_FALSE(changed());
  router_.builder->compare_everything();
  router_.publish_taken();
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);

  kernel_.no_neighbor(kPort00, "10.0.1.2");
  (void)take_and_publish_epoch();
  (void)router_.builder->take_delta(router_.fib, {router_.epoch.value + 1});
  router_.builder->compare_everything();
  router_.publish_taken();
  EXPECT_EQ(router_.fib.size().adjacencies, 0u);
}

TEST_F(FibBuilderOrderTest, ARestartBetweenTheHalvesOfANewNeighbor) {
  kernel_.neighbor(kPort00, "10.0.1.2", 2);
  (void)take_and_publish_epoch();
  const auto same = key(kPort00, "10.0.1.2");
  router_.restart();
  router_.publish_taken();
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
  EXPECT_EQ(key(kPort00, "10.0.1.2"), same);
}

// The kernel has not got it any more, but the restarted builder can not know that it had it not
// before: it stays until settled.
TEST_F(FibBuilderOrderTest, ARestartBetweenTheHalvesOfAGoneNeighbor) {
  resolve_2();
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  (void)take_and_publish_epoch();
  router_.restart();
  router_.publish_taken();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  EXPECT_EQ(router_.fib.size().adjacencies, 1u);
  router_.builder->settle();
  router_.publish_taken();
  EXPECT_EQ(router_.fib.size().adjacencies, 0u);
}

// Its group keeps its number.
TEST_F(FibBuilderOrderTest, ANeighborThatOnlyTheKernelKnowsAfterARestartIsNamedAnEpochLater) {
  kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2"), via(kPort01, "10.0.2.2")}));
  resolve_2();
  const auto group = router_.group_of("0.0.0.0/0");
  kernel_.neighbor(kPort01, "10.0.2.2", 3);
  router_.restart();
  (void)router_.publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"), kVia2);
  (void)router_.publish_epoch();
  EXPECT_EQ(router_.way("0.0.0.0/0"),
            std::string(kVia2) + " 10.0.2.2@n0p1=02:00:00:00:00:03,mtu1500*1");
  EXPECT_EQ(router_.group_of("0.0.0.0/0"), group);
  EXPECT_FALSE(changed());
}

// Frames on their way by the last FIB that named a neighbour find him at the egress node still.
TEST_F(FibBuilderOrderTest, ANeighborWhomNobodyNamesLingers) {
  router_.restart(2);
  resolve_2();
  const auto gone = key(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  EXPECT_NE(router_.fib.find(gone), nullptr);
  router_.builder->age();
  EXPECT_FALSE(changed());
  router_.builder->age();
  ASSERT_TRUE(changed());
  EXPECT_EQ(router_.publish_epoch(), (fib::Delta{.removed_adjacencies = {gone}}));
  EXPECT_FALSE(changed());
  router_.builder->age();
  EXPECT_FALSE(changed());
}

TEST_F(FibBuilderOrderTest, ANeighborWhoComesBackMeanwhileStays) {
  router_.restart(2);
  resolve_2();
  const auto back = key(kPort00, "10.0.1.2");
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  router_.builder->age();
  resolve_2();
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
  for (int i = 0; i < 3; ++i) router_.builder->age();
  EXPECT_FALSE(changed());
  EXPECT_NE(router_.fib.find(back), nullptr);
  EXPECT_EQ(key(kPort00, "10.0.1.2"), back);
  kernel_.no_neighbor(kPort00, "10.0.1.2");  // from now on it lingers as long as any
  router_.publish();
  router_.builder->age();
  EXPECT_FALSE(changed());
}

}  // namespace
}  // namespace rackway::control::testing
