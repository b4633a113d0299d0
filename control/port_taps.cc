// SPDX-License-Identifier: Apache-2.0
#include "control/port_taps.hh"

#include <utility>

#include "base/log.hh"
#include "control/kernel/network_namespace.hh"

namespace rackway::control {

PortTaps::PortTaps(const topo::ClusterDocument& document)
    : network_namespace_(document.controller.network_namespace),
      made_namespace_(ensure_namespace(network_namespace_)) {
  try {
    open_all(document);
  } catch (...) {
    take_back();
    throw;
  }
}

PortTaps::~PortTaps() {
  take_back();
}

void PortTaps::open_all(const topo::ClusterDocument& document) {
  for (const auto& node : document.nodes) {
    auto& of_node = taps_.emplace_back();
    for (const auto& port : node.ports) {
      of_node.push_back(std::make_unique<Tap>(network_namespace_, node.name + "-" + port.name));
    }
  }
}

void PortTaps::keep() {
  for (auto& of_node : taps_) {
    for (auto& tap : of_node) tap->keep();
  }
  if (std::exchange(made_namespace_, false)) {
    log::info("made the network namespace {}", network_namespace_);
  }
}

void PortTaps::take_back() noexcept {
  taps_.clear();
  if (!std::exchange(made_namespace_, false)) return;
  try {
    remove_namespace(network_namespace_);
  } catch (const std::exception& error) {
    log::error("{} stays behind: {}", network_namespace_, error.what());
  }
}

}  // namespace rackway::control
