// SPDX-License-Identifier: Apache-2.0
// `rackway plan`: asks no controller. Prints a plan, or what else was asked for, and writes the
// files of --out.
#pragma once

#include <ostream>

#include "control/cli/plan_arguments.hh"

namespace rackway::cli {

// Returns the exit code: 0; kExitFault when the wish is not possible or something can not be read
// or written; kExitBadArguments. Faults are one line on err; that something is not possible, what
// stands in the way and what is possible instead are an answer, on out.
[[nodiscard]] int make_plan(const PlanArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rackway::cli
