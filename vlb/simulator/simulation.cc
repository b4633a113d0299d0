// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/simulation.hh"

#include <algorithm>
#include <limits>

namespace rackway::simulator {
namespace {

constexpr std::uint32_t kCheckSequence = 4;  // octets

NodeId node_id(std::size_t index) {
  return NodeId{static_cast<std::uint16_t>(index)};
}

std::vector<topo::LinkEnds> ends_of(const std::vector<LinkModel>& links) {
  std::vector<topo::LinkEnds> ends;
  for (const auto& link : links) ends.push_back(link.ends);
  return ends;
}

traffic::Packet packet_of(const Frame& frame) {
  return {frame.born, frame.flow, frame.sequence, 0, frame.octets, frame.ingress, frame.egress};
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      end_(scenario.warm_up + scenario.measured),
      births_(scenario),
      fabric_(
          scenario, build_nodes(), [this](std::uint32_t cable) { lose(cable); },
          [this](NodeId revived) { revive(revived); }),
      under_way_(2 * scenario.links.size()) {}

std::vector<vlb::Steering*> Simulation::build_nodes() {
  const auto ends = ends_of(scenario_.links);
  const topo::FabricGraph graph(scenario_.nodes.size(), ends);
  const auto diameter = graph.diameter(topo::kMaxHopBudget);
  std::vector<vlb::Steering*> steering;
  for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
    const auto& model = scenario_.nodes[i];
    const LineModel port{std::max(1.0, model.external_rate), 0, scenario_.external_buffer};
    topo::FabricTable table(node_id(i), graph, ends, diameter);
    nodes_.push_back(std::make_unique<Node>(scenario_.steering(std::move(table), node_id(i)), model,
                                            scenario_.receive_queue, port));
    steering.push_back(&nodes_.back()->steering);
  }
  return steering;
}

void Simulation::schedule(Picoseconds at, Kind kind, std::uint32_t number) {
  events_.push({at, event_key(static_cast<std::uint32_t>(kind), number)});
}

void Simulation::schedule_birth(NodeId at) {
  const auto packet = births_.next(at);
  if (!packet || packet->born >= end_) return;
  node(at).next = *packet;
  schedule(packet->born, Kind::birth, at.value);
}

Report Simulation::run(const std::function<void(double)>& progress) {
  Picoseconds next_progress = progress ? 0 : std::numeric_limits<Picoseconds>::max();
  for (std::size_t i = 0; i < nodes_.size(); ++i) schedule_birth(node_id(i));
  schedule(scenario_.warm_up, Kind::measuring, 0);
  schedule(end_, Kind::measuring, 1);
  while (!events_.empty()) {
    fabric_.advance(events_.next());
    const Event event = events_.pop();
    now_ = event.at;
    if (now_ >= next_progress) {
      progress(std::min(1.0, static_cast<double>(now_) / static_cast<double>(end_)));
      next_progress = now_ + end_ / 100;
    }
    ++report_.events;
    take(event);
  }
  for (const auto& each : nodes_) report_.moved_early += each->steering.moved_early();
  return std::move(report_);
}

void Simulation::take(const Event& event) {
  const std::uint32_t number = number_of(event);
  switch (static_cast<Kind>(kind_of(event))) {
    case Kind::birth: return born(node_id(number));
    case Kind::frame: return arrive(number);
    case Kind::measuring: return number == 0 ? begin_measuring() : finish();
  }
}

// --- packets ------------------------------------------------------------------------------------

void Simulation::born(NodeId at) {
  // The source of a node that died goes on when it is back, with another packet.
  if (!fabric_.works(at) || node(at).next.born != now_) return;
  const traffic::Packet packet = node(at).next;
  schedule_birth(at);
  enter(packet);
}

void Simulation::revive(NodeId revived) {
  births_.skip_to(revived, fabric_.now());
  schedule_birth(revived);
}

// Of a node with many links not all each time: a packet would cost as much as there are links. A
// link that a packet is put on is told at once, so that what is told is old only in that the queue
// may have got shorter since.
void Simulation::tell_backlogs(NodeId at) {
  const auto links = static_cast<std::uint16_t>(fabric_.leaving(at).size());
  const auto count = std::min(links, kToldAtOnce);
  for (std::uint16_t i = 0; i < count; ++i) {
    auto& next = node(at).next_told;
    if (next >= links) next = 0;
    tell_backlog(at, next++);
  }
}

void Simulation::tell_backlog(NodeId at, std::uint16_t link) {
  constexpr Picoseconds kMost = 10 * traffic::kMillisecond;
  const auto waits = fabric_.cable(fabric_.leaving(at, link)).line.waiting(now_);
  node(at).steering.set_backlog(
      link, static_cast<vlb::Backlog>(std::min(waits, kMost) / traffic::kMicrosecond));
}

bool Simulation::is_bystander(const Frame& frame) const {
  return !fabric_.has_faults(frame.ingress) && !fabric_.has_faults(frame.egress);
}

void Simulation::enter(const traffic::Packet& packet) {
  Node& ingress = node(packet.ingress);
  Frame frame{
      packet.born,    packet.flow,   packet.sequence, packet.octets,
      packet.ingress, packet.egress, packet.egress,   ingress.steering.table().hop_budget()};
  if (is_measured(packet.born)) {
    report_.meter.sent(packet);
    if (is_bystander(frame)) report_.bystanders_sent.add(packet.octets);
  }
  const auto done = ingress.cores.serve(packet.flow_hash, scenario_.costs.ingress, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  if (packet.egress == packet.ingress) return leave(packet.egress, frame);
  const auto hash = scenario_.flow_hash ? scenario_.flow_hash(packet) : packet.flow_hash;
  tell_backlogs(packet.ingress);
  vlb::Path path;
  ingress.steering.choose({&packet.egress, 1}, {&hash, 1}, microseconds(now_), {&path, 1});
  // As node::Resolve does it, of a burst of one; a frame in a node has no check sequence.
  ingress.steering.tally(packet.egress, packet.octets - kCheckSequence);
  if (path.link == vlb::kNoLink) return drop(frame, DropCause::no_path);
  note_way(packet, path);
  frame.target = path.target;
  put(packet.ingress, path.link, frame, *done);
  tell_backlog(packet.ingress, path.link);
}

void Simulation::note_way(const traffic::Packet& packet, const vlb::Path& path) {
  if (packet.flow >= ways_.size()) ways_.resize(packet.flow + packet.flow / 2 + 64);
  Way& way = ways_[packet.flow];
  const bool changes =
      way.link != vlb::kNoLink && (way.link != path.link || way.target != path.target);
  if (is_measured(packet.born)) {
    const bool was_live = changes && fabric_.watch(packet.ingress).alive(way.link);
    ++report_.entered;
    report_.straight += 1 - path.relayed;
    report_.path_changes += changes ? 1 : 0;
    report_.path_changes_while_live += was_live ? 1 : 0;
  }
  way = {path.target, path.link};
}

void Simulation::put(NodeId from, std::uint16_t link, const Frame& frame, Picoseconds at) {
  const std::uint32_t number = fabric_.leaving(from, link);
  Cable& cable = fabric_.cable(number);
  if (!cable.works) return drop(frame, DropCause::link_down);
  const auto there = cable.line.send(frame.octets, at);
  if (!there) return drop(frame, DropCause::link_full);
  FrameQueue& frames = under_way_[number];
  if (frames.empty()) schedule(*there, Kind::frame, number);
  pool_.push(frames, frame, *there);
}

// An event of a cable whose frames were lost meanwhile finds none of its time.
void Simulation::arrive(std::uint32_t number) {
  FrameQueue& frames = under_way_[number];
  if (frames.empty() || pool_.first_at(frames) != now_) return;
  const Frame frame = pool_.pop(frames);
  if (!frames.empty()) schedule(pool_.first_at(frames), Kind::frame, number);
  const NodeId at = fabric_.cable(number).to;
  frame.egress == at ? leave(at, frame) : relay(at, frame);
}

void Simulation::lose(std::uint32_t cable) {
  FrameQueue& frames = under_way_[cable];
  while (!frames.empty()) drop(pool_.pop(frames), DropCause::link_down);
}

void Simulation::relay(NodeId at, Frame frame) {
  const auto done = node(at).cores.serve(frame.flow, scenario_.costs.relay, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  if (frame.hop_budget == 0) return drop(frame, DropCause::hops_spent);
  --frame.hop_budget;
  // As node::Relay does it.
  if (frame.target == at) frame.target = frame.egress;
  auto link = node(at).steering.onward(frame.target);
  if (link == vlb::kNoLink) {
    const auto detour = node(at).steering.detour(frame.target, frame.ingress);
    if (detour.link == vlb::kNoLink) return drop(frame, DropCause::no_path);
    frame.target = detour.peer;
    link = detour.link;
  }
  put(at, link, frame, *done);
}

void Simulation::leave(NodeId at, const Frame& frame) {
  const auto done = node(at).cores.serve(frame.flow, scenario_.costs.egress, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  const auto left = node(at).ports.send(frame.octets, *done);
  if (!left) return drop(frame, DropCause::port_full);
  if (!is_measured(frame.born)) return;
  // Frames for one port leave in the order in which they get here.
  report_.meter.arrived(packet_of(frame), *left);
  if (is_bystander(frame)) report_.bystanders_arrived.add(frame.octets);
}

void Simulation::drop(const Frame& frame, DropCause cause) {
  if (!is_measured(frame.born)) return;
  ++report_.dropped[static_cast<std::size_t>(cause)];
  if (!is_bystander(frame)) return;
  report_.last_bystander_loss = std::max(report_.last_bystander_loss, frame.born);
}

// --- measuring ----------------------------------------------------------------------------------

void Simulation::begin_measuring() {
  for (auto& cable : fabric_.cables()) cable.line.count_anew();
  for (auto& each : nodes_) {
    each->ports.count_anew();
    each->cores.count_anew();
  }
}

// Frames that are still under way are waited for, but no link's load is counted in that time.
void Simulation::finish() {
  for (const auto& cable : fabric_.cables()) {
    report_.links.push_back(report_of(cable.from, cable.to, cable.line, scenario_.measured));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& each = *nodes_[i];
    report_.ports.push_back(report_of(node_id(i), node_id(i), each.ports, scenario_.measured));
    report_.core_use.push_back(
        static_cast<double>(each.cores.used()) /
        static_cast<double>(scenario_.measured * static_cast<Picoseconds>(each.cores.count())));
  }
}

}  // namespace rackway::simulator
