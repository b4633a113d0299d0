// SPDX-License-Identifier: Apache-2.0
#include "vlb/liveness.hh"

#include <algorithm>
#include <limits>

namespace rackway::vlb {
namespace {

// News do not wait for the interval, but this share of it, so that they never are a storm.
constexpr Time kNewsShare = 8;

// An eighth less than the interval at most, so that the nodes' hellos do not fall into step (RFC
// 5880 6.8.7).
constexpr Time jittered(Time interval, std::size_t link, std::uint32_t sequence) {
  const auto mixed = static_cast<std::uint32_t>((link * 0x9e3779b1u) ^ (sequence * 0x85ebca6bu));
  return interval - static_cast<Time>(std::uint64_t{interval / 8} * (mixed >> 16) >> 16);
}

constexpr std::uint16_t sum(std::uint16_t a, std::uint16_t b) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(std::uint32_t{a} + b, std::numeric_limits<std::uint16_t>::max()));
}

std::optional<LivenessEventKind> event_of(LinkState state) {
  switch (state) {
    case LinkState::up: return LivenessEventKind::link_up;
    case LinkState::down: return LivenessEventKind::link_down;
    case LinkState::one_way: return LivenessEventKind::link_one_way;
    case LinkState::flapping: return LivenessEventKind::link_flapping;
    case LinkState::opening:
    case LinkState::never_heard: break;
  }
  return std::nullopt;
}

}  // namespace

Liveness::Liveness(const topo::FabricTable& table, NodeId self, std::uint64_t boot_id,
                   HelloTiming timing)
    : table_(table),
      self_(self),
      boot_id_(boot_id),
      timing_(timing),
      links_(table.local_links().size(), LinkLiveness(timing, boot_id)),
      sending_(links_.size()),
      reported_(links_.size(), 0),
      ways_(table.nodes()),
      nodes_up_(table.nodes(), 0) {
  view_.links.resize(links_.size());
  view_.peers.resize(links_.size());
  for (auto& peer : view_.peers) peer.to.resize(table.nodes());
  nodes_up_[self.value] = 1;
}

void Liveness::set_table(const topo::FabricTable& table, Time now) {
  table_ = table;
  changed(now);
}

void Liveness::set_ready(bool ready) noexcept {
  if (ready_ == ready) return;
  ready_ = ready;
  for (auto& sending : sending_) sending.news = true;
}

void Liveness::set_draining(bool draining) noexcept {
  if (draining_ == draining) return;
  draining_ = draining;
  for (auto& sending : sending_) sending.news = true;
}

void Liveness::set_load(std::size_t link, Load load) noexcept {
  view_.links[link].load = load;
}

void Liveness::set_carrier(std::size_t link, bool up, Time now) noexcept {
  if (sending_[link].carrier == up) return;
  sending_[link].carrier = up;
  sending_[link].news = up;
  const LinkState before = links_[link].state();
  links_[link].carrier(up, now);
  follow(link, before, now);
}

HelloVerdict Liveness::hear(std::size_t link, const HeardHello& heard, Time now) noexcept {
  const Hello& hello = heard.hello;
  if (hello.receiver != self_ || hello.sender != table_.local_links()[link].peer) {
    return HelloVerdict::not_for_us;
  }
  if (heard.nodes != table_.nodes()) return HelloVerdict::other_document;
  notice_sleep(now);
  LinkLiveness& liveness = links_[link];
  const LinkState before = liveness.state();
  const bool heard_before = liveness.hears();
  const auto how = liveness.hear(hello, now);
  if (how == LinkLiveness::Heard::stale) return HelloVerdict::stale;
  const bool restarted = how == LinkLiveness::Heard::restarted;
  if (restarted) note(LivenessEventKind::node_restarted, now, link, hello.sender);
  if (restarted || !heard_before) sending_[link].news = true;

  PeerView& peer = view_.peers[link];
  bool news = peer.ready != hello.ready || peer.draining != hello.draining;
  peer.ready = hello.ready;
  peer.draining = hello.draining;
  news |= heard.ways.update(peer.to);
  view_.links[link].delay = liveness.one_way_delay();
  follow(link, before, now);
  if (news && liveness.up()) changed(now);
  return HelloVerdict::believed;
}

void Liveness::notice_sleep(Time now) noexcept {
  const Time pause = now - ran_at_;
  if (ran_ && pause > timing_.interval) {
    for (auto& link : links_) link.slept(pause, now);
  }
  ran_ = true;
  ran_at_ = now;
}

void Liveness::advance(Time now) noexcept {
  notice_sleep(now);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkState before = links_[i].state();
    const bool heard_before = links_[i].hears();
    links_[i].advance(now);
    // The far end is to know at once that we do not hear it, if it still hears us.
    if (heard_before && !links_[i].hears()) {
      forget_peer(i);
      sending_[i].news = true;
    }
    follow(i, before, now);
  }
}

void Liveness::forget_peer(std::size_t link) noexcept {
  PeerView& peer = view_.peers[link];
  peer.ready = peer.draining = false;
  std::fill(peer.to.begin(), peer.to.end(), LinkView{});
  view_.links[link].delay = 0;
}

