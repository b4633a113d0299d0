// SPDX-License-Identifier: Apache-2.0
// `bench_cluster run FILE ...`: one run of the cluster in one process over a cluster document, with
// the options of `rackway sim` and its report as JSON, to which "bystanders" is added: what was
// sent and has arrived of those of whom neither end fails. For experiments, and to hold both
// against each other. Costs of roles are refused: here the real code runs, in no virtual time.
#pragma once

#include <ostream>

namespace rackway::bench {

// argv[0] is "run". Returns the exit code: 2 for bad arguments, 1 for other faults.
int run_once(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace rackway::bench
