// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/cluster.hh"

#include <rte_mbuf.h>

#include <algorithm>
#include <array>

#include "base/startup_error.hh"
#include "tests/bench/cluster/content.hh"
#include "tests/bench/cluster/frame.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::bench {
namespace {

using simulator::DropCause;

NodeId node_id(std::size_t index) {
  return NodeId{static_cast<std::uint16_t>(index)};
}

std::size_t most_places(const std::vector<std::unique_ptr<RealNode>>& nodes) {
  std::size_t most = 0;
  for (const auto& node : nodes) most = std::max(most, 1 + node->links());
  return most;
}

// Takes all frames out of a ring, a burst at a time.
template <class Visit>
void empty(rte_ring* ring, Visit visit) {
  std::array<rte_mbuf*, node::kBurst> frames;
  while (const unsigned count = rte_ring_sc_dequeue_burst(
             ring, reinterpret_cast<void**>(frames.data()), frames.size(), nullptr)) {
    for (unsigned i = 0; i < count; ++i) visit(frames[i]);
  }
}

}  // namespace

ClusterInOneProcess::ClusterInOneProcess(const simulator::Scenario& scenario,
                                         traffic::Picoseconds step, rte_mempool& pool,
                                         bool everything_local)
    : scenario_(scenario),
      step_(step),
      end_(scenario.warm_up + scenario.measured),
      pool_(pool),
      everything_local_(everything_local),
      generator_(scenario.matrix, simulator::rates_of(scenario.nodes), scenario.mix, scenario.sizes,
                 scenario.seed),
      fabric_(
          scenario, build_nodes(), [this](std::uint32_t cable) { lose(cable); },
          [this](NodeId revived) { revive(revived); }),
      rings_(nodes_.size(), most_places(nodes_)),
      under_way_(2 * scenario.links.size()),
      relayed_(most_places(nodes_)) {
  const auto prepared = fib_.prepare_snapshot(cluster_content(nodes_.size(), everything_local));
  if (!prepared) throw StartupError(prepared.error().message, "", "mend the bench");
  fib_.commit();
}

ClusterInOneProcess::~ClusterInOneProcess() {
  for (auto& cable : under_way_) {
    for (const auto& [frame, at] : cable) rte_pktmbuf_free(frame);
  }
}

std::vector<vlb::Steering*> ClusterInOneProcess::build_nodes() {
  std::vector<topo::LinkEnds> links;
  for (const auto& link : scenario_.links) links.push_back(link.ends);
  std::vector<vlb::Steering*> steering;
  for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
    topo::FabricTable table(node_id(i), scenario_.nodes.size(), links);
    std::vector<double> link_rates;
    for (const auto& link : table.local_links()) {
      link_rates.push_back(scenario_.links[link.number].line.rate);
    }
    nodes_.push_back(std::make_unique<RealNode>(
        node_id(i), scenario_.steering(std::move(table), node_id(i)), link_rates, pool_));
    steering.push_back(&nodes_.back()->steering());
    const double rate = std::max(1.0, scenario_.nodes[i].external_rate);
    ends_.push_back({simulator::Line({rate, 0, scenario_.external_buffer}), {}, false});
  }
  return steering;
}

ClusterReport ClusterInOneProcess::run() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) next_birth(node_id(i));
  bool measuring = false, finished = false;
  while (!finished || on_cables_ > 0) {
    now_ += step_;
    if (!measuring && now_ >= scenario_.warm_up) begin_measuring();
    measuring = now_ >= scenario_.warm_up;
    fabric_.advance(now_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (fabric_.works(node_id(i))) step_node(node_id(i));
    }
    if (!finished && now_ >= end_) finish();
    finished = now_ >= end_;
  }
  count_no_path(1);
  for (const auto& each : nodes_) report_.fabric.moved_early += each->steering().moved_early();
  return std::move(report_);
}

void ClusterInOneProcess::step_node(NodeId at) {
  rings_.seat(at.value);
  bring_births(at);
  bring_arrivals(at);
  nodes_[at.value]->step(*fib_.active(), rings_, relayed_, simulator::microseconds(now_),
                         report_.cycles);
  carry_away(at);
}

void ClusterInOneProcess::next_birth(NodeId at) {
  auto& end = ends_[at.value];
  end.sends = generator_.at(at).sends();
  if (end.sends) end.next = generator_.at(at).next();
}

void ClusterInOneProcess::revive(NodeId at) {
  generator_.at(at).skip_to(now_);
  next_birth(at);
}

bool ClusterInOneProcess::is_bystander(const traffic::Packet& packet) const {
  return !fabric_.has_faults(packet.ingress) && !fabric_.has_faults(packet.egress);
}

void ClusterInOneProcess::bring_births(NodeId at) {
  auto& end = ends_[at.value];
  for (; end.sends && end.next.born <= now_ && end.next.born < end_; next_birth(at)) {
    rte_mbuf* frame = rte_pktmbuf_alloc(&pool_);
    if (frame == nullptr) throw StartupError("no buffer left", "", "give the bench more");
    write_frame(end.next, *frame);
    if (is_measured(end.next)) {
      report_.fabric.meter.sent(end.next);
      if (is_bystander(end.next)) report_.fabric.bystanders_sent.add(end.next.octets);
    }
    if (rte_ring_sp_enqueue(rings_.to_node(at.value, 0), frame) != 0) {
      drop(frame, DropCause::node_busy);
    }
  }
}

