// SPDX-License-Identifier: Apache-2.0
// The command line of `rackway`:
//   rackway show TABLE [NAME] [--json] [--controller ENDPOINT]
//   rackway route ... (route_arguments.hh); rackway show route X --explain is its show X --explain
//   rackway plan ... (plan_arguments.hh)
//   rackway key, rackway sim, rackway experiment: not here (key.hh, sim_arguments.hh,
//   experiment.hh) rackway vlb mode MODE, rackway node drain NAME, rackway node undrain NAME (the
//   same options)
// Options may stand anywhere. The endpoint is that of --controller, else of the environment
// variable RACKWAY_CONTROLLER, else the default of the cluster document.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <tl/expected.hpp>

#include "control/cli/plan_arguments.hh"
#include "control/cli/route_arguments.hh"

namespace rackway::cli {

inline constexpr int kExitFault = 1;  // the controller said no or did not answer
inline constexpr int kExitBadArguments = 2;

struct Arguments {
  std::string table;       // one of tables.hh
  std::string name;        // the one object to show, empty: all
  std::string controller;  // ZeroMQ endpoint, well formed
  bool json = false;       // the rows as JSON instead of a table
  std::string order;   // one of the API's, to be carried out first: a table shows what came of it;
                       // name: whom, what
  std::string target;  // of the order route-add
  bool explain = false;
  std::optional<ImportArguments> import = std::nullopt;  // `route import` was asked for
  std::optional<PlanArguments> plan = std::nullopt;  // `plan` was asked for; the rest is of `show`
};

// When there is nothing to run (--help, --version, a fault), prints what there is to say and
// returns the exit code instead.
[[nodiscard]] tl::expected<Arguments, int> parse_arguments(int argc, const char* const* argv,
                                                           std::ostream& out, std::ostream& err);

}  // namespace rackway::cli
