// SPDX-License-Identifier: Apache-2.0
// After a restart of the controller: what the nodes hold is kept, by the same numbers, until the
// kernel names it again or settle().
#include <gtest/gtest.h>

#include "tests/control/built_router.hh"
#include "tests/fib/scratch_folder.hh"

namespace rackway::control::testing {
namespace {

constexpr const char* kVia2 = "forward 10.0.1.2@n0p0=02:00:00:00:00:02,mtu1500*1";

// A router that has forgotten some numbers: lower groups and indices were freed before.
class FibBuilderRestoreTest : public FibBuilderTest {
 protected:
  FibBuilderRestoreTest() {
    kernel_.route("192.0.2.0/24", of_type(KernelRouteType::prohibit));
    kernel_.neighbor(kPort00, "10.0.1.99", 99);
    router_.publish();
    connect_two();
    kernel_.neighbor(kPort00, "10.0.1.2", 2);
    kernel_.neighbor(kPort01, "10.0.2.2", 3);
    kernel_.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2")}));
    kernel_.route("198.51.100.0/24", unicast({via(kPort00, "10.0.1.2"), via(kPort01, "10.0.2.2")}));
    kernel_.route("203.0.113.0/24", of_type(KernelRouteType::blackhole));
    router_.publish();
    kernel_.no_route("192.0.2.0/24");
    kernel_.no_neighbor(kPort00, "10.0.1.99");
    router_.publish();
  }

  // Restarts on the kernel as it is: nothing is to change, now and by settle().
  void expect_nothing_changes() {
    router_.restart();
    EXPECT_EQ(router_.publish_taken(), fib::Delta{});
    EXPECT_EQ(router_.builder->stale(), 0u);
    router_.builder->settle();
    EXPECT_EQ(router_.publish_taken(), fib::Delta{});
  }
  void forget_all() {
    kernel_.routes.clear();
    kernel_.neighbors.clear();
  }
};

TEST_F(FibBuilderRestoreTest, TheSameKernelChangesNothing) {
  expect_nothing_changes();
}

TEST_F(FibBuilderRestoreTest, UnresolvedNextHopsKeepTheirGroups) {
  kernel_.route("10.1.0.0/16", unicast({via(kPort10, "10.0.3.2")}));
  router_.publish();
  kernel_.route("10.0.0.0/16", unicast({via(kPort11, "10.0.4.2")}));
  router_.publish();
  ASSERT_EQ(router_.way("10.1.0.0/16"), "glean");
  expect_nothing_changes();
}

TEST_F(FibBuilderRestoreTest, PartlyResolvedNextHopsKeepTheirGroups) {
  kernel_.route("10.1.0.0/16", unicast({via(kPort00, "10.0.1.2"), via(kPort10, "10.0.3.2")}));
  router_.publish();
  kernel_.route("10.0.0.0/16", unicast({via(kPort00, "10.0.1.2"), via(kPort10, "10.0.3.3")}));
  router_.publish();
  ASSERT_EQ(router_.way("10.1.0.0/16"), kVia2);
  expect_nothing_changes();
}

TEST_F(FibBuilderRestoreTest, ANewRouteLeavesTheOthersTheirGroups) {
  kernel_.route("1.0.0.0/8", of_type(KernelRouteType::unreachable));
  kernel_.route("198.51.100.0/24", unicast({via(kPort01, "10.0.2.2")}));
  router_.restart();
  const auto delta = router_.publish_taken();
  EXPECT_EQ(router_.way("1.0.0.0/8"), "unreachable");
  ASSERT_EQ(delta.routes.size(), 2u);
  EXPECT_EQ(delta.routes[0].prefix, prefix("1.0.0.0/8"));
  EXPECT_EQ(delta.routes[1].prefix, prefix("198.51.100.0/24"));
}

TEST_F(FibBuilderRestoreTest, ANewRouteToAnOldTargetJoinsItsGroup) {
  const auto group = router_.group_of("198.51.100.0/24");
  kernel_.route("1.0.0.0/8", unicast({via(kPort00, "10.0.1.2"), via(kPort01, "10.0.2.2")}));
  router_.restart();
  EXPECT_EQ(router_.publish_taken(), (fib::Delta{.routes = {{prefix("1.0.0.0/8"), group}}}));
}

// Its target may be named again until then.
TEST_F(FibBuilderRestoreTest, AGroupThatNobodyNeedsKeepsItsIdUntilSettled) {
  const auto group = router_.group_of("203.0.113.0/24");
  kernel_.route("203.0.113.0/24", of_type(KernelRouteType::local));
  router_.restart();
  EXPECT_EQ(router_.publish_taken().removed_groups, std::vector<GroupId>{group});
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::unreachable));
  kernel_.route("192.0.3.0/24", of_type(KernelRouteType::prohibit));
  router_.publish();
  EXPECT_EQ(router_.fib.find(group), nullptr);
  router_.builder->settle();
  router_.publish_taken();
  kernel_.route("192.0.4.0/24", of_type(KernelRouteType::broadcast));
  router_.publish();
  EXPECT_EQ(router_.group_of("192.0.4.0/24"), group);
}

