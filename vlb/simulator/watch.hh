// SPDX-License-Identifier: Apache-2.0
// What a simulated node knows of its own links: their loads and delays at once, and that one died
// only after the time that liveness needs. What it makes of it is a FabricView for its steering, to
// which the others' words are added. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vlb/fabric_view.hh"
#include "vlb/simulator/line.hh"
#include "vlb/steering.hh"

namespace rackway::simulator {

class Watch {
 public:
  explicit Watch(vlb::Steering& steering)
      : steering_(&steering), links_(steering.table().local_links().size()) {}

  // What a link was asked to carry since the last time, and how long a frame takes now.
  void measure(std::size_t link, Line& line, Picoseconds now, Picoseconds since);
  // Liveness has decided. True if that is new.
  bool judge(std::size_t link, bool alive);
  // What this node says in its hello frames: its own way to each node.
  void say(std::vector<vlb::LinkView>& said) const;
  // Steering deals anew. said: by node, what it said last; lent to the view meanwhile, since in a
  // mesh that is all of a million words. view: to be filled.
  void show(std::span<std::vector<vlb::LinkView>> said, Picoseconds now,
            vlb::FabricView& view) const;

  [[nodiscard]] bool alive(std::size_t link) const { return links_[link].alive; }

 private:
  [[nodiscard]] std::size_t lent_to(std::size_t link) const;

  vlb::Steering* steering_;
  std::vector<vlb::LinkView> links_;
};

// Of steering and nodes' clocks.
[[nodiscard]] inline vlb::Time microseconds(Picoseconds time) {
  return static_cast<vlb::Time>(time / traffic::kMicrosecond);
}

}  // namespace rackway::simulator
