// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/report.hh"

#include <algorithm>

namespace rackway::simulator {

LineReport report_of(NodeId from, NodeId to, const Line& line, Picoseconds time) {
  return {from,
          to,
          static_cast<double>(line.carried()) / static_cast<double>(time),
          line.mean_wait() / line.ps_per_octet(),
          static_cast<double>(line.longest_wait()) / line.ps_per_octet(),
          line.dropped()};
}

double Report::largest_link_load() const {
  double largest = 0;
  for (const auto& link : links) largest = std::max(largest, link.load);
  return largest;
}

double Report::mean_link_load() const {
  double sum = 0;
  for (const auto& link : links) sum += link.load;
  return links.empty() ? 0 : sum / static_cast<double>(links.size());
}

}  // namespace rackway::simulator
