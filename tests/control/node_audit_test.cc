// SPDX-License-Identifier: Apache-2.0
// Model nodes that are audited: every kind of difference is seen, counted and repaired; who is only
// late, or ahead, is not accused.
#include "control/node_audit.hh"

#include "tests/control/epoch_coordinator_fixture.hh"

namespace rackway::control::testing {
namespace {

class NodeAuditTest : public EpochCoordinatorTest {
 protected:
  void start_audited() {
    start_with_epoch_1();
    audit_.emplace(
        std::vector<std::string>{"n0", "n1", "n2"}, *cluster_.coordinator, events_,
        [this](NodeId id, const auto& message) { return cluster_.send(id, message); },
        std::uint64_t{1});
    cluster_.on_audit = [this](NodeId id, const auto& answer) {
      audit_->on(id, answer, cluster_.now);
    };
  }
  void ask() {
    audit_->ask(cluster_.now);
    cluster_.deliver();
  }
  // runs/differences/repaired/unfinished of each node.
  std::vector<std::string> counts() const {
    std::vector<std::string> all;
    for (std::uint16_t i = 0; i < 3; ++i) {
      const auto& check = audit_->check({i});
      all.push_back(std::to_string(check.runs) + "/" + std::to_string(check.differences) + "/" +
                    std::to_string(check.repaired) + "/" + std::to_string(check.unfinished));
    }
    return all;
  }
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const auto& entry : events_.entries()) all.push_back(entry.own);
    return all;
  }
  // A bit of its memory falls over; nothing that it tells of itself shows it.
  void damage(unsigned node) {
    const auto& fib = cluster_.sites[node].node->fib();
    const GroupId blackhole{static_cast<std::uint32_t>(GroupKind::blackhole)};
    const_cast<fib::Group*>(fib.find(blackhole))->kind = GroupKind::prohibit;
  }
  void expect_fault(std::function<void(cluster::AuditAnswer&)> change, const std::string& what) {
    change_one<cluster::AuditAnswer>(
        1, [=](cluster::Message& message) { change(std::get<cluster::AuditAnswer>(message)); });
    const auto before = audit_->check({1}).differences;
    ask();
    EXPECT_EQ(audit_->check({1}).differences, before + 1) << what;
    EXPECT_NE(audit_->check({1}).result.find(what), std::string::npos) << audit_->check({1}).result;
    EXPECT_FALSE(cluster_.known(1).in_sync);
    cluster_.run(1s);
    EXPECT_EQ(agreement(), "");
  }

  topo::ClusterDocument document_;
  EventLog events_{document_};
  std::optional<NodeAudit> audit_;
};

TEST_F(NodeAuditTest, EqualNodesAreEqualWhileRoutesChange) {
  start_audited();
  for (unsigned i = 2; i < 22; ++i) {
    publish(i, i % 3 == 0 ? GroupKind::unreachable : GroupKind::blackhole);
    ask();
  }
  EXPECT_EQ(counts(), (std::vector<std::string>(3, "20/0/0/0")));
  EXPECT_EQ(audit_->check({2}).result, "equal");
  EXPECT_EQ(told(), std::vector<std::string>{});
  EXPECT_EQ(agreement(), "");
}

TEST_F(NodeAuditTest, ADamagedRecordIsSeenCountedAndRepaired) {
  start_audited();
  damage(1);
  cluster_.run(2s);
  ASSERT_TRUE(cluster_.known(1).in_sync);
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"1/0/0/0", "1/1/0/0", "1/0/0/0"}));
  EXPECT_EQ(audit_->check({1}).result, "differs: the digest of its records");
  EXPECT_EQ(take_sent(), Sent{});
  cluster_.run(1s);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 1", "n1 commit 1"}));
  EXPECT_EQ(agreement(), "");
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"2/0/0/0", "2/1/1/0", "2/0/0/0"}));
  EXPECT_EQ(told(), (std::vector<std::string>{"audit: node n1 differs: the digest of its records",
                                              "audit: node n1 is equal again"}));
}

TEST_F(NodeAuditTest, WrongLookupsAreSeen) {
  start_audited();
  expect_fault([](auto& answer) { answer.outcomes[5].kind = GroupKind::local; }, "differs: 1 of ");
  expect_fault([](auto& answer) { answer.outcomes[0].group = {77}; },
               " leads to group 77, not as ");
  expect_fault([](auto& answer) { answer.outcomes.pop_back(); }, " outcomes of ");
  expect_fault([](auto& answer) { ++answer.digest.low; }, "the digest of its records");
  EXPECT_EQ(audit_->check({1}).runs, 4u);
  EXPECT_EQ(audit_->check({1}).repaired, 0u);
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"5/0/0/0", "5/4/1/0", "5/0/0/0"}));
}

