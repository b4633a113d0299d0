// SPDX-License-Identifier: Apache-2.0
#include "cluster/control_channel.hh"

namespace rackway::cluster {

std::optional<ControllerEnd::Received> ControllerEnd::receive() {
  while (auto parts = socket_.receive()) {
    if (parts->size() == 2) return Received{std::move((*parts)[0]), std::move((*parts)[1])};
  }
  return std::nullopt;
}

std::optional<std::string> NodeEnd::receive() {
  while (auto parts = socket_.receive()) {
    if (parts->size() == 1) return std::move(parts->front());
  }
  return std::nullopt;
}

}  // namespace rackway::cluster
