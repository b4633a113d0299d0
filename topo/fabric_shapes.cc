// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_shapes.hh"

namespace rackway::topo {
namespace {

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  for (; exponent > 0; --exponent) result *= base;
  return result;
}

LinkEnds link(std::size_t a, std::size_t b) {
  return {NodeId{static_cast<std::uint16_t>(a)}, NodeId{static_cast<std::uint16_t>(b)}};
}

}  // namespace

FabricShape full_mesh(std::size_t nodes) {
  FabricShape shape{.nodes = nodes, .edge_nodes = nodes};
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = a + 1; b < nodes; ++b) shape.links.push_back(link(a, b));
  }
  return shape;
}

FabricShape butterfly(std::size_t k, std::size_t n) {
  const std::size_t edges = power(k, n), width = power(k, n - 1);
  FabricShape shape{.nodes = edges + n * width, .edge_nodes = edges};
  const auto relay = [&](std::size_t stage, std::size_t i) { return edges + stage * width + i; };
  for (std::size_t edge = 0; edge < edges; ++edge) {
    shape.links.push_back(link(edge, relay(0, edge / k)));
  }
  for (std::size_t stage = 0; stage + 1 < n; ++stage) {
    const std::size_t weight = power(k, n - 2 - stage);
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t without_digit = i - i / weight % k * weight;
      for (std::size_t digit = 0; digit < k; ++digit) {
        const auto next = relay(stage + 1, without_digit + digit * weight);
        shape.links.push_back(link(relay(stage, i), next));
      }
    }
  }
  for (std::size_t edge = 0; n > 1 && edge < edges; ++edge) {
    shape.links.push_back(link(edge, relay(n - 1, edge / k)));
  }
  return shape;
}

}  // namespace rackway::topo
