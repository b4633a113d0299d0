// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

constexpr Ipv4Address kIn10{0x0a020304};    // 10.2.3.4
constexpr Ipv4Address kIn10_1{0x0a010f01};  // 10.1.15.1
constexpr Ipv4Address kBeyond{0x0a011001};  // 10.1.16.1, one past 10.1.0.0/20

void apply(Fib& fib, const Delta& delta) {
  const auto applied = fib.apply(delta);
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
}

// How many buckets lead to each adjacency.
using Keys = std::map<AdjacencyKey, std::size_t>;
Keys bucket_keys(const GroupEntry& entry) {
  Keys keys;
  for (const Bucket& bucket : entry.buckets) ++keys[{bucket.node, bucket.index}];
  return keys;
}

// How many buckets are of each MTU.
using Mtus = std::map<std::uint16_t, std::size_t>;
Mtus bucket_mtus(const GroupEntry& entry) {
  Mtus mtus;
  for (const Bucket& bucket : entry.buckets) ++mtus[bucket.mtu];
  return mtus;
}

TEST(Fib, Empty) {
  const Fib fib;
  EXPECT_EQ(fib.digest(), Digest{});
  EXPECT_EQ(fib.snapshot(), Delta{});
  EXPECT_EQ(group_at(fib, kIn10), std::nullopt);
  EXPECT_EQ(group_at(fib, Ipv6Address{}), std::nullopt);
  for (const auto id : {fib.lookup(kIn10), fib.lookup(Ipv6Address{})}) {
    EXPECT_EQ(fib.group(id).kind, GroupKind::unreachable);
    EXPECT_TRUE(fib.group(id).buckets.empty());
  }
  EXPECT_EQ(fib.longest_match(ip("10.0.0.1")), std::nullopt);
  EXPECT_EQ(fib.find(prefix("0.0.0.0/0")), std::nullopt);
  EXPECT_EQ(fib.find(GroupId{0}), nullptr);
  EXPECT_EQ(fib.find(key(0, 0)), nullptr);
  EXPECT_TRUE(fib.adjacencies_of({0}).empty());
  EXPECT_TRUE(fib.addresses_of({4095}).empty());
}

TEST(Fib, LookupFindsTheLongestRouteOfTheFamily) {
  const Fib fib = fib_of(sample());
  EXPECT_EQ(group_at(fib, kIn10), GroupId{0});
  EXPECT_EQ(group_at(fib, kIn10_1), GroupId{1});
  EXPECT_EQ(group_at(fib, kBeyond), GroupId{0});
  EXPECT_EQ(group_at(fib, Ipv4Address{0x0b000000}), GroupId{2});
  EXPECT_EQ(group_at(fib, ip("2001:db8::1").v6()), GroupId{1});
  EXPECT_EQ(group_at(fib, ip("2001:db9::1").v6()), std::nullopt);
}

TEST(Fib, BurstEqualsScalar) {
  const Fib fib = fib_of(sample());
  const std::vector<Ipv4Address> v4{kIn10, kIn10_1, kBeyond, {0}, {0xffffffff}};
  std::vector<NextHopId> out(v4.size());
  fib.lookup(v4, out);
  for (std::size_t i = 0; i < v4.size(); ++i) EXPECT_EQ(out[i], fib.lookup(v4[i])) << i;
  const std::vector<Ipv6Address> v6{ip("2001:db8:ffff::").v6(), ip("::").v6()};
  out.resize(v6.size());
  fib.lookup(v6, out);
  for (std::size_t i = 0; i < v6.size(); ++i) EXPECT_EQ(out[i], fib.lookup(v6[i])) << i;
}

