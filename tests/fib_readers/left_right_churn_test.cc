// SPDX-License-Identifier: Apache-2.0
// LeftRight under many deltas: the digest is the sum over the records whatever way they came, and
// readers see one epoch in each burst, also with many routes of both families.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "fib/left_right.hh"
#include "fib/rcu.hh"
#include "fib/record_digest.hh"
#include "tests/fib/sample_records.hh"
#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

// What the FIB is to hold, as maps; and random changes of it that are sound.
class RandomContent {
 public:
  [[nodiscard]] Delta next_delta() {
    Delta delta;
    for (std::size_t i = below(3); i > 0; --i) change_adjacency(delta);
    for (std::size_t i = below(4); i > 0; --i) change_group(delta);
    for (std::size_t i = below(30); i > 0; --i) change_route(delta);
    if (below(3) == 0) change_address(delta);
    return delta;
  }
  void apply(const Delta& delta) {
    for (const auto& record : delta.adjacencies) adjacencies_[record.key] = record;
    for (const auto& record : delta.groups) groups_[record.id] = record;
    for (const auto& record : delta.routes) routes_[record.prefix] = record;
    for (const auto& record : delta.addresses) addresses_.insert(record);
    for (const auto& prefix : delta.removed_routes) routes_.erase(prefix);
    for (const auto& address : delta.removed_addresses) addresses_.erase(address);
  }
  [[nodiscard]] Digest digest() const {
    Digest sum;
    for (const auto& [key, record] : adjacencies_) sum += digest_of(record);
    for (const auto& [key, record] : groups_) sum += digest_of(record);
    for (const auto& [key, record] : routes_) sum += digest_of(record);
    for (const auto& record : addresses_) sum += digest_of(record);
    return sum;
  }
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }

 private:
  // Keys of each kind once in a delta, hence what it has already is left alone.
  template <class Records, class Key, class KeyOf>
  [[nodiscard]] static bool has(const Records& records, const Key& key, KeyOf key_of) {
    return std::ranges::find(records, key, key_of) != records.end();
  }
  void change_adjacency(Delta& delta) {
    const auto record =
        adjacency(below(4), below(8), static_cast<std::uint16_t>(1400 + below(100)));
    if (!has(delta.adjacencies, record.key, &Adjacency::key)) delta.adjacencies.push_back(record);
  }
  void change_group(Delta& delta) {
    const auto id = static_cast<unsigned>(below(400));
    if (has(delta.groups, GroupId{id}, &Group::id)) return;
    std::vector<std::pair<AdjacencyKey, unsigned>> members;
    for (std::size_t i = 1 + below(4); i > 0 && !adjacencies_.empty(); --i) {
      const auto at = std::next(adjacencies_.begin(), std::ptrdiff_t(below(adjacencies_.size())));
      members.push_back({at->first, 1 + below(5)});
    }
    delta.groups.push_back(members.empty() ? plain(id, GroupKind::glean) : forward(id, members));
  }
  void change_route(Delta& delta) {
    const auto place = static_cast<std::uint32_t>(below(64) << 26 | below(8) << 14 | below(16));
    const IpAddress address = below(2) == 0
                                  ? IpAddress(Ipv4Address{place})
                                  : IpAddress(address_of<Ipv6Address>(Number{place} << 96 | place));
    const auto length = static_cast<std::uint8_t>(8 + below(address.is_v4() ? 25 : 121));
    const IpPrefix prefix = IpPrefix::covering(address, length);
    if (has(delta.routes, prefix, &Route::prefix) ||
        has(delta.removed_routes, prefix, std::identity{}))
      return;
    if (routes_.contains(prefix) && below(2) == 0) {
      delta.removed_routes.push_back(prefix);
    } else if (!groups_.empty()) {
      const auto at = std::next(groups_.begin(), std::ptrdiff_t(below(groups_.size())));
      delta.routes.push_back({prefix, at->first});
    }
  }
  void change_address(Delta& delta) {
    const auto record = port_address(below(4), below(4), "10.0.0.1", 8 + below(20));
    (addresses_.contains(record) ? delta.removed_addresses : delta.addresses).push_back(record);
  }

  std::mt19937_64 random_{20261130};
  std::map<AdjacencyKey, Adjacency> adjacencies_;
  std::map<GroupId, Group> groups_;
  std::map<IpPrefix, Route> routes_;
  std::set<PortAddress> addresses_;
};

