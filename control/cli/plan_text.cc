// SPDX-License-Identifier: Apache-2.0
#include "control/cli/plan_text.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "control/cli/text_table.hh"

namespace rackway::cli {
namespace {

using plan::Guarantee;
using plan::Plan;
using plan::Report;
using Rows = std::vector<std::vector<std::string>>;

std::string decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string node_name(NodeId node) {
  return "n" + std::to_string(node.value + 1);
}

std::string cards_text(const plan::ServerFit& fit) {
  std::string text;
  for (const auto& choice : {fit.external, fit.fabric}) {
    if (choice.cards == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(choice.cards) + " x " + choice.nic->name +
            " (" + std::to_string(choice.mode.ports) + " x " + plan::rate_text(choice.mode.mbps) +
            ")";
  }
  return text.empty() ? "none" : text;
}

std::string failures_text(const plan::FabricModel& model, const plan::Failures& failures) {
  std::string text;
  for (const auto node : failures.nodes) text += (text.empty() ? "" : ", ") + node_name(node);
  for (const auto link : failures.links) {
    text += (text.empty() ? "" : ", ") + node_name(model.links[link].a) + "-" +
            node_name(model.links[link].b);
  }
  return text;
}

std::string matrix_text(const Guarantee& found) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, found.matrix.size()); ++i) {
    const auto& demand = found.matrix[i];
    text += (i == 0 ? "" : ", ") + node_name(demand.from) + ">" + node_name(demand.to) + " " +
            decimals(demand.gbps, 0) + "G";
  }
  if (found.matrix.size() > kShown) {
    text += ", ... (" + std::to_string(found.matrix.size()) + " in all)";
  }
  return text;
}

std::string guarantee_text(const Guarantee& found, const plan::FabricModel& model) {
  if (!std::isfinite(found.fraction) || model.links.empty())
    return "100%, there is no link to cross";
  const auto& link = model.links[found.link];
  const auto from = found.a_to_b ? link.a : link.b, to = found.a_to_b ? link.b : link.a;
  std::string text = decimals(100 * std::min(1.0, found.fraction), 1) +
                     "% of any traffic matrix; " + node_name(from) + ">" + node_name(to) +
                     " carries up to " + decimals(found.load, 2) + " of " + decimals(link.gbps, 0) +
                     " Gb/s";
  const auto failed = failures_text(model, found.failures);
  if (!failed.empty()) text += " without " + failed;
  return text + ", under " + matrix_text(found);
}

std::string survive_text(const plan::Survive& survive) {
  if (survive.links == survive.nodes && survive.together == survive.nodes) {
    return "any " + counted(survive.together, "server") + " or " +
           (survive.together == 1 ? "link" : "links") + " dead";
  }
  return "any " + counted(survive.nodes, "server") + " and " + counted(survive.links, "link") +
         " dead";
}

void add_line(std::string& text, const std::string& name, const std::string& value) {
  text += name + std::string(18 - std::min<std::size_t>(17, name.size()), ' ') + value + "\n";
}

std::string plan_lines(const Report& report) {
  const auto& plan = *report.plan;
  const auto& wish = report.wish;
  const auto model = plan.model(wish.rate);
  const double gbps = plan.external_ports() * static_cast<double>(wish.rate) / 1000;
  std::string text;
  add_line(text, "cluster",
           plan::shape_text(plan) + ", " + counted(plan.bill.servers, "server") + " " +
               plan.server.name + " (" + plan.server.title + ")");
  add_line(text, "external ports",
           std::to_string(plan.external_ports()) + " x " + plan::rate_text(wish.rate) + ", " +
               std::to_string(plan.ports_per_server) + " on each of " +
               std::to_string(plan.edge_servers()) + " servers; " + std::to_string(wish.ports) +
               " asked for");
  if (plan.links > 0) {
    add_line(text, "links",
             std::to_string(plan.links) + " x " + plan::rate_text(plan.edge.link_rate()) + ", " +
                 decimals(plan.needed_gbps, 2) + " Gb/s needed at worst");
  }
  add_line(text, "cards", cards_text(plan.edge));
  if (plan.relay_servers() > 0) add_line(text, "cards of a relay", cards_text(plan.relay));
  auto cores = std::to_string(plan.edge_cores) + " of " + std::to_string(plan.server.cores);
  if (plan.relay_servers() > 0) cores += ", of a relay " + std::to_string(plan.relay_cores);
  add_line(text, "forwarding cores",
           cores + " (" + wish.packets.text + ", " + decimals(100 * wish.core_load, 0) + "% busy)");
  add_line(text, "price",
           std::to_string(plan.bill.price) + " (estimate), " +
               decimals(static_cast<double>(plan.bill.price) / gbps * 100, 0) + " per 100 Gb/s");
  add_line(text, "power",
           decimals(static_cast<double>(plan.bill.watts) / 1000, 1) + " kW (estimate)");
  add_line(text, "rack units", std::to_string(plan.bill.rack_units));
  add_line(text, "guarantee", guarantee_text(report.intact, model));
  if (wish.survive.together > 0) {
    add_line(text, "with failures",
             guarantee_text(report.surviving, model) + "; " + survive_text(wish.survive) + ", " +
                 std::to_string(report.surviving.stands_for) + " combinations");
  }
  return text;
}

