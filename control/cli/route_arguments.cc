// SPDX-License-Identifier: Apache-2.0
#include "control/cli/route_arguments.hh"

#include <algorithm>

namespace rackway::cli {
namespace {

std::string check_prefix(const std::string& text) {
  if (IpPrefix::parse(text)) return "";
  return "'" + text + "' is no prefix ADDRESS/LENGTH without host bits";
}

std::string check_address(const std::string& text) {
  return IpAddress::parse(text) ? "" : "'" + text + "' is no address";
}

std::string check_either(const std::string& text) {
  if (IpPrefix::parse(text) || IpAddress::parse(text)) return "";
  return "'" + text + "' is neither a prefix nor an address";
}

}  // namespace

std::string target_text(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    if (word == "via") continue;
    text += (text.empty() ? "" : ",") + word;
  }
  std::replace(text.begin(), text.end(), '*', ',');
  return text;
}

void declare_route(CLI::App& route, RouteArguments& arguments,
                   const std::function<void(CLI::App&)>& give_options) {
  route.require_subcommand(1);
  auto* add = route.add_subcommand("add", "Add a route; one that was added before is replaced");
  add->add_option("prefix", arguments.prefix, "")->required()->check(check_prefix, "");
  add->add_option("next-hop", arguments.targets,
                  "Next hops as ADDRESS or ADDRESS*WEIGHT, which need not be neighbours; or "
                  "blackhole, unreachable, prohibit")
      ->required()
      ->expected(-1);
  auto* del = route.add_subcommand("del", "Withdraw a route that was added, or all imported ones");
  auto* gone = del->add_option("prefix", arguments.prefix, "")->check(check_prefix, "");
  del->add_flag("--imported", arguments.imported, "All that was imported")->excludes(gone);
  auto* show = route.add_subcommand("show", "What each source has, and which route is used");
  show->add_option("name", arguments.prefix, "A prefix or an address")->check(check_either, "");
  show->add_flag("--explain", arguments.explain, "Why packets go where they go");
  auto* import = route.add_subcommand(
      "import", "Import a table: CSV or an MRT RIB dump, plain or gzip; it replaces the last one");
  import->add_option("file", arguments.import.file, "")->required()->type_name("FILE");
  import->add_option("--format", arguments.import.format, "csv or mrt; else as the file looks")
      ->check(CLI::IsMember({"csv", "mrt"}));
  import->add_option("--peer", arguments.peer, "MRT: only the routes of this peer; else the best")
      ->type_name("ADDRESS")
      ->check(check_address, "");
  import->add_flag("--keep", arguments.import.keep, "Keep what was imported before");
  for (auto* command : {add, del, show, import}) give_options(*command);
}

}  // namespace rackway::cli
