// SPDX-License-Identifier: Apache-2.0
#include "control/cli/explain_text.hh"

#include <fmt/format.h>

#include "control/cli/text_table.hh"

namespace rackway::cli {
namespace {

using Json = nlohmann::ordered_json;

// Fields of a controller of another version may be missing: "-".
std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "-";
  if (found->is_string()) return printable(found->get_ref<const std::string&>());
  return found->dump();
}

std::uint64_t number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

const Json& list(const Json& object, const char* key) {
  static const Json none = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : none;
}

std::string joined(const Json& texts) {
  std::string all;
  for (const auto& one : texts) {
    if (one.is_string()) all += " " + printable(one.get_ref<const std::string&>());
  }
  return all;
}

std::string since(const Json& object, const char* key) {
  const auto epoch = number(object, key);
  if (epoch == 0) return "from before this controller";
  return fmt::format("since epoch {}", epoch);
}

std::string candidate_line(const Json& candidate) {
  const auto& via = list(candidate, "via");
  const auto way = via.empty() ? text(candidate, "kind") : "via" + joined(via);
  const auto source = text(candidate, "source"), origin = text(candidate, "origin");
  return fmt::format("  {}: {}, distance {}, {}\n", text(candidate, "state"),
                     source == origin ? source : source + " (" + origin + ")",
                     text(candidate, "distance"), way);
}

std::string step_line(const Json& step) {
  const auto depth = number(step, "depth");
  const auto through = text(step, "through");
  auto line = std::string(2 * (depth + 1), ' ') + text(step, "next_hop");
  if (!through.empty() && through != "-") {
    line += " through " + through + " (" + text(step, "origin") + ")";
  }
  return line + ": " + text(step, "outcome") + "\n";
}

std::string member_line(const Json& hop) {
  return fmt::format("  {} on {} (node {}, port {}), MAC {}, MTU {}, {} %, adjacency {}, {}\n",
                     text(hop, "address"), text(hop, "interface"), text(hop, "node"),
                     text(hop, "port"), text(hop, "mac"), text(hop, "mtu"),
                     text(hop, "share_percent"), text(hop, "adjacency"), since(hop, "epoch"));
}

std::string node_line(const Json& node) {
  const auto took = node.find("took");
  const bool has = took != node.end() && took->is_number_unsigned();
  return fmt::format("  {}: {}, at epoch {} now ({})\n", text(node, "node"),
                     has ? "took it in epoch " + took->dump() : std::string("has not taken it yet"),
                     text(node, "epoch"), text(node, "state"));
}

template <class Line>
std::string section(const char* title, const Json& entries, Line line) {
  if (entries.empty()) return "";
  std::string all = std::string(title) + ":\n";
  for (const auto& entry : entries) all += line(entry);
  return all;
}

}  // namespace

std::string explain_text(const Json& row) {
  auto all = fmt::format("prefix {}", text(row, "prefix"));
  const auto protocol = text(row, "protocol");
  if (!protocol.empty()) all += ", protocol " + protocol;
  if (row.value("stale", false)) all += ", kept from before a restart and named by nobody since";
  all += "\n";
  all += section("routes, the best first", list(row, "candidates"), candidate_line);
  all += section("next hops", list(row, "recursion"), step_line);
  if (!row.contains("group")) return all + "it is not in the FIB\n";
  all += fmt::format("route {}, to group {} of kind {}, {}\n", since(row, "route_epoch"),
                     text(row, "group"), text(row, "kind"), since(row, "group_epoch"));
  all += section("sent to", list(row, "next_hops"), member_line);
  return all + section("nodes", list(row, "nodes"), node_line);
}

}  // namespace rackway::cli
