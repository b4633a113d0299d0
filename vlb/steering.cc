// SPDX-License-Identifier: Apache-2.0
#include "vlb/steering.hh"

namespace rackway::vlb {
namespace {

// The flow hash also picks the member of a next-hop group; neither the path nor, among relays,
// which one, may follow from that choice. Multiply and fold twice, so that every bit reaches every
// other.
constexpr std::uint32_t mix(std::uint32_t hash, std::uint32_t salt) {
  hash = (hash ^ salt) * 0x9e3779b1u;
  hash = (hash ^ hash >> 15) * 0x85ebca77u;
  return hash ^ hash >> 13;
}
constexpr std::uint32_t kShareSalt = 0x1b873593;
constexpr std::uint32_t kPickSalt = 0xcc9e2d51;

std::size_t scale(std::uint32_t hash, std::size_t choices) {
  return static_cast<std::size_t>(static_cast<std::uint64_t>(hash) * choices >> 32);
}

}  // namespace

Steering::Steering(topo::FabricTable table, NodeId self, std::uint8_t relay_percent)
    : table_(std::move(table)),
      self_(self),
      relay_threshold_(static_cast<std::uint32_t>(0xffffffffull * relay_percent / 100)),
      choices_(table_.nodes()) {}

std::vector<Path> Steering::live_paths_to(NodeId target, bool relayed,
                                          const std::vector<bool>& live) const {
  std::vector<Path> paths;
  for (const auto link : table_.links_to(target)) {
    if (live[link]) paths.push_back({target, link, relayed});
  }
  return paths;
}

void Steering::set_live(const std::vector<bool>& live) {
  for (std::uint16_t egress = 0; egress < choices_.size(); ++egress) {
    auto& choices = choices_[egress];
    choices.direct = live_paths_to(NodeId{egress}, false, live);
    choices.relays.clear();
    // Relays are neighbours: a frame reaches one over the one link between them.
    for (std::uint16_t i = 0; i < table_.local_links().size(); ++i) {
      const auto peer = table_.local_links()[i].peer;
      if (live[i] && peer.value != egress) choices.relays.push_back({peer, i, true});
    }
  }
}

std::optional<Path> Steering::choose(NodeId egress, std::uint32_t flow_hash) const noexcept {
  if (egress.value >= choices_.size() || egress == self_) return std::nullopt;
  const auto& [direct, relays] = choices_[egress.value];
  const std::uint32_t share = mix(flow_hash, kShareSalt);
  const std::uint32_t pick = mix(flow_hash, kPickSalt);
  const bool relay = direct.empty() || share < relay_threshold_;
  if (relay && !relays.empty()) return relays[scale(pick, relays.size())];
  if (direct.empty()) return std::nullopt;
  return direct[scale(pick, direct.size())];
}

std::optional<Path> Steering::onward(NodeId egress) const noexcept {
  if (egress.value >= choices_.size() || egress == self_) return std::nullopt;
  const auto& direct = choices_[egress.value].direct;
  if (direct.empty()) return std::nullopt;
  return direct.front();
}

}  // namespace rackway::vlb
