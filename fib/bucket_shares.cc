// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_shares.hh"

#include <numeric>
#include <queue>

namespace rackway::fib {
namespace {

// Everyone starts with one bucket; each further one goes to the member that is furthest below its
// due: the Sainte-Lague rule, greatest weight / (2 * buckets + 1), ties to the earlier member.
std::vector<std::uint32_t> divide_by_claim(std::span<const GroupMember> members) {
  std::vector<std::uint32_t> shares(members.size(), 1);
  const auto weaker_claim = [&](std::size_t a, std::size_t b) {
    const std::uint64_t claim_a = std::uint64_t{members[a].weight} * (2 * shares[b] + 1);
    const std::uint64_t claim_b = std::uint64_t{members[b].weight} * (2 * shares[a] + 1);
    return claim_a < claim_b || (claim_a == claim_b && a > b);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(weaker_claim)> claims(
      weaker_claim);
  for (std::size_t i = 0; i < members.size(); ++i) claims.push(i);
  for (std::size_t given = members.size(); given < kMaxBuckets; ++given) {
    const std::size_t next = claims.top();
    claims.pop();
    ++shares[next];
    claims.push(next);
  }
  return shares;
}

}  // namespace

std::vector<std::uint32_t> bucket_shares(std::span<const GroupMember> members) {
  std::uint32_t total = 0;
  std::uint32_t divisor = 0;
  for (const GroupMember& member : members) {
    total += member.weight;
    divisor = std::gcd(divisor, std::uint32_t{member.weight});
  }
  if (members.empty() || total / divisor > kMaxBuckets) {
    return members.empty() ? std::vector<std::uint32_t>{} : divide_by_claim(members);
  }
  std::vector<std::uint32_t> shares;
  for (const GroupMember& member : members) shares.push_back(member.weight / divisor);
  return shares;
}

}  // namespace rackway::fib
