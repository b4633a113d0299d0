// SPDX-License-Identifier: Apache-2.0
#include "cluster/fabric_state.hh"

#include <array>

namespace rackway::cluster {
namespace {

constexpr std::array<std::string_view, kLinkStates> kStateNames{
    "never-heard", "opening", "up", "one-way", "down", "flapping"};
constexpr std::array<std::string_view, kFabricEventKinds> kEventNames{
    "link up", "link down", "link one-way",  "link flapping",
    "node up", "node down", "node restarted"};

}  // namespace

std::string_view to_string(LinkState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(FabricEventKind kind) {
  return kEventNames[static_cast<std::size_t>(kind)];
}

}  // namespace rackway::cluster
