// SPDX-License-Identifier: Apache-2.0
// Each refusal, and that nothing of a refused delta is applied; then the nearest things allowed.
#include "fib/delta_check.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

class DeltaCheckTest : public ::testing::Test {
 protected:
  // Refused with exactly that message, alone and among sound changes, and without a trace.
  void expect_refused(const Delta& delta, const std::string& message) {
    expect_refused_without_trace(delta, message);
    Delta among = delta;
    among.adjacencies.insert(among.adjacencies.begin(), adjacency(2, 0, 68));
    among.groups.insert(among.groups.begin(), plain(90, GroupKind::local));
    among.routes.insert(among.routes.begin(), route("90.0.0.0/8", 90));
    among.addresses.insert(among.addresses.begin(), port_address(9, 0, "90.0.0.1", 8));
    expect_refused_without_trace(among, message);
  }

  void expect_refused_without_trace(const Delta& delta, const std::string& message) {
    const Digest digest = fib_.digest();
    const auto applied = fib_.apply(delta);
    ASSERT_FALSE(applied.has_value());
    EXPECT_EQ(applied.error().message, message);
    EXPECT_EQ(fib_.digest(), digest);
    EXPECT_EQ(fib_.snapshot(), sample());
    EXPECT_EQ(std::ranges::count(entry(fib_, 1).buckets, 9000, &Bucket::mtu), 768);
    EXPECT_EQ(group_at(fib_, Ipv4Address{0x5a000001}), GroupId{2});
    EXPECT_TRUE(fib_.adjacencies_of({9}).empty());
    EXPECT_TRUE(fib_.addresses_of({9}).empty());
  }

  void expect_accepted(const Delta& delta) {
    const auto applied = fib_.apply(delta);
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
    EXPECT_EQ(fib_.digest(), fib_of(fib_.snapshot()).digest());
  }

  Fib fib_ = fib_of(sample());
};

// Records by themselves

TEST_F(DeltaCheckTest, AdjacencyOutOfRange) {
  Adjacency bad = adjacency(4096, 0);
  expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 4096: node 4096 is outside 0..4095");
  bad = adjacency(9, 0);
  bad.port = {256};
  expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 9: port 256 is outside 0..255");
  bad = adjacency(9, 0);
  bad.vlan = {4095};
  expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 9: VLAN 4095 is outside 0..4094");
  bad = adjacency(9, kMaxAdjacencies);
  expect_refused({.adjacencies = {bad}},
                 "adjacency 16777216 of node 9: index 16777216 is outside 0..16777215");
  bad = adjacency(9, 0, 67);
  expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 9: MTU 67 is outside 68..65535");
  bad = adjacency(9, 0, 0);
  expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 9: MTU 0 is outside 68..65535");
}

