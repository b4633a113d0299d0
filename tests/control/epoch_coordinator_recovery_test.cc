// SPDX-License-Identifier: Apache-2.0
// Restarts of the controller: the newest epoch of the nodes is taken over and numbers go on.
#include <gtest/gtest.h>

#include <variant>

#include "tests/control/model_cluster.hh"

namespace rackway::control::testing {
namespace {

using Sent = std::vector<std::string>;

class EpochRecoveryTest : public ::testing::Test {
 protected:
  // Three nodes at epoch 3.
  EpochRecoveryTest() {
    cluster_.start_controller();
    cluster_.run(100ms);
    for (unsigned i = 1; i <= 3; ++i) publish(i);
    EXPECT_EQ(cluster_.disagreement(), "");
    (void)cluster_.take_sent();
  }
  void publish(unsigned number) {
    ASSERT_EQ(cluster_.propose(set_route(cluster_.coordinator->content(), number)), "");
    cluster_.deliver();
  }
  // Nodes get as far as epoch 3 + their number.
  void leave_apart() {
    cluster_.sites[0].frozen = true;
    cluster_.run(3s);
    publish(4);
    cluster_.sites[1].frozen = true;
    cluster_.run(3s);
    publish(5);
    for (auto& site : cluster_.sites) {
      site.frozen = false;
      site.inbox.clear();
    }
    for (unsigned i = 0; i < 3; ++i) {
      ASSERT_EQ(cluster_.sites[i].node->epoch(), Epoch{3 + i});
    }
  }
  void restart_controller() {
    cluster_.stop_controller();
    for (auto& site : cluster_.sites) site.inbox.clear();
    cluster_.start_controller();
    (void)cluster_.take_sent();
  }
  Epoch epoch() const { return cluster_.coordinator->epoch(); }

  ModelCluster cluster_{3};
};

TEST_F(EpochRecoveryTest, TakesOverWhatTheNodesHold) {
  const auto held = cluster_.sites[0].node->fib().snapshot();
  restart_controller();
  cluster_.run(300ms);
  // An epoch of its own, which changes nothing.
  EXPECT_EQ(cluster_.take_sent(),
            (Sent{"n0 asked", "n0 prepare 3>4", "n1 prepare 3>4", "n2 prepare 3>4", "n0 commit 4",
                  "n1 commit 4", "n2 commit 4"}));
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(epoch(), Epoch{4});
  EXPECT_EQ(cluster_.sites[0].node->fib().snapshot(), held);
  EXPECT_EQ(cluster_.coordinator->take_recovered(), held);
  EXPECT_FALSE(cluster_.coordinator->take_recovered());
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{4});

  EXPECT_EQ(cluster_.coordinator->next_epoch(), Epoch{5});
  publish(4);
  EXPECT_EQ(cluster_.take_sent().at(0), "n0 prepare 4>5");
  EXPECT_EQ(cluster_.disagreement(), "");
}

TEST_F(EpochRecoveryTest, TakesTheNewestAndBringsTheRestUp) {
  leave_apart();
  restart_controller();
  cluster_.run(300ms);
  EXPECT_EQ(cluster_.take_sent(),
            (Sent{"n2 asked", "n0 snapshot 6", "n1 snapshot 6", "n2 prepare 5>6", "n0 commit 6",
                  "n1 commit 6", "n2 commit 6"}));
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 5u);
}

TEST_F(EpochRecoveryTest, WhenTheNewestDoesNotAnswerTheNextIsAsked) {
  leave_apart();
  restart_controller();
  cluster_.fate = [](NodeId id, const cluster::Message& message) {
    const bool lost = id.value == 2 && std::holds_alternative<cluster::NodeSnapshot>(message);
    return lost ? Fate::lose : Fate::deliver;
  };
  cluster_.run(4s);
  EXPECT_TRUE(cluster_.coordinator->recovering());
  cluster_.run(2s);
  EXPECT_FALSE(cluster_.coordinator->recovering());
  cluster_.run(1s);
  // n2 was ahead of what was taken over: the number has moved past it.
  EXPECT_EQ(cluster_.take_sent(),
            (Sent{"n2 asked", "n1 asked", "n0 snapshot 6", "n1 prepare 4>6", "n2 snapshot 6",
                  "n0 commit 6", "n1 commit 6", "n2 commit 6"}));
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 4u);
}

TEST_F(EpochRecoveryTest, WhenOnlyTheOldestAnswersItIsTaken) {
  leave_apart();
  restart_controller();
  cluster_.fate = [](NodeId id, const cluster::Message& message) {
    const bool lost = id.value != 0 && std::holds_alternative<cluster::NodeSnapshot>(message);
    return lost ? Fate::lose : Fate::deliver;
  };
  cluster_.run(12s);
  ASSERT_FALSE(cluster_.coordinator->recovering());
  const auto sent = cluster_.take_sent();
  EXPECT_EQ(Sent(sent.begin(), sent.begin() + 3), (Sent{"n2 asked", "n1 asked", "n0 asked"}));
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 3u);
}

TEST_F(EpochRecoveryTest, WhenNobodyAnswersThoseWhoMayAreAskedAgain) {
  restart_controller();
  cluster_.fate = [](NodeId, const cluster::Message& message) {
    return std::holds_alternative<cluster::NodeSnapshot>(message) ? Fate::lose : Fate::deliver;
  };
  cluster_.run(30s);
  EXPECT_TRUE(cluster_.coordinator->recovering());  // never forgets what the nodes forward by
  cluster_.fate = [](NodeId, auto&) { return Fate::deliver; };
  cluster_.run(20s);
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 3u);
}

