// SPDX-License-Identifier: Apache-2.0
// Random deltas over few keys, sound or not, against a naive FIB: maps of records, and the rules of
// fib.hh looked up in what the maps would be afterwards.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

struct NaiveFib {
  std::map<AdjacencyKey, Adjacency> adjacencies;
  std::map<GroupId, Group> groups;
  std::map<IpPrefix, Route> routes;
  std::set<PortAddress> addresses;

  // What it would be after the delta; nothing if the delta is to be refused. Keys are unique.
  [[nodiscard]] std::optional<NaiveFib> after(const Delta& delta) const {
    NaiveFib next = *this;
    bool known = true;
    for (const auto& key : delta.removed_adjacencies) known &= next.adjacencies.erase(key) == 1;
    for (const auto& key : delta.removed_groups) known &= next.groups.erase(key) == 1;
    for (const auto& key : delta.removed_routes) known &= next.routes.erase(key) == 1;
    for (const auto& key : delta.removed_addresses) known &= next.addresses.erase(key) == 1;
    for (const auto& record : delta.adjacencies) next.adjacencies[record.key] = record;
    for (const auto& record : delta.groups) next.groups[record.id] = record;
    for (const auto& record : delta.routes) next.routes[record.prefix] = record;
    for (const auto& record : delta.addresses) next.addresses.insert(record);
    return known && next.sound() ? std::optional(next) : std::nullopt;
  }

  [[nodiscard]] bool sound() const {
    for (const auto& [id, group] : groups) {
      for (const auto& member : group.members) {
        if (!adjacencies.contains(member.adjacency)) return false;
      }
    }
    for (const auto& [prefix, route] : routes) {
      if (!groups.contains(route.group)) return false;
    }
    return true;
  }

  [[nodiscard]] Delta snapshot() const {
    Delta all;
    for (const auto& [key, record] : adjacencies) all.adjacencies.push_back(record);
    for (const auto& [key, record] : groups) all.groups.push_back(record);
    for (const auto& [key, record] : routes) all.routes.push_back(record);
    all.addresses.assign(addresses.begin(), addresses.end());
    return all;
  }
};

class FibRandomTest : public ::testing::Test {
 protected:
  unsigned below(unsigned bound) { return random_() % bound; }
  AdjacencyKey random_key() { return key(below(2), below(3)); }

  Group random_group(unsigned id) {
    if (below(3) == 0) return plain(id, GroupKind::blackhole);
    std::vector<std::pair<AdjacencyKey, unsigned>> members(1 + below(3));
    for (auto& member : members) member = {random_key(), 1 + below(4)};
    return forward(id, members);
  }

  // A few records, each set or removed as it falls.
  Delta random_delta() {
    Delta delta;
    std::set<AdjacencyKey> adjacencies;
    std::set<unsigned> groups;
    std::set<IpPrefix> prefixes;
    std::set<PortAddress> addresses;
    for (unsigned i = below(3); i > 0; --i) adjacencies.insert(random_key());
    for (unsigned i = below(4); i > 0; --i) groups.insert(below(5));
    for (unsigned i = below(5); i > 0; --i) prefixes.insert(prefixes_[below(prefixes_.size())]);
    if (below(4) == 0) addresses.insert(port_address(below(2), below(2), "10.0.0.1", 24));
    for (const auto& k : adjacencies) {
      const auto mtu = static_cast<std::uint16_t>(1400 + below(3));
      if (below(3) == 0)
        delta.removed_adjacencies.push_back(k);
      else
        delta.adjacencies.push_back(adjacency(k.node.value, k.index.value, mtu));
    }
    for (const auto id : groups) {
      if (below(3) == 0)
        delta.removed_groups.push_back({id});
      else
        delta.groups.push_back(random_group(id));
    }
    for (const auto& p : prefixes) {
      if (below(3) == 0)
        delta.removed_routes.push_back(p);
      else
        delta.routes.push_back({p, {below(5)}});
    }
    for (const auto& a : addresses) {
      (below(2) == 0 ? delta.removed_addresses : delta.addresses).push_back(a);
    }
    return delta;
  }

