// SPDX-License-Identifier: Apache-2.0
// Which member of a next-hop group has which bucket. When members come or go, few flows change
// their member: those of the one that went, or a newcomer's share, and some more, on average about
//   1 % of all flows among 4 members, 2 % among 8 to 16, 1 % among 32 to 128, 0.6 % among 512.
// Only 16 members becoming 17, and 128 becoming 129, or the reverse, moves most: then the number of
// buckets changes. A pure function of the members, whatever their order: without a history every
// node gets the same, also one that has just come.
//
// After Maglev (Eisenbud et al., NSDI 2016, 3.4): each member has an order of its own over the
// buckets, and members take turns, by weight, until each has its share. Unlike there, a turn that
// meets a taken bucket is lost. Who asks for a bucket first then depends on nobody else, and a
// change of members moves about half as many of the others' buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fib/records.hh"

namespace rackway::fib {

inline constexpr std::uint32_t kMaxBuckets = 32768;
static_assert(64 * kMaxGroupMembers == kMaxBuckets);

// For a group of that many different members: 1 for one, else a power of two, 64 or more for each.
// Few sizes, far apart, since another size is another layout.
[[nodiscard]] constexpr std::uint32_t bucket_count(std::size_t members) {
  if (members <= 1) return static_cast<std::uint32_t>(members);
  if (members <= 16) return 1024;
  return members <= 128 ? 8192 : kMaxBuckets;
}

struct BucketLayout {
  std::vector<AdjacencyKey> members;  // sorted, each once
  std::vector<std::uint16_t> owners;  // of each bucket, a place in members
};

// At most kMaxGroupMembers. One that is named twice counts as one with both weights.
[[nodiscard]] BucketLayout lay_out_buckets(std::span<const GroupMember> members);

}  // namespace rackway::fib
