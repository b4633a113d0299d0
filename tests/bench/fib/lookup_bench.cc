// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/lookup_bench.hh"

#include <stdexcept>
#include <string>

namespace rackway::bench {
namespace {

constexpr int kPasses = 3;

// The first pass is not counted: it brings this engine's memory into the caches in place of that
// of the one before.
template <class Pass>
double lookups_per_second(Pass pass) {
  pass();
  const double took = seconds([&] {
    for (int i = 0; i < kPasses; ++i) pass();
  });
  return double(kAddresses) * kPasses / took;
}

using RoundsByEngine = std::vector<std::vector<double>>;

std::vector<double> medians(const RoundsByEngine& engines) {
  std::vector<double> figures;
  for (const auto& rounds : engines) figures.push_back(rounds.empty() ? 0 : median(rounds));
  return figures;
}

}  // namespace

template <class Address>
void LookupBench<Address>::expect_equal_answers() const {
  for (std::size_t pattern = 0; pattern < kPatterns.size(); ++pattern) {
    const auto& addresses = patterns_[pattern];
    const auto ours = engines_.front()->next_hops(addresses);
    for (const auto* engine : engines_) {
      const auto theirs = engine->next_hops(addresses);
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (ours[i] == theirs[i]) continue;
        throw std::runtime_error(IpAddress(addresses[i]).to_string() + ": next hop " +
                                 std::to_string(theirs[i]) + " by " + engine->name() + ", " +
                                 std::to_string(ours[i]) + " by us");
      }
    }
  }
}

template <class Address>
LookupFigures LookupBench<Address>::run(unsigned rounds) const {
  std::array<RoundsByEngine, kPatterns.size()> bursts, one_by_one;
  bursts.fill(RoundsByEngine(engines_.size()));
  one_by_one.fill(RoundsByEngine(engines_.size()));
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t pattern = 0; pattern < kPatterns.size(); ++pattern) {
      const auto& addresses = patterns_[pattern];
      for (std::size_t i = 0; i < engines_.size(); ++i) {
        const auto& engine = *engines_[i];
        bursts[pattern][i].push_back(lookups_per_second([&] { engine.look_up_bursts(addresses); }));
        if (!engine.has_one_by_one()) continue;
        one_by_one[pattern][i].push_back(
            lookups_per_second([&] { engine.look_up_one_by_one(addresses); }));
      }
    }
  }
  LookupFigures figures;
  for (std::size_t pattern = 0; pattern < kPatterns.size(); ++pattern) {
    figures.bursts[pattern] = medians(bursts[pattern]);
    figures.one_by_one[pattern] = medians(one_by_one[pattern]);
  }
  return figures;
}

template class LookupBench<Ipv4Address>;
template class LookupBench<Ipv6Address>;

}  // namespace rackway::bench
