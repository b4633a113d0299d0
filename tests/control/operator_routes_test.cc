// SPDX-License-Identifier: Apache-2.0
#include "control/operator_routes.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/built_router.hh"
#include "tests/control/quiet_log.hh"
#include "tests/fib/scratch_folder.hh"

namespace rackway::control::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVia2 = "forward 10.0.1.2@n0p0=02:00:00:00:00:02,mtu1500*1";
constexpr const char* kVia3 = "forward 10.0.2.3@n0p1=02:00:00:00:00:03,mtu1500*1";

table_file::RouteTarget target(const char* text) {
  return *table_file::parse_route_target(text);
}

class OperatorRoutesTest : public FibBuilderTest {
 protected:
  OperatorRoutesTest() {
    quiet_log();
    connect_two();
    kernel_.neighbor(kPort00, "10.0.1.2", 2);
    kernel_.neighbor(kPort01, "10.0.2.3", 3);
    router_.publish();
    start();
  }
  void start() {
    routes_.reset();
    routes_.emplace(*router_.builder, document_, RouteStore(folder_.file("routes.sqlite")));
  }
  // The controller's, with its state; the nodes keep their FIB.
  void restart() {
    routes_.reset();
    router_.restart();
    start();
    router_.publish_taken();
  }
  void add(const char* to, const char* via) {
    const auto done = routes_->add(prefix(to), target(via));
    ASSERT_TRUE(done) << done.error().message;
    router_.publish_taken();
  }
  OperatorRoutes::ImportReport import(std::uint64_t number, const std::string& text,
                                      bool last = true, bool keep = false) {
    const auto report = routes_->import({number, text, last, keep});
    EXPECT_TRUE(report) << report.error().message;
    router_.publish_taken();
    return report.value_or(OperatorRoutes::ImportReport{});
  }
  [[nodiscard]] bool has(const char* to) const { return router_.fib.find(prefix(to)).has_value(); }

  fib::testing::ScratchFolder folder_;
  std::vector<topo::StaticRoute> document_;
  std::optional<OperatorRoutes> routes_;
};

TEST_F(OperatorRoutesTest, AnAddedRouteIsUsedUntilItIsWithdrawn) {
  add("203.0.113.0/24", "10.0.1.2");
  EXPECT_EQ(router_.way("203.0.113.0/24"), kVia2);
  add("203.0.113.0/24", "blackhole");
  EXPECT_EQ(router_.way("203.0.113.0/24"), "blackhole");
  ASSERT_TRUE(routes_->remove(prefix("203.0.113.0/24")));
  router_.publish_taken();
  EXPECT_FALSE(has("203.0.113.0/24"));
  EXPECT_THAT(routes_->remove(prefix("203.0.113.0/24")).error().message,
              HasSubstr("no route to 203.0.113.0/24 was added"));
}

TEST_F(OperatorRoutesTest, NextHopsAreFollowed) {
  add("203.0.113.0/24", "192.0.2.1");
  EXPECT_FALSE(has("203.0.113.0/24"));
  kernel_.route("192.0.2.0/24", unicast({via(kPort00, "10.0.1.2")}));
  router_.publish();
  EXPECT_EQ(router_.way("203.0.113.0/24"), kVia2);
  kernel_.route("192.0.2.0/24", unicast({via(kPort01, "10.0.2.3")}));
  router_.publish();
  EXPECT_EQ(router_.way("203.0.113.0/24"), kVia3);
  kernel_.no_route("192.0.2.0/24");
  router_.publish();
  EXPECT_FALSE(has("203.0.113.0/24"));
}

