// SPDX-License-Identifier: Apache-2.0
// When a node that says nothing is down, and when it is not: it may be busy, or the controller may
// not have listened.
#include "tests/control/epoch_coordinator_fixture.hh"

namespace rackway::control::testing {
namespace {

TEST_F(EpochCoordinatorTest, ASilentNodeIsDown) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  cluster_.run(1700ms);
  EXPECT_TRUE(cluster_.known(1).up);
  cluster_.run(400ms);
  EXPECT_FALSE(cluster_.known(1).up);
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_TRUE(cluster_.known(0).up);
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n2 prepare 1>2", "n0 commit 2", "n2 commit 2"}));
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{1});
  cluster_.sites[1].frozen = false;
  cluster_.run(300ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 2", "n1 commit 2"}));
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{2});
}

TEST_F(EpochCoordinatorTest, ANodeSilentForAMomentStaysInSync) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  cluster_.run(5s);
  EXPECT_FALSE(cluster_.known(1).up);
  cluster_.sites[1].frozen = false;
  cluster_.run(300ms);
  EXPECT_EQ(take_sent(), Sent{});
  EXPECT_EQ(agreement(), "");
}

// A large epoch takes a node longer than the silence that makes it down, to prepare as to commit.
TEST_F(EpochCoordinatorTest, ANodeBusyWithALargeEpochIsNotDown) {
  start_with_epoch_1();
  fib::Delta large{.groups = {{{7}, GroupKind::prohibit, {}}}};
  for (unsigned i = 0; i < 150000; ++i) {
    large.routes.push_back({{Ipv4Address{0x14000000 + (i << 8)}, 24}, {7}});
  }
  cluster_.stop_node(1);
  cluster_.stop_node(2);
  cluster_.run(3s);
  auto& busy = cluster_.sites[0];
  busy.frozen = true;
  ASSERT_EQ(cluster_.propose(large), "");
  cluster_.run(2400ms);
  EXPECT_TRUE(cluster_.known(0).up);
  EXPECT_FALSE(cluster_.coordinator->ready());
  cluster_.fate = [&](NodeId, const cluster::Message& message) {
    if (is<cluster::Commit>(message)) busy.frozen = true;
    return Fate::deliver;
  };
  busy.frozen = false;
  cluster_.deliver();
  ASSERT_TRUE(busy.frozen);
  cluster_.run(2400ms);
  EXPECT_TRUE(cluster_.known(0).up);
  EXPECT_FALSE(cluster_.coordinator->ready());
  cluster_.run(200ms);
  EXPECT_FALSE(cluster_.known(0).up);
  EXPECT_TRUE(cluster_.coordinator->ready());
}

// The controller was stopped: what the nodes said meanwhile is still on its way to it.
TEST_F(EpochCoordinatorTest, NoNodeIsDownBecauseNobodyListened) {
  start_with_epoch_1();
  cluster_.now += 10s;
  cluster_.coordinator->tick(cluster_.now);
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(cluster_.known(i).up) << i;
  cluster_.run(1s);
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(take_sent(), Sent{});
}

TEST_F(EpochCoordinatorTest, SilenceCountsWhileSomebodyListens) {
  start_with_epoch_1();
  cluster_.run(480ms);
  cluster_.sites[1].frozen = true;
  cluster_.now += 10s;
  cluster_.run(1700ms);
  EXPECT_TRUE(cluster_.known(1).up);
  cluster_.run(320ms);
  EXPECT_FALSE(cluster_.known(1).up);
  EXPECT_TRUE(cluster_.known(0).up);
}

TEST_F(EpochCoordinatorTest, AnAnswerIsNotLateBecauseNobodyListened) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  publish(2);
  (void)take_sent();
  cluster_.now += 10s;
  cluster_.coordinator->tick(cluster_.now);
  cluster_.sites[1].frozen = false;
  cluster_.deliver();
  EXPECT_EQ(take_sent(), (Sent{"n0 commit 2", "n1 commit 2", "n2 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

}  // namespace
}  // namespace rackway::control::testing