// The default route shows its group as it is, however that changed.
TEST(Fib, DefaultRouteFollowsItsGroup) {
  Fib fib = fib_of(sample());
  const auto at_default = [&] { return fib.group(fib.lookup(Ipv4Address{})); };
  EXPECT_EQ(at_default().kind, GroupKind::blackhole);
  apply(fib, {.groups = {forward(2, {{key(2, 0), 1}})}});
  EXPECT_EQ(bucket_mtus(at_default()), (Mtus{{9000, 1}}));
  apply(fib, {.adjacencies = {adjacency(2, 0, 1280)}});
  EXPECT_EQ(bucket_mtus(at_default()), (Mtus{{1280, 1}}));
  apply(fib, {.routes = {route("0.0.0.0/0", 0)}});
  EXPECT_EQ(bucket_keys(at_default()), (Keys{{key(1, 0), 1}}));
  EXPECT_EQ(group_at(fib, ip("::1").v6()), std::nullopt);
  apply(fib, {.routes = {route("::/0", 1)}, .removed_routes = {prefix("0.0.0.0/0")}});
  EXPECT_EQ(at_default().kind, GroupKind::unreachable);
  EXPECT_EQ(group_at(fib, ip("::1").v6()), GroupId{1});
}

TEST(Fib, FindsRecords) {
  const Fib fib = fib_of(sample());
  EXPECT_EQ(*fib.longest_match(ip("10.1.15.255")), route("10.1.0.0/20", 1));
  EXPECT_EQ(*fib.longest_match(ip("9.9.9.9")), route("0.0.0.0/0", 2));
  EXPECT_EQ(fib.longest_match(ip("::1")), std::nullopt);
  EXPECT_EQ(*fib.find(prefix("10.0.0.0/8")), route("10.0.0.0/8", 0));
  EXPECT_EQ(fib.find(prefix("10.0.0.0/9")), std::nullopt);
  EXPECT_EQ(*fib.find(GroupId{1}), sample().groups[1]);
  EXPECT_EQ(*fib.find(key(2, 0)), adjacency(2, 0, 9000));
  EXPECT_EQ(fib.find(key(2, 1)), nullptr);
  const auto size = fib.size();
  EXPECT_EQ(size.ipv4_routes, 3u);
  EXPECT_EQ(size.ipv6_routes, 1u);
  EXPECT_EQ(size.groups, 3u);
  EXPECT_EQ(size.adjacencies, 3u);
  EXPECT_EQ(size.addresses, 2u);
}

TEST(Fib, CoveringRoutes) {
  const Fib fib = fib_of(sample());
  EXPECT_EQ(fib.covering(prefix("10.1.15.0/24")),
            (std::vector{route("10.1.0.0/20", 1), route("10.0.0.0/8", 0), route("0.0.0.0/0", 2)}));
  EXPECT_EQ(fib.covering(prefix("2001:db8::/32")), std::vector{route("2001:db8::/32", 1)});
  EXPECT_TRUE(fib.covering(prefix("2001:db8::/31")).empty());
}

TEST(Fib, RemovedRouteUncoversTheOneAboveIt) {
  Fib fib = fib_of(sample());
  apply(fib, {.removed_routes = {prefix("10.1.0.0/20")}});
  EXPECT_EQ(group_at(fib, kIn10_1), GroupId{0});
  apply(fib, {.removed_routes = {prefix("10.0.0.0/8")}});
  EXPECT_EQ(group_at(fib, kIn10_1), GroupId{2});
  apply(fib, {.removed_routes = {prefix("0.0.0.0/0")}});
  EXPECT_EQ(group_at(fib, kIn10_1), std::nullopt);
}

TEST(Fib, BucketsFollowWeights) {
  const Fib fib = fib_of(sample());
  const GroupEntry& group = entry(fib, 1);
  EXPECT_EQ(group.kind, GroupKind::forward);
  EXPECT_EQ(bucket_keys(group), (Keys{{key(1, 1), 256}, {key(2, 0), 768}}));
  EXPECT_EQ(bucket_mtus(group), (Mtus{{1500, 256}, {9000, 768}}));
}

TEST(Fib, ReplacedGroupHasItsNewBuckets) {
  Fib fib = fib_of(sample());
  apply(fib, {.groups = {forward(1, {{key(1, 0), 7}})}});
  EXPECT_EQ(bucket_keys(entry(fib, 1)), (Keys{{key(1, 0), 1}}));
  apply(fib, {.groups = {plain(1, GroupKind::prohibit)}});
  EXPECT_EQ(entry(fib, 1).kind, GroupKind::prohibit);
  EXPECT_TRUE(entry(fib, 1).buckets.empty());
}

