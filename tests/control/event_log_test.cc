// SPDX-License-Identifier: Apache-2.0
#include "control/event_log.hh"

#include <gtest/gtest.h>

#include "tests/control/quiet_log.hh"

namespace rackway::control {
namespace {

using Kind = cluster::FabricEventKind;
using namespace std::chrono_literals;

struct EventLogTest : ::testing::Test {
  EventLogTest() { testing::quiet_log(); }

  topo::ClusterDocument document{.nodes = {{.name = "n1"}, {.name = "n2"}}};
  EventLog log{document};
  EventLog::Clock::time_point now{1h};

  void status_of(NodeId observer, std::uint64_t boot_id, std::uint64_t first, std::uint64_t count) {
    cluster::Status status;
    for (auto number = first; number < first + count; ++number) {
      status.events.push_back({number, Kind::link_down, 0, NodeId{1}, 20});
    }
    log.take(observer, boot_id, status, now);
  }
};

TEST_F(EventLogTest, ItsOwnEventsAreNumberedByThemselves) {
  status_of({0}, 7, 0, 1);
  log.note(EventLog::Grave::no, "first", now);
  log.note(EventLog::Grave::yes, "second", now);
  ASSERT_EQ(log.entries().size(), 3u);
  EXPECT_EQ(log.entries()[0].own, "");
  EXPECT_EQ(log.entries()[1].own, "first");
  EXPECT_EQ(log.entries()[2].own, "second");
  EXPECT_EQ(log.entries()[2].event.number, 1u);
  EXPECT_EQ(log.entries()[2].at, now);
}

TEST_F(EventLogTest, TakesEachEventOnceThoughItIsRepeated) {
  status_of({0}, 7, 0, 2);
  status_of({0}, 7, 0, 3);
  status_of({0}, 7, 0, 3);
  ASSERT_EQ(log.entries().size(), 3u);
  EXPECT_EQ(log.entries()[2].event.number, 2u);
  EXPECT_EQ(log.entries()[2].at, now - 20ms);
  EXPECT_EQ(log.count(Kind::link_down), 3u);
  EXPECT_EQ(log.count(Kind::link_up), 0u);
  EXPECT_EQ(log.missed(), 0u);
}

TEST_F(EventLogTest, ARestartedNodeCountsAnew) {
  status_of({0}, 7, 0, 3);
  status_of({0}, 8, 0, 1);
  EXPECT_EQ(log.entries().size(), 4u);
}

TEST_F(EventLogTest, EachNodeCountsForItself) {
  status_of({0}, 7, 0, 3);
  status_of({1}, 7, 0, 3);
  EXPECT_EQ(log.entries().size(), 6u);
  EXPECT_EQ(log.entries().back().observer, NodeId{1});
}

TEST_F(EventLogTest, WhatHappenedBetweenTwoReportsIsMissed) {
  status_of({0}, 7, 0, 2);
  status_of({0}, 7, 10, 2);
  EXPECT_EQ(log.entries().size(), 4u);
  EXPECT_EQ(log.missed(), 8u);
}

TEST_F(EventLogTest, IsBoundedAndTheOldestGo) {
  for (std::uint64_t i = 0; i < EventLog::kEntries + 5; ++i) status_of({0}, 7, i, 1);
  EXPECT_EQ(log.entries().size(), EventLog::kEntries);
  EXPECT_EQ(log.entries().front().event.number, 5u);
  EXPECT_EQ(log.count(Kind::link_down), EventLog::kEntries + 5);
}

// A status may say anything of nodes that the document lacks.
TEST_F(EventLogTest, NodesThatAreNotThereAreNumbers) {
  cluster::Status status;
  status.events = {{0, Kind::node_up, 0xffffffff, NodeId{4000}, 0xffffffff}};
  log.take({1}, 1, status, now);
  EXPECT_EQ(log.entries().size(), 1u);
}

}  // namespace
}  // namespace rackway::control
