// SPDX-License-Identifier: Apache-2.0
// A controller without nodes that audits its own FIB: damage to a record, and routes that came or
// went behind the RIB's back.
#include "control/content_audit.hh"

#include <gtest/gtest.h>

#include "tests/control/built_router.hh"
#include "tests/control/quiet_log.hh"

namespace rackway::control::testing {
namespace {

using namespace std::chrono_literals;
using fib::GroupKind;

class ContentAuditTest : public ::testing::Test {
 protected:
  ContentAuditTest() {
    quiet_log();
    bind_all(builder_);
    kernel_.connect(kPort00, "10.0.1.1", 24);
    kernel_.neighbor(kPort00, "10.0.1.2", 2);
    for (unsigned i = 0; i < 3000; ++i) {
      const auto to = IpPrefix{Ipv4Address{0x14000000 + (i << 8)}, 24}.to_string();
      kernel_.route(to, i % 2 == 0 ? unicast({via(kPort00, "10.0.1.2")})
                                   : of_type(KernelRouteType::blackhole));
    }
    coordinator_.tick(now_);
    publish();
    wanted_ = content().snapshot();
  }

  const fib::Fib& content() const { return coordinator_.content(); }
  void publish() {
    builder_.take(kernel_.take_changes());
    while (builder_.changed()) {
      const auto delta = builder_.take_delta(content(), coordinator_.next_epoch());
      ASSERT_TRUE(coordinator_.propose(delta, now_));
    }
  }
  // A whole audit, and what follows of it.
  void audit() {
    audit_.begin(now_);
    for (int i = 0; i < 10; ++i) {
      now_ += 20ms;
      coordinator_.tick(now_);
      publish();
      audit_.step(now_);
    }
    publish();
  }
  static std::string counts(const AuditCheck& check) {
    return std::to_string(check.runs) + "/" + std::to_string(check.differences) + "/" +
           std::to_string(check.repaired) + "/" + std::to_string(check.unfinished);
  }
  std::string counts() const { return counts(audit_.digest()) + " " + counts(audit_.rib()); }
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const auto& entry : events_.entries()) all.push_back(entry.own);
    return all;
  }
  void propose(const fib::Delta& delta) { ASSERT_TRUE(coordinator_.propose(delta, now_)); }
  GroupId blackhole() const { return content().find(prefix("20.0.1.0/24"))->group; }

  EpochCoordinator::Clock::time_point now_{1000h};
  FakeKernel kernel_;
  FibBuilder builder_{kNodes, kernel_.view()};
  EpochCoordinator coordinator_{{}, [](NodeId, const auto&) { return true; }, now_};
  topo::ClusterDocument document_;
  EventLog events_{document_};
  ContentAudit audit_{coordinator_, builder_, events_};
  fib::Delta wanted_;
};

TEST_F(ContentAuditTest, WhatIsAsItShouldBeStaysAsItIs) {
  const auto epoch = coordinator_.epoch();
  audit();
  audit();
  EXPECT_EQ(counts(), "2/0/0/0 2/0/0/0");
  EXPECT_EQ(coordinator_.epoch(), epoch);
  EXPECT_FALSE(builder_.changed());
  EXPECT_EQ(content().snapshot(), wanted_);
  EXPECT_EQ(told(), std::vector<std::string>{});
}

TEST_F(ContentAuditTest, RoutesMayChangeMeanwhile) {
  for (int pass = 0; pass < 5; ++pass) {
    audit_.begin(now_);
    for (int i = 0; i < 10; ++i) {
      kernel_.route("192.0.2.0/24",
                    of_type(i % 2 == 0 ? KernelRouteType::prohibit : KernelRouteType::unreachable));
      kernel_.neighbor(kPort00, "10.0.1.3", static_cast<std::uint8_t>(3 + i));
      publish();
      audit_.step(now_);
    }
  }
  EXPECT_EQ(counts(), "5/0/0/0 5/0/0/0");
}

