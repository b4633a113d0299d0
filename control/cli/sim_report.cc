// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_report.hh"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rackway::cli {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(traffic::Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(traffic::kMicrosecond);
}

Json drops(const simulator::Report& report) {
  Json json;
  for (std::size_t i = 0; i < simulator::kDropCauses; ++i) {
    json[std::string(name_of(static_cast<simulator::DropCause>(i)))] = report.dropped[i];
  }
  return json;
}

Json line(const simulator::LineReport& line, const topo::ClusterDocument& document) {
  return {{"from", document.nodes[line.from.value].name},
          {"to", document.nodes[line.to.value].name},
          {"load", line.load},
          {"mean_queue_octets", line.mean_queue},
          {"largest_queue_octets", line.largest_queue},
          {"dropped", line.dropped}};
}

}  // namespace

std::string sim_text(const simulator::Report& report, const traffic::Recording* replayed) {
  const auto& meter = report.meter;
  std::string text = fmt::format(
      "packets     {} sent, {} arrived\n"
      "goodput     {:.4f} %\n"
      "straight    {:.2f} %\n"
      "links       mean load {:.2f} %, fullest {:.2f} %\n"
      "reordered   {:.5f} % (largest extent {})\n"
      "latency     {:.1f} us median, {:.1f} us 99 %, {:.1f} us 99.9 %\n",
      meter.sent().packets, meter.arrived().packets, meter.goodput() * 100,
      report.straight_share() * 100, report.mean_link_load() * 100,
      report.largest_link_load() * 100, meter.reordered_share() * 100, meter.extent(1),
      microseconds(meter.latency().percentile(0.5)), microseconds(meter.latency().percentile(0.99)),
      microseconds(meter.latency().percentile(0.999)));
  for (std::size_t i = 0; i < simulator::kDropCauses; ++i) {
    if (report.dropped[i] == 0) continue;
    text += fmt::format("dropped     {} {}\n", report.dropped[i],
                        name_of(static_cast<simulator::DropCause>(i)));
  }
  if (replayed != nullptr) {
    text += fmt::format("capture     {} replayed, {} within a node, {} without an IP header\n",
                        replayed->size(), replayed->within_a_node, replayed->unusable);
  }
  return text;
}

std::string sim_json(const simulator::Report& report, const topo::ClusterDocument& document,
                     const traffic::Recording* replayed) {
  const auto& meter = report.meter;
  Json json{{"sent", {{"packets", meter.sent().packets}, {"octets", meter.sent().octets}}},
            {"arrived", {{"packets", meter.arrived().packets}, {"octets", meter.arrived().octets}}},
            {"goodput", meter.goodput()},
            {"straight", report.straight_share()},
            {"reordered", meter.reordered_share()},
            {"reordered_packets", meter.reordered()}};
  for (const auto& [name, share] :
       {std::pair{"50", 0.5}, {"90", 0.9}, {"99", 0.99}, {"99.9", 0.999}}) {
    json["latency_us"][name] = microseconds(meter.latency().percentile(share));
    json["reordering_extent"][name] = meter.extent(share);
  }
  json["dropped"] = drops(report);
  json["path_changes"] = report.path_changes;
  json["flowlets_moved_early"] = report.moved_early;
  json["events"] = report.events;
  json["core_use"] = report.core_use;
  if (replayed != nullptr) {
    json["capture"] = {{"replayed", replayed->size()},
                       {"within_a_node", replayed->within_a_node},
                       {"without_ip", replayed->unusable}};
  }
  json["links"] = Json::array();
  for (const auto& each : report.links) json["links"].push_back(line(each, document));
  json["ports"] = Json::array();
  for (const auto& each : report.ports) json["ports"].push_back(line(each, document));
  return json.dump(2) + "\n";
}

}  // namespace rackway::cli
