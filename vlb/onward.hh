// SPDX-License-Identifier: Apache-2.0
// Over which link a node passes on frames that are not for itself, for each node that they may have
// to get to. Where several shortest paths begin here they are shared out by the target, so that a
// frame's way does not depend on where it came from. Where all of them are dead there may be a
// detour: a link to a neighbour that is no farther from the target (topo::FabricTable's
// alternates), if there is a choice not to the node where the frame entered. In a mesh a detour is
// a second relay. Owned by one forwarding core.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"
#include "topo/fabric_table.hh"

namespace rackway::vlb {

inline constexpr std::uint16_t kNoLink = 0xffff;

class Onward {
 public:
  Onward() : links_(kMaxNodes, kNoLink), detours_(kMaxNodes) {}

  // Anew for all nodes. usable(link, target): that local link is live, and so is the way to the
  // target that begins with it, as far as this node knows.
  template <class Usable>
  void deal(const topo::FabricTable& table, Usable&& usable) {
    std::vector<std::uint16_t> live;
    for (std::uint16_t target = 0; target < table.nodes(); ++target) {
      const auto find_live = [&](std::span<const std::uint16_t> links) {
        live.clear();
        for (const auto link : links) {
          if (usable(link, NodeId{target})) live.push_back(link);
        }
        return live.size();
      };
      const auto direct = find_live(table.links_to(NodeId{target}));
      links_[target] = direct == 0 ? kNoLink : live[target % direct];
      const auto around = find_live(table.alternates_to(NodeId{target}));
      for (std::size_t i = 0; i < kChoices; ++i) {
        const auto link = around == 0 ? kNoLink : live[(target + i) % around];
        detours_[target][i] = {link, around == 0 ? NodeId{} : table.local_links()[link].peer};
      }
    }
  }

  // By every node id of a fabric tag: the link of a live shortest path, or kNoLink.
  [[nodiscard]] const std::uint16_t* links() const noexcept { return links_.data(); }

  struct Detour {
    std::uint16_t link{kNoLink};
    NodeId peer;  // at its far end
    bool operator==(const Detour&) const = default;
  };
  // For where there is none, of a frame that entered at that node.
  [[nodiscard]] Detour detour(NodeId target, NodeId ingress) const noexcept {
    const auto& choices = detours_[target.value % kMaxNodes];
    return choices[0].peer == ingress ? choices[1] : choices[0];
  }

 private:
  static constexpr std::size_t kChoices = 2;

  std::vector<std::uint16_t> links_;                   // by target
  std::vector<std::array<Detour, kChoices>> detours_;  // by target
};

}  // namespace rackway::vlb
