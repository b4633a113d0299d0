// SPDX-License-Identifier: Apache-2.0
// `./dev bench fib`: how fast, small and changeable the FIB's lookup structures are, beside DPDK's.
#include <exception>
#include <fstream>
#include <iostream>

#include "base/startup_error.hh"
#include "tests/bench/fib/arguments.hh"
#include "tests/bench/fib/dpdk_environment.hh"
#include "tests/bench/fib/family_bench.hh"
#include "tests/bench/report.hh"

namespace rackway::bench {
namespace {

void run(const Arguments& arguments) {
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw StartupError("can not write", arguments.json, "name a file that can be");
  }
  const DpdkEnvironment dpdk(arguments.core);
  Report report("fib");
  if (!dpdk.has_huge_pages()) report.note("DPDK's tables are not in hugepages");
  if (!arguments.with_lpm) report.note("IPv4: rte_lpm was left out");
  for (const Family family : arguments.families) measure_family(family, arguments, report);
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
    std::cerr << "bench_fib: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
