// SPDX-License-Identifier: Apache-2.0
// All that is measured of one family: loads our table and the peers for each number of next hops,
// measures, adds rows. The EAL is up and the calling thread pinned.
#pragma once

#include "base/ip_address.hh"
#include "tests/bench/fib/arguments.hh"
#include "tests/bench/report.hh"

namespace rackway::bench {

// Throws std::runtime_error if an engine refuses the table or two differ in an answer.
void measure_family(Family family, const Arguments& arguments, Report& report);

}  // namespace rackway::bench
