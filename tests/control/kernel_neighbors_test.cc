// SPDX-License-Identifier: Apache-2.0
// Neighbours, with a real one at the other end of a cable: 10.0.0.2 and fd00::2.
#include <gtest/gtest.h>

#include "control/kernel/kernel_mirror.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

const MacAddress kFarMac = mac("02:00:00:00:00:f2");

class KernelNeighborsTest : public testing::Test {
 protected:
  KernelNeighborsTest() {
    near_.ip("link add va type veth peer name vb netns " + far_.name());
    far_.ip("link set vb address 02:00:00:00:00:f2 up");
    far_.ip("addr add 10.0.0.2/24 dev vb");
    far_.ip("addr add fd00::2/64 dev vb");
    near_.ip("link set va up");
    near_.ip("addr add 10.0.0.1/24 dev va");
    near_.ip("addr add fd00::1/64 dev va");
    mirror_.emplace(near_.name());
    va_ = ifindex_of(*mirror_, "va");
    EXPECT_TRUE(eventually(*mirror_, [&] { return mirror_->links().at(va_).carrier; }));
    (void)mirror_->take_changes();
  }
  void ip(const std::string& arguments) {
    near_.ip(arguments);
    catch_up(*mirror_);
  }
  KernelNeighborKey key(const std::string& address) const { return {va_, addr(address)}; }
  std::optional<MacAddress> known(const std::string& address) const {
    const auto found = mirror_->neighbors().find(key(address));
    if (found == mirror_->neighbors().end()) return std::nullopt;
    return found->second;
  }
  std::string shown(const std::string& address) const {
    return near_.output_of("neigh show " + address + " dev va");
  }

  Sandbox near_, far_;
  std::optional<KernelMirror> mirror_;
  int va_{};
};

TEST_F(KernelNeighborsTest, FollowsAnEntry) {
  for (const std::string to : {"10.0.0.9", "fd00::9"}) {
    ip("neigh add " + to + " lladdr 02:00:00:00:00:01 dev va nud stale");
    EXPECT_EQ(known(to), mac("02:00:00:00:00:01"));
    EXPECT_EQ(mirror_->take_changes().neighbors, std::set<KernelNeighborKey>{key(to)});
    ip("neigh replace " + to + " lladdr 02:00:00:00:00:02 dev va nud stale");
    EXPECT_EQ(known(to), mac("02:00:00:00:00:02"));
    EXPECT_EQ(mirror_->take_changes().neighbors, std::set<KernelNeighborKey>{key(to)});
    ip("neigh del " + to + " dev va");
    EXPECT_EQ(known(to), std::nullopt);
    EXPECT_EQ(mirror_->take_changes().neighbors, std::set<KernelNeighborKey>{key(to)});
  }
}

TEST_F(KernelNeighborsTest, OnlyUsableStatesCount) {
  for (const std::string state : {"permanent", "noarp", "reachable", "stale", "delay", "probe"}) {
    ip("neigh replace 10.0.0.9 lladdr 02:00:00:00:00:01 dev va nud " + state);
    EXPECT_EQ(known("10.0.0.9"), mac("02:00:00:00:00:01")) << state;
    EXPECT_EQ(KernelMirror(near_.name()).neighbors(), mirror_->neighbors()) << state;
  }
  ip("neigh replace 10.0.0.9 lladdr 02:00:00:00:00:01 dev va nud failed");
  EXPECT_EQ(known("10.0.0.9"), std::nullopt);
}

TEST_F(KernelNeighborsTest, AStateAloneIsNoChange) {
  ip("neigh add 10.0.0.9 lladdr 02:00:00:00:00:01 dev va nud stale");
  (void)mirror_->take_changes();
  ip("neigh replace 10.0.0.9 lladdr 02:00:00:00:00:01 dev va nud permanent");
  EXPECT_TRUE(mirror_->take_changes().empty());
}

TEST_F(KernelNeighborsTest, ZeroAndGroupAddressesAreLeftOut) {
  ip("neigh add 10.0.0.9 lladdr 00:00:00:00:00:00 dev va nud permanent");
  ip("neigh add 10.0.0.10 lladdr 01:00:5e:00:00:01 dev va nud permanent");
  ip("neigh add proxy 10.0.0.11 dev va");
  EXPECT_TRUE(mirror_->neighbors().empty());
}

