// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/server_fit.hh"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace rackway::plan {
namespace {

constexpr unsigned kFarTooFew = 998;  // slots, where none would help

struct Option {
  const NicModel* nic;
  NicMode mode;
};

std::vector<Option> options(const Catalogue& catalogue, const ServerModel& server) {
  std::vector<Option> all;
  for (const auto& name : server.nics) {
    const auto* const nic = catalogue.nic(name);
    for (const auto& mode : nic->modes) all.push_back({nic, mode});
  }
  return all;
}

unsigned cards_for(unsigned ports, unsigned ports_per_card) {
  return (ports + ports_per_card - 1) / ports_per_card;
}

bool is_same(const Option& x, const Option& y) {
  return x.nic == y.nic && x.mode.mbps == y.mode.mbps && x.mode.ports == y.mode.ports;
}

// The cards for both, with nullptr where nothing is to be connected.
ServerFit with(const Option* external, const Option* fabric, const FitDemand& demand,
               unsigned cables) {
  ServerFit fit;
  fit.external_ports = external == nullptr ? 0 : demand.external_ports;
  fit.links = fabric == nullptr ? 0 : demand.links;
  fit.cables_per_link = cables;
  fit.shared = external != nullptr && fabric != nullptr && is_same(*external, *fabric);
  const unsigned fabric_ports = fit.links * cables;
  if (external != nullptr) {
    const unsigned ports = fit.external_ports + (fit.shared ? fabric_ports : 0);
    fit.external = {external->nic, external->mode, cards_for(ports, external->mode.ports)};
  }
  if (fabric != nullptr) {
    fit.fabric = {fabric->nic, fabric->mode,
                  fit.shared ? 0 : cards_for(fabric_ports, fabric->mode.ports)};
  }
  for (const auto& choice : {fit.external, fit.fabric}) {
    if (choice.nic == nullptr) continue;
    fit.nic_price += choice.cards * choice.nic->price;
    fit.nic_watts += choice.cards * choice.nic->watts;
  }
  return fit;
}

std::string gbps_text(double gbps) {
  return rate_text(static_cast<Mbps>(std::ceil(gbps * 1000 - 1e-6)));
}

std::string counted(unsigned count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Keeps the best of those that fit, and the fewest cards that any would take.
class Search {
 public:
  explicit Search(const ServerModel& server) : server_(server) {}

  void offer(const ServerFit& fit) {
    fewest_ = std::min(fewest_, fit.cards());
    if (fit.cards() > server_.nic_slots) return;
    if (!best_ || cost(fit) < cost(*best_)) best_ = fit;
  }
  [[nodiscard]] const std::optional<ServerFit>& best() const { return best_; }
  [[nodiscard]] unsigned fewest() const { return fewest_; }

 private:
  static std::tuple<std::uint64_t, unsigned, std::uint64_t> cost(const ServerFit& fit) {
    return {fit.nic_price, fit.cards(), fit.nic_watts};
  }
  const ServerModel& server_;
  std::optional<ServerFit> best_;
  unsigned fewest_ = ~0u;
};

}  // namespace

FitAnswer fit_server(const Catalogue& catalogue, const ServerModel& server,
                     const FitDemand& demand) {
  const auto all = options(catalogue, server);
  std::vector<const Option*> external, fabric;
  for (const auto& option : all) {
    if (option.mode.mbps == demand.external_rate) external.push_back(&option);
    const double most = static_cast<double>(option.mode.mbps) / 1000 * demand.cables_per_link;
    if (most >= demand.link_gbps * (1 - 1e-9)) fabric.push_back(&option);
  }
  if (demand.external_ports == 0) external = {nullptr};
  if (demand.links == 0) fabric = {nullptr};
  if (external.empty()) {
    return {std::nullopt,
            "no NIC of " + server.name + " has ports of " + rate_text(demand.external_rate)};
  }
  if (fabric.empty()) {
    return {std::nullopt,
            "links of " + gbps_text(demand.link_gbps) + " are needed, faster than any NIC of " +
                server.name,
            kFarTooFew};
  }
  Search search(server);
  for (const auto* out : external) {
    for (const auto* in : fabric) {
      unsigned cables = 1;
      if (in != nullptr) {
        const double needed = demand.link_gbps * (1 - 1e-9) * 1000;
        cables = std::max(
            1u, static_cast<unsigned>(std::ceil(needed / static_cast<double>(in->mode.mbps))));
      }
      search.offer(with(out, in, demand, cables));
    }
  }
  if (search.best()) return {search.best(), ""};
  return {std::nullopt,
          counted(demand.external_ports, "external port") + " and " +
              counted(demand.links, "link") + " of " + gbps_text(demand.link_gbps) +
              " a server fill " + std::to_string(search.fewest()) + " NIC slots, " + server.name +
              " has " + std::to_string(server.nic_slots),
          search.fewest() - server.nic_slots};
}

unsigned most_links(const Catalogue& catalogue, const ServerModel& server, unsigned external_ports,
                    Mbps external_rate, Mbps link_rate) {
  const double gbps = static_cast<double>(link_rate) / 1000;
  unsigned least = 0, most = server.nic_slots * 64 + 1;
  while (least + 1 < most) {
    const auto middle = (least + most) / 2;
    const FitDemand demand{external_ports, external_rate, middle, gbps, 1};
    (fit_server(catalogue, server, demand).fit ? least : most) = middle;
  }
  return least;
}

}  // namespace rackway::plan