TEST_F(ContentAuditTest, WaitsForWhatIsOnItsWay) {
  kernel_.route("192.0.2.0/24", of_type(KernelRouteType::prohibit));
  builder_.take(kernel_.take_changes());
  audit_.begin(now_);
  for (int i = 0; i < 10; ++i) audit_.step(now_);
  EXPECT_EQ(counts(), "0/0/0/0 0/0/0/0");
  audit_.begin(now_);
  EXPECT_EQ(counts(), "0/0/0/1 0/0/0/1");
}

// The digest finds that something is wrong, the RIB what.
TEST_F(ContentAuditTest, ADamagedRecordIsSeenAndMadeAnew) {
  const_cast<fib::Group*>(content().find(blackhole()))->kind = GroupKind::local;
  audit();
  EXPECT_EQ(counts(), "1/1/0/0 1/1/0/0");
  EXPECT_EQ(content().snapshot(), wanted_);
  EXPECT_EQ(audit_.rib().result, "differs: 1 records");
  audit();
  EXPECT_EQ(counts(), "2/1/1/0 2/1/1/0");
  EXPECT_EQ(told(),
            (std::vector<std::string>{
                "audit: the controller's FIB is not what its digest says: made anew",
                "audit: 1 records of the FIB were not as the RIB asks",
                "audit: the FIB is its digest again", "audit: the FIB is as the RIB asks again"}));
}

TEST_F(ContentAuditTest, ARouteThatNobodyWantsGoes) {
  propose({.routes = {{prefix("198.51.100.0/24"), blackhole()}}});
  audit();
  EXPECT_EQ(counts(), "1/0/0/0 1/1/0/0");
  EXPECT_EQ(content().snapshot(), wanted_);
  audit();
  EXPECT_EQ(counts(), "2/0/0/0 2/1/1/0");
}

TEST_F(ContentAuditTest, ARouteThatLeadsElsewhereIsPutRight) {
  propose({.routes = {{prefix("20.0.0.0/24"), blackhole()}}});
  audit();
  EXPECT_EQ(counts(), "1/0/0/0 1/1/0/0");
  EXPECT_EQ(content().snapshot(), wanted_);
}

TEST_F(ContentAuditTest, RoutesThatAreMissingComeBack) {
  propose({.removed_routes = {prefix("20.0.0.0/24"), prefix("20.0.3.0/24")}});
  audit();
  EXPECT_EQ(counts(), "1/0/0/0 1/1/0/0");
  EXPECT_EQ(audit_.rib().result, "differs: 2 records");
  EXPECT_EQ(content().snapshot(), wanted_);
}

TEST_F(ContentAuditTest, AdjacenciesAndAddressesAreComparedToo) {
  auto adjacency = wanted_.adjacencies.at(0);
  adjacency.mtu = 1400;
  propose({.adjacencies = {adjacency}, .removed_addresses = {wanted_.addresses.at(0)}});
  audit();
  EXPECT_EQ(audit_.rib().result, "differs: 2 records");
  EXPECT_EQ(content().snapshot(), wanted_);
}

// What the nodes had before a restart is confirmed by sources only.
TEST_F(ContentAuditTest, WhatIsStaleStaysStale) {
  FakeKernel empty;
  FibBuilder restarted(kNodes, empty.view());
  bind_all(restarted);
  restarted.restore(wanted_);
  while (restarted.changed()) {
    propose(restarted.take_delta(content(), coordinator_.next_epoch()));
  }
  const auto stale = restarted.stale();
  ASSERT_GE(stale, 3000u);
  ContentAudit audit(coordinator_, restarted, events_);
  audit.begin(now_);
  for (int i = 0; i < 10; ++i) audit.step(now_);
  EXPECT_EQ(counts(audit.rib()), "1/0/0/0") << audit.rib().result;
  EXPECT_EQ(restarted.stale(), stale);
  EXPECT_EQ(restarted.confirmed(), 0u);
}

}  // namespace
}  // namespace rackway::control::testing
