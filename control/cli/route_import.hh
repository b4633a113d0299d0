// SPDX-License-Identifier: Apache-2.0
// `rackway route import`: reads a table here, where the operator's file is, and gives it to the
// controller in parts. While the controller takes one the next is made.
#pragma once

#include <chrono>
#include <ostream>

#include "control/cli/route_arguments.hh"
#include "control/cli/show.hh"

namespace rackway::cli {

inline constexpr std::chrono::milliseconds kImportTime{60'000};  // for a part

struct ImportOutput {
  std::ostream& out;
  std::ostream& err;
  std::ostream* progress;  // a terminal, where a line is written over again and again; or null
  bool json;
};

// ask may be called from another thread, one at a time. Returns the exit code.
[[nodiscard]] int import_routes(const ImportArguments& arguments, const AskController& ask,
                                const ImportOutput& output);

}  // namespace rackway::cli
