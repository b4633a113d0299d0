// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/arguments.hh"

#include <CLI/CLI.hpp>

#include "tests/bench/core.hh"
#include "tests/bench/fib/engine.hh"
#include "tests/bench/program.hh"

namespace rackway::bench {
namespace {

constexpr unsigned kQuickRounds = 2;

std::string check_core(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (number && text.size() < 6 && may_use_core(std::stoi(text))) return "";
  return "there is no core '" + text + "' that this process may use";
}

struct Words {
  bool quick = false, skip_lpm = false;
  int family = 0;
};

void declare(CLI::App& app, Arguments& arguments, Words& words) {
  app.add_option("--json", arguments.json, "Also write the rows to this file")->type_name("FILE");
  app.add_option("--core", arguments.core, "The core to measure on; else the last")
      ->type_name("CORE")
      ->check(check_core, "");
  app.add_option("--rounds", arguments.rounds, "Medians are of so many rounds; else 7")
      ->type_name("ROUNDS")
      ->check(CLI::Range(1, 1000));
  app.add_option("--next-hops", arguments.next_hops, "Tables with so many; else 64,250,10000")
      ->type_name("COUNTS")
      ->delimiter(',')
      ->check(CLI::Range(2u, kMostNextHops));
  app.add_option("--family", words.family, "Only IPv4 or only IPv6")
      ->type_name("4|6")
      ->check(CLI::IsMember({4, 6}));
  app.add_flag("--skip-lpm", words.skip_lpm,
               "Without rte_lpm, which takes minutes to load a table of IPv4");
  app.add_flag("--quick", words.quick,
               "In a minute: two rounds, 64 next hops, without rte_lpm, unless said otherwise");
}

void apply(const CLI::App& app, const Words& words, Arguments& arguments) {
  if (words.quick && app.count("--rounds") == 0) arguments.rounds = kQuickRounds;
  if (words.quick && app.count("--next-hops") == 0) arguments.next_hops = {64};
  arguments.with_lpm = !words.quick && !words.skip_lpm;
  if (words.family != 0) arguments.families = {static_cast<Family>(words.family)};
}

}  // namespace

tl::expected<Arguments, int> parse_arguments(int argc, char** argv, std::ostream& out,
                                             std::ostream& err) {
  CLI::App app(
      "Measures longest-prefix match of this router and of DPDK, side by side.\n"
      "RACKWAY_DATA: a folder with tables/ipv4-1033283.txt.xz and "
      "tables/ipv6-220681.txt.xz;\nelse tables of their size are generated.",
      "./dev bench fib");
  Arguments arguments{.core = last_core()};
  Words words;
  declare(app, arguments, words);
  if (const auto code = parse(app, "bench_fib", argc, argv, out, err)) return tl::unexpected(*code);
  apply(app, words, arguments);
  return arguments;
}

}  // namespace rackway::bench
