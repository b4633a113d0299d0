// SPDX-License-Identifier: Apache-2.0
#include "control/api_order.hh"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/control/answering_controller.hh"

namespace rackway::control::testing {
namespace {

using topo::SteeringMode;

class OrderTest : public ::testing::Test {
 protected:
  std::optional<Result<std::string>> follow(const std::string& request) {
    return follow_order(request, kDocument, orders_);
  }
  std::string fault(const std::string& request) {
    const auto done = follow(request);
    return done && !*done ? done->value_or("") + done->error().message : "no fault";
  }

  VlbOrders orders_{SteeringMode::adaptive, 2};
};

TEST_F(OrderTest, TheModeIsForAll) {
  const auto done = follow(R"({"order": "vlb-mode", "name": "direct-vlb"})");
  ASSERT_TRUE(done && *done);
  EXPECT_EQ(**done, R"({"show":"cluster"})");
  EXPECT_EQ(orders_.settings_for({0}), (cluster::VlbSettings{SteeringMode::direct_vlb, false}));
  EXPECT_EQ(orders_.settings_for({1}), (cluster::VlbSettings{SteeringMode::direct_vlb, false}));
}

TEST_F(OrderTest, ANodeDrainsUntilItIsTakenBack) {
  const auto done = follow(R"({"order": "drain", "name": "n2"})");
  ASSERT_TRUE(done && *done);
  EXPECT_EQ(**done, R"({"name":"n2","show":"nodes"})");
  EXPECT_FALSE(orders_.settings_for({0}).draining);
  EXPECT_TRUE(orders_.settings_for({1}).draining);
  ASSERT_TRUE(follow(R"({"order": "undrain", "name": "n2"})"));
  EXPECT_FALSE(orders_.settings_for({1}).draining);
}

TEST_F(OrderTest, AQuestionIsNoOrder) {
  for (const char* request : {R"({"show": "nodes"})", "{}", "[]", "drain n1", "", "{"}) {
    EXPECT_FALSE(follow(request)) << request;
  }
}

TEST_F(OrderTest, WhatCanNotBeDoneIsSaid) {
  EXPECT_EQ(fault(R"({"order": "drain", "name": "n9"})"), "no node n9 in this cluster");
  EXPECT_EQ(fault(R"({"order": "vlb-mode", "name": "fast"})"),
            "no mode fast, only adaptive, direct, valiant, direct-vlb");
  EXPECT_EQ(fault(R"({"order": "reboot", "name": "n1"})"), "no order reboot");
  const std::string form = R"(an order is an object like {"order": "drain", "name": "n1"})";
  EXPECT_EQ(fault(R"({"order": "drain"})"), form);
  EXPECT_EQ(fault(R"({"order": 7, "name": "n1"})"), form);
  EXPECT_EQ(fault(R"({"order": "drain", "name": ["n1"]})"), form);
  EXPECT_EQ(orders_.settings_for({0}), (cluster::VlbSettings{SteeringMode::adaptive, false}));
}

TEST_F(OrderTest, TheRefusalIsJson) {
  const auto json = nlohmann::json::parse(refusal(Error{"no \"x\" \xff"}));
  EXPECT_EQ(json.at("ok"), false);
  EXPECT_EQ(json.at("error").get<std::string>().substr(0, 6), "no \"x\"");
}

// A controller that has restarted learns from its nodes who drains; one that has not tells them.
TEST(VlbOrders, DrainingSurvivesRestarts) {
  VlbOrders restarted(SteeringMode::adaptive, 2);
  restarted.hear({1}, true);
  EXPECT_TRUE(restarted.drains({1}));
  restarted.hear({1}, false);  // the node has restarted
  EXPECT_TRUE(restarted.drains({1}));
  restarted.set_draining({1}, false);
  restarted.hear({1}, true);  // it has not heard yet
  EXPECT_FALSE(restarted.drains({1}));
  EXPECT_FALSE(restarted.drains({0}));
}

}  // namespace
}  // namespace rackway::control::testing
