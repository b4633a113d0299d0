// SPDX-License-Identifier: Apache-2.0
// What clusters are built of: models of servers, NICs, switches and cables, and the catalogue that
// has them. Prices are in one currency (US dollars in the catalogue that comes with the program),
// rates in Mb/s. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rackway::plan {

using Mbps = std::uint64_t;

// How the ports of a card may be set up; all of a card have one rate.
struct NicMode {
  unsigned ports;
  Mbps mbps;
};

struct NicModel {
  std::string name, title, source;
  std::vector<NicMode> modes;
  std::uint64_t price, watts;
};

struct ServerModel {
  std::string name, title, source;
  unsigned year, cores, mhz;
  unsigned nic_slots;       // each takes any of the NICs at full rate
  unsigned external_ports;  // at most so many, whatever else allows
  std::uint64_t price, watts;
  unsigned rack_units;
  std::vector<std::string> nics;   // that it takes
  std::vector<std::string> buses;  // PCI address of each slot, e.g. "0000:17:00"; may be empty
};

struct SwitchModel {
  std::string name, title, source;
  unsigned ports;
  Mbps mbps;
  std::uint64_t price, watts;
  unsigned rack_units;
};

struct CableModel {
  Mbps mbps;
  std::uint64_t price;
  std::string source;
};

struct Catalogue {
  std::vector<ServerModel> servers;
  std::vector<NicModel> nics;
  std::vector<SwitchModel> switches;
  std::vector<CableModel> cables;

  // nullptr if there is none of that name.
  [[nodiscard]] const ServerModel* server(const std::string& name) const;
  [[nodiscard]] const NicModel* nic(const std::string& name) const;
  // Of the slowest cable that is fast enough; 0 if there is none.
  [[nodiscard]] std::uint64_t cable_price(Mbps mbps) const;
};

// "100G", "2.5G", "400M" as Mb/s; 0 if it is no rate.
[[nodiscard]] Mbps parse_rate(const std::string& text);
[[nodiscard]] std::string rate_text(Mbps mbps);

}  // namespace rackway::plan
