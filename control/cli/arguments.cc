// SPDX-License-Identifier: Apache-2.0
#include "control/cli/arguments.hh"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "control/cli/tables.hh"
#include "topo/cluster_document.hh"
#include "topo/endpoint.hh"
#include "topo/steering_mode.hh"

namespace rackway::cli {
namespace {

constexpr const char* kOneRoute = "route";  // also a name of the table routes
constexpr const char* kEnvironmentVariable = "RACKWAY_CONTROLLER";

std::string table_names(const std::string& separator) {
  std::string names;
  for (const auto& table : tables()) names += (names.empty() ? "" : separator) + table.name;
  return names;
}

std::string check_table_name(const std::string& name) {
  if (name == kOneRoute) return "";
  if (find_table(name) != nullptr) return "";
  return "there is no table '" + name + "', only " + table_names(", ");
}

// An empty variable of a script would otherwise show everything.
std::string check_object_name(const std::string& name) {
  return name.empty() ? "the name is empty" : "";
}

// Given to the command and to `show`, so that the options may stand before and after either.
void add_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--json", arguments.json, "Print the rows as JSON");
  app.add_option("--controller", arguments.controller,
                 std::string("The controller's API; else $") + kEnvironmentVariable + ", else " +
                     topo::ControllerConfig{}.api)
      ->type_name("ENDPOINT");
}

// `rackway GROUP VERB NAME`, answered with that table.
void declare_order(CLI::App& group, Arguments& arguments, const char* verb, const char* what,
                   const char* order, const char* table, CLI::Validator check) {
  auto* command = group.add_subcommand(verb, what);
  command->add_option("name", arguments.name, "")
      ->required()
      ->type_name("NAME")
      ->check(check_object_name, "")
      ->check(std::move(check));
  add_options(*command, arguments);
  command->callback([&arguments, order, table] {
    arguments.order = order;
    arguments.table = table;
  });
}

void declare_orders(CLI::App& app, Arguments& arguments) {
  auto* vlb = app.add_subcommand("vlb", "Say how traffic is spread over the fabric");
  vlb->require_subcommand(1);
  const std::vector<std::string> modes(topo::kSteeringModes.begin(), topo::kSteeringModes.end());
  declare_order(*vlb, arguments, "mode",
                "Steer in this mode: adaptive, direct, valiant, direct-vlb", "vlb-mode", "cluster",
                CLI::IsMember(modes));
  auto* node = app.add_subcommand("node", "Take a node out of relaying, or back");
  node->require_subcommand(1);
  const CLI::Validator any("");
  declare_order(*node, arguments, "drain", "Relay nothing over this node", "drain", "nodes", any);
  declare_order(*node, arguments, "undrain", "Relay over this node again", "undrain", "nodes", any);
}

void declare(CLI::App& app, Arguments& arguments, RouteArguments& route, PlanArguments& plan) {
  app.set_version_flag("--version", "rackway " RACKWAY_VERSION);
  app.require_subcommand(0, 1);  // that there is one is checked after unknown words, see fault_of()
  add_options(app, arguments);
  auto* show = app.add_subcommand("show", "Show a table of the cluster");
  show->add_option("table", arguments.table, table_names(" | "))
      ->required()
      ->type_name("TABLE")
      ->check(check_table_name, "");
  show->add_option("name", arguments.name,
                   "Only this object: a prefix, an address, a node, a port, an interface")
      ->type_name("NAME")
      ->check(check_object_name, "");
  show->add_flag("--explain", arguments.explain, "Of one route: why packets go where they go");
  add_options(*show, arguments);
  declare_route(*app.add_subcommand("route", "Add, withdraw, import and show routes"), route,
                [&](CLI::App& command) { add_options(command, arguments); });
  declare_plan(*app.add_subcommand("plan", "Plan a cluster: servers, links, guarantee, price"),
               plan);
  declare_orders(app, arguments);
}

std::string default_controller() {
  const char* const set = std::getenv(kEnvironmentVariable);
  return set != nullptr && *set != '\0' ? set : topo::ControllerConfig{}.api;
}

// What a command of `rackway route` asks for.
void adopt(const CLI::App& command, const RouteArguments& route, Arguments& arguments) {
  arguments.name = route.prefix;
  arguments.explain = route.explain;
  arguments.table = "rib";
  if (command.got_subcommand("add")) {
    arguments.order = "route-add";
    arguments.target = target_text(route.targets);
  } else if (command.got_subcommand("del")) {
    arguments.order = route.imported ? "route-del-imported" : "route-del";
  } else if (command.got_subcommand("import")) {
    arguments.import = route.import;
    if (!route.peer.empty()) arguments.import->peer = IpAddress::parse(route.peer);
  }
}

// What the parser can not see.
std::optional<std::string> fault_of(const Arguments& arguments) {
  if (arguments.table.empty())
    return "there is nothing to do, give a command: show, route, plan, vlb or node";
  if (arguments.order == "route-del" && arguments.name.empty()) {
    return "give the prefix of the route, or --imported";
  }
  if (arguments.explain &&
      (arguments.name.empty() || (arguments.table != "routes" && arguments.table != "rib"))) {
    return "only one route can be explained: give its prefix, or an address";
  }
  if (arguments.order.empty() && !arguments.name.empty() &&
      !find_table(arguments.table)->takes_name) {
    return "show " + arguments.table + " takes no name";
  }
  if (const auto fault = topo::endpoint_fault(arguments.controller)) {
    return "'" + arguments.controller + "' is not the endpoint of a controller: " + *fault;
  }
  return std::nullopt;
}

int refuse(std::string fault, const std::string& command, std::ostream& err) {
  std::replace(fault.begin(), fault.end(), '\n', ' ');
  err << fault << "; see rackway " << command << " --help\n";
  return kExitBadArguments;
}

}  // namespace

tl::expected<Arguments, int> parse_arguments(int argc, const char* const* argv, std::ostream& out,
                                             std::ostream& err) {
  Arguments arguments;
  CLI::App app("Operate a Rackway cluster", "rackway");
  app.footer(
      "rackway key new|show|allow|revoke makes keys and says whose are let in, see rackway key "
      "--help\n"
      "rackway sim FILE simulates the cluster of a document, see rackway sim --help\n"
      "rackway experiment NAME runs a sweep and draws it, see rackway experiment --help\n"
      "rackway lab has a cluster on this machine, and drills for it, see rackway lab --help");
  PlanArguments plan;
  RouteArguments route;
  declare(app, arguments, route, plan);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    const auto* const command = app.got_subcommand("plan")    ? "plan"
                                : app.got_subcommand("route") ? "route"
                                                              : "show";
    if (stop.get_exit_code() != 0) return tl::unexpected(refuse(stop.what(), command, err));
    return tl::unexpected(app.exit(stop, out, err));  // --help, --version
  }
  if (app.got_subcommand("plan")) {
    plan.json = plan.json || arguments.json;
    arguments.plan = std::move(plan);
    return arguments;
  }
  if (arguments.table == kOneRoute) arguments.table = "routes";
  if (app.got_subcommand("route")) adopt(*app.get_subcommand("route"), route, arguments);
  if (arguments.controller.empty()) arguments.controller = default_controller();
  if (const auto fault = fault_of(arguments)) return tl::unexpected(refuse(*fault, "show", err));
  return arguments;
}

}  // namespace rackway::cli
