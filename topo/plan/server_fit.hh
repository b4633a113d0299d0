// SPDX-License-Identifier: Apache-2.0
// Which NICs a server needs for its external ports and its links, the cheapest that fit its slots.
#pragma once

#include <optional>
#include <string>

#include "topo/plan/hardware.hh"

namespace rackway::plan {

struct CardChoice {
  const NicModel* nic{nullptr};
  NicMode mode{};
  unsigned cards{0};
};

struct ServerFit {
  CardChoice external;  // cards without a NIC if there is nothing to connect
  CardChoice fabric;    // of the same NIC and mode as external: they share cards, counted there
  bool shared{false};
  unsigned external_ports{0}, links{0};
  unsigned cables_per_link{1};
  std::uint64_t nic_price{0}, nic_watts{0};

  [[nodiscard]] unsigned cards() const { return external.cards + fabric.cards; }
  [[nodiscard]] Mbps link_rate() const { return fabric.mode.mbps * cables_per_link; }
};

struct FitDemand {
  unsigned external_ports;
  Mbps external_rate;
  unsigned links;
  double link_gbps;  // each at least
  unsigned cables_per_link;
};

struct FitAnswer {
  std::optional<ServerFit> fit;
  std::string why_not;
  unsigned slots_missing{0};  // how far it is from fitting
};

// Of equal price the one with fewer cards.
[[nodiscard]] FitAnswer fit_server(const Catalogue& catalogue, const ServerModel& server,
                                   const FitDemand& demand);

// Links of at least that rate that fit beside the external ports; 0 if these do not.
[[nodiscard]] unsigned most_links(const Catalogue& catalogue, const ServerModel& server,
                                  unsigned external_ports, Mbps external_rate, Mbps link_rate);

}  // namespace rackway::plan
