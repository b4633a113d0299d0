// SPDX-License-Identifier: Apache-2.0
// A plan as files that one works with: the cluster document for the controller, the list of cables
// for who pulls them, an Ansible inventory, the drawing for the design review; and the whole report
// as JSON. Texts only; the same plan gives the same octets.
#pragma once

#include <string>

#include "topo/plan/planner.hh"
#include "topo/plan/wiring.hh"

namespace rackway::plan {

// docs/cluster_document.md; topo::parse_cluster_document() takes it.
[[nodiscard]] std::string cluster_json(const Wiring& wiring, const Plan& plan, Mbps rate);
// cable, rate, and for each end server, slot, port and device; RFC 4180 with a header line.
[[nodiscard]] std::string cabling_csv(const Wiring& wiring, const Plan& plan);
// YAML.
[[nodiscard]] std::string ansible_inventory(const Wiring& wiring, const Plan& plan);
[[nodiscard]] std::string drawing_svg(const Wiring& wiring, const Report& report);
[[nodiscard]] std::string report_json(const Report& report);

}  // namespace rackway::plan
