// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/simulation.hh"

#include <algorithm>

namespace rackway::simulator {
namespace {

constexpr unsigned kNumberBits = 29;
constexpr std::uint8_t kHopBudget = 15;

NodeId node_id(std::size_t index) {
  return NodeId{static_cast<std::uint16_t>(index)};
}

std::vector<topo::LinkEnds> ends_of(const std::vector<LinkModel>& links) {
  std::vector<topo::LinkEnds> ends;
  for (const auto& link : links) ends.push_back(link.ends);
  return ends;
}

// Event i of n that are spread over an interval.
Picoseconds spread(Picoseconds interval, std::size_t i, std::size_t n) {
  return interval * static_cast<Picoseconds>(i + 1) / static_cast<Picoseconds>(n);
}

traffic::Packet packet_of(const Frame& frame) {
  return {frame.born, frame.flow, frame.sequence, 0, frame.octets, frame.ingress, frame.egress};
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      end_(scenario.warm_up + scenario.measured),
      generator_(scenario.matrix, rates_of(scenario.nodes), scenario.mix, scenario.sizes,
                 scenario.seed) {
  build();
}

void Simulation::build() {
  const auto ends = ends_of(scenario_.links);
  for (const auto& link : scenario_.links) {
    cables_.push_back({Line(link.line), {}, link.ends.a, link.ends.b, 0});
    cables_.push_back({Line(link.line), {}, link.ends.b, link.ends.a, 0});
  }
  link_directions_work_.assign(cables_.size(), true);
  for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
    const auto& model = scenario_.nodes[i];
    const LineModel port{std::max(1.0, model.external_rate), 0, scenario_.external_buffer};
    topo::FabricTable table(node_id(i), scenario_.nodes.size(), ends);
    nodes_.push_back(std::make_unique<Node>(scenario_.steering(std::move(table), node_id(i)),
                                            scenario_.nodes.size(), model, scenario_.receive_queue,
                                            port));
    Node& node = *nodes_.back();
    const auto links = node.steering.table().local_links();
    for (std::uint32_t local = 0; local < links.size(); ++local) {
      const std::uint32_t out = 2 * links[local].number +
                                (scenario_.links[links[local].number].ends.a == node_id(i) ? 0 : 1);
      node.cables.push_back(out);
      cables_[out ^ 1].back_link = local;
      node.watch.judge(local, true);
    }
  }
  for (const auto& fault : scenario_.faults) {
    if (fault.of == Fault::Of::node) nodes_[fault.number]->has_faults = true;
  }
}

void Simulation::schedule(Picoseconds at, Kind kind, std::uint32_t number) {
  events_.push({at, static_cast<std::uint32_t>(kind) << kNumberBits | number});
}

Report Simulation::run() {
  const auto count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) say_hello(node_id(i));
  for (std::uint32_t i = 0; i < count; ++i) {
    nodes_[i]->watch.show(0);
    schedule(spread(scenario_.hello.interval, i, count), Kind::hello, i);
    schedule(spread(scenario_.look, i, count), Kind::look, i);
    traffic::Source& source = generator_.at(node_id(i));
    if (!source.sends()) continue;
    nodes_[i]->next = source.next();
    schedule(nodes_[i]->next.born, Kind::birth, i);
  }
  for (std::uint32_t i = 0; i < scenario_.faults.size(); ++i) {
    schedule(scenario_.faults[i].at, Kind::fault, i);
  }
  schedule(scenario_.warm_up, Kind::measuring, 0);
  schedule(end_, Kind::measuring, 1);
  while (!events_.empty()) {
    const Event event = events_.pop();
    now_ = event.at;
    if (now_ > end_ && pool_.used() == 0) break;
    ++report_.events;
    take(event);
  }
  for (const auto& node : nodes_) report_.moved_early += node->steering.moved_early();
  return std::move(report_);
}

void Simulation::take(const Event& event) {
  const std::uint32_t number = event.key & ((1u << kNumberBits) - 1);
  switch (static_cast<Kind>(event.key >> kNumberBits)) {
    case Kind::birth: return born(node_id(number));
    case Kind::frame: return arrive(number);
    case Kind::fault: return change(scenario_.faults[number]);
    case Kind::judgement: return judge(number);
    case Kind::hello:
      say_hello(node_id(number));
      return schedule(now_ + scenario_.hello.interval, Kind::hello, number);
    case Kind::look:
      look(node_id(number));
      return schedule(now_ + scenario_.look, Kind::look, number);
    case Kind::measuring: return number == 0 ? begin_measuring() : finish();
  }
}

// --- packets ------------------------------------------------------------------------------------

void Simulation::born(NodeId at) {
  Node& node = *nodes_[at.value];
  // Its source goes on when it is back, with another packet.
  if (!node.works || node.next.born != now_) return;
  const traffic::Packet packet = node.next;
  node.next = generator_.at(at).next();
  if (node.next.born < end_) schedule(node.next.born, Kind::birth, at.value);
  enter(packet);
}

bool Simulation::is_bystander(const Frame& frame) const {
  return !nodes_[frame.ingress.value]->has_faults && !nodes_[frame.egress.value]->has_faults;
}

void Simulation::enter(const traffic::Packet& packet) {
  Node& node = *nodes_[packet.ingress.value];
  Frame frame{packet.born,    packet.flow,   packet.sequence, packet.octets,
              packet.ingress, packet.egress, packet.egress,   kHopBudget};
  if (is_measured(packet.born)) {
    report_.meter.sent(packet);
    if (is_bystander(frame)) report_.bystanders_sent.add(packet.octets);
  }
  const auto done = node.cores.serve(packet.flow_hash, scenario_.costs.ingress, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  vlb::Path path;
  node.steering.choose({&packet.egress, 1}, {&packet.flow_hash, 1}, microseconds(now_), {&path, 1});
  if (path.link == vlb::kNoLink) return drop(frame, DropCause::no_path);
  note_way(node, packet, path);
  frame.target = path.target;
  put(node, path.link, frame, *done);
}

void Simulation::note_way(const Node& node, const traffic::Packet& packet, const vlb::Path& path) {
  if (packet.flow >= ways_.size()) ways_.resize(packet.flow + packet.flow / 2 + 64);
  Way& way = ways_[packet.flow];
  const bool changes =
      way.link != vlb::kNoLink && (way.link != path.link || way.target != path.target);
  if (is_measured(packet.born)) {
    ++report_.entered;
    report_.straight += 1 - path.relayed;
    report_.path_changes += changes ? 1 : 0;
    report_.path_changes_while_live += changes && node.watch.alive(way.link) ? 1 : 0;
  }
  way = {path.target, path.link};
}

void Simulation::put(Node& node, std::uint16_t link, const Frame& frame, Picoseconds at) {
  const std::uint32_t number = node.cables[link];
  Cable& cable = cables_[number];
  if (!cable.works) return drop(frame, DropCause::link_down);
  const auto there = cable.line.send(frame.octets, at);
  if (!there) return drop(frame, DropCause::link_full);
  if (cable.frames.empty()) schedule(*there, Kind::frame, number);
  pool_.push(cable.frames, frame, *there);
}

// An event of a cable whose frames were lost meanwhile finds none of its time.
void Simulation::arrive(std::uint32_t number) {
  Cable& cable = cables_[number];
  if (cable.frames.empty() || pool_.first_at(cable.frames) != now_) return;
  const Frame frame = pool_.pop(cable.frames);
  if (!cable.frames.empty()) schedule(pool_.first_at(cable.frames), Kind::frame, number);
  Node& node = *nodes_[cable.to.value];
  frame.egress == cable.to ? leave(node, frame) : relay(node, frame);
}

void Simulation::relay(Node& node, Frame frame) {
  const auto done = node.cores.serve(frame.flow, scenario_.costs.relay, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  if (frame.hop_budget == 0) return drop(frame, DropCause::hops_spent);
  --frame.hop_budget;
  if (nodes_[frame.target.value].get() == &node) frame.target = frame.egress;
  const auto link = node.steering.onward(frame.target);
  if (link == vlb::kNoLink) return drop(frame, DropCause::no_path);
  put(node, link, frame, *done);
}

void Simulation::leave(Node& node, const Frame& frame) {
  const auto done = node.cores.serve(frame.flow, scenario_.costs.egress, now_);
  if (!done) return drop(frame, DropCause::node_busy);
  const auto left = node.ports.send(frame.octets, *done);
  if (!left) return drop(frame, DropCause::port_full);
  if (!is_measured(frame.born)) return;
  // Frames for one port leave in the order in which they get here.
  report_.meter.arrived(packet_of(frame), *left);
  if (is_bystander(frame)) report_.bystanders_arrived.add(frame.octets);
}

void Simulation::drop(const Frame& frame, DropCause cause) {
  if (is_measured(frame.born)) ++report_.dropped[static_cast<std::size_t>(cause)];
}

// --- faults and what nodes know of them ---------------------------------------------------------

void Simulation::change(const Fault& fault) {
  switch (fault.of) {
    case Fault::Of::a_to_b: return set_works(2 * fault.number, fault.works);
    case Fault::Of::b_to_a: return set_works(2 * fault.number + 1, fault.works);
    case Fault::Of::link:
      set_works(2 * fault.number, fault.works);
      return set_works(2 * fault.number + 1, fault.works);
    case Fault::Of::node: break;
  }
  Node& node = *nodes_[fault.number];
  if (node.works == fault.works) return;
  node.works = fault.works;
  for (const auto cable : node.cables) {
    set_works(cable, link_directions_work_[cable]);
    set_works(cable ^ 1, link_directions_work_[cable ^ 1]);
  }
  traffic::Source& source = generator_.at(node_id(fault.number));
  if (!fault.works || !source.sends()) return;
  source.skip_to(now_);
  node.next = source.next();
  if (node.next.born < end_) schedule(node.next.born, Kind::birth, fault.number);
}

void Simulation::set_works(std::uint32_t number, bool link_works) {
  link_directions_work_[number] = link_works;
  Cable& cable = cables_[number];
  const bool works = link_works && nodes_[cable.from.value]->works && nodes_[cable.to.value]->works;
  if (cable.works == works) return;
  cable.works = works;
  cable.changed = now_;
  cable.line.clear(now_);
  while (!cable.frames.empty()) drop(pool_.pop(cable.frames), DropCause::link_down);
  schedule(now_ + notice_after(works), Kind::judgement, number / 2);
}

// The far end notices by what is missing, or by two hellos that come; this end hears of it then.
Picoseconds Simulation::notice_after(bool works) const {
  return scenario_.hello.interval * (works ? 2 : scenario_.hello.multiplier);
}

// A link is dead when one direction was for long enough to be noticed, and alive when both were.
void Simulation::judge(std::uint32_t link) {
  const Cable &there = cables_[2 * link], &back = cables_[2 * link + 1];
  const auto is_noticed = [this](const Cable& cable) {
    return now_ - cable.changed >= notice_after(cable.works) || cable.changed == 0;
  };
  const bool alive = there.works && back.works;
  const bool is_sure =
      alive ? is_noticed(there) && is_noticed(back)
            : (!there.works && is_noticed(there)) || (!back.works && is_noticed(back));
  if (!is_sure) return;
  for (const Cable* cable : {&there, &back}) {
    Node& far = *nodes_[cable->to.value];
    if (far.watch.judge(cable->back_link, alive)) far.watch.show(now_);
  }
}

void Simulation::say_hello(NodeId from) {
  Node& node = *nodes_[from.value];
  if (!node.works) return;
  node.watch.say(said_);
  for (const auto number : node.cables) {
    const Cable& cable = cables_[number];
    if (cable.works) nodes_[cable.to.value]->watch.hear(cable.back_link, said_);
  }
}

void Simulation::look(NodeId at) {
  Node& node = *nodes_[at.value];
  for (std::size_t link = 0; link < node.cables.size(); ++link) {
    node.watch.measure(link, cables_[node.cables[link]].line, now_, node.looked);
  }
  node.looked = now_;
  if (node.works) node.watch.show(now_);
}

// --- measuring ----------------------------------------------------------------------------------

void Simulation::begin_measuring() {
  for (auto& cable : cables_) cable.line.count_anew();
  for (auto& node : nodes_) {
    node->ports.count_anew();
    node->cores.count_anew();
  }
}

// Frames that are still under way are waited for, but no link's load is counted in that time.
void Simulation::finish() {
  const auto time = static_cast<double>(scenario_.measured);
  const auto report = [time](NodeId from, NodeId to, const Line& line) {
    return LineReport{from,
                      to,
                      static_cast<double>(line.carried()) / time,
                      line.mean_wait() / line.ps_per_octet(),
                      static_cast<double>(line.longest_wait()) / line.ps_per_octet(),
                      line.dropped()};
  };
  for (const auto& cable : cables_) {
    report_.links.push_back(report(cable.from, cable.to, cable.line));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = *nodes_[i];
    report_.ports.push_back(report(node_id(i), node_id(i), node.ports));
    report_.core_use.push_back(static_cast<double>(node.cores.used()) /
                               (time * static_cast<double>(node.cores.count())));
  }
}

}  // namespace rackway::simulator
