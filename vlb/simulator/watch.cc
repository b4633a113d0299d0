// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/watch.hh"

#include <limits>

namespace rackway::simulator {
namespace {

vlb::Load load_of(Picoseconds asked, Picoseconds time) {
  constexpr double kMost = std::numeric_limits<vlb::Load>::max();
  const double load =
      static_cast<double>(asked) / static_cast<double>(time) * static_cast<double>(vlb::kFullLoad);
  return static_cast<vlb::Load>(std::min(load + 0.5, kMost));
}

std::uint16_t delay_of(Picoseconds time) {
  constexpr Picoseconds kMost = std::numeric_limits<std::uint16_t>::max();
  return static_cast<std::uint16_t>(std::min(time / traffic::kMicrosecond, kMost));
}

}  // namespace

void Watch::measure(std::size_t link, Line& line, Picoseconds now, Picoseconds since) {
  if (now > since) links_[link].load = load_of(line.take_asked(), now - since);
  links_[link].delay = delay_of(line.delay() + line.waiting(now));
}

bool Watch::judge(std::size_t link, bool alive) {
  const bool is_new = links_[link].alive != alive;
  links_[link].alive = alive;
  return is_new;
}

void Watch::say(std::vector<vlb::LinkView>& said) const {
  const auto& table = steering_->table();
  said.assign(table.nodes(), {});
  for (std::uint16_t to = 0; to < table.nodes(); ++to) {
    for (const auto link : table.links_to(NodeId{to})) {
      const auto& own = links_[link];
      if (own.alive && (!said[to].alive || own.load < said[to].load)) said[to] = own;
    }
  }
}

void Watch::show(std::span<std::vector<vlb::LinkView>> said, Picoseconds now,
                 vlb::FabricView& view) const {
  const auto links = steering_->table().local_links();
  view.links = links_;
  view.peers.resize(links_.size());
  for (std::size_t link = 0; link < links_.size(); ++link) {
    view.peers[link].ready = links_[link].alive;
    auto& to = view.peers[link].to;
    auto& words = said[links[link].peer.value];
    to.clear();
    if (!links_[link].alive) {
      to.resize(said.size());
    } else if (!words.empty()) {
      to.swap(words);
    } else {
      to = view.peers[lent_to(link)].to;
    }
  }
  steering_->see(view, microseconds(now));
  for (std::size_t link = 0; link < links_.size(); ++link) {
    auto& words = said[links[link].peer.value];
    if (links_[link].alive && words.empty()) words.swap(view.peers[link].to);
  }
}

// The first live link to the node at the far end of that one.
std::size_t Watch::lent_to(std::size_t link) const {
  const auto links = steering_->table().local_links();
  std::size_t first = 0;
  while (!links_[first].alive || links[first].peer != links[link].peer) ++first;
  return first;
}

}  // namespace rackway::simulator
