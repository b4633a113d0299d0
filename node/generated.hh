// SPDX-License-Identifier: Apache-2.0
// Frames that a burst gave rise to, until they go their own way: ICMP errors about its packets, and
// fragments of them. Bounded, so that a burst of packets to be cut small can not take all buffers
// and all of the forwarding core's time. Owned by one forwarding core.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "node/burst.hh"

namespace rackway::node {

class Generated {
 public:
  // Eight frames for each of a burst: what 9,000 octets give over links of 1,280.
  static constexpr std::size_t kMost = std::size_t{8} * kBurst;

  enum class Way : std::uint8_t {
    routed,  // by its own destination
    back,    // out of the port that its cause came in by; its MACs are written
  };

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void clear() noexcept { size_ = 0; }

  // Where the next frames are to be put, at most that many; then add() says how many were.
  [[nodiscard]] std::span<rte_mbuf*> room() noexcept { return std::span(frames_).subspan(size_); }
  void add(std::size_t count, std::uint32_t flow_hash, Way way) noexcept {
    for (; count > 0; --count, ++size_) {
      flow_hash_[size_] = flow_hash;
      way_[size_] = way;
    }
  }

  // Fills a burst with up to kBurst of them from `first` on: undecided, but those that go back.
  void fill(Burst& burst, std::size_t first, const Context& context) const noexcept;

 private:
  std::array<rte_mbuf*, kMost> frames_;
  std::array<std::uint32_t, kMost> flow_hash_;
  std::array<Way, kMost> way_;
  std::size_t size_{0};
};

}  // namespace rackway::node
