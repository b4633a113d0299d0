// SPDX-License-Identifier: Apache-2.0
// rackway-controller: routes in, epochs out. Parse, build, run, stop.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "cluster/key_file.hh"
#include "cluster/key_gate.hh"
#include "control/controller.hh"
#include "fib/processor.hh"
#include "topo/cluster_document.hh"
#include "topo/endpoint.hh"

namespace {

using namespace rackway;

std::atomic<bool> stop_requested{false};

struct Options {
  std::string config, state;
  std::string key, allow;
  bool insecure{false};
  std::string log_level{"info"};
  bool check{false};
};

std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"The controller of a Rackway cluster"};
  app.add_option("--config", options.config, "The cluster document (cluster.json)")->required();
  app.add_option("--state", options.state,
                 "Folder for what the controller keeps between two runs (is made)");
  auto* key = app.add_option("--key", options.key, "File with the controller's key (rackway key)");
  auto* allow = app.add_option("--allow", options.allow, "Folder with the keys of the nodes");
  key->needs(allow);
  allow->needs(key);
  app.add_flag("--insecure", options.insecure, "Without keys: let anybody in who can connect")
      ->excludes(key);
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

// Null: without keys.
std::unique_ptr<cluster::KeyGate> gate_of(const Options& options,
                                          const topo::ControllerConfig& config) {
  for (const auto& endpoint : {config.api, config.control, config.packets}) {
    const bool has_key = !options.key.empty() && endpoint != config.api;
    if (has_key || options.insecure || topo::is_private_endpoint(endpoint)) continue;
    throw StartupError("anybody who reaches " + endpoint + " could give orders", "",
                       endpoint == config.api
                           ? "choose an ipc:// endpoint for controller.api, or say --insecure"
                           : "give --key and --allow (docs/keys.md), or say --insecure");
  }
  if (options.key.empty()) return nullptr;
  auto key = cluster::read_key_file(options.key);
  if (!key) throw StartupError(key.error().message, "", "see docs/keys.md");
  return std::make_unique<cluster::KeyGate>(std::move(*key), options.allow);
}

int start(const Options& options) {
  auto document = topo::read_cluster_document(options.config);
  if (options.check) return 0;
  if (::geteuid() != 0) {
    throw StartupError("not root", "", "run as root: the controller makes network devices");
  }
  fib::require_processor();
  auto gate = gate_of(options, document.controller);
  control::Controller controller(std::move(document), std::move(gate), options.state);
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
