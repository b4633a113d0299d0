// SPDX-License-Identifier: Apache-2.0
// How many buckets of a next-hop group each member gets. Exactly by weight while that needs no more
// than kMaxBuckets (equal weights: one each); else kMaxBuckets in all, as near to the weights as
// that allows, and one at least for every member. A pure function: every node gets the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fib/records.hh"

namespace rackway::fib {

inline constexpr std::uint32_t kMaxBuckets = 1024;
static_assert(kMaxGroupMembers <= kMaxBuckets);

// One number per member, in their order. Weights are 1 or more.
[[nodiscard]] std::vector<std::uint32_t> bucket_shares(std::span<const GroupMember> members);

}  // namespace rackway::fib
