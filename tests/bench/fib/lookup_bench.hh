// SPDX-License-Identifier: Apache-2.0
// How fast engines look up, side by side: all of them in every round, so that what disturbs the
// machine disturbs them alike.
#pragma once

#include <array>
#include <vector>

#include "tests/bench/fib/address_patterns.hh"
#include "tests/bench/fib/engine.hh"

namespace rackway::bench {

// Lookups a second; medians over the rounds. By pattern, then by engine.
struct LookupFigures {
  std::array<std::vector<double>, kPatterns.size()> bursts;
  std::array<std::vector<double>, kPatterns.size()> one_by_one;  // 0: the engine has none
};

template <class Address>
class LookupBench {
 public:
  // The first engine is ours. All outlive this.
  LookupBench(std::vector<const Engine<Address>*> engines, const AddressPatterns<Address>& patterns)
      : engines_(std::move(engines)), patterns_(patterns) {}

  // Throws std::runtime_error if two engines differ in an answer.
  void expect_equal_answers() const;
  [[nodiscard]] LookupFigures run(unsigned rounds) const;

 private:
  std::vector<const Engine<Address>*> engines_;
  const AddressPatterns<Address>& patterns_;
};

extern template class LookupBench<Ipv4Address>;
extern template class LookupBench<Ipv6Address>;

}  // namespace rackway::bench