TEST_F(FibBuilderRestoreTest, AnEmptyKernelKeepsAllUntilSettled) {
  const auto before = router_.fib.snapshot();
  forget_all();
  router_.restart();
  EXPECT_EQ(router_.publish_taken(), fib::Delta{});
  EXPECT_EQ(router_.builder->stale(), before.routes.size());
  EXPECT_TRUE(router_.builder->origin(prefix("0.0.0.0/0")).stale);
  EXPECT_TRUE(router_.builder->origin(prefix("10.0.1.2/32")).stale);

  kernel_.addresses.clear();
  kernel_.changes.addresses = {ifindex_of(kPort00), ifindex_of(kPort01)};
  router_.builder->settle();
  EXPECT_EQ(router_.builder->stale(), 0u);
  EXPECT_TRUE(router_.builder->changed());
  router_.publish();
  expect_empty();
}

TEST_F(FibBuilderRestoreTest, ARouteNamedAgainIsNoLongerStale) {
  const auto before = router_.fib.snapshot().routes.size();
  forget_all();
  router_.restart();
  router_.publish_taken();
  kernel_.route("203.0.113.0/24", of_type(KernelRouteType::blackhole));
  EXPECT_EQ(router_.publish(), fib::Delta{});
  EXPECT_EQ(router_.builder->stale(), before - 1);
  EXPECT_EQ(router_.builder->confirmed(), 1u);
  EXPECT_FALSE(router_.builder->origin(prefix("203.0.113.0/24")).stale);
  kernel_.route("0.0.0.0/0", of_type(KernelRouteType::prohibit));
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "prohibit");
  kernel_.no_route("0.0.0.0/0");  // it is the kernel's now: withdrawn is withdrawn
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "");
  router_.builder->settle();
  router_.publish();
  EXPECT_EQ(router_.way("203.0.113.0/24"), "blackhole");
}

TEST_F(FibBuilderRestoreTest, ARouteNamedAndWithdrawnAtOnceIsWithdrawn) {
  forget_all();
  router_.restart();
  router_.publish_taken();
  kernel_.route("0.0.0.0/0", of_type(KernelRouteType::prohibit));
  kernel_.neighbor(kPort01, "10.0.2.2", 33);
  router_.builder->take(kernel_.take_changes());
  kernel_.no_route("0.0.0.0/0");
  kernel_.no_neighbor(kPort01, "10.0.2.2");
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "");
  EXPECT_EQ(router_.way("198.51.100.0/24"), kVia2);
}

TEST_F(FibBuilderRestoreTest, ANeighborGoneKeepsItsMacUntilSettled) {
  kernel_.neighbors.clear();
  const auto index = router_.index_of(kPort00, "10.0.1.2");
  router_.restart();
  EXPECT_EQ(router_.publish_taken(), fib::Delta{});
  EXPECT_EQ(router_.way("0.0.0.0/0"), kVia2);
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
  // The controller asks the kernel to resolve it meanwhile.
  const auto unresolved = router_.builder->unresolved();
  EXPECT_NE(std::find(unresolved.begin(), unresolved.end(),
                      KernelNeighborKey{ifindex_of(kPort00), ip("10.0.1.2")}),
            unresolved.end());

  kernel_.neighbor(kPort01, "10.0.2.2", 33);  // resolved anew, with another MAC
  const auto delta = router_.publish();
  EXPECT_EQ(delta.adjacencies.size(), 1u);
  EXPECT_TRUE(delta.routes.empty());
  EXPECT_EQ(router_.index_of(kPort00, "10.0.1.2"), index);

  router_.builder->settle();
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "glean");
  EXPECT_EQ(router_.way("10.0.1.2/32"), "");
  EXPECT_EQ(router_.way("198.51.100.0/24"), "forward 10.0.2.2@n0p1=02:00:00:00:00:21,mtu1500*1");
  EXPECT_EQ(router_.fib.size().adjacencies, 1u);
}

TEST_F(FibBuilderRestoreTest, ANeighborNamedAgainGoesWithTheKernels) {
  kernel_.neighbors.clear();
  router_.restart();
  router_.publish_taken();
  kernel_.neighbor(kPort00, "10.0.1.2", 2);
  EXPECT_EQ(router_.publish(), fib::Delta{});
  kernel_.no_neighbor(kPort00, "10.0.1.2");
  router_.publish();
  EXPECT_EQ(router_.way("0.0.0.0/0"), "glean");
}

TEST_F(FibBuilderRestoreTest, StaleRoutesFollowTheirNeighbors) {
  kernel_.routes.clear();
  router_.restart();
  router_.publish_taken();
  kernel_.neighbor(kPort00, "10.0.1.2", 22);
  const auto delta = router_.publish();
  EXPECT_EQ(delta.adjacencies.size(), 1u);
  EXPECT_EQ(router_.way("0.0.0.0/0"), "forward 10.0.1.2@n0p0=02:00:00:00:00:16,mtu1500*1");
}

