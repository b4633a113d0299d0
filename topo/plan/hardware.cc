// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/hardware.hh"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rackway::plan {
namespace {

constexpr double kMostMbps = 100e6;  // 100 Tb/s

template <class Model>
const Model* find_named(const std::vector<Model>& models, const std::string& name) {
  const auto at =
      std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == name; });
  return at == models.end() ? nullptr : &*at;
}

// With as many decimals as it needs, at most one.
std::string decimal(double value) {
  const auto tenths = std::llround(value * 10);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
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
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (fault != std::errc() || end - at != 1) return 0;
  const double unit = *at == 'M' ? 1 : *at == 'G' ? 1e3 : *at == 'T' ? 1e6 : 0;
  const double mbps = value * unit;
  if (!(mbps >= 1) || mbps > kMostMbps || mbps != std::floor(mbps)) return 0;
  return static_cast<Mbps>(mbps);
}

std::string rate_text(Mbps mbps) {
  if (mbps >= 1'000'000) return decimal(static_cast<double>(mbps) / 1e6) + "T";
  if (mbps >= 1'000) return decimal(static_cast<double>(mbps) / 1e3) + "G";
  return std::to_string(mbps) + "M";
}

}  // namespace rackway::plan
