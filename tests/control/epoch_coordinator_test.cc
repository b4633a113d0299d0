// SPDX-License-Identifier: Apache-2.0
// Epochs on a cluster of model nodes: who gets what in which order, and what becomes of a node that
// does not go along.
#include "control/epoch_coordinator.hh"

#include <gtest/gtest.h>

#include "tests/control/epoch_coordinator_fixture.hh"

namespace rackway::control::testing {
namespace {

// ---- the normal course

TEST_F(EpochCoordinatorTest, AColdStartSaysNothing) {
  cluster_.start_controller();
  EXPECT_TRUE(cluster_.coordinator->recovering());
  EXPECT_FALSE(cluster_.coordinator->ready());
  cluster_.run(40ms);
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(epoch(), Epoch{0});
  EXPECT_FALSE(cluster_.coordinator->take_recovered());
  EXPECT_EQ(take_sent(), Sent{});
}

TEST_F(EpochCoordinatorTest, AStartWaitsForMissingNodesAWhile) {
  cluster_.stop_node(2);
  cluster_.start_controller();
  cluster_.run(1400ms);
  EXPECT_TRUE(cluster_.coordinator->recovering());
  cluster_.run(200ms);
  EXPECT_TRUE(cluster_.coordinator->ready());
  EXPECT_TRUE(cluster_.known(1).in_sync);
  EXPECT_FALSE(cluster_.known(2).up);
  EXPECT_FALSE(cluster_.known(2).in_sync);
}

TEST_F(EpochCoordinatorTest, WithoutNodesEpochsAreMadeAtOnce) {
  for (unsigned i = 0; i < 3; ++i) cluster_.stop_node(i);
  cluster_.start_controller();
  cluster_.run(1600ms);
  publish(1);
  publish(2);
  EXPECT_EQ(epoch(), Epoch{2});
  EXPECT_TRUE(cluster_.coordinator->ready());
  EXPECT_EQ(take_sent(), Sent{});
}

TEST_F(EpochCoordinatorTest, TheFirstEpochGoesToAll) {
  start();
  EXPECT_EQ(cluster_.coordinator->next_epoch(), Epoch{1});
  ASSERT_EQ(cluster_.propose(set_route(cluster_.coordinator->content(), 1)), "");
  EXPECT_FALSE(cluster_.coordinator->ready());
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 0>1", "n1 prepare 0>1", "n2 prepare 0>1"}));
  cluster_.deliver();
  EXPECT_EQ(take_sent(), (Sent{"n0 commit 1", "n1 commit 1", "n2 commit 1"}));
  EXPECT_EQ(agreement(), "");
  EXPECT_EQ(epoch(), Epoch{1});
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 1u);
}

TEST_F(EpochCoordinatorTest, NobodyCommitsBeforeAllHaveAnswered) {
  start();
  cluster_.sites[1].frozen = true;
  publish(1);
  (void)take_sent();
  cluster_.run(900ms);
  EXPECT_EQ(take_sent(), Sent{});
  EXPECT_EQ(cluster_.sites[0].node->epoch(), Epoch{0});
  cluster_.sites[1].frozen = false;
  cluster_.run(20ms);
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeThatComesLaterGetsASnapshotAlone) {
  cluster_.stop_node(2);
  cluster_.start_controller();
  cluster_.run(2s);
  publish(1);
  publish(2);
  (void)take_sent();
  cluster_.start_node(2);
  cluster_.run(100ms);
  EXPECT_EQ(take_sent(), (Sent{"n2 snapshot 2", "n2 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ADeltaForThoseInSyncASnapshotForTheRest) {
  start_with_epoch_1();
  cluster_.stop_node(2);
  cluster_.start_node(2);
  cluster_.sites[2].outbox.push_back({cluster_.sites[2].node->hello(), cluster_.now});
  cluster_.deliver();
  EXPECT_FALSE(cluster_.known(2).in_sync);
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n1 prepare 1>2", "n2 snapshot 2", "n0 commit 2",
                               "n1 commit 2", "n2 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ADeltaThatDoesNotFitChangesNothing) {
  start_with_epoch_1();
  const auto before = cluster_.coordinator->content().snapshot();
  EXPECT_NE(cluster_.propose({.removed_routes = {route_to(99)}}), "");
  EXPECT_TRUE(cluster_.coordinator->ready());
  EXPECT_EQ(epoch(), Epoch{1});
  EXPECT_EQ(cluster_.coordinator->content().snapshot(), before);
  EXPECT_EQ(take_sent(), Sent{});
  EXPECT_EQ(agreement(), "");
}

// ---- nodes that do not go along

TEST_F(EpochCoordinatorTest, ANodeThatWouldDifferIsLeftBehind) {
  start_with_epoch_1();
  change_one<cluster::Prepared>(
      1, [](auto& message) { ++std::get<cluster::Prepared>(message).digest.low; });
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n1 prepare 1>2", "n2 prepare 1>2", "n0 commit 2",
                               "n2 commit 2"}));
  EXPECT_TRUE(cluster_.coordinator->ready());
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_EQ(cluster_.sites[1].node->epoch(), Epoch{1});
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{1});
  cluster_.run(600ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 2", "n1 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeThatRefusesIsLeftBehind) {
  start_with_epoch_1();
  change_one<cluster::Prepared>(0, [](auto& message) {
    message = cluster::Refused{{2}, "no memory"};
  });
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n1 prepare 1>2", "n2 prepare 1>2", "n1 commit 2",
                               "n2 commit 2"}));
  cluster_.run(600ms);
  EXPECT_EQ(take_sent(), (Sent{"n0 snapshot 2", "n0 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeLeftBehindIsNotTriedAgainAtOnce) {
  start_with_epoch_1();
  change_one<cluster::Prepared>(0, [](auto& message) {
    message = cluster::Refused{{2}, "no memory"};
  });
  publish(2);
  (void)take_sent();
  publish(3);
  EXPECT_EQ(take_sent(), (Sent{"n1 prepare 2>3", "n2 prepare 2>3", "n1 commit 3", "n2 commit 3"}));
  cluster_.run(600ms);
  EXPECT_EQ(take_sent(), (Sent{"n0 snapshot 3", "n0 commit 3"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, NoAnswerToPrepareHoldsTheOthersForALimitedTime) {
  start_with_epoch_1();
  lose_one<cluster::Prepare>(2);
  publish(2);
  (void)take_sent();
  cluster_.run(900ms);
  EXPECT_EQ(take_sent(), Sent{});
  cluster_.run(140ms);
  EXPECT_EQ(take_sent(), (Sent{"n0 commit 2", "n1 commit 2"}));
  EXPECT_EQ(cluster_.sites[2].node->epoch(), Epoch{1});
  cluster_.run(600ms);
  EXPECT_EQ(take_sent(), (Sent{"n2 snapshot 2", "n2 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ALostCommitIsMadeUpByASnapshotOfTheSameEpoch) {
  start_with_epoch_1();
  lose_one<cluster::Commit>(2);
  publish(2);
  EXPECT_FALSE(cluster_.coordinator->ready());
  EXPECT_TRUE(cluster_.known(0).in_sync);
  (void)take_sent();
  cluster_.run(1100ms);
  EXPECT_FALSE(cluster_.known(2).in_sync);
  EXPECT_TRUE(cluster_.coordinator->ready());
  cluster_.run(500ms);
  EXPECT_EQ(take_sent(), (Sent{"n2 snapshot 2", "n2 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ALostAnswerToCommitIsMadeUpByTheNextStatus) {
  start_with_epoch_1();
  lose_one<cluster::Committed>(2);
  publish(2);
  (void)take_sent();
  cluster_.run(2s);
  EXPECT_EQ(take_sent(), Sent{});
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeThatCanNotBeReachedHoldsUpNobody) {
  start_with_epoch_1();
  cluster_.sites[1].refuses = true;
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n2 prepare 1>2", "n0 commit 2", "n2 commit 2"}));
  EXPECT_TRUE(cluster_.coordinator->ready());
  EXPECT_FALSE(cluster_.known(1).in_sync);
  cluster_.run(2s);
  EXPECT_TRUE(cluster_.coordinator->ready());
  cluster_.sites[1].refuses = false;
  cluster_.run(600ms);
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeThatCanNotBeReachedAtCommitHoldsUpNobody) {
  start_with_epoch_1();
  cluster_.fate = [&](NodeId id, const cluster::Message& message) {
    if (id.value == 2 && is<cluster::Prepared>(message)) cluster_.sites[1].refuses = true;
    return Fate::deliver;
  };
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n1 prepare 1>2", "n2 prepare 1>2", "n0 commit 2",
                               "n2 commit 2"}));
  EXPECT_TRUE(cluster_.coordinator->ready());
  cluster_.sites[1].refuses = false;
  cluster_.run(600ms);
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ACommittedNodeThatDiffersIsNotInSync) {
  start_with_epoch_1();
  change_one<cluster::Committed>(
      1, [](auto& message) { ++std::get<cluster::Committed>(message).digest.high; });
  publish(2);
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_TRUE(cluster_.known(0).in_sync);
  cluster_.run(600ms);
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ANodeThatDriftsIsBroughtBack) {
  start_with_epoch_1();
  change_one<cluster::Status>(
      1, [](auto& message) { ++std::get<cluster::Status>(message).digest.low; });
  cluster_.run(260ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 1", "n1 commit 1"}));
  EXPECT_EQ(agreement(), "");
}

// ---- restarts and silence of nodes

// A restart of n1 just before it reads a message of that type, or for a message of its own, just
// after it was written.
template <class Message>
void restart_at(ModelCluster& cluster, bool& restarted) {
  restarted = false;
  cluster.fate = [&](NodeId id, const cluster::Message& message) {
    if (restarted || id.value != 1 || !is<Message>(message)) return Fate::deliver;
    restarted = true;
    return Fate::lose;
  };
}

template <class Message>
class RestartTest : public EpochCoordinatorTest {};
using Phases =
    ::testing::Types<cluster::Prepare, cluster::Prepared, cluster::Commit, cluster::Committed>;
TYPED_TEST_SUITE(RestartTest, Phases);

TYPED_TEST(RestartTest, ARestartedNodeGetsASnapshot) {
  auto& cluster = this->cluster_;
  this->start_with_epoch_1();
  bool lost = false;
  restart_at<TypeParam>(cluster, lost);
  this->publish(2);
  ASSERT_TRUE(lost);
  cluster.stop_node(1);
  cluster.start_node(1);
  cluster.run(20ms);  // its hello ends the waiting
  EXPECT_TRUE(cluster.coordinator->ready() || cluster.sites[0].node->epoch() == Epoch{2});
  cluster.run(40ms);
  EXPECT_EQ(this->agreement(), "");
  this->publish(3);
  EXPECT_EQ(this->agreement(), "");
}

TEST_F(EpochCoordinatorTest, ARestartBetweenEpochsIsNoticedByItsHello) {
  start_with_epoch_1();
  cluster_.stop_node(1);
  cluster_.start_node(1);
  cluster_.run(20ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 1", "n1 commit 1"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, DoubledMessagesChangeNothing) {
  start_with_epoch_1();
  cluster_.fate = [](NodeId, auto&) { return Fate::twice; };
  publish(2);
  EXPECT_EQ(take_sent().size(), 6u);
  EXPECT_EQ(agreement(), "");
}

TEST_F(EpochCoordinatorTest, ACommitThatWasNotAskedForDoesNotCount) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  publish(2);
  cluster_.sites[1].outbox.push_back(
      {cluster::Committed{{2}, cluster_.coordinator->content().digest()}, cluster_.now});
  cluster_.deliver();
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_FALSE(cluster_.coordinator->ready());
  cluster_.sites[1].frozen = false;
  cluster_.deliver();
  EXPECT_EQ(agreement(), "");
}

// It answers the epoch that it was left behind in while the next one is being prepared.
TEST_F(EpochCoordinatorTest, AnAnswerToAnotherEpochIsIgnored) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  publish(2);
  cluster_.run(1480ms);
  ASSERT_TRUE(cluster_.coordinator->ready());
  cluster_.now += 40ms;
  publish(3);
  EXPECT_FALSE(cluster_.coordinator->ready());
  (void)take_sent();
  cluster_.sites[1].outbox.push_back({cluster::Refused{{2}, "late"}, cluster_.now});
  cluster_.sites[1].frozen = false;
  cluster_.deliver();
  EXPECT_EQ(take_sent(), (Sent{"n0 commit 3", "n1 commit 3", "n2 commit 3"}));
  EXPECT_EQ(agreement(), "");
}

// Stopped while two epochs pass, then it reads all that has piled up and answers it late.
TEST_F(EpochCoordinatorTest, LateAnswersOfAStragglerAreIgnored) {
  start_with_epoch_1();
  cluster_.sites[1].frozen = true;
  publish(2);
  cluster_.run(1100ms);
  publish(3);
  (void)take_sent();
  cluster_.sites[1].frozen = false;
  cluster_.deliver();  // "prepared 2"
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_EQ(cluster_.sites[1].node->epoch(), Epoch{1});
  cluster_.run(700ms);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 3", "n1 commit 3"}));
  EXPECT_EQ(agreement(), "");
}

}  // namespace
}  // namespace rackway::control::testing