// However many routes are behind it.
TEST_F(OperatorRoutesTest, ANextHopThatMovesIsOneRecord) {
  kernel_.route("192.0.2.0/24", unicast({via(kPort00, "10.0.1.2")}));
  std::string text;
  for (int i = 0; i < 256; ++i) text += "20." + std::to_string(i) + ".0.0/16,192.0.2.1\n";
  router_.publish();
  EXPECT_EQ(import(0, text).imported, 256u);
  kernel_.route("192.0.2.0/24", unicast({via(kPort01, "10.0.2.3")}));
  const auto delta = router_.publish();
  ASSERT_EQ(delta.routes.size(), 1u);  // the kernel's own
  EXPECT_EQ(delta.routes[0].prefix, prefix("192.0.2.0/24"));
  EXPECT_EQ(delta.groups.size(), 1u);  // of all the others
  EXPECT_EQ(router_.way("20.9.0.0/16"), kVia3);
}

TEST_F(OperatorRoutesTest, ANeighbourBehindACoveringRouteIsReachedByThat) {
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
  add("10.0.1.0/25", "10.0.2.3");
  EXPECT_FALSE(has("10.0.1.2/32"));
  ASSERT_TRUE(routes_->remove(prefix("10.0.1.0/25")));
  router_.publish_taken();
  EXPECT_EQ(router_.way("10.0.1.2/32"), kVia2);
}

TEST_F(OperatorRoutesTest, TheDocumentsRoutesMayBeRecursive) {
  document_ = {{prefix("203.0.113.0/24"), topo::StaticRoute::Type::unicast, {ip("192.0.2.1")}},
               {prefix("192.0.2.0/24"), topo::StaticRoute::Type::unicast, {ip("10.0.1.2")}},
               {prefix("198.51.100.0/24"), topo::StaticRoute::Type::prohibit, {}}};
  start();
  router_.publish_taken();
  EXPECT_EQ(router_.way("203.0.113.0/24"), kVia2);
  EXPECT_EQ(router_.way("198.51.100.0/24"), "prohibit");
  EXPECT_EQ(router_.builder->origin(prefix("203.0.113.0/24")).protocol, "rackway");
}

TEST_F(OperatorRoutesTest, RecordsKnowTheirEpoch) {
  add("203.0.113.0/24", "10.0.1.2");
  const auto came = router_.epoch;
  const auto group = router_.group_of("203.0.113.0/24");
  EXPECT_EQ(router_.builder->epoch_of(prefix("203.0.113.0/24")), came);
  EXPECT_EQ(router_.builder->epoch_of(group), came);
  add("198.51.100.0/24", "10.0.1.2");
  EXPECT_EQ(router_.group_of("198.51.100.0/24"), group);
  EXPECT_EQ(router_.builder->epoch_of(prefix("198.51.100.0/24")), router_.epoch);
  EXPECT_EQ(router_.builder->epoch_of(prefix("203.0.113.0/24")), came);
  EXPECT_EQ(router_.builder->epoch_of(group), came);
  restart();
  EXPECT_FALSE(router_.builder->epoch_of(prefix("203.0.113.0/24")).has_value());
  EXPECT_FALSE(router_.builder->epoch_of(prefix("1.0.0.0/8")).has_value());
}

// ---- imports

TEST_F(OperatorRoutesTest, AnImportReplacesTheOneBefore) {
  import(0, "20.0.0.0/8,10.0.1.2\n21.0.0.0/8,10.0.1.2\n");
  const auto report = import(0, "21.0.0.0/8,10.0.2.3\n22.0.0.0/8,blackhole\n");
  EXPECT_EQ(report.routes, 2u);
  EXPECT_EQ(report.imported, 2u);
  EXPECT_FALSE(has("20.0.0.0/8"));
  EXPECT_EQ(router_.way("21.0.0.0/8"), kVia3);
  EXPECT_EQ(router_.way("22.0.0.0/8"), "blackhole");
  EXPECT_EQ(import(0, "23.0.0.0/8,10.0.1.2\n", true, true).imported, 3u);
  EXPECT_TRUE(has("21.0.0.0/8"));
  ASSERT_TRUE(routes_->remove_imported());
  router_.publish_taken();
  for (const auto* to : {"20.0.0.0/8", "21.0.0.0/8", "22.0.0.0/8", "23.0.0.0/8"}) {
    EXPECT_FALSE(has(to)) << to;
  }
}