TEST_F(KernelNeighborsTest, ResolvesAndTheKernelKeepsItSo) {
  for (const std::string to : {"10.0.0.2", "fd00::2"}) {
    mirror_->resolve(key(to));
    EXPECT_TRUE(eventually(*mirror_, [&] { return known(to) == kFarMac; })) << to;
    EXPECT_NE(shown(to).find("managed"), std::string::npos) << shown(to);
    EXPECT_TRUE(mirror_->take_changes().neighbors.contains(key(to)));
  }
}

TEST_F(KernelNeighborsTest, AbsentNeighborStaysUnknown) {
  mirror_->resolve(key("10.0.0.77"));
  mirror_->resolve(key("10.0.0.77"));
  EXPECT_TRUE(eventually(*mirror_, [&] {
    return shown("10.0.0.77").find("FAILED") != std::string::npos;
  })) << shown("10.0.0.77");
  EXPECT_EQ(known("10.0.0.77"), std::nullopt);
}

TEST_F(KernelNeighborsTest, ComesWhenItAppears) {
  mirror_->resolve(key("10.0.0.3"));
  far_.ip("addr add 10.0.0.3/24 dev vb");
  EXPECT_TRUE(eventually(*mirror_, [&] { return known("10.0.0.3") == kFarMac; }));
}

TEST_F(KernelNeighborsTest, ResolvingKeepsWhatIsKnown) {
  for (const std::string to : {"10.0.0.9", "fd00::9"}) {
    ip("neigh add " + to + " lladdr 02:00:00:00:00:01 dev va nud reachable");
    mirror_->resolve(key(to));
    catch_up(*mirror_);
    EXPECT_EQ(known(to), mac("02:00:00:00:00:01"));
    EXPECT_NE(shown(to).find("02:00:00:00:00:01"), std::string::npos) << shown(to);
  }
}

TEST_F(KernelNeighborsTest, ResolvingLeavesFixedEntriesAlone) {
  for (const std::string state : {"permanent", "noarp"}) {
    ip("neigh replace 10.0.0.9 lladdr 02:00:00:00:00:01 dev va nud " + state);
    const std::string before = shown("10.0.0.9");
    mirror_->resolve(key("10.0.0.9"));
    catch_up(*mirror_);
    EXPECT_EQ(shown("10.0.0.9"), before);
    EXPECT_EQ(known("10.0.0.9"), mac("02:00:00:00:00:01"));
  }
}

TEST_F(KernelNeighborsTest, ResolvingOnAMissingLinkIsHarmless) {
  mirror_->resolve({9999, addr("10.0.0.9")});
  catch_up(*mirror_);
  EXPECT_TRUE(mirror_->neighbors().empty());
}

TEST_F(KernelNeighborsTest, LinkDownTakesThem) {
  mirror_->resolve(key("10.0.0.2"));
  ASSERT_TRUE(eventually(*mirror_, [&] { return known("10.0.0.2").has_value(); }));
  ip("link set va down");
  EXPECT_EQ(known("10.0.0.2"), std::nullopt);
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, near_));
}

TEST_F(KernelNeighborsTest, MovedNeighborIsFollowed) {
  mirror_->resolve(key("10.0.0.2"));
  ASSERT_TRUE(eventually(*mirror_, [&] { return known("10.0.0.2") == kFarMac; }));
  far_.ip("link set vb down");
  far_.ip("link set vb address 02:00:00:00:00:f9 up");
  // As a neighbour does that comes back: it speaks, and so is learned again.
  EXPECT_TRUE(eventually(*mirror_, [&] {
    far_.ip_or_not("neigh flush dev vb");
    far_.ip_or_not("neigh add 10.0.0.1 dev vb use");
    return known("10.0.0.2") == mac("02:00:00:00:00:f9");
  }));
  EXPECT_TRUE(mirror_->take_changes().neighbors.contains(key("10.0.0.2")));
}

}  // namespace
}  // namespace rackway::control::kernel_tests
