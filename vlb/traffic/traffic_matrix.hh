// SPDX-License-Identifier: Apache-2.0
// How much traffic enters at each node for each other node. Admissible (Zhang-Shen and McKeown,
// HotNets 2004): no node is asked to take in or to send out more than the rate of its external
// ports. The named matrices are made to the brim, that is, some node's rate is used up; scale them
// to the load wanted. Rates are bits/s on the cable. A node with rate 0 is a pure relay: nothing
// enters or leaves there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/id.hh"

namespace rackway::traffic {

struct Demand {
  NodeId egress;
  double rate;  // bits/s, > 0
};

class TrafficMatrix {
 public:
  explicit TrafficMatrix(std::size_t nodes) : rows_(nodes) {}

  // At most once for a pair; nothing for a rate of 0. Of a node to itself: from port to port there.
  void add(NodeId ingress, NodeId egress, double rate);

  [[nodiscard]] std::size_t nodes() const { return rows_.size(); }
  [[nodiscard]] std::span<const Demand> from(NodeId ingress) const { return rows_[ingress.value]; }
  [[nodiscard]] double entering(NodeId ingress) const;
  [[nodiscard]] std::vector<double> leaving() const;  // by egress node
  [[nodiscard]] double total() const;
  [[nodiscard]] TrafficMatrix scaled(double factor) const;
  // The largest share of a node's rate that is asked for, in either direction; more than 1 is not
  // admissible. Infinite if something is asked of a node without rate.
  [[nodiscard]] double load(std::span<const double> rates) const;

 private:
  std::vector<std::vector<Demand>> rows_;
};

enum class MatrixKind : std::uint8_t { uniform, permutation, hot_spot, worst_direct, gravity };
inline constexpr MatrixKind kMatrixKinds[] = {MatrixKind::uniform, MatrixKind::permutation,
                                              MatrixKind::hot_spot, MatrixKind::worst_direct,
                                              MatrixKind::gravity};

[[nodiscard]] std::string_view name_of(MatrixKind kind);
[[nodiscard]] std::optional<MatrixKind> matrix_kind(std::string_view name);

// At load 1. The seed is for the permutation only. Nothing where fewer than two nodes have a rate.
[[nodiscard]] TrafficMatrix make_matrix(MatrixKind kind, std::span<const double> rates,
                                        std::uint64_t seed);

// Every node sends the same to every other.
[[nodiscard]] TrafficMatrix uniform(std::span<const double> rates);
// Every node sends all it has to one other, and each is sent to by one; at random.
[[nodiscard]] TrafficMatrix permutation(std::span<const double> rates, std::uint64_t seed);
// All nodes share the rate of one.
[[nodiscard]] TrafficMatrix hot_spot(std::span<const double> rates, NodeId egress);
// What no link from node to node carries alone: nodes of like rate in pairs, each sending all to
// the other. Of an odd number the last three go in a ring.
[[nodiscard]] TrafficMatrix worst_direct(std::span<const double> rates);
// In proportion to the rates at both ends.
[[nodiscard]] TrafficMatrix gravity(std::span<const double> rates);
// Every node sends all to itself, between its own ports.
[[nodiscard]] TrafficMatrix within_nodes(std::span<const double> rates);

}  // namespace rackway::traffic