TEST(Fib, RemovedGroupIsGone) {
  Fib fib = fib_of(sample());
  apply(fib, {.removed_groups = {{0}}, .removed_routes = {prefix("10.0.0.0/8")}});
  EXPECT_EQ(fib.find(GroupId{0}), nullptr);
  EXPECT_EQ(group_at(fib, kIn10), GroupId{2});
  EXPECT_EQ(fib.size().groups, 2u);
}

// However the groups themselves are numbered.
TEST(Fib, NextHopIdsAreTheLowestThatAreFree) {
  Fib fib;
  apply(fib, {.groups = {plain(900000, GroupKind::local), plain(7, GroupKind::glean)},
              .routes = {route("1.0.0.0/8", 900000)}});
  EXPECT_EQ(fib.next_hop_of({900000}).value, kFirstNextHop);
  EXPECT_EQ(fib.next_hop_of({7}).value, kFirstNextHop + 1);
  apply(fib, {.removed_groups = {{900000}}, .removed_routes = {prefix("1.0.0.0/8")}});
  apply(fib, {.groups = {plain(5, GroupKind::local), plain(6, GroupKind::local)}});
  EXPECT_EQ(fib.next_hop_of({5}).value, kFirstNextHop);
  EXPECT_EQ(fib.next_hop_of({6}).value, kFirstNextHop + 2);
}

TEST(Fib, MtuOfAnAdjacencyReachesEveryGroupOnIt) {
  Fib fib = fib_of(sample());
  apply(fib, {.groups = {forward(5, {{key(2, 0), 1}, {key(1, 0), 1}, {key(2, 0), 1}})}});
  apply(fib, {.adjacencies = {adjacency(2, 0, 1280)}});
  EXPECT_EQ(bucket_mtus(entry(fib, 0)), (Mtus{{1500, 1}}));
  EXPECT_EQ(bucket_mtus(entry(fib, 1)), (Mtus{{1500, 256}, {1280, 768}}));
  EXPECT_EQ(bucket_mtus(entry(fib, 5)), (Mtus{{1280, 683}, {1500, 341}}));
  EXPECT_EQ(fib.adjacencies_of({2})[0].mtu, 1280);
}

TEST(Fib, MtuAndGroupMayChangeTogether) {
  Fib fib = fib_of(sample());
  apply(fib, {.adjacencies = {adjacency(2, 0, 1280), adjacency(1, 0, 4000)},
              .groups = {forward(1, {{key(1, 0), 1}})}});
  EXPECT_EQ(bucket_mtus(entry(fib, 1)), (Mtus{{4000, 1}}));
  // Group 1 no longer uses it: nothing to refresh, nothing in the way of its removal.
  apply(fib, {.adjacencies = {adjacency(2, 0, 1400)}});
  EXPECT_EQ(bucket_mtus(entry(fib, 1)), (Mtus{{4000, 1}}));
  apply(fib, {.removed_adjacencies = {key(2, 0)}});
}

TEST(Fib, LocalAdjacenciesByIndex) {
  Fib fib = fib_of(sample());
  apply(fib, {.adjacencies = {adjacency(1, 5)}});
  auto local = fib.adjacencies_of({1});
  ASSERT_EQ(local.size(), 6u);
  for (const unsigned index : {0, 1, 5}) {
    EXPECT_TRUE(local[index].valid);
    EXPECT_EQ(local[index].destination, adjacency(1, index).destination);
    EXPECT_EQ(local[index].port, adjacency(1, index).port);
    EXPECT_EQ(local[index].vlan, adjacency(1, index).vlan);
    EXPECT_EQ(local[index].mtu, 1500);
  }
  for (const unsigned index : {2, 3, 4}) EXPECT_FALSE(local[index].valid);
  apply(fib, {.removed_adjacencies = {key(1, 5)}});
  EXPECT_EQ(fib.adjacencies_of({1}).size(), 2u);
  EXPECT_EQ(fib.adjacencies_of({2}).size(), 1u);
  EXPECT_TRUE(fib.adjacencies_of({0}).empty());
}

TEST(Fib, AddressesSortedByPortAndVlan) {
  Fib fib;
  const auto second = port_address(3, 1, "10.0.0.2", 24);
  const auto third = port_address(3, 1, "10.0.0.1", 24, 7);
  const auto fourth = port_address(3, 2, "fe80::1", 64);
  const auto first = port_address(3, 0, "192.0.2.1", 31);
  apply(fib, {.addresses = {fourth, third, second}});
  apply(fib, {.addresses = {first, port_address(4, 0, "10.0.0.2", 24)}});
  const auto own = fib.addresses_of({3});
  EXPECT_EQ(std::vector(own.begin(), own.end()), (std::vector{first, second, third, fourth}));
  EXPECT_EQ(fib.size().addresses, 5u);
}

