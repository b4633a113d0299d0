// SPDX-License-Identifier: Apache-2.0
// The rows for lookups: ours against the best peer of the run for that pattern, and each peer's
// own figure.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/fib/engine.hh"
#include "tests/bench/fib/lookup_bench.hh"
#include "tests/bench/fib/targets.hh"
#include "tests/bench/report.hh"

namespace rackway::bench {

// As in LookupBench: the first engine is ours. `title` begins every name.
template <class Address>
void add_lookup_rows(Report& report, const std::string& title,
                     const std::vector<const Engine<Address>*>& engines,
                     const LookupFigures& figures, const FibTargets& targets);

}  // namespace rackway::bench