TEST(LeftRightChurn, DigestIsTheSumOverTheRecords) {
  LeftRight fibs;
  RandomContent content;
  for (unsigned i = 1; i <= 2500 / kSmaller; ++i) {
    const Delta delta = content.next_delta();
    auto prepared = fibs.prepare(delta);
    ASSERT_TRUE(prepared.has_value()) << prepared.error().message;
    if (content.below(100) == 0) {
      fibs.abandon();
      continue;
    }
    content.apply(delta);
    if (content.below(100) == 0) {
      const Fib& next = *fibs.active();
      fibs.commit();
      prepared = fibs.prepare_snapshot(fibs.active()->snapshot());
      ASSERT_TRUE(prepared.has_value()) << prepared.error().message;
      ASSERT_NE(&next, fibs.active());
    }
    fibs.commit();
    ASSERT_EQ(fibs.active()->digest(), *prepared);
    if (i % 200 != 0) continue;
    ASSERT_EQ(fibs.active()->digest(), content.digest()) << "after " << i << " deltas";
    ASSERT_EQ(fibs.active()->digest(), fib_of(fibs.active()->snapshot()).digest());
  }
}

// ---- all of many routes move at each epoch

constexpr unsigned kRoutesOfEach = 10'000;
constexpr unsigned kEpochs = kSanitized ? 6 : 40;
constexpr std::size_t kBurst = 64;

Ipv4Address ipv4_place(unsigned i) {
  return {0x0a000000 + (i << 8)};
}
Ipv6Address ipv6_place(unsigned i) {
  return address_of<Ipv6Address>(Number{0x20010000 + i / 100} << 96 | Number{i} << 80);
}

// To group 0 in even epochs, to group 1 in odd ones. The MTU tells the epoch.
Delta epoch(unsigned number) {
  Delta delta{.adjacencies = {adjacency(1, 0, static_cast<std::uint16_t>(100 + number))}};
  for (unsigned group : {0u, 1u}) delta.groups.push_back(forward(group, {{key(1, 0), 1}}));
  const GroupId group{number % 2};
  for (unsigned i = 0; i < kRoutesOfEach; ++i) {
    delta.routes.push_back({{ipv4_place(i), static_cast<std::uint8_t>(24 + i % 9)}, group});
    delta.routes.push_back({{ipv6_place(i), static_cast<std::uint8_t>(48 + i % 81)}, group});
  }
  return delta;
}

struct Reader {
  const LeftRight& fibs;
  std::mt19937 random;
  unsigned last = 0;  // epoch

  // True if all answers are of one epoch, and that is no older than what was seen before.
  template <class Address>
  bool read(Address (*place)(unsigned)) {
    std::array<Address, kBurst> addresses;
    for (Address& address : addresses) address = place(random() % kRoutesOfEach);
    std::array<NextHopId, kBurst> next_hops;
    const Fib& fib = *fibs.active();
    fib.lookup(addresses, next_hops);
    const unsigned number = fib.adjacencies_of({1})[0].mtu - 100u;
    bool whole = number >= last && number <= kEpochs;
    last = number;
    for (const NextHopId next_hop : next_hops) {
      whole = whole && fib.group_of(next_hop) == GroupId{number % 2} &&
              fib.group(next_hop).pick(0).mtu == number + 100;
    }
    return whole;
  }
};

TEST(LeftRightChurn, BurstsOfManyRoutesSeeOneEpoch) {
  LeftRight fibs;
  ASSERT_TRUE(fibs.prepare(epoch(0)).has_value());
  fibs.commit();
  std::atomic<bool> stop{false};
  std::atomic<int> started{0};
  const auto read = [&](unsigned seed) {
    rcu::ReaderThread registration;
    Reader reader{fibs, std::mt19937(seed)};
    bool whole = reader.read(ipv4_place);
    ++started;
    while (!stop && whole) {
      whole = reader.read(ipv4_place) && reader.read(ipv6_place);
      registration.quiescent();
    }
    EXPECT_TRUE(whole) << "in epoch " << reader.last;
    EXPECT_TRUE(reader.read(ipv6_place) && reader.last == kEpochs) << reader.last;
  };
  std::thread first(read, 1);
  std::thread second(read, 2);
  while (started < 2) std::this_thread::yield();
  for (unsigned number = 1; number <= kEpochs; ++number) {
    const auto prepared = fibs.prepare(epoch(number));
    EXPECT_TRUE(prepared.has_value());
    if (!prepared) break;
    fibs.commit();
    EXPECT_EQ(fibs.active()->digest(), *prepared);
  }
  stop = true;
  first.join();
  second.join();
}

}  // namespace
}  // namespace rackway::fib::testing
