// SPDX-License-Identifier: Apache-2.0
// What a simulated node knows of the fabric: of its own links at once, of those of its neighbours
// what they said last, and of a link that died only after the time that liveness needs. Gives it
// to the node's steering. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "vlb/fabric_view.hh"
#include "vlb/simulator/line.hh"
#include "vlb/steering.hh"

namespace rackway::simulator {

class Watch {
 public:
  Watch(vlb::Steering& steering, std::size_t nodes);

  // Own links: what they were asked to carry since the last time, and how long a frame takes now.
  void measure(std::size_t link, Line& line, Picoseconds now, Picoseconds since);
  // Liveness has decided. True if that is new.
  bool judge(std::size_t link, bool alive);
  // What this node says in its hello frames: its own way to each node.
  void say(std::vector<vlb::LinkView>& said) const;
  void hear(std::size_t link, const std::vector<vlb::LinkView>& said);
  // Steering deals anew.
  void show(Picoseconds now);

  [[nodiscard]] bool alive(std::size_t link) const { return view_.links[link].alive; }
  [[nodiscard]] const vlb::FabricView& view() const { return view_; }

 private:
  vlb::Steering& steering_;
  vlb::FabricView view_;
};

// Of steering and nodes' clocks.
[[nodiscard]] inline vlb::Time microseconds(Picoseconds time) {
  return static_cast<vlb::Time>(time / traffic::kMicrosecond);
}

}  // namespace rackway::simulator
