// SPDX-License-Identifier: Apache-2.0
// rackway-controller: routes in, epochs out. Parse, build, run, stop.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "control/controller.hh"
#include "fib/processor.hh"
#include "topo/cluster_document.hh"

namespace {

using namespace rackway;

std::atomic<bool> stop_requested{false};

struct Options {
  std::string config, state;
  std::string log_level{"info"};
  bool check{false};
};

std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"The controller of a Rackway cluster"};
  app.add_option("--config", options.config, "The cluster document (cluster.json)")->required();
  app.add_option("--state", options.state,
                 "Folder for what the controller keeps between two runs (is made)");
  app.add_flag("--check", options.check, "Only check the document");
  app.add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    std::fprintf(stderr, "rackway-controller: %s (see rackway-controller --help)\n", error.what());
    return 2;
  }
  return std::nullopt;
}

int start(const Options& options) {
  auto document = topo::read_cluster_document(options.config);
  if (options.check) return 0;
  if (::geteuid() != 0) {
    throw StartupError("not root", "", "run as root: the controller makes network devices");
  }
  fib::require_processor();
  control::Controller controller(std::move(document), options.state);
  controller.run(stop_requested);
  log::info("stopped; ports and routes stay for the next controller");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto code = parse(argc, argv, options)) return *code;
  log::start("rackway-controller", options.log_level);
  std::signal(SIGINT, [](int) { stop_requested = true; });
  std::signal(SIGTERM, [](int) { stop_requested = true; });
  try {
    return start(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rackway-controller: %s\n", error.what());
    return 1;
  }
}
