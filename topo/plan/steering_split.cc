// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/steering_split.hh"

namespace rackway::plan {

SteeringSplit valiant(const FabricModel& model) {
  return {SteeringSplit::Mode::valiant, 0, model.rates};
}

SteeringSplit fixed_share(const FabricModel& model, double relay_share) {
  SteeringSplit split{SteeringSplit::Mode::fixed, relay_share, {}};
  for (const double rate : model.rates) split.weights.push_back(rate > 0 ? 1 : 0);
  return split;
}

}  // namespace rackway::plan
