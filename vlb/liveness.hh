// SPDX-License-Identifier: Apache-2.0
// What a node believes of the fabric around it: from the hellos of its neighbours, the carrier of
// its links, and the passing of time it makes the FabricView that steering goes by, the hellos that
// it sends itself, and events for people. One LinkLiveness a link; on top of them, which nodes can
// be reached.
//
// A node beyond a neighbour counts as reachable for others only over links that start a shortest
// path to it, to a neighbour who says that it reaches it: such claims only ever come from nearer to
// the target, so that nodes can not keep each other believing in one that is gone.
//
// Time comes from outside and is monotonic mod 2^32. A node that finds itself not to have run for
// longer than its own interval takes nobody's silence in that time for a fault. No allocation after
// the constructor, but for another table. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topo/fabric_table.hh"
#include "vlb/fabric_view.hh"
#include "vlb/hello.hh"
#include "vlb/link_liveness.hh"
#include "vlb/liveness_event.hh"

namespace rackway::vlb {

// Why a hello was not believed. The octets are read_hello()'s to judge.
enum class HelloVerdict : std::uint8_t {
  believed,
  not_for_us,      // to another node, or from one that is not at this link's far end
  other_document,  // its sender counts other nodes than we do
  stale,           // older than one that came before
};

class Liveness {
 public:
  // boot_id: not 0, another one each time that the node starts.
  Liveness(const topo::FabricTable& table, NodeId self, std::uint64_t boot_id, HelloTiming timing);

  // Other shortest paths, over the same links.
  void set_table(const topo::FabricTable& table, Time now);
  // What the node says of itself from now on.
  void set_ready(bool ready) noexcept;
  void set_draining(bool draining) noexcept;
  // Of what leaves by the link.
  void set_load(std::size_t link, Load load) noexcept;
  void set_carrier(std::size_t link, bool up, Time now) noexcept;

  HelloVerdict hear(std::size_t link, const HeardHello& heard, Time now) noexcept;
  // To be called after hear() for all that has come in, and at least every half interval.
  void advance(Time now) noexcept;

  // A link that has a carrier is to send a hello: it is time, or there is news.
  [[nodiscard]] bool hello_due(std::size_t link, Time now) const noexcept;
  // Microseconds until the next hello is due, 0 if one is, kIdle if there is no carrier anywhere.
  [[nodiscard]] Time until_next_hello(Time now) const noexcept;
  // The octets of the hello that is to leave by the link now; returns how many. Then sent(), once
  // it has left: one that did not leave stays due.
  [[nodiscard]] std::size_t write(std::size_t link, Time now,
                                  std::span<std::uint8_t, kMaxHelloBytes> frame) noexcept;
  void sent(std::size_t link, Time now) noexcept;

  [[nodiscard]] const FabricView& view() const noexcept { return view_; }
  // Grows with every change of who is alive, ready or draining in the view; loads and delays are
  // another matter, see view().
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] const LinkLiveness& link(std::size_t link) const noexcept { return links_[link]; }
  // A frame can get there, straight or over one relay; of self: always.
  [[nodiscard]] bool reachable(NodeId node) const noexcept { return nodes_up_[node.value] != 0; }
  // The own ways that hellos tell, by NodeId.
  [[nodiscard]] std::span<const LinkView> ways() const noexcept { return ways_; }

  // The oldest event not yet taken.
  [[nodiscard]] std::optional<LivenessEvent> take_event() noexcept;
  // Events that were forgotten because nobody took them.
  [[nodiscard]] std::uint64_t lost_events() const noexcept { return lost_events_; }

  static constexpr Time kIdle = 0x7fffffff;
  static constexpr std::size_t kEvents = 256;

 private:
  struct Sending {
    bool carrier{false};
    bool news{false};     // something has changed since the last hello
    bool started{false};  // sent_at is valid
    Time sent_at{};
    std::uint32_t sequence{};
  };
  using Kinds = std::uint8_t;  // a bit each
  static_assert(kLivenessEventKinds <= 8);

  void notice_sleep(Time now) noexcept;
  void follow(std::size_t link, LinkState before, Time now) noexcept;
  void report(std::size_t link, Time now) noexcept;
  void changed(Time now) noexcept;
  void refresh_ways() noexcept;
  [[nodiscard]] LinkView way_over(std::size_t link, NodeId target) const noexcept;
  [[nodiscard]] LinkView way_to(NodeId target) const noexcept;
  void find_nodes(Time now) noexcept;
  void forget_peer(std::size_t link) noexcept;
  void note(LivenessEventKind kind, Time now, std::size_t link, NodeId node) noexcept;
  [[nodiscard]] Time until_hello(std::size_t link, Time now) const noexcept;

  topo::FabricTable table_;
  NodeId self_;
  std::uint64_t boot_id_;
  HelloTiming timing_;
  bool ready_ = false, draining_ = false;
  std::vector<LinkLiveness> links_;
  std::vector<Sending> sending_;
  std::vector<Kinds> reported_;  // by link: what people have been told since it was last up
  FabricView view_;
  std::uint64_t version_ = 0;
  std::vector<LinkView> ways_;
  std::vector<std::uint8_t> nodes_up_;
  bool ran_ = false;
  Time ran_at_ = 0;  // if ran_
  std::array<LivenessEvent, kEvents> events_;
  std::size_t first_event_ = 0, event_count_ = 0;
  std::uint64_t lost_events_ = 0;
};

}  // namespace rackway::vlb
