// SPDX-License-Identifier: Apache-2.0
// What the forwarding core picks from, as a Fib lays it out.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fib/fib.hh"
#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

void apply(Fib& fib, const Delta& delta) {
  const auto applied = fib.apply(delta);
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
}

TEST(FibBuckets, PickDividesTheHashesEvenly) {
  const Fib fib = fib_of(sample());
  const GroupEntry group = entry(fib, 1);
  ASSERT_EQ(group.buckets.size(), 1024u);
  for (std::uint32_t i = 0; i < 1024; ++i) {
    EXPECT_EQ(&group.pick(i << 22), &group.buckets[i]);
    EXPECT_EQ(&group.pick((i << 22) + 0x3fffff), &group.buckets[i]);
  }
  EXPECT_EQ(&entry(fib, 0).pick(0xffffffff), &entry(fib, 0).buckets[0]);
}

// However they came: a node that joins by snapshot sends flows where the others do.
TEST(FibBuckets, HaveNoHistory) {
  Fib fib = fib_of(sample());
  apply(fib, {.groups = {forward(1, {{key(1, 0), 1}})}});
  apply(fib, {.groups = {forward(1, {{key(2, 0), 1}, {key(1, 0), 1}, {key(1, 1), 1}})}});
  apply(fib, {.groups = {forward(1, {{key(2, 0), 3}, {key(1, 1), 1}})}});
  EXPECT_TRUE(std::ranges::equal(entry(fib, 1).buckets, entry(fib_of(sample()), 1).buckets));
  EXPECT_TRUE(std::ranges::equal(entry(fib.clone(), 1).buckets, entry(fib, 1).buckets));
}

// Groups of one bucket, of many and of none, which come, change their size and go.
TEST(FibBuckets, ABurstOfPicksIsAsItsPicksAlone) {
  Fib fib = fib_of(sample());
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto id = static_cast<std::uint32_t>(10 + random() % 20);
    Group group{GroupId{id}, GroupKind::forward, {{key(1, 0), 1}}};
    if (random() % 2 == 0) {
      group.members.push_back({key(2, 0), static_cast<std::uint16_t>(random() % 9 + 1)});
    }
    if (random() % 4 == 0) group.members.push_back({key(1, 1), 1});
    if (random() % 8 == 0) group = {GroupId{id}, GroupKind::blackhole, {}};
    if (fib.find(GroupId{id}) != nullptr && random() % 2 == 0) {
      apply(fib, {.removed_groups = {GroupId{id}}});
    } else {
      apply(fib, {.groups = {group}});
    }
    std::vector<NextHopId> ids{kIpv4Default, kIpv6Default};
    for (const auto& known : fib.snapshot().groups) ids.push_back(fib.next_hop_of(known.id));
    std::vector<std::uint32_t> hashes;
    for (std::size_t i = 0; i < ids.size(); ++i)
      hashes.push_back(static_cast<std::uint32_t>(random()));
    std::vector<Bucket> picked(ids.size());
    fib.pick(ids, hashes, picked);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const GroupEntry found = fib.group(ids[i]);
      ASSERT_EQ(found.buckets.empty(), found.kind != GroupKind::forward);
      ASSERT_EQ(picked[i], found.buckets.empty() ? kNoBucket : found.pick(hashes[i]));
    }
  }
}

}  // namespace
}  // namespace rackway::fib::testing
