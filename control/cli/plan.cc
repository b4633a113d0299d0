// SPDX-License-Identifier: Apache-2.0
#include "control/cli/plan.hh"

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/startup_error.hh"
#include "control/cli/arguments.hh"
#include "control/cli/plan_text.hh"
#include "control/cli/text_table.hh"
#include "control/cli/transitions_json.hh"
#include "topo/cluster_document.hh"
#include "topo/plan/catalogue.hh"
#include "topo/plan/plan_files.hh"
#include "topo/plan/recabling.hh"
#include "topo/plan/transitions.hh"

namespace rackway::cli {
namespace {

// What is wrong with the command line itself.
struct BadArguments {
  std::string what;
};

template <class Value>
Value checked(Result<Value> value) {
  if (!value) throw BadArguments{value.error().message};
  return std::move(*value);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw StartupError("can not write", path.string(), "give a folder to write to");
}

void write_files(const std::string& folder, const plan::Report& report) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault)
    throw StartupError("can not make the folder: " + fault.message(), folder, "give another");
  const std::filesystem::path at(folder);
  const auto wiring = plan::wire(*report.plan, report.wish.rate);
  write_file(at / "cluster.json", plan::cluster_json(wiring, *report.plan, report.wish.rate));
  write_file(at / "cabling.csv", plan::cabling_csv(wiring, *report.plan));
  write_file(at / "inventory.yml", plan::ansible_inventory(wiring, *report.plan));
  write_file(at / "topology.svg", plan::drawing_svg(wiring, report));
  write_file(at / "plan.json", plan::report_json(report));
}

int print_plan(const PlanArguments& arguments, const plan::Catalogue& catalogue,
               std::ostream& out) {
  const auto wish = checked(requirement_of(arguments, catalogue));
  const auto report = plan::make_plan(catalogue, wish);
  if (report.plan && !arguments.out.empty()) write_files(arguments.out, report);
  out << (arguments.json ? plan::report_json(report) : report_text(report));
  return report.plan ? 0 : kExitFault;
}

plan::Transition transition_of(const TransitionWish& wish, const plan::Catalogue& catalogue,
                               const std::string& server, plan::Mbps rate, unsigned cables) {
  constexpr unsigned kMostPorts = 2048;
  if (wish.ports) {
    return {server,
            rate,
            std::nullopt,
            {plan::transition_point(catalogue, server, rate, wish.packets, cables, *wish.ports)}};
  }
  return plan::transition(catalogue, server, rate, wish.packets, cables, kMostPorts);
}

// The paper's servers with its ports of 10 Gb/s, several cables to a link; today's with 100 Gb/s.
int print_transitions(const PlanArguments& arguments, const plan::Catalogue& catalogue,
                      std::ostream& out) {
  constexpr unsigned kBundled = 8;
  const auto wish = checked(transition_wish_of(arguments, catalogue));
  std::vector<plan::Transition> found;
  for (const auto* server : {"rb-current", "rb-more-nics", "rb-faster"}) {
    if (!arguments.servers.empty()) break;
    found.push_back(transition_of(wish, catalogue, server, 10'000, kBundled));
  }
  for (const auto& server : wish.servers) {
    found.push_back(transition_of(wish, catalogue, server, wish.rate, wish.cables_per_link));
  }
  out << (arguments.json ? transitions_json(found) : transitions_text(found));
  return 0;
}

// The one rate that all links of both clusters have.
double link_gbps(const topo::ClusterDocument& from, const topo::ClusterDocument& to) {
  std::set<topo::Mbps> rates;
  for (const auto* document : {&from, &to}) {
    for (const auto& link : document->links) rates.insert(link.rate);
  }
  if (rates.size() != 1 || *rates.begin() == 0) {
    throw BadArguments{"the documents do not give all links one rate, so --link-rate is required"};
  }
  return static_cast<double>(*rates.begin()) / 1000;
}

int print_recabling(const PlanArguments& arguments, std::ostream& out) {
  const auto wish = checked(recabling_of(arguments));
  const auto from = topo::read_cluster_document(arguments.from);
  const auto to = topo::read_cluster_document(arguments.to);
  const double gbps = wish.link_gbps > 0 ? wish.link_gbps : link_gbps(from, to);
  const auto found =
      plan::recable(plan::named_cluster(from, wish.port_gbps),
                    plan::named_cluster(to, wish.port_gbps), {gbps, wish.keep, wish.spare_ports});
  out << recabling_text(found);
  return found.possible ? 0 : kExitFault;
}

int print_what_is_asked(const PlanArguments& arguments, std::ostream& out) {
  if (!arguments.from.empty() || !arguments.to.empty()) return print_recabling(arguments, out);
  const auto catalogue = plan::read_catalogue(arguments.catalogues);
  if (arguments.transitions) return print_transitions(arguments, catalogue, out);
  if (!arguments.list) return print_plan(arguments, catalogue, out);
  out << catalogue_text(catalogue);
  return 0;
}

}  // namespace

int make_plan(const PlanArguments& arguments, std::ostream& out, std::ostream& err) {
  try {
    const int code = print_what_is_asked(arguments, out);
    out << std::flush;
    return out ? code : kExitFault;
  } catch (const BadArguments& fault) {
    err << printable(fault.what) << "; see rackway plan --help\n";
    return kExitBadArguments;
  } catch (const StartupError& fault) {
    err << printable(fault.what()) << "\n";
    return kExitFault;
  }
}

}  // namespace rackway::cli
