// SPDX-License-Identifier: Apache-2.0
// A cluster on which everything goes wrong at random: messages lost, doubled and late, nodes
// restarted, frozen and out of reach, the controller restarted, epochs proposed all along. What
// must hold throughout is watched by ModelCluster; when the faults stop, all nodes agree.
#include <gtest/gtest.h>

#include <random>

#include "tests/control/model_cluster.hh"

namespace rackway::control::testing {
namespace {

class EpochCoordinatorRandomTest : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr unsigned kNodes = 4;

  unsigned below(unsigned bound) { return random_() % bound; }
  bool one_in(unsigned bound) { return below(bound) == 0; }

  void make_faults() {
    const unsigned loss = 5 + below(200), twice = 5 + below(100), late = 20 + below(400);
    cluster_.fate = [=, this](NodeId, const cluster::Message&) {
      if (one_in(loss)) return Fate::lose;
      return one_in(twice) ? Fate::twice : Fate::deliver;
    };
    cluster_.delay = [=, this] {
      return std::chrono::milliseconds(one_in(late) ? below(3000) : below(40));
    };
  }
  void stop_faults() {
    cluster_.fate = [](NodeId, auto&) { return Fate::deliver; };
    cluster_.delay = [] { return 0ms; };
    for (unsigned i = 0; i < kNodes; ++i) {
      auto& site = cluster_.sites[i];
      site.frozen = site.refuses = false;
      if (!site.node) cluster_.start_node(i);
    }
    if (!cluster_.coordinator) cluster_.start_controller();
  }

  void trouble_a_node() {
    const unsigned i = below(kNodes);
    auto& site = cluster_.sites[i];
    switch (below(5)) {
      case 0: return site.node ? cluster_.stop_node(i) : cluster_.start_node(i);
      case 1: return cluster_.start_node(i);  // at once again
      case 2: site.refuses = !site.refuses; return;
      default: site.frozen = !site.frozen;
    }
  }
  // What is on its way may still arrive, or be gone with the connection.
  void trouble_the_controller() {
    if (!cluster_.coordinator) return cluster_.start_controller();
    cluster_.stop_controller();
    for (auto& site : cluster_.sites) {
      if (one_in(2)) site.inbox.clear();
      if (one_in(2)) site.outbox.clear();
    }
    if (one_in(2)) cluster_.start_controller();
  }

  void propose() {
    if (!cluster_.coordinator || !cluster_.coordinator->ready()) return;
    const auto& content = cluster_.coordinator->content();
    const unsigned number = below(6);
    const auto kind = static_cast<fib::GroupKind>(1 + below(fib::kGroupKinds - 1));
    auto delta = set_route(content, number, kind);
    if (content.find(route_to(number)) && one_in(3)) {
      delta = {.removed_routes = {route_to(number)}};
    }
    ASSERT_EQ(cluster_.propose(delta), "");
    ++proposals_;
  }

  std::mt19937 random_{GetParam()};
  ModelCluster cluster_{kNodes};
  unsigned proposals_ = 0;
};

TEST_P(EpochCoordinatorRandomTest, AgreesWhenTheFaultsStop) {
  for (int round = 0; round < 10; ++round) {
    make_faults();
    const unsigned unrest = 10 + below(150);
    for (int i = 0; i < 400; ++i) {
      if (one_in(unrest)) trouble_a_node();
      if (one_in(cluster_.coordinator ? 400 : 50)) trouble_the_controller();
      if (one_in(5)) propose();
      cluster_.run(ModelCluster::kStep);
    }
    stop_faults();
    cluster_.run(25s);
    ASSERT_EQ(cluster_.disagreement(), "") << "in round " << round;
    ASSERT_EQ(cluster_.coordinator->everywhere(), cluster_.coordinator->epoch());
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
  EXPECT_GT(proposals_, 40u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EpochCoordinatorRandomTest, ::testing::Range(1u, 17u));

}  // namespace
}  // namespace rackway::control::testing
