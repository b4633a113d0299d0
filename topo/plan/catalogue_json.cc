// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/id.hh"
#include "base/startup_error.hh"
#include "topo/json_reader.hh"
#include "topo/plan/catalogue.hh"

namespace rackway::plan {
namespace {

using topo::JsonObject;
using topo::JsonValue;

constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kMostName = 32;
constexpr std::uint64_t kMostPrice = 1'000'000'000;
constexpr std::uint64_t kMostWatts = 1'000'000;
constexpr Mbps kMostRate = 100'000'000;

JsonValue required(const JsonObject& object, const std::string& key) {
  if (auto value = object.find(key)) return *value;
  object.refuse("the key \"" + key + "\" is missing", "add it, see docs/planning.md");
}

unsigned count(const JsonObject& object, const std::string& key, std::uint64_t least,
               std::uint64_t most) {
  return static_cast<unsigned>(required(object, key).number(least, most));
}

// Name, title and source, price and watts: what servers, NICs and switches have in common.
template <class Model>
void parse_label(const JsonObject& object, Model& model) {
  model.name = required(object, "name").name("_.-", kMostName);
  model.title = required(object, "title").text();
  model.source = required(object, "source").text();
  model.price = required(object, "price").number(0, kMostPrice);
  model.watts = required(object, "watts").number(0, kMostWatts);
}

ServerModel parse_server(const JsonValue& value) {
  const JsonObject object(
      value, {"name", "title", "source", "year", "cores", "mhz", "nic_slots", "external_ports",
              "price", "watts", "rack_units", "nics", "slot_addresses"});
  ServerModel server{};
  parse_label(object, server);
  server.year = count(object, "year", 1990, 2100);
  server.cores = count(object, "cores", 1, 4096);
  server.mhz = count(object, "mhz", 100, 20'000);
  server.nic_slots = count(object, "nic_slots", 1, 64);
  server.rack_units = count(object, "rack_units", 1, 48);
  server.external_ports = kMaxPortsPerNode;
  if (const auto at = object.find("external_ports")) {
    server.external_ports = static_cast<unsigned>(at->number(1, kMaxPortsPerNode));
  }
  for (const auto& nic : required(object, "nics").items(1, kMostEntries)) {
    server.nics.push_back(nic.name("_.-", kMostName));
  }
  if (const auto at = object.find("slot_addresses")) {
    for (const auto& bus : at->items(server.nic_slots, server.nic_slots)) {
      server.buses.push_back(bus.name(":", 10));
    }
  }
  return server;
}

NicModel parse_nic(const JsonValue& value) {
  const JsonObject object(value, {"name", "title", "source", "modes", "price", "watts"});
  NicModel nic{};
  parse_label(object, nic);
  for (const auto& item : required(object, "modes").items(1, 64)) {
    const JsonObject mode(item, {"ports", "mbps"});
    nic.modes.push_back({count(mode, "ports", 1, 64), required(mode, "mbps").number(1, kMostRate)});
  }
  return nic;
}

SwitchModel parse_switch(const JsonValue& value) {
  const JsonObject object(
      value, {"name", "title", "source", "ports", "mbps", "price", "watts", "rack_units"});
  SwitchModel model{};
  parse_label(object, model);
  model.ports = count(object, "ports", 2, 1024);
  model.mbps = required(object, "mbps").number(1, kMostRate);
  model.rack_units = count(object, "rack_units", 1, 48);
  return model;
}

CableModel parse_cable(const JsonValue& value) {
  const JsonObject object(value, {"mbps", "price", "source"});
  return {required(object, "mbps").number(1, kMostRate),
          required(object, "price").number(0, kMostPrice), required(object, "source").text()};
}

// Replaces a model of the same name; twice in one file is a fault.
template <class Model, class Parse>
void parse_list(const JsonObject& object, const std::string& key, std::vector<Model>& models,
                Parse parse) {
  const auto list = object.find(key);
  if (!list) return;
  std::set<std::string> seen;
  for (const auto& item : list->items(0, kMostEntries)) {
    auto model = parse(item);
    if (!seen.insert(model.name).second) {
      item.refuse("there is a second " + topo::in_quotes(model.name), "choose another name");
    }
    const auto at = std::find_if(models.begin(), models.end(),
                                 [&](const Model& m) { return m.name == model.name; });
    if (at == models.end()) {
      models.push_back(std::move(model));
    } else {
      *at = std::move(model);
    }
  }
}

void check_nics(const Catalogue& catalogue) {
  for (const auto& server : catalogue.servers) {
    for (const auto& nic : server.nics) {
      if (catalogue.nic(nic) != nullptr) continue;
      throw StartupError("the server " + topo::in_quotes(server.name) + " takes the NIC " +
                             topo::in_quotes(nic) + ", which is in no catalogue",
                         "", "add it to \"nics\", or correct the name");
    }
  }
}

std::string text_of(const std::string& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) {
    throw StartupError("can not read the catalogue", file, "give the path of a readable JSON file");
  }
  return text.str();
}

}  // namespace

void add_to_catalogue(Catalogue& catalogue, const std::string& json_text,
                      const std::string& file_name) {
  const auto json = topo::parse_json(json_text, file_name);
  const JsonObject object(JsonValue(json, file_name, ""),
                          {"servers", "nics", "switches", "cables"});
  parse_list(object, "servers", catalogue.servers, parse_server);
  parse_list(object, "nics", catalogue.nics, parse_nic);
  parse_list(object, "switches", catalogue.switches, parse_switch);
  if (const auto list = object.find("cables")) {
    for (const auto& item : list->items(0, kMostEntries)) {
      const auto cable = parse_cable(item);
      std::erase_if(catalogue.cables, [&](const auto& old) { return old.mbps == cable.mbps; });
      catalogue.cables.push_back(cable);
    }
  }
}

Catalogue read_catalogue(const std::vector<std::string>& files) {
  Catalogue catalogue;
  add_to_catalogue(catalogue, kBuiltInCatalogue, "the built-in catalogue");
  for (const auto& file : files) add_to_catalogue(catalogue, text_of(file), file);
  check_nics(catalogue);
  return catalogue;
}

}  // namespace rackway::plan
