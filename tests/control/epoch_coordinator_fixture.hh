// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests of the epoch coordinator: three model nodes, and words for what happens
// to them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tests/control/model_cluster.hh"

namespace rackway::control::testing {

using Sent = std::vector<std::string>;
using fib::GroupKind;

template <class Message>
bool is(const cluster::Message& message) {
  return std::holds_alternative<Message>(message);
}

class EpochCoordinatorTest : public ::testing::Test {
 protected:
  // Three nodes in sync.
  void start() {
    cluster_.start_controller();
    cluster_.run(100ms);
    ASSERT_TRUE(cluster_.coordinator->ready());
    (void)cluster_.take_sent();
  }
  // One epoch for everybody.
  void publish(unsigned number, GroupKind kind = GroupKind::blackhole) {
    ASSERT_EQ(cluster_.propose(set_route(cluster_.coordinator->content(), number, kind)), "");
    cluster_.deliver();
  }
  void start_with_epoch_1() {
    start();
    publish(1);
    ASSERT_EQ(cluster_.disagreement(), "");
    (void)cluster_.take_sent();
  }
  // The first message of that type from or to the node is lost.
  template <class Message>
  void lose_one(unsigned node) {
    cluster_.fate = [node, done = false](NodeId id, const cluster::Message& message) mutable {
      if (done || id.value != node || !is<Message>(message)) return Fate::deliver;
      done = true;
      return Fate::lose;
    };
  }
  template <class Message>
  void change_one(unsigned node, std::function<void(cluster::Message&)> change) {
    cluster_.fate = [=, done = false](NodeId id, cluster::Message& message) mutable {
      if (done || id.value != node || !is<Message>(message)) return Fate::deliver;
      done = true;
      change(message);
      return Fate::deliver;
    };
  }
  Epoch epoch() const { return cluster_.coordinator->epoch(); }
  Sent take_sent() { return cluster_.take_sent(); }
  std::string agreement() const { return cluster_.disagreement(); }

  ModelCluster cluster_{3};
};

}  // namespace rackway::control::testing
