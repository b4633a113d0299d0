// SPDX-License-Identifier: Apache-2.0
// The mirror against a living kernel: what it reads at the start, and changes of links and
// addresses.
#include "control/kernel/kernel_mirror.hh"

#include <gtest/gtest.h>

#include "base/startup_error.hh"
#include "tests/control/kernel_mirror_fixture.hh"

namespace rackway::control::kernel_tests {
namespace {

TEST_F(KernelMirrorTest, MissingNamespaceIsAStartupError) {
  EXPECT_THROW(KernelMirror("rwt-no-such-namespace"), StartupError);
}

TEST_F(KernelMirrorTest, UnexpandedNextHopsAreAStartupError) {
  sandbox_.run("sysctl -q -w net.ipv4.nexthop_compat_mode=0");
  EXPECT_THROW(KernelMirror(sandbox_.name()), StartupError);
}

TEST_F(KernelMirrorTest, ReadsLinksAtStart) {
  sandbox_.ip("link set vb mtu 1400");
  sandbox_.ip("link set vb address 02:00:00:00:00:0b");
  const KernelMirror fresh(sandbox_.name());
  const KernelLink expected{b_, "vb", true, true, 1400, mac("02:00:00:00:00:0b")};
  EXPECT_EQ(fresh.links().at(b_), expected);
  const KernelLink loopback{1, "lo", true, true, 65536, {}};
  EXPECT_EQ(fresh.links().at(1), loopback);
  EXPECT_EQ(fresh.links().size(), 5u);
}

TEST_F(KernelMirrorTest, ReadsAddressesAtStart) {
  const auto& addresses = mirror_->addresses();
  EXPECT_TRUE(addresses.contains({a_, addr("10.0.1.1"), 24}));
  EXPECT_TRUE(addresses.contains({b_, addr("fd00:2::1"), 64}));
  EXPECT_TRUE(addresses.contains({1, addr("127.0.0.1"), 8}));
  EXPECT_TRUE(addresses.contains({1, addr("::1"), 128}));
  EXPECT_EQ(addresses.size(), 10u);
}

TEST_F(KernelMirrorTest, ReadsRoutesOfBothTablesAtStart) {
  const KernelRoute connected{KernelRouteType::unicast, kProtocolKernel, {{a_, std::nullopt, 1}}};
  const KernelRoute own{KernelRouteType::local, kProtocolKernel, {{a_, std::nullopt, 1}}};
  const KernelRoute all{KernelRouteType::broadcast, kProtocolKernel, {{a_, std::nullopt, 1}}};
  EXPECT_EQ(route("10.0.1.0/24"), connected);
  EXPECT_EQ(route("fd00:1::/64"), connected);
  EXPECT_EQ(route("10.0.1.1/32"), own);
  EXPECT_EQ(route("fd00:1::1/128"), own);
  EXPECT_EQ(route("10.0.1.255/32"), all);
  EXPECT_EQ(route("127.0.0.0/8").type, KernelRouteType::local);
}

TEST_F(KernelMirrorTest, EverythingIsAChangeAtFirst) {
  KernelMirror fresh(sandbox_.name());
  const KernelChanges changes = fresh.take_changes();
  EXPECT_EQ(changes.links.size(), fresh.links().size());
  EXPECT_EQ(changes.routes.size(), fresh.routes().size());
  EXPECT_TRUE(changes.addresses.contains(a_));
  EXPECT_TRUE(fresh.take_changes().empty());
}

TEST_F(KernelMirrorTest, FollowsAddresses) {
  ip("addr add 10.9.0.1/16 dev va");
  EXPECT_TRUE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 16}));
  const KernelChanges added = mirror_->take_changes();
  EXPECT_EQ(added.addresses, std::set<int>{a_});
  EXPECT_TRUE(added.routes.contains(prefix("10.9.0.0/16")));
  ip("addr del 10.9.0.1/16 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 16}));
  EXPECT_EQ(mirror_->take_changes().addresses, std::set<int>{a_});
}

