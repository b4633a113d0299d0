// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/arguments.hh"

#include <CLI/CLI.hpp>

#include "tests/bench/core.hh"
#include "tests/bench/program.hh"

namespace rackway::bench {
namespace {

std::string check_core(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (number && text.size() < 6 && may_use_core(std::stoi(text))) return "";
  return "there is no core '" + text + "' that this process may use";
}

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--json", arguments.json, "Also write the rows to this file")->type_name("FILE");
  app.add_option("--core", arguments.core, "The core to measure on; else the last")
      ->type_name("CORE")
      ->check(check_core, "");
  app.add_option("--nodes", arguments.nodes, "Meshes of so many nodes; else 4,8,16")
      ->type_name("COUNTS")
      ->delimiter(',')
      ->check(CLI::Range(3u, 31u));
  app.add_option("--rows", arguments.rows, "Only these: goodput, order, failures, cycles")
      ->type_name("KINDS")
      ->delimiter(',')
      ->check(CLI::IsMember(row_kinds()));
  app.add_flag("--quick", arguments.quick,
               "In seconds: a mesh of four, at a tenth of the rate, unless said otherwise");
}

}  // namespace

const std::vector<std::string>& row_kinds() {
  static const std::vector<std::string> kinds{"goodput", "order", "failures", "cycles"};
  return kinds;
}

tl::expected<Arguments, int> parse_arguments(int argc, char** argv, std::ostream& out,
                                             std::ostream& err) {
  CLI::App app(
      "Runs clusters of real nodes in one process under virtual time and measures goodput, order,\n"
      "load of the links, latency, failures, and what packets cost in each role.",
      "./dev bench cluster");
  app.footer("./dev bench cluster run FILE: one run over a cluster document, see run --help");
  Arguments arguments{.core = last_core()};
  declare(app, arguments);
  if (const auto code = parse(app, "bench_cluster", argc, argv, out, err))
    return tl::unexpected(*code);
  if (arguments.nodes.empty()) {
    arguments.nodes = arguments.quick ? std::vector<unsigned>{4} : std::vector<unsigned>{4, 8, 16};
  }
  if (arguments.rows.empty()) arguments.rows = row_kinds();
  return arguments;
}

}  // namespace rackway::bench
