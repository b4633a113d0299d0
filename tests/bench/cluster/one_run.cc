// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/one_run.hh"

#include <sched.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "control/cli/sim_arguments.hh"
#include "control/cli/sim_cluster.hh"
#include "control/cli/sim_report.hh"
#include "control/cli/sim_scenario.hh"
#include "tests/bench/cluster/cluster.hh"
#include "tests/bench/cluster/environment.hh"
#include "tests/bench/cluster/frame.hh"
#include "tests/bench/core.hh"
#include "tests/bench/program.hh"

namespace rackway::bench {
namespace {

constexpr int kBadArguments = 2;
constexpr traffic::Picoseconds kStep = 5 * traffic::kMicrosecond;
constexpr unsigned kLargestFrame = 1518, kSmallestFrame = 64;
constexpr std::size_t kMostNodes = 31;

std::optional<std::string> fault_of(const cli::SimArguments& arguments,
                                    const topo::ClusterDocument& document) {
  if (arguments.ingress_ns > 0 || arguments.relay_ns > 0 || arguments.egress_ns > 0) {
    return "costs of roles are the simulator's; here the real code runs, in no virtual time";
  }
  if (arguments.fluid || !arguments.capture.empty()) {
    return "--fluid and --pcap are the simulator's";
  }
  if (arguments.sizes != "imix" && std::stoul(arguments.sizes) > kLargestFrame) {
    return "frames have at most " + std::to_string(kLargestFrame) + " octets here";
  }
  if (document.nodes.size() > kMostNodes) {
    return "at most " + std::to_string(kMostNodes) + " nodes fit in one process";
  }
  return std::nullopt;
}

// As many as wait in front of all cables and ports at most, if all frames are small.
Environment::Buffers buffers_for(const cli::SimArguments& arguments,
                                 const simulator::Scenario& scenario) {
  const bool mixed = arguments.sizes == "imix";
  const auto mean =
      mixed ? static_cast<unsigned>(scenario.sizes.mean()) : std::stoul(arguments.sizes);
  std::uint64_t octets = scenario.nodes.size() * std::uint64_t{scenario.external_buffer};
  for (const auto& link : scenario.links) octets += 2 * std::uint64_t{link.line.buffer};
  const auto largest = mixed ? kLargestFrame : std::max<unsigned long>(mean, kSmallestFrame);
  const auto count = std::clamp<std::uint64_t>(octets / mean, 16'384, 524'288);
  return {static_cast<unsigned>(count) - 1, static_cast<std::uint16_t>(largest - kCheckSequence)};
}

// DPDK keeps the thread on the core that it starts on. Several runs side by side are not to share
// one for that reason, so the thread may move again afterwards.
class AnyCore {
 public:
  AnyCore() {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof before_, &before_);
  }
  [[nodiscard]] static int now() {
    const int core = ::sched_getcpu();
    return may_use_core(core) ? core : last_core();
  }
  void again() const { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

std::string report_of(const simulator::Report& report, const topo::ClusterDocument& document) {
  auto json = nlohmann::ordered_json::parse(cli::sim_json(report, document, nullptr));
  const auto count = [](const traffic::Count& of) {
    return nlohmann::ordered_json{{"packets", of.packets}, {"octets", of.octets}};
  };
  json["bystanders"] = {{"sent", count(report.bystanders_sent)},
                        {"arrived", count(report.bystanders_arrived)}};
  return json.dump(2) + "\n";
}

simulator::Report run(const cli::SimArguments& arguments, simulator::Scenario scenario) {
  scenario.flow_hash = flow_hash_of;
  const AnyCore cores;
  const Environment dpdk(AnyCore::now(), buffers_for(arguments, scenario));
  cores.again();
  return ClusterInOneProcess(scenario, kStep, dpdk.pool()).run().fabric;
}

}  // namespace

int run_once(int argc, char** argv, std::ostream& out, std::ostream& err) {
  const auto arguments = cli::parse_sim_arguments(argc, argv, out, err);
  if (!arguments) return arguments.error();
  int code = 0;
  const auto refuse = [&](const std::string& fault) {
    err << "bench_cluster: " << fault << "\n";
    code = kBadArguments;
  };
  const int fault = exit_code("bench_cluster", err, [&] {
    const auto document = cli::sim_cluster(*arguments);
    if (const auto unfit = fault_of(*arguments, document)) return refuse(*unfit);
    const auto scenario = cli::sim_scenario(*arguments, document);
    if (!scenario) return refuse(scenario.error().message);
    const auto report = run(*arguments, *scenario);
    out << (arguments->json ? report_of(report, document) : cli::sim_text(report, nullptr));
  });
  return fault != 0 ? fault : code;
}

}  // namespace rackway::bench
