// SPDX-License-Identifier: Apache-2.0
// A full mesh of nodes that steer, with traffic as a fluid: rates for each pair, spread as the
// places say. What does not fit into a link is lost there. Loads are known late, as in life: own
// links by a meter that averages, those of others by a hello every 10 ms.
#pragma once

#include <algorithm>
#include <vector>

#include "vlb/link_load.hh"
#include "vlb/steering.hh"

namespace rackway::vlb {

class FluidFabric {
 public:
  using Matrix = std::vector<std::vector<double>>;  // [ingress][egress], bits/s

  // rates: of external ports. Links are of the rates that VLB needs, 2ab/R.
  FluidFabric(std::vector<double> rates, topo::SteeringMode mode)
      : rates_(std::move(rates)), nodes_(rates_.size()) {
    double all = 0;
    for (const double rate : rates_) all += rate;
    std::vector<topo::LinkEnds> mesh;
    for (std::uint16_t a = 0; a < nodes_; ++a) {
      for (std::uint16_t b = a + 1u; b < nodes_; ++b) mesh.push_back({NodeId{a}, NodeId{b}});
    }
    capacity_ = offered_ = carried_ = Matrix(nodes_, std::vector<double>(nodes_, 0));
    sent_.assign(nodes_, std::vector<double>(nodes_, 0));
    up.assign(nodes_, std::vector<bool>(nodes_, true));
    meters_.resize(nodes_);
    for (std::uint16_t self = 0; self < nodes_; ++self) {
      const topo::FabricTable table(NodeId{self}, nodes_, mesh);
      SteeringSetup setup{.mode = mode,
                          .node_rates = rates_,
                          .own_rate = rates_[self],
                          .link_rates = {},
                          .gap = {}};
      for (const auto& link : table.local_links()) {
        const double rate = 2 * rates_[self] * rates_[link.peer.value] / all;
        capacity_[self][link.peer.value] = rate;
        setup.link_rates.push_back(rate);
        meters_[self].emplace_back(rate);
      }
      nodes.emplace_back(table, NodeId{self}, setup);
      views_.push_back(view_of_carriers(table, std::vector<bool>(nodes_ - 1, true)));
      for (auto& link : views_.back().links) link.delay = 10;
    }
  }

  // Milliseconds.
  void run(const Matrix& matrix, int time) {
    for (; time > 0; --time) step(matrix);
  }
  // Since the last call: share of what was sent that got out, share that went straight.
  struct Result {
    double goodput, straight, worst_goodput;  // worst: of a millisecond
  };
  Result measure(const Matrix& matrix, int time) {
    Result result{0, 0, 1};
    for (int i = 0; i < time; ++i) {
      step(matrix);
      result.goodput += goodput_ / time;
      result.straight += straight_ / time;
      result.worst_goodput = std::min(result.worst_goodput, goodput_);
    }
    return result;
  }

  std::vector<Steering> nodes;
  std::vector<std::vector<bool>> up;  // [from][to]

 private:
  static std::size_t link_of(std::size_t self, std::size_t peer) {
    return peer < self ? peer : peer - 1;
  }
  double fitting(std::size_t from, std::size_t to) const {
    if (!up[from][to]) return 0;
    return offered_[from][to] > capacity_[from][to] ? capacity_[from][to] / offered_[from][to] : 1;
  }

  void step(const Matrix& matrix) {
    now_ += 1000;
    look();
    Matrix offered(nodes_, std::vector<double>(nodes_, 0));
    double all = 0, out = 0, direct = 0;
    for (std::size_t in = 0; in < nodes_; ++in) {
      for (std::size_t egress = 0; egress < nodes_; ++egress) {
        const double rate = matrix[in][egress];
        if (rate <= 0) continue;
        all += rate;
        for (const auto& share : nodes[in].shares(NodeId{static_cast<std::uint16_t>(egress)})) {
          const double part = rate * share.places / kPlaces;
          const std::size_t target = share.path.target.value;
          offered[in][target] += part;
          const double there = part * fitting(in, target);
          if (share.path.relayed != 0) {
            offered[target][egress] += there;
            out += there * fitting(target, egress);
          } else {
            direct += part;
            out += there;
          }
        }
      }
    }
    offered_ = std::move(offered);
    goodput_ = out / all;
    straight_ = direct / all;
  }

  void look() {
    for (std::size_t self = 0; self < nodes_; ++self) {
      for (std::size_t peer = 0; peer < nodes_; ++peer) {
        if (peer == self) continue;
        const std::size_t link = link_of(self, peer);
        sent_[self][peer] += offered_[self][peer] / 8e3;  // a millisecond
        auto& own = views_[self].links[link];
        own.load = meters_[self][link].at(static_cast<std::uint64_t>(sent_[self][peer]), 0, now_);
        own.alive = up[self][peer] && up[peer][self];
      }
    }
    for (std::size_t self = 0; self < nodes_; ++self) {
      if ((now_ / 1000 + self * 3) % 10 == 0) say_hello(self);
      nodes[self].see(views_[self], now_);
    }
  }

  void say_hello(std::size_t self) {
    for (std::size_t peer = 0; peer < nodes_; ++peer) {
      if (peer == self) continue;
      auto& heard = views_[peer].peers[link_of(peer, self)].to;
      for (std::size_t to = 0; to < nodes_; ++to) {
        if (to != self) heard[to] = views_[self].links[link_of(self, to)];
      }
    }
  }

  std::vector<double> rates_;
  std::size_t nodes_;
  Matrix capacity_, offered_, carried_, sent_;
  std::vector<std::vector<LinkLoad>> meters_;
  std::vector<FabricView> views_;
  Time now_ = 1'000'000;
  double goodput_ = 1, straight_ = 1;
};

}  // namespace rackway::vlb
