// SPDX-License-Identifier: Apache-2.0
// Members of a next-hop group in the order in which it is their turn, each as often as its weight
// asks: next is the greatest weight / (2 * claims made + 1), ties to the earlier member (Sainte-
// Lague). Whole numbers only, so that every machine sees the same order. Members of one weight, the
// usual case, go round without a comparison. For one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rackway::fib {

class ClaimQueue {
 public:
  struct Claim {
    std::uint32_t member;
    std::uint32_t number;  // how many it has made before
    std::uint64_t weight;  // of the member
  };

  // Everyone has made that many claims before. Weights are 1 or more; they and the numbers of
  // claims stay below 2^31.
  ClaimQueue(std::span<const std::uint32_t> weights, std::uint32_t claims_before) {
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      claims_.push_back({i, claims_before, weights[i]});
    }
    equal_ = std::ranges::adjacent_find(weights, std::not_equal_to{}) == weights.end();
    if (!equal_) std::ranges::make_heap(claims_, weaker);
  }

  // Whose turn it is, until that claim is renewed (it comes again later) or dropped.
  [[nodiscard]] const Claim& next() const { return claims_[first_]; }

  void renew() {
    Claim claim = next();
    ++claim.number;
    if (!equal_) return settle(claim);
    claims_[first_] = claim;
    if (++first_ == claims_.size()) first_ = 0;
  }

  void drop() {
    if (equal_) return leave_the_round();
    const Claim last = claims_.back();
    claims_.pop_back();
    if (!claims_.empty()) settle(last);
  }

 private:
  [[nodiscard]] static bool weaker(const Claim& a, const Claim& b) {
    const std::uint64_t claim_a = a.weight * (2 * std::uint64_t{b.number} + 1);
    const std::uint64_t claim_b = b.weight * (2 * std::uint64_t{a.number} + 1);
    return claim_a < claim_b || (claim_a == claim_b && a.member > b.member);
  }

  void leave_the_round() {
    claims_.erase(claims_.begin() + static_cast<std::ptrdiff_t>(first_));
    if (first_ == claims_.size()) first_ = 0;
  }

  // The claim comes in place of the first: stronger ones move up until it is where it belongs.
  void settle(const Claim& claim) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < claims_.size(); child = 2 * at + 1) {
      if (child + 1 < claims_.size() && weaker(claims_[child], claims_[child + 1])) ++child;
      if (!weaker(claim, claims_[child])) break;
      claims_[at] = claims_[child];
      at = child;
    }
    claims_[at] = claim;
  }

  bool equal_;                 // all weights are
  std::vector<Claim> claims_;  // if equal_, in the order of members; else a heap
  std::size_t first_ = 0;      // the strongest claim; of a heap always 0
};

}  // namespace rackway::fib
