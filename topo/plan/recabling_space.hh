// SPDX-License-Identifier: Apache-2.0
// The states between two clusters and the moves from one to the next, for recabling.cc only. From
// mesh to mesh a link is in use from when it is connected. In any other fabric a new link would
// draw traffic onto itself, as every shortest way does, so that cables may also be laid without
// being in use; when all are there, the new cluster document takes them into use at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topo/plan/recabling.hh"

namespace rackway::plan {

class RecablingSpace {
 public:
  struct State {
    std::vector<bool> connected, used;  // of all links that either cluster has
    std::vector<bool> is_new;           // whose external ports are as they will be
    auto operator<=>(const State&) const = default;
  };
  struct Move {
    RecablingStep::What what;
    std::uint32_t number;  // of the link or the node
  };

  RecablingSpace(const NamedCluster& from, const NamedCluster& to, unsigned spare_ports);

  [[nodiscard]] const State& before() const { return before_; }
  [[nodiscard]] const State& after() const { return after_; }
  // What may be done next, what helps most first.
  [[nodiscard]] std::vector<Move> moves(const State& state) const;
  void make(State& state, const Move& move) const;
  // Whether it can change what is guaranteed.
  [[nodiscard]] bool matters(const State& state, const Move& move) const;
  // Of what is in use.
  [[nodiscard]] FabricModel model(const State& state, double link_gbps) const;
  [[nodiscard]] RecablingStep step(const Move& move, double fraction) const;
  // With so many at each node the whole new cluster can be laid beside the old one.
  [[nodiscard]] unsigned spare_ports_for_both() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  void number_nodes(const NamedCluster& from, const NamedCluster& to);
  void number_links(const NamedCluster& from, const NamedCluster& to);
  [[nodiscard]] Pair pair_of(const std::pair<std::string, std::string>& link) const;
  [[nodiscard]] State state_of(const NamedCluster& cluster, bool is_new) const;
  [[nodiscard]] std::vector<unsigned> degrees(const std::vector<bool>& links) const;
  [[nodiscard]] double rate(const State& state, std::size_t node) const;
  [[nodiscard]] bool has_changed_over(const State& state) const;
  [[nodiscard]] std::vector<Move> mesh_moves(const State& state) const;
  [[nodiscard]] std::vector<Move> laying_moves(const State& state) const;
  void add_cables(std::vector<Move>& moves, const State& state, RecablingStep::What what) const;
  void add_removals(std::vector<Move>& moves, const State& state) const;
  void add_ports(std::vector<Move>& moves, const State& state, RecablingStep::What what) const;

  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<double> old_rates_, new_rates_;
  std::map<Pair, std::uint32_t> places_;  // of links
  std::vector<Pair> links_;
  std::vector<unsigned> most_links_;
  State before_, after_;
  bool one_hop_{false};
};

}  // namespace rackway::plan
