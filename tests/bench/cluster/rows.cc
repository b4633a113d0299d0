// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/rows.hh"

#include "tests/bench/cluster/cluster.hh"

namespace rackway::bench {
namespace {

using traffic::kMicrosecond;
using traffic::kMillisecond;
using traffic::MatrixKind;

constexpr traffic::Picoseconds kStep = 5 * kMicrosecond;
// The shortest that may end a flowlet.
constexpr traffic::Picoseconds kPause = vlb::GapBounds{}.least * kMicrosecond;

std::string mesh_of(std::size_t nodes) {
  return "mesh of " + std::to_string(nodes) + ", ";
}
std::string percent(double share) {
  return std::to_string(static_cast<int>(share * 100 + 0.5)) + " %";
}

simulator::Report run(const Bench& bench, const simulator::Scenario& scenario,
                      std::initializer_list<FlowMoves*> told = {}) {
  ClusterInOneProcess cluster(scenario, kStep, bench.pool);
  for (auto* moves : told) cluster.tell(*moves);
  return cluster.run().fabric;
}

double microseconds(traffic::Picoseconds time) {
  return static_cast<double>(time) / kMicrosecond;
}

}  // namespace

Extent extent(bool quick) {
  if (quick) return {1e9, 60 * kMillisecond, 60 * kMillisecond, 1};
  return {4e9, 60 * kMillisecond, 60 * kMillisecond, 3};
}

simulator::Scenario Bench::scenario(MeshCase of) const {
  of.rate = extent.rate;
  auto scenario = mesh_scenario(of);
  scenario.warm_up = extent.warm_up;
  scenario.measured = extent.measured;
  return scenario;
}

void add_goodput_rows(const Bench& bench, std::size_t nodes) {
  for (const auto matrix : traffic::kMatrixKinds) {
    for (const double load : {0.95, 1.0}) {
      const auto report =
          run(bench, bench.scenario({.nodes = nodes, .matrix = matrix, .load = load}));
      const auto what =
          mesh_of(nodes) + std::string(name_of(matrix)) + " at " + percent(load) + ": ";
      bench.report.add({what + "goodput",
                        report.meter.goodput() * 100,
                        "%",
                        "",
                        {},
                        at_least(load < 1 ? 99.9 : 98)});
      bench.report.add({what + "fullest link", report.largest_link_load() * 100, "%", "", {}, {}});
      bench.report.add({what + "mean link", report.mean_link_load() * 100, "%", "", {}, {}});
      if (matrix != MatrixKind::uniform) continue;
      bench.report.add(
          {what + "straight", report.straight_share() * 100, "%", "", {}, at_least(95)});
    }
  }
}

void add_order_rows(const Bench& bench, std::size_t nodes) {
  for (const auto matrix : {MatrixKind::uniform, MatrixKind::permutation}) {
    const auto report = run(bench, bench.scenario({.nodes = nodes, .matrix = matrix, .load = 0.8}));
    const auto what = mesh_of(nodes) + std::string(name_of(matrix)) + " at 80 %: ";
    const auto& meter = report.meter;
    bench.report.add(
        {what + "reordered", meter.reordered_share() * 100, "%", "", {}, at_most(0.01)});
    bench.report.add({what + "largest extent", meter.extent(1), "packets", "", {}, {}});
    for (const double share : {0.5, 0.99, 0.999}) {
      bench.report.add({what + "latency, " + std::to_string(share * 100).substr(0, 4) + " %",
                        microseconds(meter.latency().percentile(share)),
                        "us",
                        "",
                        {},
                        {}});
    }
  }
}

// With the permutation, so that relays are in use.
void add_failure_rows(const Bench& bench, std::size_t nodes) {
  auto scenario = bench.scenario({.nodes = nodes, .matrix = MatrixKind::permutation, .load = 0.5});
  scenario.hello = {2 * kMillisecond, 3};
  const auto dies = scenario.warm_up + scenario.measured / 4;
  const auto returns = scenario.warm_up + scenario.measured / 2;
  const auto dead = static_cast<std::uint32_t>(nodes - 1);
  scenario.faults = {{dies, simulator::Fault::Of::node, dead, false}};
  const auto noticed = scenario.hello.interval * (scenario.hello.multiplier + 1);
  const NodeId node{static_cast<std::uint16_t>(dead)};
  FlowMoves by_death(node, {dies, dies + 2 * noticed}, kPause);
  FlowMoves before(node, {dies - 2 * noticed, dies}, kPause);
  const auto report = run(bench, scenario, {&by_death, &before});
  const auto what = mesh_of(nodes) + "permutation at 50 %, a node dies: ";
  const auto lost_for = std::max<traffic::Picoseconds>(0, report.last_bystander_loss - dies);
  const auto lost_of = [](const simulator::Report& of) {
    return static_cast<double>(of.bystanders_sent.packets - of.bystanders_arrived.packets);
  };
  bench.report.add({what + "others lose packets for",
                    microseconds(lost_for) / 1000,
                    "ms",
                    "",
                    {},
                    at_most(microseconds(noticed) / 1000)});
  bench.report.add({what + "lost by others", lost_of(report), "packets", "", {}, {}});
  const auto flows = [](std::uint64_t count) { return static_cast<double>(count); };
  bench.report.add(
      {what + "moved at once, of those over it", flows(by_death.used_it()), "flows", "", {}, {}});
  bench.report.add({what + "moved at once, of others",
                    flows(by_death.did_not()),
                    "flows",
                    "",
                    {},
                    at_most(flows(before.did_not()))});
  if (by_death.did_not() > 0) {
    bench.report.note(mesh_of(nodes) + "flows that were moved though they did not use the node: " +
                      "each shares its flowlet's entry with another");
  }
  scenario.faults.push_back({returns, simulator::Fault::Of::node, dead, true});
  bench.report.add({what + "more when it returns",
                    std::max(0.0, lost_of(run(bench, scenario)) - lost_of(report)),
                    "packets",
                    "",
                    {},
                    at_most(0)});
}

}  // namespace rackway::bench
