// SPDX-License-Identifier: Apache-2.0
// `rackway`, the operator's command: asks the controller and prints what it answers, gives it
// routes; or makes keys, plans a cluster, simulates one, runs experiments, or the lab.
#include <unistd.h>

#include <iostream>
#include <string_view>

#include "cluster/api_channel.hh"
#include "control/cli/arguments.hh"
#include "control/cli/checkout_program.hh"
#include "control/cli/key.hh"
#include "control/cli/plan.hh"
#include "control/cli/route_import.hh"
#include "control/cli/show.hh"
#include "control/cli/sim.hh"

int main(int argc, char** argv) {
  using namespace rackway;
  if (argc > 1 && std::string_view(argv[1]) == "sim") {
    return cli::simulate(argc - 1, argv + 1, std::cout, std::cerr,
                         ::isatty(STDERR_FILENO) != 0 ? &std::cerr : nullptr);
  }
  if (argc > 1 && std::string_view(argv[1]) == "experiment") {
    return cli::become_program("lab/experiment", argc - 1, argv + 1, std::cerr);
  }
  if (argc > 1 && std::string_view(argv[1]) == "lab") {
    return cli::become_program("lab", argc - 1, argv + 1, std::cerr);
  }
  if (argc > 1 && std::string_view(argv[1]) == "key") {
    return cli::manage_keys(argc - 1, argv + 1, std::cout, std::cerr);
  }
  const auto arguments = cli::parse_arguments(argc, argv, std::cout, std::cerr);
  if (!arguments) return arguments.error();
  if (arguments->plan) return cli::make_plan(*arguments->plan, std::cout, std::cerr);
  const auto wait = arguments->import ? cli::kImportTime : cli::kAnswerTime;
  const auto ask = [&](const std::string& request) {
    return cluster::ApiClient(arguments->controller).request(request, wait);
  };
  if (arguments->import) {
    return cli::import_routes(
        *arguments->import, ask,
        {std::cout, std::cerr, ::isatty(STDERR_FILENO) != 0 ? &std::cerr : nullptr,
         arguments->json});
  }
  return cli::show(*arguments, ask, std::cout, std::cerr);
}
