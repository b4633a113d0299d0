// SPDX-License-Identifier: Apache-2.0
// What nodes have done wrong on their channels, counted; and who is not listened to for it. A node
// that has sent what can not be right is left out of both channels until it says hello anew, a
// second later at the earliest. Any thread may call; counters are relaxed, each stands alone.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/id.hh"

namespace rackway::control {

enum class PeerFault : std::uint8_t { malformed, oversized, other_name };
inline constexpr std::size_t kPeerFaults = 3;

class PeerConduct {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLeast{1};

  explicit PeerConduct(std::size_t nodes) : peers_(nodes) {}

  void note(NodeId node, PeerFault fault) {
    peers_[node.value].faults[static_cast<std::size_t>(fault)].fetch_add(1,
                                                                         std::memory_order_relaxed);
  }
  // The same, and the node is ignored.
  void blame(NodeId node, PeerFault fault, Clock::time_point now) {
    note(node, fault);
    peers_[node.value].until.store((now + kLeast).time_since_epoch().count(),
                                   std::memory_order_relaxed);
  }

  // Whether a message is passed over, which is counted. A hello ends that, if it does not come too
  // early.
  [[nodiscard]] bool passes_over(NodeId node, bool hello, Clock::time_point now) {
    Peer& peer = peers_[node.value];
    if (peer.until.load(std::memory_order_relaxed) == 0) return false;
    if (hello && may_return(node, now)) {
      peer.until.store(0, std::memory_order_relaxed);
      return false;
    }
    peer.ignored.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool may_return(NodeId node, Clock::time_point now) const {
    return now.time_since_epoch().count() >=
           peers_[node.value].until.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool is_ignored(NodeId node) const {
    return peers_[node.value].until.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] std::uint64_t count(NodeId node, PeerFault fault) const {
    return peers_[node.value].faults[static_cast<std::size_t>(fault)].load(
        std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t ignored(NodeId node) const {
    return peers_[node.value].ignored.load(std::memory_order_relaxed);
  }

 private:
  struct Peer {
    std::array<std::atomic<std::uint64_t>, kPeerFaults> faults{};
    std::atomic<std::uint64_t> ignored{0};
    std::atomic<Clock::rep> until{0};  // not listened to before that, nor until a hello; 0: is
  };
  std::vector<Peer> peers_;  // by node
};

}  // namespace rackway::control