void ClusterInOneProcess::bring_arrivals(NodeId at) {
  const auto leaving = fabric_.leaving(at);
  for (std::size_t link = 0; link < leaving.size(); ++link) {
    auto& frames = under_way_[leaving[link] ^ 1];  // the other direction
    relayed_[link] = 0;
    for (; !frames.empty() && frames.front().at <= now_; frames.pop_front(), --on_cables_) {
      rte_mbuf* frame = frames.front().frame;
      const bool goes_on = is_relayed(*frame, at);
      if (rte_ring_sp_enqueue(rings_.to_node(at.value, 1 + link), frame) != 0) {
        drop(frame, DropCause::node_busy);
      } else {
        relayed_[link] += goes_on ? 1 : 0;
      }
    }
  }
}

void ClusterInOneProcess::carry_away(NodeId at) {
  empty(rings_.from_node(at.value, 0), [&](rte_mbuf* frame) { deliver(at, frame); });
  const auto leaving = fabric_.leaving(at);
  for (std::size_t link = 0; link < leaving.size(); ++link) {
    empty(rings_.from_node(at.value, 1 + link),
          [&](rte_mbuf* frame) { put_on_cable(leaving[link], frame); });
  }
}

void ClusterInOneProcess::put_on_cable(std::uint32_t number, rte_mbuf* frame) {
  auto& cable = fabric_.cable(number);
  for (auto* moves : moves_) {
    const auto packet = read_frame(*frame);
    const auto* octets = rte_pktmbuf_mtod(frame, const std::uint8_t*);
    if (packet.ingress == cable.from) moves->see(packet, vlb::target_of(octets), number, now_);
  }
  if (!cable.works) return drop(frame, DropCause::link_down);
  const auto there = cable.line.send(frame->pkt_len + kCheckSequence, now_);
  if (!there) return drop(frame, DropCause::link_full);
  under_way_[number].push_back({frame, *there});
  ++on_cables_;
}

void ClusterInOneProcess::deliver(NodeId at, rte_mbuf* frame) {
  const auto packet = read_frame(*frame);
  const NodeId egress = everything_local_ ? packet.egress : at;
  if (!is_delivered_well(*frame, packet, egress)) {
    throw StartupError("a frame left the cluster where it does not belong",
                       "node " + std::to_string(at.value), "mend the router");
  }
  const auto left = ends_[at.value].ports.send(packet.octets, now_);
  if (!left) return drop(frame, DropCause::port_full);
  if (is_measured(packet)) {
    report_.fabric.meter.arrived(packet, *left);
    if (is_bystander(packet)) report_.fabric.bystanders_arrived.add(packet.octets);
  }
  rte_pktmbuf_free(frame);
}

void ClusterInOneProcess::lose(std::uint32_t cable) {
  auto& frames = under_way_[cable];
  on_cables_ -= frames.size();
  for (const auto& [frame, at] : frames) drop(frame, DropCause::link_down);
  frames.clear();
}

void ClusterInOneProcess::drop(rte_mbuf* frame, DropCause cause) {
  const auto packet = read_frame(*frame);
  auto& report = report_.fabric;
  if (is_measured(packet)) {
    ++report.dropped[static_cast<std::size_t>(cause)];
    if (is_bystander(packet)) {
      report.last_bystander_loss = std::max(report.last_bystander_loss, packet.born);
    }
  }
  rte_pktmbuf_free(frame);
}

// --- measuring ----------------------------------------------------------------------------------

// By the nodes' own counters: of the time between two calls with opposite signs.
void ClusterInOneProcess::count_straight(int sign) {
  const auto with_sign = static_cast<std::uint64_t>(sign);
  for (const auto& each : nodes_) {
    for (std::size_t link = 0; link < each->links(); ++link) {
      const auto counters = each->places().link(link).counters.read();
      report_.fabric.straight += with_sign * counters.direct;
      report_.fabric.entered += with_sign * (counters.direct + counters.via_relay);
    }
  }
}

// What the nodes drop themselves, whenever it was born.
void ClusterInOneProcess::count_no_path(int sign) {
  auto& dropped = report_.fabric.dropped[static_cast<std::size_t>(DropCause::no_path)];
  for (const auto& each : nodes_) {
    for (const auto& place : each->places().outputs) {
      const auto counters = place->counters.read();
      dropped += static_cast<std::uint64_t>(sign) * counters.dropped_total();
    }
  }
}

void ClusterInOneProcess::begin_measuring() {
  for (auto& cable : fabric_.cables()) cable.line.count_anew();
  for (auto& end : ends_) end.ports.count_anew();
  report_.cycles = {};
  count_straight(-1);
  count_no_path(-1);
}

void ClusterInOneProcess::finish() {
  count_straight(1);
  for (const auto& cable : fabric_.cables()) {
    report_.fabric.links.push_back(
        simulator::report_of(cable.from, cable.to, cable.line, scenario_.measured));
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    report_.fabric.ports.push_back(
        simulator::report_of(node_id(i), node_id(i), ends_[i].ports, scenario_.measured));
  }
}

}  // namespace rackway::bench
