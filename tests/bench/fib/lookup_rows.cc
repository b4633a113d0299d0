// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/lookup_rows.hh"

#include <algorithm>
#include <optional>

namespace rackway::bench {
namespace {

template <class Address>
std::vector<std::string> names_of(const std::vector<const Engine<Address>*>& engines) {
  std::vector<std::string> names;
  names.reserve(engines.size());
  for (const auto* engine : engines) names.push_back(engine->name());
  return names;
}

// "rte_lpm bulk" is rte_lpm where it looks up one address at a time.
std::vector<std::string> libraries(std::vector<std::string> names) {
  for (std::string& name : names) name.resize(std::min(name.find(' '), name.size()));
  return names;
}

void add_rows(Report& report, const std::string& name, const std::vector<std::string>& engines,
              const std::vector<double>& rates, std::optional<double> target) {
  constexpr double kMega = 1e6;
  const auto best = std::max_element(rates.begin() + 1, rates.end());
  Row ours{name, rates.front() / kMega, "M/s"};
  if (target) ours.target = ratio_at_least(*target);
  if (best != rates.end() && *best > 0) {
    ours.peer = engines[static_cast<std::size_t>(best - rates.begin())];
    ours.ratio = rates.front() / *best;
  }
  report.add(ours);
  for (std::size_t i = 1; i < rates.size(); ++i) {
    if (rates[i] > 0) report.add({name + ", " + engines[i], rates[i] / kMega, "M/s"});
  }
}

}  // namespace

template <class Address>
void add_lookup_rows(Report& report, const std::string& title,
                     const std::vector<const Engine<Address>*>& engines,
                     const LookupFigures& figures, const FibTargets& targets) {
  const auto names = names_of(engines);
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    add_rows(report, title + std::string(kPatterns[i]), names, figures.bursts[i],
             targets.bursts[i]);
  }
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    add_rows(report, title + std::string(kPatterns[i]) + " one by one", libraries(names),
             figures.one_by_one[i], targets.singles[i]);
  }
}

template void add_lookup_rows(Report&, const std::string&,
                              const std::vector<const Engine<Ipv4Address>*>&, const LookupFigures&,
                              const FibTargets&);
template void add_lookup_rows(Report&, const std::string&,
                              const std::vector<const Engine<Ipv6Address>*>&, const LookupFigures&,
                              const FibTargets&);

}  // namespace rackway::bench
