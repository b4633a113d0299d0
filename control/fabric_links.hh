// SPDX-License-Identifier: Apache-2.0
// Which fabric links are down, by what the nodes at their ends report, and who has to be told. In a
// mesh nobody has: each node sees for itself all that matters there. In any other graph a node's
// shortest paths depend on links that it does not see.
//
// A link is down while one of its ends says so. A node that is silent says nothing: its links are
// as their other ends see them, and stay as they were if those are silent too. What comes together,
// as the end of all links of a node that died, is told together. One thread; time is given from
// outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "cluster/messages.hh"

namespace rackway::control {

class FabricLinks {
 public:
  using Clock = std::chrono::steady_clock;
  using Send = std::function<bool(NodeId, const cluster::LinksDown&)>;

  FabricLinks(std::size_t nodes, const std::vector<topo::LinkEnds>& links, Send send,
              Clock::time_point now);

  // It has been welcomed: what it believes is not known.
  void joined(NodeId node);
  void heard(NodeId node, const std::vector<cluster::LinkStatus>& links, Clock::time_point now);
  void silent(NodeId node, Clock::time_point now);
  // Tells those who are to be told, when it is time.
  void tick(Clock::time_point now);

  // Some node at the far end of its links hears its hellos: it lives, whether we hear it or not.
  [[nodiscard]] bool is_heard_by_peers(NodeId node) const;

  // By number of link.
  [[nodiscard]] const std::vector<bool>& down() const { return down_; }

  // From a change to when it is told.
  static constexpr std::chrono::milliseconds kGather{50};
  // From the start on: until then not all nodes may have reported.
  static constexpr std::chrono::milliseconds kFirst{2000};

 private:
  enum class Word : std::uint8_t { none, up, down };
  struct End {
    NodeId node;
    Word word{Word::none};
    bool hears{false};  // hellos of the other end, as far as we know
  };
  struct Link {
    End a, b;
  };

  // Null: the link is not one of the node's.
  [[nodiscard]] End* end_at(NodeId node, std::size_t link);
  // The node's word of its end of a link, and what follows.
  void take(NodeId node, std::size_t link, Word word, Clock::time_point now);
  [[nodiscard]] cluster::LinksDown message() const;

  std::vector<Link> links_;
  std::vector<std::vector<std::uint32_t>> links_of_;  // by node
  bool nobody_asks_;                                  // it is a mesh
  Send send_;
  std::vector<bool> down_;
  std::vector<bool> to_tell_;  // by node
  Clock::time_point tell_at_;  // not before
};

}  // namespace rackway::control
