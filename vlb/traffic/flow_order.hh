// SPDX-License-Identifier: Apache-2.0
// The order in which packets of flows arrive, by RFC 4737: a packet is reordered when its number is
// below the next expected one, which is one more than the largest seen (section 3.3); the extent of
// its reordering is how many packets of its flow ago the first with a larger number arrived
// (4.2.1).
//
// That first one has always left a gap in the numbers into which the late one falls, so that only
// gaps are remembered: the last kGaps of each flow that has any. A packet whose gap is forgotten
// has an extent at least as large as any remembered, and that is what is counted. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace rackway::traffic {

class FlowOrder {
 public:
  static constexpr std::uint32_t kGaps = 16;

  // The first number that is expected of the flow; 0 unless said.
  void expect(std::uint32_t flow, std::uint32_t sequence) { at(flow).next_expected = sequence; }
  // The packet's extent; 0 for one in order. Numbers must not come twice.
  std::uint32_t arrived(std::uint32_t flow, std::uint32_t sequence);

 private:
  static constexpr std::uint32_t kNone = 0;
  struct Flow {
    std::uint32_t next_expected{0}, received{0}, gaps{kNone};
  };
  struct Gap {
    std::uint32_t first, end;  // numbers not seen when it opened: first <= number < end
    std::uint32_t at;          // how many packets of the flow had arrived before
  };
  struct Gaps {
    std::array<Gap, kGaps> gap;
    std::uint32_t opened{0};
  };

  Flow& at(std::uint32_t flow) {
    if (flow >= flows_.size()) flows_.resize(flow + flow / 2 + 64);
    return flows_[flow];
  }
  void open_gap(Flow& flow, std::uint32_t end);
  [[nodiscard]] std::uint32_t extent(const Flow& flow, std::uint32_t sequence) const;

  std::vector<Flow> flows_;
  std::vector<Gaps> gaps_ = std::vector<Gaps>(1);  // kNone is nobody's
};

}  // namespace rackway::traffic