  // Equal to those of a FIB that was made anew.
  void expect_buckets_have_no_history(const Fib& anew) {
    for (const auto& group : anew.snapshot().groups) {
      ASSERT_TRUE(std::ranges::equal(entry(fib_, group.id.value).buckets,
                                     entry(anew, group.id.value).buckets));
    }
  }

  void expect_entries_follow(const NaiveFib& naive) {
    for (unsigned id = 0; id < 5; ++id) {
      const auto group = naive.groups.find({id});
      if (group == naive.groups.end()) continue;
      const GroupEntry entry = fib_.group(fib_.next_hop_of({id}));
      ASSERT_EQ(entry.kind, group->second.kind);
      ASSERT_EQ(entry.buckets.empty(), group->second.members.empty());
      for (std::size_t i = 0; i < entry.buckets.size(); i += 31) {
        const Bucket& bucket = entry.buckets[i];
        ASSERT_EQ(bucket.mtu, naive.adjacencies.at({bucket.node, bucket.index}).mtu);
      }
    }
  }

  // Lookups of the first address of each prefix end in the group of the longest route.
  void expect_lookups_follow(const NaiveFib& naive) {
    for (const auto& wanted : prefixes_) {
      std::optional<GroupId> group;
      int longest = -1;
      for (const auto& [prefix, route] : naive.routes) {
        if (prefix.length > longest && prefix.covers(wanted.address)) {
          longest = prefix.length;
          group = route.group;
        }
      }
      const auto id = wanted.address.is_v4() ? fib_.lookup(wanted.address.v4())
                                             : fib_.lookup(wanted.address.v6());
      ASSERT_EQ(fib_.group_of(id), group) << wanted.to_string();
      const auto kind = group ? naive.groups.at(*group).kind : GroupKind::unreachable;
      ASSERT_EQ(fib_.group(id).kind, kind) << wanted.to_string();
    }
  }

  std::mt19937 random_{20261130};
  const std::vector<IpPrefix> prefixes_{prefix("0.0.0.0/0"),     prefix("10.0.0.0/8"),
                                        prefix("10.1.0.0/16"),   prefix("10.1.0.0/17"),
                                        prefix("10.1.1.0/24"),   prefix("10.1.1.1/32"),
                                        prefix("::/0"),          prefix("2001:db8::/32"),
                                        prefix("2001:db8::/48"), prefix("2001:db8::1/128")};
  Fib fib_;
};

TEST_F(FibRandomTest, AcceptsAndHoldsWhatTheNaiveOneDoes) {
  NaiveFib naive;
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    const Delta delta = random_delta();
    const auto next = naive.after(delta);
    const auto applied = fib_.apply(delta);
    ASSERT_EQ(applied.has_value(), next.has_value())
        << i << ": " << (applied ? "accepted" : applied.error().message);
    if (next) naive = *next;
    accepted += next.has_value();
    const Delta snapshot = naive.snapshot();
    ASSERT_EQ(fib_.snapshot(), snapshot);
    expect_entries_follow(naive);
    expect_lookups_follow(naive);
    if (i % 50 == 0) {
      const Fib anew = fib_of(snapshot);
      ASSERT_EQ(fib_.digest(), anew.digest());
      expect_buckets_have_no_history(anew);
    }
  }
  // Both outcomes were tried in earnest.
  EXPECT_GT(accepted, 2000);
  EXPECT_LT(accepted, 18000);
  const auto emptied = fib_.apply(removal_of(fib_.snapshot()));
  ASSERT_TRUE(emptied.has_value()) << emptied.error().message;
  EXPECT_EQ(fib_.digest(), Digest{});
  EXPECT_EQ(fib_.snapshot(), Delta{});
}

}  // namespace
}  // namespace rackway::fib::testing
