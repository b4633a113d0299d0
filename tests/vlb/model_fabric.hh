// SPDX-License-Identifier: Apache-2.0
// Several nodes' Liveness joined by links that lose, delay and cut, each direction on its own,
// under virtual time: frames are the octets that really go out. Nodes can stop, go on and restart.
#pragma once

#include <array>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "vlb/liveness.hh"

namespace rackway::vlb::testing {

class ModelFabric {
 public:
  static constexpr Time kStep = 200;   // a node looks around so often
  static constexpr Time kDelay = 150;  // of a frame

  ModelFabric(std::size_t nodes, std::vector<topo::LinkEnds> links, HelloTiming timing = {},
              Time start = 0xfff00000)
      : links_(std::move(links)), timing_(timing), now_(start) {
    wires_.resize(links_.size() * 2);
    nodes_.resize(nodes);
    for (std::uint16_t i = 0; i < nodes; ++i) boot(i);
  }

  static std::vector<topo::LinkEnds> mesh(std::uint16_t nodes) {
    std::vector<topo::LinkEnds> links;
    for (std::uint16_t a = 0; a < nodes; ++a) {
      for (auto b = static_cast<std::uint16_t>(a + 1); b < nodes; ++b) {
        links.push_back({NodeId{a}, NodeId{b}});
      }
    }
    return links;
  }

  struct Wire {  // one direction
    bool cut{false};
    double loss{0};
  };
  // From the node `from` over the link of that number.
  Wire& wire(std::size_t link, std::size_t from) {
    return wires_[link * 2 + (links_[link].a.value == from ? 0 : 1)];
  }
  [[nodiscard]] const std::vector<topo::LinkEnds>& links() const { return links_; }
  [[nodiscard]] std::size_t between(std::uint16_t a, std::uint16_t b) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& ends = links_[i];
      if (ends == topo::LinkEnds{NodeId{a}, NodeId{b}}) return i;
      if (ends == topo::LinkEnds{NodeId{b}, NodeId{a}}) return i;
    }
    throw std::logic_error("no such link");
  }

  Liveness& node(std::size_t i) { return *nodes_[i].liveness; }
  [[nodiscard]] bool running(std::size_t i) const { return nodes_[i].running; }
  // Stopped: it neither sends nor takes anything in, as by SIGSTOP; frames to it wait.
  void stop(std::size_t i) { nodes_[i].running = false; }
  void resume(std::size_t i) { nodes_[i].running = true; }
  // A new run of the node, which has no FIB yet.
  void boot(std::size_t i) {
    Node& node = nodes_[i];
    const NodeId id{static_cast<std::uint16_t>(i)};
    const topo::FabricTable table(id, nodes_.size(), links_);
    node.table = std::make_unique<topo::FabricTable>(table);
    node.liveness = std::make_unique<Liveness>(table, id, ++boots_, timing_);
    node.running = true;
    node.inbox.clear();
    for (std::size_t l = 0; l < table.local_links().size(); ++l) {
      node.liveness->set_carrier(l, true, now_);
    }
  }
  std::size_t local_link(std::size_t i, std::size_t number) const {
    const auto local = nodes_[i].table->local_links();
    for (std::size_t l = 0; l < local.size(); ++l) {
      if (local[l].number == number) return l;
    }
    throw std::logic_error("not a link of that node");
  }
  [[nodiscard]] const topo::FabricTable& table(std::size_t i) const { return *nodes_[i].table; }

  void run(Time duration) {
    for (Time passed = 0; passed < duration; passed += kStep) step();
  }
  void step() {
    now_ += kStep;
    ++ticks_;
    while (!flying_.empty() && flying_.top().arrives <= ticks_) {
      nodes_[flying_.top().to].inbox.push_back(flying_.top());
      flying_.pop();
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].running) run_node(i);
    }
  }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t hellos_sent() const { return sent_; }
  std::mt19937_64 random{1};

 private:
  struct Frame {
    std::uint64_t arrives{};  // tick
    std::uint64_t number{};
    std::size_t to{}, link{};
    std::vector<std::uint8_t> octets;
    bool operator<(const Frame& other) const {
      return std::pair(arrives, number) > std::pair(other.arrives, other.number);
    }
  };
  struct Node {
    std::unique_ptr<topo::FabricTable> table;
    std::unique_ptr<Liveness> liveness;
    bool running{true};
    std::vector<Frame> inbox;
  };

  void run_node(std::size_t i) {
    Node& node = nodes_[i];
    for (const auto& frame : node.inbox) {
      const auto heard = read_hello(frame.octets);
      if (!heard) throw std::logic_error("a hello that can not be read");
      node.liveness->hear(local_link(i, frame.link), *heard, now_);
    }
    node.inbox.clear();
    node.liveness->advance(now_);
    const auto local = node.table->local_links();
    for (std::size_t l = 0; l < local.size(); ++l) {
      if (node.liveness->hello_due(l, now_)) send(i, l, local[l]);
    }
  }
  void send(std::size_t from, std::size_t local, const topo::LocalLink& link) {
    std::array<std::uint8_t, kMaxHelloBytes> octets;
    const auto size = nodes_[from].liveness->write(local, now_, octets);
    nodes_[from].liveness->sent(local, now_);
    ++sent_;
    const Wire& out = wire(link.number, from);
    if (out.cut || std::uniform_real_distribution<>()(random) < out.loss) return;
    flying_.push({.arrives = ticks_ + 1,
                  .number = sent_,
                  .to = link.peer.value,
                  .link = link.number,
                  .octets = {octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size)}});
  }

  std::vector<topo::LinkEnds> links_;
  HelloTiming timing_;
  Time now_;
  std::uint64_t ticks_ = 0, sent_ = 0, boots_ = 0;
  std::vector<Wire> wires_;
  std::vector<Node> nodes_;
  std::priority_queue<Frame> flying_;
};

}  // namespace rackway::vlb::testing
