// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/hardware.hh"

#include <algorithm>

#include "topo/rate.hh"

namespace rackway::plan {
namespace {

template <class Model>
const Model* find_named(const std::vector<Model>& models, const std::string& name) {
  const auto at =
      std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == name; });
  return at == models.end() ? nullptr : &*at;
}

// Thousandths with as many decimals as they need.
std::string decimal(std::uint64_t thousandths) {
  auto text = std::to_string(thousandths / 1000);
  auto rest = std::to_string(thousandths % 1000 + 1000);
  while (rest.back() == '0') rest.pop_back();
  if (rest.size() > 1) text += "." + rest.substr(1);
  return text;
}

}  // namespace

const ServerModel* Catalogue::server(const std::string& name) const {
  return find_named(servers, name);
}

const NicModel* Catalogue::nic(const std::string& name) const {
  return find_named(nics, name);
}

std::uint64_t Catalogue::cable_price(Mbps mbps) const {
  const CableModel* best = nullptr;
  for (const auto& cable : cables) {
    if (cable.mbps >= mbps && (best == nullptr || cable.mbps < best->mbps)) best = &cable;
  }
  return best == nullptr ? 0 : best->price;
}

Mbps parse_rate(const std::string& text) {
  return topo::parse_rate(text).value_or(0);
}

std::string rate_text(Mbps mbps) {
  if (mbps >= 1'000'000 && mbps % 1000 == 0) return decimal(mbps / 1000) + "T";
  if (mbps >= 1'000) return decimal(mbps) + "G";
  return std::to_string(mbps) + "M";
}

}  // namespace rackway::plan
