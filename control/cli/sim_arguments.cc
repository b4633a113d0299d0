// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_arguments.hh"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "control/cli/arguments.hh"

namespace rackway::cli {
namespace {

constexpr unsigned kLeastFrame = 64, kLargestFrame = 9238;
constexpr double kLongest = 3'600'000;  // ms
constexpr const char* kAdversarial = "adversarial";

std::vector<std::string> matrix_names() {
  std::vector<std::string> names{kAdversarial};
  for (const auto kind : traffic::kMatrixKinds) names.emplace_back(name_of(kind));
  return names;
}

std::string check_sizes(const std::string& text) {
  if (text == "imix") return "";
  const bool is_number =
      !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && std::stoul(text) >= kLeastFrame && std::stoul(text) <= kLargestFrame) return "";
  return "'" + text + "' is neither imix nor octets of a frame, 64..9238";
}

std::string check_rate(const std::string& text) {
  return topo::parse_rate(text) ? "" : "'" + text + "' is no rate, such as 10G or 400M";
}

// "mesh:N", or "butterfly:KxN" (topo::butterfly).
std::optional<topo::FabricShape> read_shape(const std::string& text) {
  const auto colon = text.find(':'), by = text.find('x', colon == std::string::npos ? 0 : colon);
  const auto number = [&](std::size_t from, std::size_t to) -> std::size_t {
    const auto digits = text.substr(from, to - from);
    const bool is_number = !digits.empty() && digits.size() < 5 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? std::stoul(digits) : 0;
  };
  if (colon == std::string::npos) return std::nullopt;
  if (text.substr(0, colon) == "mesh") {
    const auto nodes = number(colon + 1, text.size());
    if (nodes < 1 || nodes > kMaxNodes) return std::nullopt;
    return topo::full_mesh(nodes);
  }
  if (text.substr(0, colon) != "butterfly" || by == std::string::npos) return std::nullopt;
  const auto k = number(colon + 1, by), n = number(by + 1, text.size());
  if (k < 2 || n < 1) return std::nullopt;
  std::size_t edges = 1;
  for (std::size_t i = 0; i < n && edges <= kMaxNodes; ++i) edges *= k;
  if (edges > kMaxNodes || edges + n * (edges / k) > kMaxNodes) return std::nullopt;
  return topo::butterfly(k, n);
}

std::string check_shape(const std::string& text) {
  if (read_shape(text)) return "";
  return "'" + text + "' is no shape of at most " + std::to_string(kMaxNodes) +
         " nodes, such as mesh:8 or butterfly:4x2";
}

struct Words {
  std::string shape, matrix{"uniform"}, mode, port_rate{"10G"}, link_rate{"10G"};
};

void declare_traffic(CLI::App& app, SimArguments& arguments, Words& words) {
  auto* capture =
      app.add_option("--pcap", arguments.capture, "Replay this capture instead of making packets");
  capture->type_name("FILE");
  app.add_option("--speed", arguments.speed, "So many times as fast as it was captured")
      ->check(CLI::Range(1e-6, 1e6))
      ->needs(capture);
  app.add_option("--matrix", words.matrix,
                 "Who sends to whom: uniform, permutation, hot-spot, "
                 "worst-direct, gravity, or what is worst for the mode: adversarial")
      ->check(CLI::IsMember(matrix_names()))
      ->excludes(capture);
  app.add_option("--load", arguments.load, "Share of what is admissible, 0.001..1")
      ->check(CLI::Range(0.001, 1.0))
      ->excludes(capture);
  app.add_option("--sizes", arguments.sizes, "imix, or the octets of every frame")
      ->check(check_sizes, "")
      ->excludes(capture);
  app.add_option("--flows", arguments.mix, "heavy-tailed or steady")
      ->check(CLI::IsMember({"heavy-tailed", "steady"}))
      ->excludes(capture);
  app.add_option("--flows-per-pair", arguments.flows, "So many at a time")
      ->check(CLI::Range(1u, 65'536u))
      ->excludes(capture);
  app.add_option("--seed", arguments.seed, "Another one is other traffic of the same kind");
}

void declare_cluster(CLI::App& app, SimArguments& arguments, Words& words) {
  const std::vector<std::string> modes(topo::kSteeringModes.begin(), topo::kSteeringModes.end());
  app.add_option("--mode", words.mode, "Steer in this mode instead of the document's")
      ->check(CLI::IsMember(modes));
  app.add_option("--port-rate", words.port_rate, "Of ports whose rate the document does not say")
      ->check(check_rate, "");
  app.add_option("--link-rate", words.link_rate, "Of links whose rate the document does not say")
      ->check(check_rate, "");
  app.add_option("--ingress-ns", arguments.ingress_ns, "Time of a core for a packet that enters")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--relay-ns", arguments.relay_ns, "The same for one that is relayed")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--egress-ns", arguments.egress_ns, "The same for one that leaves")
      ->check(CLI::Range(0.0, 1e6));
}

void declare_course(CLI::App& app, SimArguments& arguments) {
  app.add_option("--warm-up", arguments.warm_up_ms, "Milliseconds that are not measured")
      ->check(CLI::Range(0.0, kLongest));
  app.add_option("--time", arguments.time_ms, "Milliseconds that are")
      ->check(CLI::Range(0.001, kLongest));
  app.add_option("--hello", arguments.hello_ms,
                 "Milliseconds between hello frames; three missing: "
                 "a link is dead")
      ->check(CLI::Range(0.01, kLongest));
  app.add_option("--fail", arguments.fail,
                 "A node or a link stops working, as n2@60 or n1-n2@60 "
                 "(milliseconds from the start), or n2: from the start");
  app.add_option("--repair", arguments.repair, "It works again");
  app.add_flag(
      "--fluid", arguments.fluid,
      "Reckon with rates in equilibrium, not packets; faults count as they are in the end");
  app.add_flag("--json", arguments.json, "Print the report as JSON");
}

int refuse(std::string fault, std::ostream& err) {
  std::replace(fault.begin(), fault.end(), '\n', ' ');
  err << fault << "; see rackway sim --help\n";
  return kExitBadArguments;
}

}  // namespace

tl::expected<SimArguments, int> parse_sim_arguments(int argc, const char* const* argv,
                                                    std::ostream& out, std::ostream& err) {
  SimArguments arguments;
  Words words;
  CLI::App app("Simulate a cluster packet by packet, or as a fluid", "rackway sim");
  auto* document = app.add_option("document", arguments.document, "The cluster document");
  document->type_name("FILE");
  app.add_option("--shape", words.shape,
                 "Instead of a document: mesh:N, or butterfly:KxN for a K-ary N-fly; "
                 "nodes n1, n2, ... with one port each")
      ->check(check_shape, "")
      ->excludes(document);
  declare_traffic(app, arguments, words);
  declare_cluster(app, arguments, words);
  declare_course(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    if (stop.get_exit_code() != 0) return tl::unexpected(refuse(stop.what(), err));
    return tl::unexpected(app.exit(stop, out, err));  // --help
  }
  if (arguments.document.empty() && words.shape.empty()) {
    return tl::unexpected(refuse("give a cluster document or --shape", err));
  }
  const bool has_costs =
      arguments.ingress_ns > 0 || arguments.relay_ns > 0 || arguments.egress_ns > 0;
  if (arguments.fluid && has_costs) {
    return tl::unexpected(refuse("--fluid knows no time of cores; leave the costs out", err));
  }
  if (!words.shape.empty()) arguments.shape = read_shape(words.shape);
  arguments.adversarial = words.matrix == kAdversarial;
  if (!arguments.adversarial) arguments.matrix = *traffic::matrix_kind(words.matrix);
  if (!words.mode.empty()) arguments.mode = topo::steering_mode(words.mode);
  arguments.port_rate = *topo::parse_rate(words.port_rate);
  arguments.link_rate = *topo::parse_rate(words.link_rate);
  return arguments;
}

}  // namespace rackway::cli
