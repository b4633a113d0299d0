// SPDX-License-Identifier: Apache-2.0
// `rackway show`: asks for one table and prints it. `rackway vlb` and `rackway node` give an order,
// which the controller answers with a table.
#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include "base/result.hh"
#include "control/cli/arguments.hh"

namespace rackway::cli {

inline constexpr std::chrono::milliseconds kAnswerTime{5000};  // how long a controller may take

// Sends a request of the API and returns the reply; the error says why there is none.
using AskController = std::function<Result<std::string>(const std::string& request)>;

// Returns the exit code: 0, or kExitFault after one line on err.
[[nodiscard]] int show(const Arguments& arguments, const AskController& ask, std::ostream& out,
                       std::ostream& err);

}  // namespace rackway::cli
