// SPDX-License-Identifier: Apache-2.0
// `rackway sim FILE`: runs the simulator over a cluster document, without a cluster. A progress bar
// goes to a terminal only.
#pragma once

#include <ostream>

namespace rackway::cli {

// argv[0] is "sim". progress: where the bar goes; none if null. Returns the exit code.
int simulate(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
             std::ostream* progress);

}  // namespace rackway::cli
