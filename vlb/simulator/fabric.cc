// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/fabric.hh"

namespace rackway::simulator {
namespace {

// Event i of n that are spread over an interval.
Picoseconds spread(Picoseconds interval, std::size_t i, std::size_t n) {
  return interval * static_cast<Picoseconds>(i + 1) / static_cast<Picoseconds>(n);
}

}  // namespace

Fabric::Fabric(const Scenario& scenario, std::vector<vlb::Steering*> steering,
               std::function<void(std::uint32_t)> lose, std::function<void(NodeId)> revived)
    : scenario_(scenario),
      lose_(std::move(lose)),
      revived_(std::move(revived)),
      said_(steering.size()) {
  lay_cables(steering);
  const auto count = nodes_.size();
  for (std::uint32_t i = 0; i < count; ++i) say_hello(i);
  for (std::uint32_t i = 0; i < count; ++i) {
    show(nodes_[i]);
    schedule(spread(scenario_.hello.interval, i, count), Kind::hello, i);
    schedule(spread(scenario_.look, i, count), Kind::look, i);
  }
  for (std::uint32_t i = 0; i < scenario_.faults.size(); ++i) {
    const auto& fault = scenario_.faults[i];
    schedule(fault.at, Kind::fault, i);
    if (fault.of == Fault::Of::node) nodes_[fault.number].has_faults = true;
  }
}

void Fabric::lay_cables(std::span<vlb::Steering* const> steering) {
  for (const auto& link : scenario_.links) {
    cables_.push_back({Line(link.line), link.ends.a, link.ends.b, 0});
    cables_.push_back({Line(link.line), link.ends.b, link.ends.a, 0});
  }
  for (std::uint16_t i = 0; i < steering.size(); ++i) {
    nodes_.push_back({Watch(*steering[i]), {}});
    const auto links = steering[i]->table().local_links();
    for (std::uint32_t local = 0; local < links.size(); ++local) {
      const bool is_a = scenario_.links[links[local].number].ends.a == NodeId{i};
      const std::uint32_t out = 2 * links[local].number + (is_a ? 0 : 1);
      nodes_[i].cables.push_back(out);
      cables_[out ^ 1].back_link = local;
      nodes_[i].watch.judge(local, true);
    }
  }
}

void Fabric::schedule(Picoseconds at, Kind kind, std::uint32_t number) {
  events_.push({at, event_key(static_cast<std::uint32_t>(kind), number)});
}

void Fabric::advance(Picoseconds now) {
  while (events_.next() <= now) {
    const Event event = events_.pop();
    now_ = event.at;
    take(static_cast<Kind>(kind_of(event)), number_of(event));
  }
}

void Fabric::take(Kind kind, std::uint32_t number) {
  switch (kind) {
    case Kind::fault: return change(scenario_.faults[number]);
    case Kind::judgement: return judge(number);
    case Kind::hello:
      say_hello(number);
      return schedule(now_ + scenario_.hello.interval, kind, number);
    case Kind::look:
      look(number);
      if (is_looked_at_again()) schedule(now_ + scenario_.look, kind, number);
      return;
  }
}

void Fabric::change(const Fault& fault) {
  switch (fault.of) {
    case Fault::Of::node: return change_node(fault.number, fault.works);
    case Fault::Of::a_to_b: return set_works(2 * fault.number, fault.works);
    case Fault::Of::b_to_a: return set_works(2 * fault.number + 1, fault.works);
    case Fault::Of::link:
      set_works(2 * fault.number, fault.works);
      return set_works(2 * fault.number + 1, fault.works);
  }
}

void Fabric::change_node(std::uint32_t number, bool works) {
  Node& node = nodes_[number];
  if (node.works == works) return;
  node.works = works;
  for (const auto cable : node.cables) {
    set_works(cable, cables_[cable].link_works);
    set_works(cable ^ 1, cables_[cable ^ 1].link_works);
  }
  if (works) revived_(NodeId{static_cast<std::uint16_t>(number)});
}

void Fabric::set_works(std::uint32_t number, bool link_works) {
  Cable& cable = cables_[number];
  cable.link_works = link_works;
  const bool works = link_works && nodes_[cable.from.value].works && nodes_[cable.to.value].works;
  if (cable.works == works) return;
  cable.works = works;
  cable.changed = now_;
  cable.line.clear(now_);
  lose_(number);
  schedule(now_ + notice_after(works), Kind::judgement, number / 2);
}

// The far end notices by what is missing, or by two hellos that come; this end hears of it then.
Picoseconds Fabric::notice_after(bool works) const {
  return scenario_.hello.interval * (works ? 2 : scenario_.hello.multiplier);
}

bool Fabric::is_noticed(const Cable& cable) const {
  return cable.changed == 0 || now_ - cable.changed >= notice_after(cable.works);
}

// A link is dead when one direction was for long enough to be noticed, and alive when both were.
void Fabric::judge(std::uint32_t link) {
  const Cable &there = cables_[2 * link], &back = cables_[2 * link + 1];
  const bool alive = there.works && back.works;
  const bool is_sure =
      alive ? is_noticed(there) && is_noticed(back)
            : (!there.works && is_noticed(there)) || (!back.works && is_noticed(back));
  if (!is_sure) return;
  for (const Cable* cable : {&there, &back}) {
    Node& far = nodes_[cable->to.value];
    if (far.watch.judge(cable->back_link, alive)) show(far);
  }
}

// Who does not hear it knows that before long, and then does not ask what it said.
void Fabric::say_hello(std::uint32_t from) {
  if (nodes_[from].works) nodes_[from].watch.say(said_[from]);
}

// When nothing enters any more and nothing fails, it does not matter what steering would do.
bool Fabric::is_looked_at_again() const {
  return !scenario_.faults.empty() || now_ < scenario_.warm_up + scenario_.measured;
}

void Fabric::look(std::uint32_t at) {
  Node& node = nodes_[at];
  for (std::size_t link = 0; link < node.cables.size(); ++link) {
    node.watch.measure(link, cables_[node.cables[link]].line, now_, node.looked);
  }
  node.looked = now_;
  if (node.works) show(node);
}

}  // namespace rackway::simulator