TEST_F(FibBuilderRestoreTest, NewNeighborsTakeFreeIndicesOnly) {
  kernel_.neighbors.clear();
  router_.restart();
  const auto first = router_.index_of(kPort00, "10.0.1.2");
  const auto second = router_.index_of(kPort01, "10.0.2.2");
  kernel_.neighbor(kPort01, "10.0.2.9", 9);
  router_.publish();
  EXPECT_EQ(router_.index_of(kPort00, "10.0.1.2"), first);
  EXPECT_EQ(router_.index_of(kPort01, "10.0.2.2"), second);
  const auto third = router_.index_of(kPort01, "10.0.2.9");
  EXPECT_NE(third, first);
  EXPECT_NE(third, second);
}

// The document may have lost ports and nodes since.
TEST_F(FibBuilderRestoreTest, WhatIsOfNoNodeOrPortOfOursGoes) {
  const auto before = picture_of(router_.fib);
  const fib::AdjacencyKey of_no_node{{kNodes}, {0}}, of_no_port{{1}, {0}};
  ASSERT_TRUE(router_.fib.apply(
      {.adjacencies = {{of_no_node, {0}, {}, mac(1), 1500, ip("10.0.9.2")},
                       {of_no_port, {9}, {}, mac(2), 1500, ip("10.0.9.3")}},
       .groups = {{{100}, fib::GroupKind::forward, {{of_no_node, 1}}},
                  {{101}, fib::GroupKind::forward, {{of_no_node, 1}, {of_no_port, 1}}}},
       .routes = {{prefix("10.9.0.0/16"), {100}}, {prefix("10.10.0.0/16"), {101}}},
       .addresses = {{{kNodes}, {0}, {}, ip("10.0.9.1"), 24},
                     {{1}, {9}, {}, ip("10.0.9.1"), 24}}}));
  router_.restart();
  router_.publish_taken();
  EXPECT_EQ(router_.way("10.9.0.0/16"), "");
  EXPECT_EQ(router_.way("10.10.0.0/16"), "forward 10.0.9.3@n1p9=02:00:00:00:00:02,mtu1500*1");
  router_.builder->settle();
  router_.publish_taken();
  EXPECT_EQ(picture_of(router_.fib), before);
}

TEST_F(FibBuilderRestoreTest, AnEmptySnapshotIsAColdStart) {
  const auto expected = picture_of(router_.fib);
  router_.fib = fib::Fib();
  router_.restart();
  router_.publish_taken();
  EXPECT_EQ(picture_of(router_.fib), expected);
  EXPECT_EQ(router_.builder->stale(), 0u);
}

// A node that was away may still send to the neighbour that had the index before.
TEST_F(FibBuilderRestoreTest, ANewNeighborGetsNoIndexThatAnAbsentNodeMayName) {
  router_.restart();
  const Epoch ours{router_.epoch.value + 1};
  router_.builder->distrust_older(true, ours);
  kernel_.neighbor(kPort00, "10.0.1.77", 77);
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.77/32"), "glean");
  router_.builder->all_nodes_have({ours.value - 1});
  EXPECT_FALSE(router_.builder->changed());
  router_.builder->all_nodes_have(ours);
  EXPECT_TRUE(router_.builder->changed());
  router_.publish();
  EXPECT_EQ(router_.way("10.0.1.77/32"), "forward 10.0.1.77@n0p0=02:00:00:00:00:4d,mtu1500*1");
  EXPECT_EQ(router_.index_of(kPort00, "10.0.1.77"), AdjacencyId{0});
}

TEST_F(FibBuilderRestoreTest, ANewNeighborGetsOneAboveTheCeilingAtOnce) {
  const fib::testing::ScratchFolder folder;
  const auto file = folder.file("indices");
  ASSERT_TRUE(IndexCeiling(file).cover({0}));
  kernel_.take_changes();
  router_.builder.emplace(kNodes, kernel_.view(), 0u, IndexCeiling(file));
  bind_all(*router_.builder);
  router_.builder->restore(router_.fib.snapshot());
  router_.builder->distrust_older(true, {router_.epoch.value + 1});
  kernel_.neighbor(kPort00, "10.0.1.77", 77);
  router_.publish();
  EXPECT_EQ(router_.index_of(kPort00, "10.0.1.77"), AdjacencyId{1024});
  EXPECT_EQ(fib::testing::file_at(file), "2048\n");
}

TEST_F(FibBuilderRestoreTest, WithoutAWordFromBeforeAndWithNothingTakenOverAllIndicesAreNew) {
  BuiltRouter cold;
  cold.builder->distrust_older(false, {1});
  cold.kernel.connect(kPort00, "10.0.1.1", 24);
  cold.kernel.neighbor(kPort00, "10.0.1.2", 2);
  cold.publish();
  EXPECT_EQ(cold.index_of(kPort00, "10.0.1.2"), AdjacencyId{0});
}

}  // namespace
}  // namespace rackway::control::testing
