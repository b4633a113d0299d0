// SPDX-License-Identifier: Apache-2.0
// `./dev bench fib`: how fast, small and changeable the FIB's lookup structures are, beside DPDK's.
#include <iostream>

#include "tests/bench/fib/arguments.hh"
#include "tests/bench/fib/dpdk_environment.hh"
#include "tests/bench/fib/family_bench.hh"
#include "tests/bench/program.hh"
#include "tests/bench/report.hh"

namespace rackway::bench {
namespace {

void run(const Arguments& arguments) {
  auto json = json_file(arguments.json);
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
  return exit_code("bench_fib", std::cerr, [&] { run(*arguments); });
}
