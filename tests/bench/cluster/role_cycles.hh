// SPDX-License-Identifier: Apache-2.0
// What packets cost in each role, in cycles of the time stamp counter. Frames to relay and frames
// that leave come in mixed by the same link; their costs are told apart by least squares over all
// rounds. A round that was interrupted is left out. One thread.
#pragma once

#include <cstdint>

namespace rackway::bench {

class RoleCycles {
 public:
  // A place was polled in one round.
  void add_ingress(std::uint64_t cycles, unsigned frames);
  void add_link(std::uint64_t cycles, unsigned relayed, unsigned leaving);

  // Per packet; 0 if there was none.
  [[nodiscard]] double ingress() const;
  [[nodiscard]] double relay() const;
  [[nodiscard]] double egress() const;
  // Of all roles together, for each packet that came in.
  [[nodiscard]] double whole_way() const;

 private:
  static bool was_interrupted(std::uint64_t cycles, unsigned frames) {
    return cycles > 20'000 + std::uint64_t{600} * frames;
  }

  double ingress_cycles_{0}, ingress_frames_{0};
  double link_cycles_{0}, relayed_{0}, leaving_{0};
  // Sums of products of relayed, leaving and cycles.
  double rr_{0}, re_{0}, ee_{0}, rc_{0}, ec_{0};
};

}  // namespace rackway::bench
