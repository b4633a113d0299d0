// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim.hh"

#include <fmt/format.h>

#include "base/startup_error.hh"
#include "control/cli/arguments.hh"
#include "control/cli/sim_arguments.hh"
#include "control/cli/sim_cluster.hh"
#include "control/cli/sim_report.hh"
#include "control/cli/sim_scenario.hh"
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

simulator::Report run(const simulator::Scenario& scenario, std::ostream* progress) {
  simulator::Simulation simulation(scenario);
  if (progress == nullptr) return simulation.run();
  auto report = simulation.run([progress](double share) { draw(*progress, share); });
  clear(*progress);
  return report;
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
    const auto report = run(*scenario, progress);
    out << (arguments->json ? sim_json(report, document) : sim_text(report));
  } catch (const StartupError& fault) {
    err << fault.what() << "\n";
    return kExitFault;
  }
  return 0;
}

}  // namespace rackway::cli
