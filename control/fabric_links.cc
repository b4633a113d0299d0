// SPDX-License-Identifier: Apache-2.0
#include "control/fabric_links.hh"

#include <algorithm>

#include "topo/fabric_graph.hh"

namespace rackway::control {
namespace {

// Before the first hellos have come a carrier is enough.
bool works(const cluster::LinkStatus& link) {
  switch (link.state) {
    case cluster::LinkState::one_way:
    case cluster::LinkState::down:
    case cluster::LinkState::flapping: return false;
    case cluster::LinkState::never_heard:
    case cluster::LinkState::opening:
    case cluster::LinkState::up: break;
  }
  return link.up;
}

}  // namespace

FabricLinks::FabricLinks(std::size_t nodes, const std::vector<topo::LinkEnds>& links, Send send,
                         Clock::time_point now)
    : links_of_(nodes),
      nobody_asks_(topo::is_full_mesh(nodes, links)),
      send_(std::move(send)),
      down_(links.size()),
      to_tell_(nodes),
      tell_at_(now + kFirst) {
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    links_.push_back({{links[i].a}, {links[i].b}});
    links_of_[links[i].a.value].push_back(i);
    links_of_[links[i].b.value].push_back(i);
  }
}

void FabricLinks::joined(NodeId node) {
  to_tell_[node.value] = true;
}

void FabricLinks::heard(NodeId node, const std::vector<cluster::LinkStatus>& links,
                        Clock::time_point now) {
  for (const auto& link : links) {
    auto* const end = link.number < links_.size() ? end_at(node, link.number) : nullptr;
    if (end == nullptr) continue;
    end->hears = link.up && link.state == cluster::LinkState::up;
    take(node, link.number, works(link) ? Word::up : Word::down, now);
  }
}

void FabricLinks::silent(NodeId node, Clock::time_point now) {
  for (const auto link : links_of_[node.value]) {
    end_at(node, link)->hears = false;
    take(node, link, Word::none, now);
  }
}

bool FabricLinks::is_heard_by_peers(NodeId node) const {
  return std::any_of(links_of_[node.value].begin(), links_of_[node.value].end(), [&](auto number) {
    const auto& link = links_[number];
    return (link.a.node == node ? link.b : link.a).hears;
  });
}

FabricLinks::End* FabricLinks::end_at(NodeId node, std::size_t number) {
  auto& link = links_[number];
  if (link.a.node == node) return &link.a;
  return link.b.node == node ? &link.b : nullptr;
}

void FabricLinks::take(NodeId node, std::size_t number, Word word, Clock::time_point now) {
  const auto& link = links_[number];
  end_at(node, number)->word = word;
  const auto a = link.a.word, b = link.b.word;
  if (a == Word::none && b == Word::none) return;
  const bool down = a == Word::down || b == Word::down;
  if (down == down_[number]) return;
  down_[number] = down;
  // The first change of several sets the time; all nodes are to know.
  if (std::find(to_tell_.begin(), to_tell_.end(), false) != to_tell_.end()) {
    tell_at_ = std::max(tell_at_, now + kGather);
  }
  to_tell_.assign(to_tell_.size(), true);
}

void FabricLinks::tick(Clock::time_point now) {
  if (nobody_asks_ || now < tell_at_) return;
  if (std::find(to_tell_.begin(), to_tell_.end(), true) == to_tell_.end()) return;
  const auto what = message();
  for (std::uint16_t node = 0; node < to_tell_.size(); ++node) {
    if (to_tell_[node] && send_(NodeId{node}, what)) to_tell_[node] = false;
  }
}

cluster::LinksDown FabricLinks::message() const {
  cluster::LinksDown message;
  for (std::uint32_t i = 0; i < down_.size(); ++i) {
    if (down_[i]) message.links.push_back(i);
  }
  return message;
}

}  // namespace rackway::control
