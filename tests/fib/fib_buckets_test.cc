// SPDX-License-Identifier: Apache-2.0
// What the forwarding core picks from, as a Fib lays it out.
#include <gtest/gtest.h>

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
  const GroupEntry& group = entry(fib, 1);
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
  EXPECT_EQ(entry(fib, 1).buckets, entry(fib_of(sample()), 1).buckets);
  EXPECT_EQ(entry(fib.clone(), 1).buckets, entry(fib, 1).buckets);
}

}  // namespace
}  // namespace rackway::fib::testing
