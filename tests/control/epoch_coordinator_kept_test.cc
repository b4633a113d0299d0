// SPDX-License-Identifier: Apache-2.0
// Nodes that may come back with an old FIB of their disk: what is known to be everywhere counts
// that.
#include "tests/control/epoch_coordinator_fixture.hh"

namespace rackway::control::testing {
namespace {

class EpochKeptTest : public EpochCoordinatorTest {
 protected:
  // n1 keeps its state.
  void SetUp() override {
    cluster_.sites[1].disk.emplace();
    cluster_.start_node(1);
    start_with_epoch_1();
  }
  ModelNode& keeper() { return *cluster_.sites[1].node; }
  void keep() {
    keeper().keep();
    cluster_.run(ModelCluster::kStatusEvery);
  }
  void crash() {
    cluster_.stop_node(1);
    cluster_.run(20ms);
  }
  Epoch everywhere() const { return cluster_.coordinator->everywhere(); }
};

TEST_F(EpochKeptTest, AnEpochIsEverywhereWhenItIsOnDiskToo) {
  cluster_.run(1s);
  EXPECT_EQ(everywhere(), Epoch{0});
  keep();
  EXPECT_EQ(everywhere(), Epoch{1});
  publish(2);
  cluster_.run(1s);
  EXPECT_EQ(cluster_.known(1).ours, Epoch{2});
  EXPECT_EQ(everywhere(), Epoch{1});
  keep();
  EXPECT_EQ(everywhere(), Epoch{2});
}

TEST_F(EpochKeptTest, TheDiskMayBeBehindAllTheTime) {
  for (unsigned number = 2; number < 50; ++number) {
    const Epoch before = epoch();
    keeper().keep();
    publish(number);
    cluster_.run(ModelCluster::kStatusEvery);
    ASSERT_EQ(everywhere(), before);
  }
}

TEST_F(EpochKeptTest, WhatComesBackOlderThanItWasIsNotForgotten) {
  keep();
  publish(2);
  crash();
  EXPECT_EQ(everywhere(), Epoch{1});
  cluster_.start_node(1);
  keeper().resume();
  (void)take_sent();
  cluster_.deliver();
  cluster_.run(20ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 2", "n1 commit 2"}));
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(everywhere(), Epoch{0});  // until it has kept something in this run
  keep();
  EXPECT_EQ(everywhere(), Epoch{2});
}

TEST_F(EpochKeptTest, WhatComesBackAsItWasNeedsNothing) {
  keep();
  crash();
  cluster_.start_node(1);
  keeper().resume();
  (void)take_sent();
  cluster_.run(100ms);
  EXPECT_EQ(take_sent(), Sent{});
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochKeptTest, ANumberOfAnotherContentDoesNotCount) {
  keep();
  cluster::Status status = keeper().status();
  status.kept_digest.low ^= 1;
  cluster_.coordinator->on(NodeId{1}, status, cluster_.now);
  EXPECT_EQ(everywhere(), Epoch{0});
  EXPECT_TRUE(cluster_.known(1).in_sync);
}

TEST_F(EpochKeptTest, AnEpochThatIsToComeDoesNotCount) {
  cluster::Status status = keeper().status();
  status.kept_epoch = {2};
  status.kept_digest = status.digest;
  cluster_.coordinator->on(NodeId{1}, status, cluster_.now);
  EXPECT_EQ(everywhere(), Epoch{0});
}

TEST_F(EpochKeptTest, ANewControllerTrustsNoDiskBeforeItHasHeardOfIt) {
  keep();
  cluster_.start_controller();
  cluster_.run(300ms);
  EXPECT_EQ(epoch(), Epoch{2});
  EXPECT_EQ(everywhere(), Epoch{0});
  cluster_.run(ModelCluster::kStatusEvery);
  EXPECT_EQ(everywhere(), Epoch{1});  // which it has taken over
  keep();
  EXPECT_EQ(everywhere(), Epoch{2});
}

TEST_F(EpochKeptTest, AllNodesAndTheControllerStartAnewByADisk) {
  keep();
  const auto held = keeper().fib().snapshot();
  for (unsigned i = 0; i < 3; ++i) cluster_.stop_node(i);
  cluster_.start_controller();
  for (unsigned i = 0; i < 3; ++i) cluster_.start_node(i);
  keeper().resume();
  cluster_.run(2s);
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().snapshot(), held);
}

}  // namespace
}  // namespace rackway::control::testing