TEST_F(EpochRecoveryTest, AnUnusableSnapshotIsPassedOver) {
  leave_apart();
  restart_controller();
  cluster_.fate = [](NodeId id, cluster::Message& message) {
    auto* snapshot = std::get_if<cluster::NodeSnapshot>(&message);
    if (id.value == 2 && snapshot != nullptr) snapshot->content.routes[0].group = {77};
    return Fate::deliver;
  };
  cluster_.run(1s);
  ASSERT_FALSE(cluster_.coordinator->recovering());
  cluster_.run(1s);
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 4u);
}

TEST_F(EpochRecoveryTest, ASnapshotOfANodeThatWasNotAskedIsNotTaken) {
  leave_apart();
  restart_controller();
  cluster_.sites[2].frozen = true;
  cluster_.run(300ms);
  ASSERT_TRUE(cluster_.known(0).up);
  cluster_.sites[0].outbox.push_back({cluster::NodeSnapshot{{9}, {}}, cluster_.now});
  cluster_.run(700ms);
  EXPECT_TRUE(cluster_.coordinator->recovering());
  cluster_.sites[2].frozen = false;
  cluster_.run(2s);
  EXPECT_EQ(epoch(), Epoch{6});
  EXPECT_EQ(cluster_.disagreement(), "");
}

// The newest node is away while the controller starts again and goes on from an older epoch.
TEST_F(EpochRecoveryTest, ANodeThatReturnsWithOurNumberForAnotherContentIsBroughtUp) {
  leave_apart();
  cluster_.sites[2].frozen = true;
  restart_controller();
  cluster_.run(2s);
  EXPECT_EQ(epoch(), Epoch{5});  // the number that n2 has for something else
  (void)cluster_.take_sent();
  cluster_.sites[2].frozen = false;
  cluster_.run(300ms);
  EXPECT_EQ(cluster_.take_sent(), (Sent{"n2 snapshot 5", "n2 commit 5"}));
  EXPECT_EQ(cluster_.disagreement(), "");
}

TEST_F(EpochRecoveryTest, ANodeThatReturnsAheadMovesTheNumberPastItForAll) {
  leave_apart();
  for (unsigned i = 6; i < 9; ++i) publish(i);
  cluster_.sites[2].frozen = true;
  const auto ahead = cluster_.sites[2].node->epoch();
  ASSERT_EQ(ahead, Epoch{8});
  restart_controller();
  cluster_.run(2s);
  ASSERT_EQ(epoch(), Epoch{5});
  cluster_.sites[2].frozen = false;
  cluster_.deliver();
  cluster_.run(300ms);
  EXPECT_EQ(epoch(), Epoch{9});
  EXPECT_EQ(cluster_.disagreement(), "");
  publish(100);
  EXPECT_EQ(epoch(), Epoch{10});
  EXPECT_EQ(cluster_.disagreement(), "");
}

// What a node holds under a number that is not ours may name anything.
TEST_F(EpochRecoveryTest, ANodeAheadIsNotKnownToHaveOurEpoch) {
  leave_apart();
  for (unsigned i = 6; i < 9; ++i) publish(i);
  cluster_.sites[2].frozen = true;
  restart_controller();
  cluster_.run(2s);
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{0});  // n2 has not spoken yet
  cluster_.sites[2].frozen = false;
  // Its hello comes, but nothing can be sent to it.
  cluster_.fate = [](NodeId id, const cluster::Message& message) {
    const bool lost = id.value == 2 && std::holds_alternative<cluster::PrepareSnapshot>(message);
    return lost ? Fate::lose : Fate::deliver;
  };
  cluster_.run(4s);
  ASSERT_EQ(cluster_.sites[2].node->epoch(), Epoch{8});
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{0});
}

TEST_F(EpochRecoveryTest, ANodeWithOurNumberForAnotherContentDoesNotHaveOurEpoch) {
  leave_apart();
  cluster_.sites[2].frozen = true;
  restart_controller();
  cluster_.run(2s);
  ASSERT_EQ(epoch(), cluster_.sites[2].node->epoch());
  cluster_.sites[2].frozen = false;
  cluster_.fate = [](NodeId id, const cluster::Message& message) {
    const bool lost = id.value == 2 && std::holds_alternative<cluster::PrepareSnapshot>(message);
    return lost ? Fate::lose : Fate::deliver;
  };
  cluster_.run(4s);
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{0});
  publish(51);
  cluster_.run(4s);
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{0});
}

TEST_F(EpochRecoveryTest, ARestartWithinATransactionLosesNothingCommitted) {
  cluster_.fate = [](NodeId id, const cluster::Message& message) {
    const bool lost = id.value != 1 && std::holds_alternative<cluster::Commit>(message);
    return lost ? Fate::lose : Fate::deliver;
  };
  publish(4);
  ASSERT_EQ(cluster_.sites[1].node->epoch(), Epoch{4});
  ASSERT_EQ(cluster_.sites[0].node->epoch(), Epoch{3});
  cluster_.fate = [](NodeId, auto&) { return Fate::deliver; };
  restart_controller();
  cluster_.run(300ms);
  EXPECT_EQ(epoch(), Epoch{5});
  EXPECT_EQ(cluster_.disagreement(), "");
  EXPECT_EQ(cluster_.coordinator->content().size().ipv4_routes, 4u);
}

TEST_F(EpochRecoveryTest, AFreshNodeBesideOldOnesDoesNotWin) {
  cluster_.stop_node(0);
  cluster_.start_node(0);
  restart_controller();
  cluster_.run(1500ms);
  EXPECT_EQ(epoch(), Epoch{4});
  EXPECT_EQ(cluster_.disagreement(), "");
}

}  // namespace
}  // namespace rackway::control::testing
