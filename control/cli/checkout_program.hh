// SPDX-License-Identifier: Apache-2.0
// `rackway experiment ...`, `rackway lab ...`: becomes that Python program of the checkout that
// this command was built from, or of the one that the environment variable RACKWAY_CHECKOUT names.
// It is told to use the programs beside this one.
#pragma once

#include <ostream>
#include <string>

namespace rackway::cli {

// package: as "lab/experiment". argv[0] is the command's name. Returns, with the exit code, only if
// it can not.
int become_program(const std::string& package, int argc, char** argv, std::ostream& err);

}  // namespace rackway::cli
