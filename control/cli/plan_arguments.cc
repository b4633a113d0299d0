// SPDX-License-Identifier: Apache-2.0
#include "control/cli/plan_arguments.hh"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace rackway::cli {
namespace {

constexpr unsigned kMostFailures = 16;
// Servers of before are in the catalogue for comparison and are chosen only by name.
constexpr unsigned kOldServer = 2015;

template <class Number>
std::optional<Number> number(std::string_view text, Number least, Number most) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || at != end || !(value >= least && value <= most)) return std::nullopt;
  return value;
}

std::string refusal(const std::string& option, const std::string& text, const std::string& wanted) {
  return option + " '" + text + "' is not " + wanted;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (auto at = text.find(separator); at != text.npos; at = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// NAME=VALUE,... by name; nothing if it is not of that form or names one that is not known.
template <class Number>
std::optional<std::map<std::string, Number>> assignments(const std::string& text,
                                                         const std::vector<std::string>& known,
                                                         Number least, Number most) {
  std::map<std::string, Number> values;
  for (const auto& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == part.npos) return std::nullopt;
    const auto name = part.substr(0, equals);
    const auto value = number<Number>(std::string_view(part).substr(equals + 1), least, most);
    if (!value || std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
    if (!values.emplace(name, *value).second) return std::nullopt;
  }
  return values;
}

Result<plan::Survive> survive_of(const std::string& text) {
  if (const auto both = number<unsigned>(text, 0, kMostFailures)) {
    return plan::Survive{*both, *both, *both};
  }
  const auto values = assignments<unsigned>(text, {"nodes", "links"}, 0, kMostFailures);
  if (!values) {
    return fail(
        refusal("--survive", text, "a number of failures from 0 to 16, nor nodes=N,links=N"));
  }
  plan::Survive survive;
  if (values->contains("nodes")) survive.nodes = values->at("nodes");
  if (values->contains("links")) survive.links = values->at("links");
  survive.together = survive.nodes + survive.links;
  return survive;
}

Result<plan::RoleCosts> costs_of(const std::string& text) {
  plan::RoleCosts costs;
  if (text.empty()) return costs;
  const auto values = assignments<double>(text, {"ingress", "relay", "egress", "local"}, 0.0, 1e6);
  if (!values) {
    return fail(
        refusal("--cycles", text, "ingress=N,relay=N,egress=N,local=N with N from 0 to 1000000"));
  }
  for (const auto& [name, cycles] : *values) {
    (name == "ingress"  ? costs.ingress
     : name == "relay"  ? costs.relay
     : name == "egress" ? costs.egress
                        : costs.local) = cycles;
  }
  return costs;
}

Result<std::vector<std::string>> servers_of(const std::vector<std::string>& names,
                                            const plan::Catalogue& catalogue) {
  std::vector<std::string> servers;
  std::string known;
  for (const auto& server : catalogue.servers) {
    known += (known.empty() ? "" : ", ") + server.name;
    if (names.empty() && server.year >= kOldServer) servers.push_back(server.name);
  }
  for (const auto& list : names) {
    for (const auto& name : split(list, ',')) {
      if (catalogue.server(name) == nullptr) {
        return fail("there is no server model '" + name + "', only " + known);
      }
      if (std::find(servers.begin(), servers.end(), name) == servers.end()) servers.push_back(name);
    }
  }
  return servers;
}

Result<std::vector<unsigned>> growth_of(const std::string& text, unsigned ports) {
  std::vector<unsigned> growth;
  if (text.empty()) return growth;
  for (const auto& part : split(text, ',')) {
    const auto count = number<unsigned>(part, growth.empty() ? 1 : growth.back() + 1, ports - 1);
    if (!count) {
      return fail(refusal("--grow", text, "a rising list of numbers below that of --ports"));
    }
    growth.push_back(*count);
  }
  return growth;
}

template <class Value>
const Value* choice(const std::string& text, const std::map<std::string, Value>& choices) {
  const auto at = choices.find(text);
  return at == choices.end() ? nullptr : &at->second;
}

const std::map<std::string, plan::FabricChoice> kFabrics{
    {"any", plan::FabricChoice::any},
    {"mesh", plan::FabricChoice::mesh},
    {"butterfly", plan::FabricChoice::butterfly}};
const std::map<std::string, plan::Objective> kObjectives{{"price", plan::Objective::price},
                                                         {"watts", plan::Objective::watts},
                                                         {"units", plan::Objective::rack_units},
                                                         {"servers", plan::Objective::servers}};

}  // namespace

void declare_plan(CLI::App& app, PlanArguments& arguments) {
  const auto option = [&](const char* name, auto& value, const char* type, const char* words) {
    return app.add_option(name, value, words)->type_name(type);
  };
  option("--ports", arguments.ports, "N", "External ports of the router");
  option("--rate", arguments.rate, "RATE", "of each of them, e.g. 10G; 100G if not given");
  option("--server", arguments.servers, "NAME,...",
         "Server models to choose from; else all of today")
      ->expected(1)
      ->take_all();
  option("--survive", arguments.survive, "K",
         "Any K dead servers or links, or nodes=K,links=K; 0 if not given");
  option("--fabric", arguments.fabric, "KIND", "any, mesh or butterfly");
  option("--cheapest", arguments.cheapest, "WHAT", "by price, watts, units (of a rack) or servers");
  option("--packets", arguments.packets, "MIX", "imix, a size, or SIZE:WEIGHT,...");
  option("--cycles", arguments.cycles, "ROLE=N,...",
         "Cycles of a packet: ingress, relay, egress, local");
  option("--core-load", arguments.core_load, "PERCENT", "of a core's time to plan with; else 70");
  option("--grow", arguments.grow, "N,...", "Numbers of ports on the way to --ports");
  option("--catalogue", arguments.catalogues, "FILE", "More server, NIC, switch and cable models")
      ->expected(1)
      ->take_all();
  option("--out", arguments.out, "DIR",
         "Write cluster.json, cabling.csv, inventory.yml, topology.svg and plan.json there");
  app.add_flag("--json", arguments.json, "Print the plan as JSON");
  app.add_flag("--list", arguments.list, "Print the catalogue instead");
  app.add_flag("--transitions", arguments.transitions,
               "Print servers needed against external ports instead; with --ports for that number");
  option("--cables", arguments.cables, "N",
         "Transitions: cables of a link of the servers named, at most; 1 if not given");
  option("--from", arguments.from, "FILE", "Recable: the cluster document of now, with --to");
  option("--to", arguments.to, "FILE", "Recable: the cluster document to come");
  option("--link-rate", arguments.link_rate, "RATE",
         "Recable: of every link; else what the documents say");
  option("--keep", arguments.keep, "FRACTION",
         "Recable: what has to be guaranteed all the time; 1 if not given");
  option("--spare-ports", arguments.spare_ports, "N", "Recable: ports for links free at each node");
}

Result<plan::Requirement> requirement_of(const PlanArguments& arguments,
                                         const plan::Catalogue& catalogue) {
  plan::Requirement wish;
  if (arguments.ports.empty()) return fail("--ports is required");
  if (!arguments.cables.empty()) return fail("--cables goes with --transitions");
  const auto ports = number<unsigned>(arguments.ports, 1, plan::kMostPorts);
  if (!ports) {
    return fail(refusal("--ports", arguments.ports, "a whole number from 1 to 100000"));
  }
  wish.ports = *ports;
  wish.rate = plan::parse_rate(arguments.rate);
  if (wish.rate == 0) {
    return fail(refusal("--rate", arguments.rate, "a rate from 1M to 1000T, such as 100G"));
  }
  const auto* const fabric = choice(arguments.fabric, kFabrics);
  if (fabric == nullptr)
    return fail(refusal("--fabric", arguments.fabric, "any, mesh or butterfly"));
  wish.fabric = *fabric;
  const auto* const objective = choice(arguments.cheapest, kObjectives);
  if (objective == nullptr) {
    return fail(refusal("--cheapest", arguments.cheapest, "price, watts, units or servers"));
  }
  wish.objective = *objective;
  const auto load = number<double>(arguments.core_load, 1, 100);
  if (!load) return fail(refusal("--core-load", arguments.core_load, "a percentage from 1 to 100"));
  wish.core_load = *load / 100;

  auto survive = survive_of(arguments.survive);
  if (!survive) return tl::unexpected(survive.error());
  wish.survive = *survive;
  auto packets = plan::parse_packet_mix(arguments.packets);
  if (!packets) return tl::unexpected(packets.error());
  wish.packets = *packets;
  auto costs = costs_of(arguments.cycles);
  if (!costs) return tl::unexpected(costs.error());
  wish.costs = *costs;
  auto growth = growth_of(arguments.grow, wish.ports);
  if (!growth) return tl::unexpected(growth.error());
  wish.growth = *growth;
  auto servers = servers_of(arguments.servers, catalogue);
  if (!servers) return tl::unexpected(servers.error());
  wish.servers = *servers;
  return wish;
}

Result<TransitionWish> transition_wish_of(const PlanArguments& arguments,
                                          const plan::Catalogue& catalogue) {
  auto asked = arguments;
  asked.cables.clear();
  if (asked.ports.empty()) asked.ports = "1";
  const auto wish = requirement_of(asked, catalogue);
  if (!wish) return tl::unexpected(wish.error());
  const auto cables = number<unsigned>(arguments.cables.empty() ? "1" : arguments.cables, 1, 64);
  if (!cables) return fail(refusal("--cables", arguments.cables, "a whole number from 1 to 64"));
  return TransitionWish{arguments.ports.empty() ? std::nullopt : std::optional(wish->ports),
                        wish->rate, wish->servers, wish->packets, *cables};
}

Result<RecablingWish> recabling_of(const PlanArguments& arguments) {
  if (arguments.from.empty() || arguments.to.empty())
    return fail("--from and --to belong together");
  const auto rate = plan::parse_rate(arguments.rate);
  const auto link_rate = plan::parse_rate(arguments.link_rate);
  if (rate == 0) return fail(refusal("--rate", arguments.rate, "a rate from 1M to 1000T"));
  if (link_rate == 0 && !arguments.link_rate.empty()) {
    return fail(refusal("--link-rate", arguments.link_rate, "a rate from 1M to 1000T"));
  }
  const auto keep = number<double>(arguments.keep, 0, 1);
  if (!keep) return fail(refusal("--keep", arguments.keep, "a fraction from 0 to 1"));
  const auto spare = number<unsigned>(arguments.spare_ports, 0, 4096);
  if (!spare) return fail(refusal("--spare-ports", arguments.spare_ports, "a number up to 4096"));
  return RecablingWish{static_cast<double>(rate) / 1000, static_cast<double>(link_rate) / 1000,
                       *keep, *spare};
}

}  // namespace rackway::cli
