// SPDX-License-Identifier: Apache-2.0
// `./dev bench cluster`: clusters of real nodes in one process, under virtual time.
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>

#include "base/startup_error.hh"
#include "tests/bench/cluster/arguments.hh"
#include "tests/bench/cluster/environment.hh"
#include "tests/bench/cluster/rows.hh"
#include "tests/bench/core.hh"

namespace rackway::bench {
namespace {

constexpr std::uint16_t kLargestFrame = 1514;

// What is under way and waits on all cables at most, about.
unsigned buffers_for(unsigned nodes) {
  return std::clamp(1024 * nodes * nodes, 16'384u, 262'144u) - 1;
}

void run(const Arguments& arguments) {
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw StartupError("can not write", arguments.json, "name a file that can be");
  }
  pin_to_core(arguments.core);
  const auto most = *std::max_element(arguments.nodes.begin(), arguments.nodes.end());
  const Environment dpdk(arguments.core, {buffers_for(most), kLargestFrame});
  Report report("cluster");
  const Bench bench{dpdk.pool(), dpdk.small_pool(), extent(arguments.quick), report};
  for (const auto nodes : arguments.nodes) {
    add_goodput_rows(bench, nodes);
    add_order_rows(bench, nodes);
    add_failure_rows(bench, nodes);
  }
  for (const auto nodes : arguments.nodes) add_cycle_rows(bench, nodes);
  report.note("links of 2r/N; cycles count receiving and sending at each node");
  std::cout << report.text();
  if (json.is_open()) json << report.json();
}

}  // namespace
}  // namespace rackway::bench

int main(int argc, char** argv) {
  using namespace rackway::bench;
  const auto arguments = parse_arguments(argc, argv, std::cout, std::cerr);
  if (!arguments) return arguments.error();
  try {
    run(*arguments);
  } catch (const std::exception& error) {
    std::cerr << "bench_cluster: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
