// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_shares.hh"

#include "fib/claim_queue.hh"

namespace rackway::fib {

std::vector<std::uint32_t> bucket_shares(std::span<const std::uint32_t> weights,
                                         std::uint32_t buckets) {
  std::vector<std::uint32_t> shares(weights.size(), 1);
  if (weights.empty()) return shares;
  ClaimQueue claims(weights, 1);
  for (std::size_t given = weights.size(); given < buckets; ++given) {
    ++shares[claims.next().member];
    claims.renew();
  }
  return shares;
}

}  // namespace rackway::fib
