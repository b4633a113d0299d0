// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_scenario.hh"

#include <charconv>

#include "control/cli/sim_adversary.hh"
#include "vlb/traffic/capture.hh"

namespace rackway::cli {
namespace {

constexpr double kMegabit = 1e6;

traffic::Picoseconds milliseconds(double time) {
  return static_cast<traffic::Picoseconds>(time * static_cast<double>(traffic::kMillisecond));
}
traffic::Picoseconds nanoseconds(double time) {
  return static_cast<traffic::Picoseconds>(time * static_cast<double>(traffic::kNanosecond));
}

double external_rate(const SimArguments& arguments, const topo::ClusterDocument& document,
                     NodeId node) {
  const auto said = document.external_rate(node);
  const auto ports = static_cast<double>(document.nodes[node.value].ports.size());
  return kMegabit * (said > 0 ? said : arguments.port_rate * ports);
}

double link_rate(const SimArguments& arguments, const topo::LinkConfig& link) {
  return kMegabit * (link.rate > 0 ? link.rate : arguments.link_rate);
}

std::optional<std::uint32_t> find_link(const topo::ClusterDocument& document, NodeId a, NodeId b) {
  for (std::uint32_t i = 0; i < document.links.size(); ++i) {
    const auto& link = document.links[i];
    if ((link.a == a && link.b == b) || (link.a == b && link.b == a)) return i;
  }
  return std::nullopt;
}

// "n2", or "n1-n2" where no node has that name.
std::optional<simulator::Fault> find_place(const std::string& what,
                                           const topo::ClusterDocument& document) {
  using simulator::Fault;
  if (const auto node = document.find_node(what))
    return Fault{0, Fault::Of::node, node->value, false};
  for (auto dash = what.find('-'); dash != std::string::npos; dash = what.find('-', dash + 1)) {
    const auto a = document.find_node(what.substr(0, dash));
    const auto b = document.find_node(what.substr(dash + 1));
    if (!a || !b) continue;
    if (const auto link = find_link(document, *a, *b)) {
      return Fault{0, Fault::Of::link, *link, false};
    }
  }
  return std::nullopt;
}

// WHAT@MS, or WHAT: from the start.
Result<simulator::Fault> read_fault(const std::string& text, bool works,
                                    const topo::ClusterDocument& document) {
  const auto at = text.rfind('@');
  double time = at == std::string::npos ? 0 : -1;
  if (at != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + at + 1, end, time);
    if (read.ec != std::errc{} || read.ptr != end) time = -1;
  }
  if (!(time >= 0 && time < 1e7)) {
    return fail("'" + text + "' is not WHAT or WHAT@MS, such as n2@60 or n1-n2@60.5");
  }
  auto fault = find_place(text.substr(0, at), document);
  if (!fault) return fail("there is no node or link '" + text.substr(0, at) + "'");
  fault->at = milliseconds(time);
  fault->works = works;
  return *fault;
}

void set_steering(simulator::Scenario& scenario, const SimArguments& arguments,
                  const topo::ClusterDocument& document) {
  std::vector<double> link_rates;
  for (const auto& link : document.links) link_rates.push_back(link_rate(arguments, link));
  const auto mode = sim_mode(arguments, document);
  const vlb::GapBounds gap{document.vlb.least_flowlet_gap_us, document.vlb.most_flowlet_gap_us};
  const auto rates = simulator::rates_of(scenario.nodes);
  scenario.steering = [=](topo::FabricTable table, NodeId self) {
    vlb::SteeringSetup setup{.mode = mode,
                             .node_rates = rates,
                             .own_rate = rates[self.value],
                             .link_rates = {},
                             .gap = gap};
    for (const auto& link : table.local_links()) {
      setup.link_rates.push_back(link_rates[link.number]);
    }
    return vlb::Steering(std::move(table), self, setup);
  };
}

void set_cluster(simulator::Scenario& scenario, const SimArguments& arguments,
                 const topo::ClusterDocument& document) {
  for (std::uint16_t i = 0; i < document.nodes.size(); ++i) {
    scenario.nodes.push_back({external_rate(arguments, document, NodeId{i}), 1});
  }
  scenario.links.reserve(document.links.size());
  for (const auto& link : document.links) {
    simulator::LinkModel model{{link.a, link.b}, {}};
    model.line.rate = link_rate(arguments, link);
    scenario.links.push_back(model);
  }
  scenario.costs = {nanoseconds(arguments.ingress_ns), nanoseconds(arguments.relay_ns),
                    nanoseconds(arguments.egress_ns)};
  scenario.hello.interval = milliseconds(arguments.hello_ms);
}

Result<void> set_faults(simulator::Scenario& scenario, const SimArguments& arguments,
                        const topo::ClusterDocument& document) {
  for (const auto* list : {&arguments.fail, &arguments.repair}) {
    for (const auto& text : *list) {
      const auto fault = read_fault(text, list == &arguments.repair, document);
      if (!fault) return tl::unexpected(fault.error());
      scenario.faults.push_back(*fault);
    }
  }
  return {};
}

Result<void> set_capture(simulator::Scenario& scenario, const SimArguments& arguments) {
  traffic::CaptureReading reading{scenario.nodes.size(), {}, arguments.speed};
  for (std::uint16_t i = 0; i < scenario.nodes.size(); ++i) {
    if (scenario.nodes[i].external_rate > 0) reading.ends.push_back(NodeId{i});
  }
  if (reading.ends.size() < 2) return {};  // no traffic
  auto recording = traffic::read_capture(arguments.capture, reading);
  if (!recording) return tl::unexpected(recording.error());
  if (recording->size() == 0) {
    return fail("the capture " + arguments.capture + " has no IP packet from one node to another");
  }
  scenario.matrix = matrix_of(*recording);
  scenario.sizes = traffic::PacketSizes::fixed(
      static_cast<std::uint16_t>(recording->octets / recording->size()));
  scenario.recording = std::make_shared<const traffic::Recording>(std::move(*recording));
  return {};
}

Result<void> set_traffic(simulator::Scenario& scenario, const SimArguments& arguments,
                         topo::SteeringMode mode) {
  if (!arguments.capture.empty()) return set_capture(scenario, arguments);
  if (arguments.adversarial) {
    auto matrix = adversarial_matrix(scenario, mode);
    if (!matrix) return tl::unexpected(matrix.error());
    scenario.matrix = matrix->scaled(arguments.load);
  } else {
    const auto rates = simulator::rates_of(scenario.nodes);
    const auto matrix = rates.size() == 1
                            ? traffic::within_nodes(rates)
                            : traffic::make_matrix(arguments.matrix, rates, arguments.seed);
    scenario.matrix = matrix.scaled(arguments.load);
  }
  scenario.mix = arguments.mix == "steady" ? traffic::FlowMix::steady(arguments.flows)
                                           : traffic::FlowMix::heavy_tailed(arguments.flows);
  if (arguments.sizes != "imix") {
    scenario.sizes =
        traffic::PacketSizes::fixed(static_cast<std::uint16_t>(std::stoul(arguments.sizes)));
  }
  return {};
}

void set_times(simulator::Scenario& scenario, const SimArguments& arguments) {
  constexpr double kUsual = 50;  // ms
  const bool replays = scenario.recording != nullptr;
  scenario.warm_up = milliseconds(arguments.warm_up_ms.value_or(replays ? 0 : kUsual));
  if (replays && !arguments.time_ms) {
    scenario.measured =
        std::max<traffic::Picoseconds>(1, scenario.recording->length - scenario.warm_up);
  } else {
    scenario.measured = milliseconds(arguments.time_ms.value_or(kUsual));
  }
}

}  // namespace

topo::SteeringMode sim_mode(const SimArguments& arguments, const topo::ClusterDocument& document) {
  return arguments.mode.value_or(document.vlb.mode);
}

Result<simulator::Scenario> sim_scenario(const SimArguments& arguments,
                                         const topo::ClusterDocument& document) {
  simulator::Scenario scenario;
  scenario.seed = arguments.seed;
  set_cluster(scenario, arguments, document);
  set_steering(scenario, arguments, document);
  if (const auto done = set_faults(scenario, arguments, document); !done) {
    return tl::unexpected(done.error());
  }
  const auto done = set_traffic(scenario, arguments, sim_mode(arguments, document));
  if (!done) return tl::unexpected(done.error());
  if (scenario.matrix.total() <= 0) {
    return fail("no traffic: fewer than two nodes have external ports");
  }
  set_times(scenario, arguments);
  return scenario;
}

}  // namespace rackway::cli
