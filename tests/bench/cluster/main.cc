// SPDX-License-Identifier: Apache-2.0
// `./dev bench cluster`: clusters of real nodes in one process, under virtual time. `run` as the
// first argument: one of them, as its options say.
#include <algorithm>
#include <iostream>
#include <string_view>

#include "tests/bench/cluster/arguments.hh"
#include "tests/bench/cluster/environment.hh"
#include "tests/bench/cluster/one_run.hh"
#include "tests/bench/cluster/rows.hh"
#include "tests/bench/core.hh"
#include "tests/bench/program.hh"

namespace rackway::bench {
namespace {

constexpr std::uint16_t kLargestFrame = 1514;

// What is under way and waits on all cables at most, about.
unsigned buffers_for(unsigned nodes) {
  return std::clamp(1024 * nodes * nodes, 16'384u, 262'144u) - 1;
}

void run(const Arguments& arguments) {
  auto json = json_file(arguments.json);
  pin_to_core(arguments.core);
  const auto most = *std::max_element(arguments.nodes.begin(), arguments.nodes.end());
  const Environment dpdk(arguments.core, {buffers_for(most), kLargestFrame});
  Report report("cluster");
  const Bench bench{dpdk.pool(), dpdk.small_pool(), extent(arguments.quick), report};
  using AddRows = void (*)(const Bench&, std::size_t);
  const std::pair<const char*, AddRows> kinds[] = {{"goodput", add_goodput_rows},
                                                   {"order", add_order_rows},
                                                   {"failures", add_failure_rows},
                                                   {"cycles", add_cycle_rows}};
  for (const auto& [kind, add] : kinds) {
    if (std::ranges::find(arguments.rows, kind) == arguments.rows.end()) continue;
    for (const auto nodes : arguments.nodes) {
      std::cerr << "mesh of " << nodes << ": " << kind << "\n";
      add(bench, nodes);
    }
  }
  report.note("links of 2r/N; cycles count receiving and sending at each node");
  std::cout << report.text();
  if (json.is_open()) json << report.json();
}

}  // namespace
}  // namespace rackway::bench

int main(int argc, char** argv) {
  using namespace rackway::bench;
  if (argc > 1 && std::string_view(argv[1]) == "run") {
    return run_once(argc - 1, argv + 1, std::cout, std::cerr);
  }
  const auto arguments = parse_arguments(argc, argv, std::cout, std::cerr);
  if (!arguments) return arguments.error();
  return exit_code("bench_cluster", std::cerr, [&] { run(*arguments); });
}
