// SPDX-License-Identifier: Apache-2.0
// VLANs of a port: they come and go with the kernel's links.
#include <gtest/gtest.h>

#include "tests/control/built_router.hh"

namespace rackway::control::testing {
namespace {

const InterfaceRef kVlan100{{0}, {0}, {100}};

class FibBuilderVlanTest : public FibBuilderTest {
 protected:
  // 10.1.0.1/24 in a VLAN of the port, with a neighbour and a route behind it.
  void add_vlan(int ifindex = kVlan, std::uint16_t id = 100, InterfaceRef port = kPort00) {
    kernel_.add_vlan(ifindex, port, id);
    kernel_.add(KernelAddress{ifindex, ip("10.1.0.1"), 24});
    kernel_.set(prefix("10.1.0.0/24"), unicast({{ifindex, std::nullopt, 1}}, kByKernel));
    kernel_.set(KernelNeighborKey{ifindex, ip("10.1.0.2")}, mac(5));
    kernel_.set(prefix("10.2.0.0/16"), unicast({{ifindex, ip("10.1.0.2"), 1}}));
  }
  void remove_vlan(int ifindex = kVlan) {
    kernel_.remove_link(ifindex);
    kernel_.remove(KernelAddress{ifindex, ip("10.1.0.1"), 24});
    kernel_.remove(KernelNeighborKey{ifindex, ip("10.1.0.2")});
    kernel_.no_route("10.1.0.0/24");
    kernel_.no_route("10.2.0.0/16");
  }
  void expect_vlan(const std::string& interface, unsigned mtu = 1500) {
    const auto hop = "10.1.0.2@" + interface + "=02:00:00:00:00:05,mtu" + std::to_string(mtu);
    EXPECT_EQ(picture_of(router_.fib),
              "10.1.0.0/24 glean\n"
              "10.1.0.2/32 forward " +
                  hop +
                  "*1\n"
                  "10.2.0.0/16 forward " +
                  hop +
                  "*1\n"
                  "address 10.1.0.1/24@" +
                  interface +
                  "\n"
                  "adjacency " +
                  hop +
                  "\n"
                  "groups 2\n");
  }
};

TEST_F(FibBuilderVlanTest, IsAnInterfaceOfTheRouter) {
  add_vlan();
  router_.publish();
  expect_vlan("n0p0.100");
}

TEST_F(FibBuilderVlanTest, MayBeThereBeforeItsPort) {
  router_.builder.emplace(kNodes, kernel_.view());
  add_vlan();
  router_.publish();
  EXPECT_EQ(router_.way("10.2.0.0/16"), "local");
  router_.builder->bind(ifindex_of(kPort00), kPort00);
  router_.publish();
  expect_vlan("n0p0.100");
}

TEST_F(FibBuilderVlanTest, TheSameNeighborOnAPortAndItsVlanIsTwo) {
  add_vlan();
  kernel_.neighbor(kPort00, "fe80::2", 1);
  kernel_.set(KernelNeighborKey{kVlan, ip("fe80::2")}, mac(2));
  router_.publish();
  EXPECT_NE(router_.index_of(kPort00, "fe80::2"), router_.index_of(kVlan100, "fe80::2"));
}

TEST_F(FibBuilderVlanTest, GoesWithItsLink) {
  add_vlan();
  router_.publish();
  remove_vlan();
  router_.publish();
  expect_empty();
}

// What names it may be told of later.
TEST_F(FibBuilderVlanTest, GoesBeforeItsRoutesDo) {
  add_vlan();
  router_.publish();
  kernel_.remove_link(kVlan);
  router_.publish();
  EXPECT_EQ(picture_of(router_.fib),
            "10.1.0.0/24 local\n"
            "10.2.0.0/16 local\n"
            "groups 1\n");
}

TEST_F(FibBuilderVlanTest, ComesBackAsAnotherLink) {
  add_vlan();
  router_.publish();
  remove_vlan();
  add_vlan(kOtherVlan);
  router_.publish();
  expect_vlan("n0p0.100");
}

TEST_F(FibBuilderVlanTest, ALinkMayComeBackAsAnotherVlan) {
  add_vlan();
  router_.publish();
  add_vlan(kVlan, 200);
  router_.publish();
  expect_vlan("n0p0.200");
  add_vlan(kVlan, 200, kPort11);
  router_.publish();
  expect_vlan("n1p1.200");
}

TEST_F(FibBuilderVlanTest, TakesNoFramesWhileItIsDown) {
  add_vlan();
  router_.publish();
  kernel_.add_vlan(kVlan, kPort00, 100);
  kernel_.links.at(kVlan).up = false;
  EXPECT_EQ(router_.publish(),
            (fib::Delta{.removed_addresses = {{{0}, {0}, {100}, ip("10.1.0.1"), 24}}}));
  kernel_.add_vlan(kVlan, kPort00, 100);
  router_.publish();
  expect_vlan("n0p0.100");
}

TEST_F(FibBuilderVlanTest, HasAnMtuOfItsOwnUpToItsPorts) {
  add_vlan();
  kernel_.add_vlan(kVlan, kPort00, 100, 1400);
  router_.publish();
  expect_vlan("n0p0.100", 1400);
  kernel_.set_mtu(ifindex_of(kPort00), 1300);
  router_.publish();
  expect_vlan("n0p0.100", 1300);
  kernel_.set_mtu(ifindex_of(kPort00), 9000);
  router_.publish();
  expect_vlan("n0p0.100", 1400);
}

TEST_F(FibBuilderVlanTest, AVlanInAVlanIsNone) {
  add_vlan();
  kernel_.links[kOtherVlan] = {
      .ifindex = kOtherVlan, .up = true, .mtu = 1500, .vlan = KernelVlan{kVlan, {7}}};
  kernel_.changes.links.insert(kOtherVlan);
  kernel_.add(KernelAddress{kOtherVlan, ip("10.3.0.1"), 24});
  router_.publish();
  expect_vlan("n0p0.100");
}

TEST_F(FibBuilderVlanTest, IsTakenOverAfterARestart) {
  add_vlan();
  router_.publish();
  const auto index = router_.index_of(kVlan100, "10.1.0.2");
  router_.restart();
  EXPECT_TRUE(router_.publish_taken().empty());
  EXPECT_EQ(router_.index_of(kVlan100, "10.1.0.2"), index);
  router_.builder->settle();
  EXPECT_TRUE(router_.publish_taken().empty());
}

// The kernel has deleted it while no controller was there.
TEST_F(FibBuilderVlanTest, IsSweptWhenItWentDuringARestart) {
  add_vlan();
  router_.publish();
  remove_vlan();
  router_.restart();
  router_.publish_taken();
  router_.builder->settle();
  router_.publish_taken();
  expect_empty();
}

}  // namespace
}  // namespace rackway::control::testing