std::string growth_text(const Report& report) {
  Rows rows;
  for (const auto& step : report.growth) {
    rows.push_back({std::to_string(step.ports), std::to_string(step.servers),
                    std::to_string(step.cables), std::to_string(step.price),
                    decimals(100 * std::min(1.0, step.fraction), 1) + "%"});
  }
  return render_table({{"PORTS", Align::right},
                       {"SERVERS", Align::right},
                       {"CABLES", Align::right},
                       {"PRICE", Align::right},
                       {"GUARANTEE", Align::right}},
                      rows);
}

std::string alternatives_text(const Report& report) {
  Rows rows;
  for (const auto& alternative : report.alternatives) {
    const auto& plan = alternative.plan;
    rows.push_back({alternative.server, plan::kind_text(alternative.kind),
                    plan ? plan::shape_text(*plan) : "-",
                    plan ? std::to_string(plan->bill.servers) : "-",
                    plan ? plan::rate_text(plan->links == 0 ? 0 : plan->edge.link_rate()) : "-",
                    plan ? std::to_string(plan->bill.price) : "-",
                    plan ? std::to_string(plan->bill.watts) : "-",
                    plan ? std::to_string(plan->bill.rack_units) : "-", alternative.why});
  }
  return render_table({{"SERVER", Align::left},
                       {"FABRIC", Align::left},
                       {"SHAPE", Align::left},
                       {"SERVERS", Align::right},
                       {"LINKS", Align::right},
                       {"PRICE", Align::right},
                       {"WATTS", Align::right},
                       {"RU", Align::right},
                       {"WHY", Align::left}},
                      rows);
}

}  // namespace

std::string report_text(const Report& report) {
  std::string text;
  if (report.plan) {
    text = plan_lines(report);
    if (!report.growth.empty()) text += "\n" + growth_text(report);
  } else {
    text = "not possible: " + report.obstacle + "\n";
    for (const auto& plan : report.nearest) text += "possible " + plan + "\n";
    if (report.nearest.empty()) text += "nothing near it is possible either\n";
  }
  return text + "\n" + alternatives_text(report);
}

std::string catalogue_text(const plan::Catalogue& catalogue) {
  Rows rows;
  for (const auto& server : catalogue.servers) {
    rows.push_back({server.name, "server", server.title, std::to_string(server.price),
                    std::to_string(server.watts), server.source});
  }
  for (const auto& nic : catalogue.nics) {
    rows.push_back({nic.name, "NIC", nic.title, std::to_string(nic.price),
                    std::to_string(nic.watts), nic.source});
  }
  for (const auto& model : catalogue.switches) {
    rows.push_back({model.name, "switch", model.title, std::to_string(model.price),
                    std::to_string(model.watts), model.source});
  }
  return render_table({{"NAME", Align::left},
                       {"KIND", Align::left},
                       {"TITLE", Align::left},
                       {"PRICE", Align::right},
                       {"WATTS", Align::right},
                       {"SOURCE", Align::left}},
                      rows);
}

std::string transitions_text(const std::vector<plan::Transition>& transitions) {
  std::vector<TextColumn> columns{{"PORTS", Align::right}};
  std::vector<std::string> largest{"largest mesh"};
  Rows rows;
  for (const auto& transition : transitions) {
    columns.push_back({transition.server + " " + plan::rate_text(transition.rate), Align::right});
    largest.push_back(transition.largest_mesh ? std::to_string(*transition.largest_mesh) : "-");
    rows.resize(std::max(rows.size(), transition.points.size()));
    for (std::size_t i = 0; i < transition.points.size(); ++i) {
      const auto& point = transition.points[i];
      if (rows[i].empty()) rows[i].push_back(std::to_string(point.ports));
      rows[i].push_back(!point.servers ? "-"
                                       : std::to_string(*point.servers) +
                                             (point.kind == plan::FabricKind::mesh ? "" : " b"));
    }
  }
  rows.push_back(largest);
  return render_table(columns, rows);
}

std::string recabling_text(const plan::Recabling& recabling) {
  if (!recabling.possible) return "not possible: " + recabling.why_not + "\n";
  std::string text;
  for (std::size_t i = 0; i < recabling.steps.size(); ++i) {
    const auto& step = recabling.steps[i];
    text += std::to_string(i + 1) + ". " + plan::step_text(step) + " (" +
            decimals(100 * step.fraction, 1) + "%)\n";
  }
  return text + std::to_string(recabling.steps.size()) + " steps, at least " +
         decimals(100 * recabling.least, 1) + "% guaranteed all the time\n";
}

}  // namespace rackway::cli
