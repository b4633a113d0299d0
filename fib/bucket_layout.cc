// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_layout.hh"

#include <xxhash.h>

#include <array>
#include <bit>
#include <map>

#include "base/byte_order.hh"
#include "fib/bucket_shares.hh"
#include "fib/claim_queue.hh"

namespace rackway::fib {
namespace {

constexpr std::uint16_t kNobody = 0xffff;
static_assert(kMaxGroupMembers <= kNobody);

std::uint64_t hash_of(AdjacencyKey key) {
  std::array<std::uint8_t, 6> bytes;
  store_be(&bytes[0], key.node.value);
  store_be(&bytes[2], key.index.value);
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The order in which a member asks for buckets: a permutation that looks random, made of steps that
// can each be undone (an odd factor, a sum, the high half into the low one).
class Preference {
 public:
  Preference(AdjacencyKey key, std::uint32_t buckets)
      : hash_(hash_of(key)), mask_(buckets - 1), half_(std::countr_zero(buckets) / 2) {}

  // The n-th bucket, n < buckets.
  [[nodiscard]] std::uint32_t at(std::uint32_t n) const {
    return mixed(mixed(n, part(0), part(1)), part(2), part(3));
  }

 private:
  [[nodiscard]] std::uint32_t part(int i) const { return (hash_ >> 16 * i) & 0xffff; }
  [[nodiscard]] std::uint32_t mixed(std::uint32_t x, std::uint32_t factor,
                                    std::uint32_t term) const {
    x = (x * (factor | 1) + term) & mask_;
    return x ^ x >> half_;
  }

  std::uint64_t hash_;
  std::uint32_t mask_;
  int half_;
};
static_assert(kMaxBuckets <= 0x10000, "a part of the hash reaches every bucket");

// A member that has met every bucket has its share, or nothing is left: while a bucket is free, the
// number of every turn is below the number of buckets.
std::vector<std::uint16_t> take_turns(std::span<const Preference> preferences,
                                      std::span<const std::uint32_t> weights,
                                      std::uint32_t buckets) {
  auto wanted = bucket_shares(weights, buckets);
  std::vector<std::uint16_t> owners(buckets, kNobody);
  ClaimQueue turns(weights, 0);
  for (std::uint32_t free = buckets; free > 0;) {
    const auto [member, number, weight] = turns.next();
    auto& owner = owners[preferences[member].at(number)];
    const bool takes = owner == kNobody;
    if (takes) {
      owner = static_cast<std::uint16_t>(member);
      --free;
    }
    takes && --wanted[member] == 0 ? turns.drop() : turns.renew();
  }
  return owners;
}

}  // namespace

BucketLayout lay_out_buckets(std::span<const GroupMember> members) {
  std::map<AdjacencyKey, std::uint32_t> weight_of;
  for (const GroupMember& member : members) weight_of[member.adjacency] += member.weight;
  const std::uint32_t buckets = bucket_count(weight_of.size());
  BucketLayout layout;
  std::vector<std::uint32_t> weights;
  std::vector<Preference> preferences;
  for (const auto& [key, weight] : weight_of) {
    layout.members.push_back(key);
    weights.push_back(weight);
    preferences.emplace_back(key, buckets);
  }
  layout.owners = take_turns(preferences, weights, buckets);
  return layout;
}

}  // namespace rackway::fib