TEST(Fib, SubnetLengthChangesInOneDelta) {
  Fib fib = fib_of(sample());
  const auto shorter = port_address(1, 0, "10.0.0.254", 16);
  apply(fib, {.addresses = {shorter}, .removed_addresses = {port_address(1, 0, "10.0.0.254", 24)}});
  ASSERT_EQ(fib.addresses_of({1}).size(), 2u);
  EXPECT_EQ(fib.addresses_of({1})[0], shorter);
}

TEST(Fib, SettingWhatIsThereChangesNothing) {
  Fib fib = fib_of(sample());
  const Digest digest = fib.digest();
  apply(fib, sample());
  EXPECT_EQ(fib.digest(), digest);
  EXPECT_EQ(fib.snapshot(), sample());
  apply(fib, removal_of(sample()));
  EXPECT_EQ(fib.digest(), Digest{});
}

TEST(Fib, SnapshotIsSortedWhateverTheOrder) {
  std::mt19937 random(1);
  Delta shuffled = sample();
  std::ranges::shuffle(shuffled.adjacencies, random);
  std::ranges::shuffle(shuffled.groups, random);
  std::ranges::shuffle(shuffled.routes, random);
  std::ranges::shuffle(shuffled.addresses, random);
  ASSERT_NE(shuffled, sample());
  const Fib fib = fib_of(shuffled);
  EXPECT_EQ(fib.snapshot(), sample());
  EXPECT_EQ(fib.digest(), fib_of(sample()).digest());
}

// One field of one record at a time.
TEST(Fib, DigestTellsEveryFieldApart) {
  const auto differs = [digest = fib_of(sample()).digest()](auto change) {
    Delta other = sample();
    change(other);
    return fib_of(other).digest() != digest;
  };
  EXPECT_TRUE(differs([](Delta& d) { d.adjacencies[0].port.value ^= 1; }));
  EXPECT_TRUE(differs([](Delta& d) { d.adjacencies[0].destination.bytes[5] ^= 1; }));
  EXPECT_TRUE(differs([](Delta& d) { d.adjacencies[0].mtu ^= 1; }));
  EXPECT_TRUE(differs([](Delta& d) { d.adjacencies[0].next_hop = ip("fe80::1"); }));
  EXPECT_TRUE(differs([](Delta& d) { d.groups[2].kind = GroupKind::prohibit; }));
  EXPECT_TRUE(differs([](Delta& d) { d.groups[1].members[0].weight = 2; }));
  EXPECT_TRUE(differs([](Delta& d) { d.groups[1].members[0].adjacency = key(1, 0); }));
  EXPECT_TRUE(differs([](Delta& d) { std::swap(d.groups[1].members[0], d.groups[1].members[1]); }));
  EXPECT_TRUE(differs([](Delta& d) { d.routes[0].group = {1}; }));
  EXPECT_TRUE(differs([](Delta& d) { d.routes[0].prefix.length = 1; }));
  EXPECT_TRUE(differs([](Delta& d) { d.addresses[0].port = {2}; }));
  EXPECT_TRUE(differs([](Delta& d) { d.addresses[0].length = 25; }));
  EXPECT_TRUE(differs([](Delta& d) { d.addresses.pop_back(); }));
  EXPECT_FALSE(differs([](Delta&) {}));
}

TEST(Fib, CloneIsEqualAndIndependent) {
  Fib fib = fib_of(sample());
  Fib copy = fib.clone();
  EXPECT_EQ(copy.snapshot(), sample());
  EXPECT_EQ(copy.digest(), fib.digest());
  apply(copy, removal_of(sample()));
  EXPECT_EQ(fib.snapshot(), sample());
  EXPECT_EQ(group_at(fib, kIn10_1), GroupId{1});
  fib = std::move(copy);
  EXPECT_EQ(fib.snapshot(), Delta{});
}

}  // namespace
}  // namespace rackway::fib::testing
