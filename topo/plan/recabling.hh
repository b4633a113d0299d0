// SPDX-License-Identifier: Apache-2.0
// From one cluster to another, one cable at a time, without the guarantee ever dropping below a
// fraction: which links to add and remove, when new external ports may be opened, in which order.
// From mesh to mesh a link is in use from when it is connected. In any other fabric new cables are
// laid first, and the new cluster document takes them into use at once; what guarantees something
// is what is in use. A node has no more cables at a time than ports for them. Searches depth first,
// additions before removals, and says whether it has tried every order or given up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topo/cluster_document.hh"
#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

// A cluster by the names of its nodes.
struct NamedCluster {
  std::map<std::string, double> rates;  // Gb/s of each node's external ports
  std::vector<std::pair<std::string, std::string>> links;
};

// port_gbps: of each port of a node whose rate the document does not say.
[[nodiscard]] NamedCluster named_cluster(const topo::ClusterDocument& document, double port_gbps);

struct RecablingRules {
  double link_gbps;         // all links have it
  double keep;              // the least guaranteed fraction on the way, 0..1
  unsigned spare_ports{0};  // for links, at each node beside what the larger of its two degrees is
};

struct RecablingStep {
  enum class What : std::uint8_t {
    add_link,
    remove_link,
    lay_cable,    // connected, and not in use
    use_link,     // one that was laid
    change_over,  // all new links in use, no others; external ports as they will be
    open_ports,
    close_ports
  } what;
  std::string a, b;  // b is empty where ports of a are opened or closed, both at the change-over
  double fraction;   // guaranteed after it, at most 1
};

struct Recabling {
  bool possible{false};
  std::vector<RecablingStep> steps;
  double least{1};       // fraction on the way, both ends included
  bool tried_all{true};  // if not possible: whether every order has been tried
  std::string why_not;   // one line
};

[[nodiscard]] Recabling recable(const NamedCluster& from, const NamedCluster& to,
                                const RecablingRules& rules);

[[nodiscard]] std::string step_text(const RecablingStep& step);

}  // namespace rackway::plan