TEST_F(OperatorRoutesTest, AnImportComesInParts) {
  import(0, "20.0.0.0/8,10.0.1.2\n");
  import(0, "21.0.0.0/8,10.0.1.2\n", false);
  EXPECT_TRUE(has("20.0.0.0/8"));  // until it is whole
  EXPECT_TRUE(has("21.0.0.0/8"));  // at once
  import(1, "22.0.0.0/8,10.0.1.2\n", false);
  import(2, "", true);
  EXPECT_FALSE(has("20.0.0.0/8"));
  EXPECT_TRUE(has("21.0.0.0/8"));
  EXPECT_TRUE(has("22.0.0.0/8"));
}

TEST_F(OperatorRoutesTest, PartsOutOfTurnAreRefused) {
  EXPECT_THAT(routes_->import({1, "20.0.0.0/8,10.0.1.2\n", false, false}).error().message,
              HasSubstr("part 1 of an import that is not under way"));
  import(0, "20.0.0.0/8,10.0.1.2\n", false);
  EXPECT_FALSE(routes_->import({2, "", true, false}));
  import(1, "", true);
  EXPECT_FALSE(routes_->import({2, "", true, false}));
}

TEST_F(OperatorRoutesTest, BadLinesAreCountedAndTheOthersUsed) {
  const auto report = import(0, "x\n20.0.0.0/8,10.0.1.2\n21.0.0.0/8,n1\n");
  EXPECT_EQ(report.lines, 3u);
  EXPECT_EQ(report.routes, 1u);
  EXPECT_EQ(report.skipped.of(table_file::Skip::bad_line), 2u);
  ASSERT_EQ(report.bad_lines.size(), 2u);
  EXPECT_EQ(report.bad_lines[1].number, 3u);
  EXPECT_TRUE(has("20.0.0.0/8"));
}

// ---- after a restart

TEST_F(OperatorRoutesTest, EverythingIsThereAgainAfterARestart) {
  add("203.0.113.0/24", "10.0.1.2");
  add("198.51.100.0/24", "10.0.1.2");
  ASSERT_TRUE(routes_->remove(prefix("198.51.100.0/24")));
  import(0, "20.0.0.0/8,10.0.2.3\n", false);
  import(1, "21.0.0.0/8,blackhole\n");
  restart();
  EXPECT_EQ(router_.builder->stale(), 0u);
  EXPECT_EQ(router_.way("203.0.113.0/24"), kVia2);
  EXPECT_EQ(router_.way("20.0.0.0/8"), kVia3);
  EXPECT_EQ(router_.way("21.0.0.0/8"), "blackhole");
  EXPECT_FALSE(has("198.51.100.0/24"));
  EXPECT_EQ(import(0, "20.0.0.0/8,10.0.2.3\n").imported, 1u);
  restart();
  EXPECT_FALSE(has("21.0.0.0/8"));
}

TEST_F(OperatorRoutesTest, ARestartChangesNothingOnTheNodes) {
  add("203.0.113.0/24", "10.0.1.2");
  import(0, "20.0.0.0/8,10.0.2.3\n21.0.0.0/8,10.0.1.2,10.0.2.3,2\n");
  routes_.reset();
  router_.restart();
  start();
  EXPECT_EQ(router_.publish_taken(), fib::Delta{});
  router_.builder->settle();
  EXPECT_EQ(router_.publish_taken(), fib::Delta{});
}

TEST_F(OperatorRoutesTest, WhatWasBrokenOffIsNotKept) {
  import(0, "20.0.0.0/8,10.0.2.3\n");
  import(0, "21.0.0.0/8,10.0.2.3\n", false);
  restart();
  router_.builder->settle();
  router_.publish_taken();
  EXPECT_TRUE(has("20.0.0.0/8"));
  EXPECT_FALSE(has("21.0.0.0/8"));
}

}  // namespace
}  // namespace rackway::control::testing