// Statuses tell the digest that is kept in step, which says nothing is wrong.
TEST_F(NodeAuditTest, OnlyTheWholeFibBringsTrustBack) {
  start_audited();
  cluster_.coordinator->distrust({1}, "test", cluster_.now);
  cluster_.run(440ms);
  EXPECT_FALSE(cluster_.known(1).in_sync);
  EXPECT_TRUE(cluster_.known(0).in_sync);
  EXPECT_EQ(cluster_.known(1).ours, Epoch{});
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{});
  publish(2);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n2 prepare 1>2", "n0 commit 2", "n2 commit 2"}));
  cluster_.run(1s);
  EXPECT_EQ(take_sent(), (Sent{"n1 snapshot 2", "n1 commit 2"}));
  EXPECT_EQ(cluster_.coordinator->everywhere(), Epoch{2});
}

TEST_F(NodeAuditTest, ANodeDistrustedInATransactionIsOutOfIt) {
  start_audited();
  cluster_.sites[1].frozen = true;
  publish(2);
  cluster_.coordinator->distrust({1}, "test", cluster_.now);
  cluster_.sites[1].frozen = false;
  cluster_.run(1s);
  EXPECT_EQ(take_sent(), (Sent{"n0 prepare 1>2", "n1 prepare 1>2", "n2 prepare 1>2", "n0 commit 2",
                               "n2 commit 2", "n1 snapshot 2", "n1 commit 2"}));
  EXPECT_EQ(agreement(), "");
}

TEST_F(NodeAuditTest, ANewStartIsTrusted) {
  start_audited();
  cluster_.coordinator->distrust({1}, "test", cluster_.now);
  cluster_.stop_node(1);
  cluster_.start_node(1);
  cluster_.deliver();
  cluster_.run(1s);
  EXPECT_FALSE(cluster_.known(1).distrusted);
  EXPECT_EQ(agreement(), "");
}

TEST_F(NodeAuditTest, WhoIsLateIsNotAccused) {
  start_audited();
  damage(1);
  cluster_.sites[1].frozen = true;
  ask();
  cluster_.sites[1].frozen = false;
  audit_->ask(cluster_.now);
  EXPECT_EQ(counts()[1], "0/0/0/1");
  EXPECT_EQ(audit_->check({1}).result, "no answer in time");
  cluster_.deliver();  // both answers: only the second one counts
  EXPECT_EQ(counts()[1], "1/1/0/1");
}

TEST_F(NodeAuditTest, AnAnswerOfAnotherEpochIsNotHeldAgainstANode) {
  start_audited();
  damage(1);
  change_one<cluster::AuditAnswer>(1, [](cluster::Message& message) {
    message = cluster::AuditAnswer{.number = 1, .epoch = {7}};
  });
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"1/0/0/0", "0/0/0/1", "1/0/0/0"}));
  EXPECT_EQ(audit_->check({1}).result, "another epoch by then");
  EXPECT_EQ(told(), std::vector<std::string>{});
  EXPECT_TRUE(cluster_.known(1).in_sync);
}

TEST_F(NodeAuditTest, AnAnswerWithoutDigestIsUnfinished) {
  start_audited();
  change_one<cluster::AuditAnswer>(1, [](cluster::Message& message) {
    auto& answer = std::get<cluster::AuditAnswer>(message);
    answer.has_digest = false;
    answer.digest = {};
  });
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"1/0/0/0", "0/0/0/1", "1/0/0/0"}));
  EXPECT_EQ(audit_->check({1}).result, "another epoch before the end");
}

// The question keeps what was so when it was asked.
TEST_F(NodeAuditTest, AnAnswerThatComesAfterTheNextEpochIsComparedWithItsOwn) {
  start_audited();
  std::optional<cluster::Message> held;
  cluster_.fate = [&](NodeId id, cluster::Message& message) {
    if (id.value != 1 || !is<cluster::AuditAnswer>(message)) return Fate::deliver;
    held = message;
    return Fate::lose;
  };
  ask();
  publish(2, GroupKind::prohibit);
  ASSERT_TRUE(held);
  audit_->on({1}, std::get<cluster::AuditAnswer>(*held), cluster_.now);
  EXPECT_EQ(counts(), (std::vector<std::string>(3, "1/0/0/0")));
}

TEST_F(NodeAuditTest, OnlyNodesInSyncAreAsked) {
  start_audited();
  cluster_.stop_node(2);
  cluster_.run(3s);
  ask();
  ask();
  EXPECT_EQ(counts(), (std::vector<std::string>{"2/0/0/0", "2/0/0/0", "0/0/0/0"}));
}

}  // namespace
}  // namespace rackway::control::testing
