// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim.hh"

#include <fmt/format.h>

#include <functional>

#include "base/startup_error.hh"
#include "control/cli/arguments.hh"
#include "control/cli/sim_arguments.hh"
#include "control/cli/sim_cluster.hh"
#include "control/cli/sim_fluid_report.hh"
#include "control/cli/sim_report.hh"
#include "control/cli/sim_scenario.hh"
#include "vlb/simulator/fluid.hh"
#include "vlb/simulator/simulation.hh"

namespace rackway::cli {
namespace {

constexpr int kBarWidth = 40;

void draw(std::ostream& out, double share) {
  const int full = static_cast<int>(share * kBarWidth);
  out << fmt::format("\r[{:=<{}}{:{}}] {:3.0f} %", "", full, "", kBarWidth - full, share * 100)
      << std::flush;
}

void clear(std::ostream& out) {
  out << fmt::format("\r{:{}}\r", "", kBarWidth + 10) << std::flush;
}

// Runs work(progress) with a bar that is gone afterwards.
template <class Work>
auto with_bar(std::ostream* out, Work&& work) {
  if (out == nullptr) return work(std::function<void(double)>());
  draw(*out, 0);
  auto result = work(std::function<void(double)>([out](double share) { draw(*out, share); }));
  clear(*out);
  return result;
}

void run_packets(const SimArguments& arguments, const topo::ClusterDocument& document,
                 const simulator::Scenario& scenario, std::ostream& out, std::ostream* bar) {
  const auto report = with_bar(bar, [&](const std::function<void(double)>& progress) {
    return simulator::Simulation(scenario).run(progress);
  });
  const auto* replayed = scenario.recording.get();
  out << (arguments.json ? sim_json(report, document, replayed) : sim_text(report, replayed));
}

void run_fluid(const SimArguments& arguments, const topo::ClusterDocument& document,
               const simulator::Scenario& scenario, std::ostream& out, std::ostream* bar) {
  const auto report = with_bar(bar, [&](const std::function<void(double)>& progress) {
    return simulator::Fluid(scenario, sim_mode(arguments, document)).run(progress);
  });
  out << (arguments.json ? fluid_json(report, document) : fluid_text(report));
}

}  // namespace

int simulate(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
             std::ostream* progress) {
  const auto arguments = parse_sim_arguments(argc, argv, out, err);
  if (!arguments) return arguments.error();
  try {
    const auto document = sim_cluster(*arguments);
    const auto scenario = sim_scenario(*arguments, document);
    if (!scenario) {
      err << scenario.error().message << "\n";
      return kExitBadArguments;
    }
    const auto run = arguments->fluid ? run_fluid : run_packets;
    run(*arguments, document, *scenario, out, progress);
  } catch (const StartupError& fault) {
    err << fault.what() << "\n";
    return kExitFault;
  }
  return 0;
}

}  // namespace rackway::cli
