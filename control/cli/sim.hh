// SPDX-License-Identifier: Apache-2.0
// `rackway sim`: runs the simulator over a cluster document or a regular shape, without a cluster,
// packet by packet or as a fluid. A progress bar goes to a terminal only.
#pragma once

#include <ostream>

namespace rackway::cli {

// argv[0] is "sim". progress: where the bar goes; none if null. Returns the exit code.
int simulate(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
             std::ostream* progress);

}  // namespace rackway::cli