TEST_F(DeltaCheckTest, AdjacencyWithoutAStationsMac) {
  Adjacency bad = adjacency(9, 0);
  for (const char* mac : {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01"}) {
    bad.destination = *MacAddress::parse(mac);
    expect_refused({.adjacencies = {bad}}, "adjacency 0 of node 9: " + std::string(mac) +
                                               " is not a station's MAC address");
  }
}

TEST_F(DeltaCheckTest, GroupOutOfRange) {
  expect_refused({.groups = {plain(kMaxGroups, GroupKind::local)}},
                 "group 1048576: id 1048576 is outside 0..1048575");
  expect_refused({.groups = {plain(9, static_cast<GroupKind>(7))}},
                 "group 9: kind 7 is outside 0..6");
  expect_refused({.groups = {plain(9, static_cast<GroupKind>(255))}},
                 "group 9: kind 255 is outside 0..6");
}

TEST_F(DeltaCheckTest, ForwardGroupNeedsMembersWithinTheBound) {
  expect_refused({.groups = {forward(9, {})}}, "group 9: number of members 0 is outside 1..512");
  const std::vector<std::pair<AdjacencyKey, unsigned>> too_many(513, {key(1, 0), 1});
  expect_refused({.groups = {forward(9, too_many)}},
                 "group 9: number of members 513 is outside 1..512");
}

TEST_F(DeltaCheckTest, OnlyForwardGroupsHaveMembers) {
  for (std::uint8_t kind = 1; kind < kGroupKinds; ++kind) {
    Group bad = forward(9, {{key(1, 0), 1}});
    bad.kind = static_cast<GroupKind>(kind);
    expect_refused({.groups = {bad}}, "group 9: only a forward group has members");
  }
}

TEST_F(DeltaCheckTest, GroupMemberOutOfRange) {
  expect_refused({.groups = {forward(9, {{key(1, 0), 1}, {key(1, 1), 0}})}},
                 "group 9: adjacency 1 of node 1 has weight 0");
  expect_refused({.groups = {forward(9, {{key(4096, 0), 1}})}},
                 "group 9: adjacency 0 of node 4096 is out of range");
  expect_refused({.groups = {forward(9, {{key(1, kMaxAdjacencies), 1}})}},
                 "group 9: adjacency 16777216 of node 1 is out of range");
}

TEST_F(DeltaCheckTest, RouteLengthOutOfRange) {
  expect_refused({.routes = {{{ip("10.0.0.0"), 33}, {0}}}},
                 "route 10.0.0.0/33: length 33 is outside 0..32");
  expect_refused({.routes = {{{ip("0.0.0.0"), 255}, {0}}}},
                 "route 0.0.0.0/255: length 255 is outside 0..32");
  expect_refused({.routes = {{{ip("2001:db8::"), 129}, {0}}}},
                 "route 2001:db8::/129: length 129 is outside 0..128");
}

TEST_F(DeltaCheckTest, RouteWithHostBits) {
  expect_refused({.routes = {{{ip("10.0.0.1"), 31}, {0}}}}, "route 10.0.0.1/31: host bits are set");
  expect_refused({.routes = {{{ip("128.0.0.0"), 0}, {0}}}}, "route 128.0.0.0/0: host bits are set");
  expect_refused({.routes = {{{ip("::1"), 127}, {0}}}}, "route ::1/127: host bits are set");
}

TEST_F(DeltaCheckTest, RouteToAGroupOutOfRange) {
  expect_refused({.routes = {route("11.0.0.0/8", kMaxGroups)}},
                 "route 11.0.0.0/8: group 1048576 is outside 0..1048575");
}

TEST_F(DeltaCheckTest, PortAddressOutOfRange) {
  expect_refused({.addresses = {port_address(4096, 0, "10.0.0.1", 24)}},
                 "address 10.0.0.1/24 of port 0 of node 4096: node 4096 is outside 0..4095");
  expect_refused({.addresses = {port_address(1, 256, "10.0.0.1", 24)}},
                 "address 10.0.0.1/24 of port 256 of node 1: port 256 is outside 0..255");
  expect_refused({.addresses = {port_address(1, 0, "10.0.0.1", 24, 4095)}},
                 "address 10.0.0.1/24 of VLAN 4095 of port 0 of node 1: VLAN 4095 is outside "
                 "0..4094");
  expect_refused({.addresses = {port_address(1, 0, "10.0.0.1", 33)}},
                 "address 10.0.0.1/33 of port 0 of node 1: length 33 is outside 0..32");
  expect_refused({.addresses = {port_address(1, 0, "::1", 129)}},
                 "address ::1/129 of port 0 of node 1: length 129 is outside 0..128");
}

// A key more than once

TEST_F(DeltaCheckTest, KeySetTwice) {
  expect_refused({.adjacencies = {adjacency(9, 1), adjacency(9, 0), adjacency(9, 1, 900)}},
                 "adjacency 1 of node 9: is in the delta twice");
  expect_refused({.groups = {plain(9, GroupKind::local), plain(8, GroupKind::local),
                             plain(9, GroupKind::local)}},
                 "group 9: is in the delta twice");
  expect_refused({.routes = {route("11.0.0.0/8", 0), route("11.0.0.0/8", 1)}},
                 "route 11.0.0.0/8: is in the delta twice");
  const auto address = port_address(1, 2, "10.0.0.1", 24);
  expect_refused({.addresses = {address, address}},
                 "address 10.0.0.1/24 of port 2 of node 1: is in the delta twice");
}

TEST_F(DeltaCheckTest, KeyRemovedTwice) {
  expect_refused({.removed_adjacencies = {key(1, 1), key(1, 1)}},
                 "adjacency 1 of node 1: is in the delta twice");
  expect_refused({.removed_groups = {{2}, {2}}}, "group 2: is in the delta twice");
  expect_refused({.removed_routes = {prefix("10.0.0.0/8"), prefix("10.0.0.0/8")}},
                 "route 10.0.0.0/8: is in the delta twice");
  const auto address = port_address(1, 0, "10.0.0.254", 24);
  expect_refused({.removed_addresses = {address, address}},
                 "address 10.0.0.254/24 of port 0 of node 1: is in the delta twice");
}

TEST_F(DeltaCheckTest, KeySetAndRemoved) {
  expect_refused({.adjacencies = {adjacency(1, 1)}, .removed_adjacencies = {key(1, 1)}},
                 "adjacency 1 of node 1: is in the delta twice");
  expect_refused({.groups = {plain(2, GroupKind::local)}, .removed_groups = {{2}}},
                 "group 2: is in the delta twice");
  expect_refused({.routes = {route("10.0.0.0/8", 1)}, .removed_routes = {prefix("10.0.0.0/8")}},
                 "route 10.0.0.0/8: is in the delta twice");
  const auto address = port_address(1, 0, "10.0.0.254", 24);
  expect_refused({.addresses = {address}, .removed_addresses = {address}},
                 "address 10.0.0.254/24 of port 0 of node 1: is in the delta twice");
}

// References

TEST_F(DeltaCheckTest, GroupThatNamesAnUnknownAdjacency) {
  expect_refused({.groups = {forward(9, {{key(1, 0), 1}, {key(1, 2), 1}})}},
                 "group 9: adjacency 2 of node 1 is unknown");
  expect_refused({.groups = {forward(9, {{key(1, 0), 1}})}, .removed_adjacencies = {key(1, 0)}},
                 "group 9: adjacency 0 of node 1 is unknown");
}

TEST_F(DeltaCheckTest, RouteThatNamesAnUnknownGroup) {
  expect_refused({.routes = {route("11.0.0.0/8", 3)}}, "route 11.0.0.0/8: group 3 is unknown");
  expect_refused({.routes = {route("11.0.0.0/8", 2)}, .removed_groups = {{2}}},
                 "route 11.0.0.0/8: group 2 is unknown");
}

TEST_F(DeltaCheckTest, RemovalOfSomethingUnknown) {
  expect_refused({.removed_adjacencies = {key(7, 0)}},
                 "adjacency 0 of node 7: to be removed, is unknown");
  expect_refused({.removed_groups = {{3}}}, "group 3: to be removed, is unknown");
  expect_refused({.removed_groups = {GroupId{kMaxGroups}}},
                 "group 1048576: to be removed, is unknown");
  expect_refused({.removed_routes = {prefix("10.0.0.0/9")}},
                 "route 10.0.0.0/9: to be removed, is unknown");
  expect_refused({.removed_routes = {{ip("10.0.0.0"), 200}}},
                 "route 10.0.0.0/200: to be removed, is unknown");
  expect_refused({.removed_addresses = {port_address(1, 0, "10.0.0.254", 25)}},
                 "address 10.0.0.254/25 of port 0 of node 1: to be removed, is unknown");
  expect_refused({.removed_addresses = {port_address(4096, 0, "10.0.0.254", 24)}},
                 "address 10.0.0.254/24 of port 0 of node 4096: to be removed, is unknown");
}

TEST_F(DeltaCheckTest, RemovalOfAnAdjacencyInUse) {
  expect_refused({.removed_adjacencies = {key(1, 0)}},
                 "adjacency 0 of node 1: to be removed, is still a member of group 0");
  expect_refused(
      {.groups = {forward(0, {{key(1, 1), 1}})}, .removed_adjacencies = {key(1, 0), key(1, 1)}},
      "group 0: adjacency 1 of node 1 is unknown");
}

TEST_F(DeltaCheckTest, RemovalOfAGroupInUse) {
  expect_refused({.removed_groups = {{1}}}, "group 1: to be removed, is still used by 2 routes");
  expect_refused({.removed_groups = {{1}}, .removed_routes = {prefix("10.1.0.0/20")}},
                 "group 1: to be removed, is still used by 1 routes");
  expect_refused({.routes = {route("10.1.0.0/20", 0)},
                  .removed_groups = {{1}},
                  .removed_routes = {prefix("10.0.0.0/8")}},
                 "group 1: to be removed, is still used by 1 routes");
}

// What is just allowed

TEST_F(DeltaCheckTest, EmptyDelta) {
  expect_accepted({});
  EXPECT_EQ(fib_.snapshot(), sample());
}

TEST_F(DeltaCheckTest, LargestValues) {
  Adjacency last = adjacency(4095, kMaxAdjacencies - 1, 65535);
  last.port = {255};
  const Group widest = forward(kMaxGroups - 1, std::vector<std::pair<AdjacencyKey, unsigned>>(
                                                   kMaxGroupMembers, {last.key, 65535}));
  expect_accepted(
      {.adjacencies = {last, adjacency(9, 0, 68)},
       .groups = {widest},
       .routes = {route("255.255.255.255/32", kMaxGroups - 1), route("::/0", 2),
                  route("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", 1)},
       .addresses = {port_address(4095, 255, "255.255.255.255", 32), port_address(0, 0, "::", 0)}});
  EXPECT_EQ(entry(fib_, kMaxGroups - 1).buckets.size(), 1u);  // all of them the same one
  EXPECT_EQ(fib_.adjacencies_of({4095}).size(), kMaxAdjacencies);
}

TEST_F(DeltaCheckTest, EveryKindOfGroup) {
  for (std::uint8_t kind = 1; kind < kGroupKinds; ++kind) {
    expect_accepted({.groups = {plain(9, static_cast<GroupKind>(kind))}});
    EXPECT_EQ(entry(fib_, 9).kind, static_cast<GroupKind>(kind));
  }
}

TEST_F(DeltaCheckTest, NewRecordsMayReferToEachOther) {
  expect_accepted({.adjacencies = {adjacency(5, 0)},
                   .groups = {forward(5, {{key(5, 0), 1}})},
                   .routes = {route("5.0.0.0/8", 5)}});
}

TEST_F(DeltaCheckTest, GroupMayGoWhenItsRoutesLeave) {
  expect_accepted({.routes = {route("10.1.0.0/20", 0)},
                   .removed_groups = {{1}},
                   .removed_routes = {prefix("2001:db8::/32")}});
  EXPECT_EQ(fib_.find(GroupId{1}), nullptr);
}

TEST_F(DeltaCheckTest, AdjacencyMayGoWhenItsGroupsLeave) {
  expect_accepted({.groups = {forward(1, {{key(2, 0), 1}})}, .removed_adjacencies = {key(1, 1)}});
  expect_accepted({.groups = {plain(0, GroupKind::glean)}, .removed_adjacencies = {key(1, 0)}});
}

TEST_F(DeltaCheckTest, EverythingMayGoAtOnce) {
  expect_accepted(removal_of(sample()));
  EXPECT_EQ(fib_.snapshot(), Delta{});
  EXPECT_EQ(fib_.digest(), Digest{});
}

}  // namespace
}  // namespace rackway::fib::testing