TEST_F(KernelMirrorTest, OneAddressWithTwoPeers) {
  ip("addr add 10.9.0.1 peer 10.9.0.2 dev va");
  ip("addr add 10.9.0.1 peer 10.9.0.3 dev va");
  ip("addr del 10.9.0.1 peer 10.9.0.2 dev va");
  EXPECT_TRUE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 32}));
  ip("addr del 10.9.0.1 peer 10.9.0.3 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("10.9.0.1"), 32}));
}

TEST_F(KernelMirrorTest, TentativeAddressComesWhenItIsUsable) {
  sandbox_.run("sysctl -q -w net.ipv6.conf.va.accept_dad=1 net.ipv6.conf.va.dad_transmits=4");
  ip("addr add fd00:9::1/64 dev va");
  EXPECT_FALSE(mirror_->addresses().contains({a_, addr("fd00:9::1"), 64}));
  EXPECT_TRUE(eventually(*mirror_, [&] {
    return mirror_->addresses().contains({a_, addr("fd00:9::1"), 64});
  }));
}

TEST_F(KernelMirrorTest, FollowsLinkSettings) {
  ip("link set vb mtu 1300");
  ip("link set vb address 02:00:00:00:00:bb");
  EXPECT_EQ(mirror_->links().at(b_).mtu, 1300u);
  EXPECT_EQ(mirror_->links().at(b_).mac, mac("02:00:00:00:00:bb"));
  EXPECT_EQ(mirror_->take_changes().links, std::set<int>{b_});
}

TEST_F(KernelMirrorTest, RenamedLinkKeepsItsIndex) {
  ip("link set vb name vc");
  EXPECT_EQ(mirror_->links().at(b_).name, "vc");
  EXPECT_EQ(mirror_->take_changes().links, std::set<int>{b_});
  EXPECT_TRUE(has_route("10.0.2.0/24"));
}

TEST_F(KernelMirrorTest, NewLinkAppears) {
  ip("link add vc type bridge");
  const int c = ifindex_of(*mirror_, "vc");
  ASSERT_NE(c, 0);
  EXPECT_FALSE(mirror_->links().at(c).up);
  EXPECT_TRUE(mirror_->take_changes().links.contains(c));
}

TEST_F(KernelMirrorTest, FollowsVlans) {
  if (!sandbox_.can_make_vlans()) GTEST_SKIP() << "this kernel has no links of type vlan";
  catch_up(*mirror_);
  ip("link add link vb name vb.100 type vlan id 100");
  const int vlan = ifindex_of(*mirror_, "vb.100");
  ASSERT_NE(vlan, 0);
  EXPECT_EQ(mirror_->links().at(vlan).vlan, (KernelVlan{b_, {100}}));
  EXPECT_EQ(mirror_->links().at(b_).vlan, std::nullopt);
  ip("link add link vb name svc type vlan proto 802.1ad id 100");
  EXPECT_EQ(mirror_->links().at(ifindex_of(*mirror_, "svc")).vlan, std::nullopt);
  ip("link set vb.100 up");
  ip("addr add 10.8.0.1/24 dev vb.100");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
  ip("link set vb.100 down");
  ip("link set vb.100 name blue");
  ip("link set blue up");
  EXPECT_EQ(mirror_->links().at(vlan).vlan, (KernelVlan{b_, {100}}));
  ip("link set vb down");
  EXPECT_FALSE(mirror_->links().at(vlan).up);
  ip("link set vb up");
  EXPECT_TRUE(mirror_->links().at(vlan).up);
  ip("link del blue");
  EXPECT_FALSE(mirror_->links().contains(vlan));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, LeavingABridgeIsNoDeletion) {
  ip("link add br0 type bridge");
  ip("link set vb master br0");
  ip("link set vb nomaster");
  EXPECT_TRUE(mirror_->links().contains(b_));
  EXPECT_TRUE(mirror_->addresses().contains({b_, addr("10.0.2.1"), 24}));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(KernelMirrorTest, LinkMovedToAnotherNamespaceIsGone) {
  const Sandbox other;
  ip("link set vb netns " + other.name());
  EXPECT_FALSE(mirror_->links().contains(b_));
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

}  // namespace
}  // namespace rackway::control::kernel_tests
