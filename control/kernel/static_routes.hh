// SPDX-License-Identifier: Apache-2.0
// Keeps the static routes of the cluster document in the kernel's main table (protocol 82), so that
// what the kernel forwards and what the nodes forward is one table. A next hop that is not on a
// connected subnet yet is tried again by the next install(); until then the others of its route
// serve. Their metric is before that of routing daemons, whose routes for the same prefix stay in
// reserve.
#pragma once

#include <string>
#include <vector>

#include "topo/cluster_document.hh"

namespace rackway::control {

inline constexpr unsigned char kStaticRouteProtocol = 82;

class StaticRoutes {
 public:
  StaticRoutes(std::string network_namespace, std::vector<topo::StaticRoute> routes);

  // Adds what is missing, removes routes of our protocol that the document does not name. Cheap
  // when there is nothing to do. Call at start and whenever addresses or links change. Returns the
  // routes that the kernel does not take yet, as "PREFIX: reason".
  std::vector<std::string> install();

 private:
  std::string network_namespace_;
  std::vector<topo::StaticRoute> routes_;
};

}  // namespace rackway::control
