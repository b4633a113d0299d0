// SPDX-License-Identifier: Apache-2.0
// How many of a next-hop group's buckets each member gets: one at least, the rest as near to the
// weights as whole buckets allow. When a member goes, no other's share shrinks. A pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rackway::fib {

// One number per weight, in their order; their sum is `buckets`, which is no less than the number
// of weights. Weights are 1 or more. Ties go to the earlier one.
[[nodiscard]] std::vector<std::uint32_t> bucket_shares(std::span<const std::uint32_t> weights,
                                                       std::uint32_t buckets);

}  // namespace rackway::fib