// What a change of a link's state means for the node.
void Liveness::follow(std::size_t link, LinkState before, Time now) noexcept {
  const LinkState state = links_[link].state();
  if (state == before) return;
  if (!links_[link].hears()) forget_peer(link);
  sending_[link].news = true;
  report(link, now);
  if (links_[link].up() == view_.links[link].alive) return;
  view_.links[link].alive = links_[link].up();
  changed(now);
}

// A link that does not work may go to and fro between silence and one way: each is said once.
void Liveness::report(std::size_t link, Time now) noexcept {
  const auto kind = event_of(links_[link].state());
  if (!kind) return;
  const auto one = static_cast<Kinds>(1u << static_cast<unsigned>(*kind));
  if (links_[link].up()) reported_[link] = 0;
  if ((reported_[link] & one) != 0) return;
  reported_[link] = static_cast<Kinds>(reported_[link] | one);
  note(*kind, now, link, table_.local_links()[link].peer);
}

// Who is alive, ready or draining in the view.
void Liveness::changed(Time now) noexcept {
  ++version_;
  find_nodes(now);
  bool news = false;
  for (std::uint16_t node = 0; node < ways_.size(); ++node) {
    const bool before = ways_[node].alive;
    ways_[node] = way_to(NodeId{node});
    news |= before != ways_[node].alive;
  }
  if (!news) return;
  for (auto& sending : sending_) sending.news = true;
}

// As an egress node, hence only if it is ready.
LinkView Liveness::way_over(std::size_t link, NodeId target) const noexcept {
  const LinkView& own = view_.links[link];
  const PeerView& peer = view_.peers[link];
  if (!own.alive) return {};
  if (table_.local_links()[link].peer == target) {
    return peer.ready ? own : LinkView{};
  }
  const LinkView& beyond = peer.to[target.value];
  if (!beyond.alive) return {};
  return {.alive = true,
          .load = std::max(own.load, beyond.load),
          .delay = sum(own.delay, beyond.delay)};
}

// The least loaded of the shortest ones that are alive.
LinkView Liveness::way_to(NodeId target) const noexcept {
  LinkView best;
  for (const auto link : table_.links_to(target)) {
    const LinkView way = way_over(link, target);
    if (way.alive && (!best.alive || way.load < best.load)) best = way;
  }
  return best;
}

void Liveness::refresh_ways() noexcept {
  for (std::uint16_t node = 0; node < ways_.size(); ++node) {
    if (ways_[node].alive) ways_[node] = way_to(NodeId{node});
  }
}

void Liveness::find_nodes(Time now) noexcept {
  for (std::uint16_t node = 0; node < nodes_up_.size(); ++node) {
    if (NodeId{node} == self_) continue;
    bool up = false;
    for (std::size_t i = 0; i < links_.size() && !up; ++i) {
      up = view_.links[i].alive &&
           (table_.local_links()[i].peer.value == node || view_.peers[i].to[node].alive);
    }
    if (up == (nodes_up_[node] != 0)) continue;
    nodes_up_[node] = up ? 1 : 0;
    note(up ? LivenessEventKind::node_up : LivenessEventKind::node_down, now, 0, NodeId{node});
  }
}

void Liveness::note(LivenessEventKind kind, Time now, std::size_t link, NodeId node) noexcept {
  if (event_count_ == kEvents) {
    first_event_ = (first_event_ + 1) % kEvents;
    --event_count_;
    ++lost_events_;
  }
  events_[(first_event_ + event_count_++) % kEvents] = {
      .kind = kind, .link = static_cast<std::uint16_t>(link), .node = node, .at = now};
}

std::optional<LivenessEvent> Liveness::take_event() noexcept {
  if (event_count_ == 0) return std::nullopt;
  const LivenessEvent event = events_[first_event_];
  first_event_ = (first_event_ + 1) % kEvents;
  --event_count_;
  return event;
}

Time Liveness::until_hello(std::size_t link, Time now) const noexcept {
  const Sending& sending = sending_[link];
  if (!sending.carrier) return kIdle;
  if (!sending.started) return 0;
  const Time wait = sending.news ? timing_.interval / kNewsShare
                                 : jittered(timing_.interval, link, sending.sequence);
  const Time since = now - sending.sent_at;
  return since >= wait ? 0 : wait - since;
}

bool Liveness::hello_due(std::size_t link, Time now) const noexcept {
  return until_hello(link, now) == 0;
}

Time Liveness::until_next_hello(Time now) const noexcept {
  Time next = kIdle;
  for (std::size_t i = 0; i < links_.size(); ++i) next = std::min(next, until_hello(i, now));
  return next;
}

std::size_t Liveness::write(std::size_t link, Time now,
                            std::span<std::uint8_t, kMaxHelloBytes> frame) noexcept {
  Hello hello{.sender = self_,
              .receiver = table_.local_links()[link].peer,
              .boot_id = boot_id_,
              .sequence = sending_[link].sequence + 1,
              .timing = timing_,
              .ready = ready_,
              .draining = draining_,
              .stamp = now};
  links_[link].describe(hello, now);
  refresh_ways();
  return write_hello(hello, ways_, frame);
}

void Liveness::sent(std::size_t link, Time now) noexcept {
  Sending& sending = sending_[link];
  sending.started = true;
  sending.news = false;
  sending.sent_at = now;
  ++sending.sequence;
}

}  // namespace rackway::vlb
