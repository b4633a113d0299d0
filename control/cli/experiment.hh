// SPDX-License-Identifier: Apache-2.0
// `rackway experiment ...`: becomes the Python program lab/experiment of the checkout that this
// command was built from, or of the one that the environment variable RACKWAY_CHECKOUT names. It is
// told to use the programs beside this one.
#pragma once

#include <ostream>

namespace rackway::cli {

// argv[0] is "experiment". Returns, with the exit code, only if it can not.
int become_experiment(int argc, char** argv, std::ostream& err);

}  // namespace rackway::cli
