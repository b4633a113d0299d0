// SPDX-License-Identifier: Apache-2.0
// Hellos of any content, one after the other, to a node of a mesh of four: the first two octets of
// each say how long it is, the next how much time passes before it and over which link it comes.
// Besides what the sanitizers see, a fault is a hello that is believed and not within its bounds, a
// link that is alive although no hello said that this node is heard, and a hello of the node's own
// that can not be read.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "vlb/liveness.hh"

namespace {

using namespace rackway;
using namespace rackway::vlb;

constexpr std::uint16_t kNodes = 4;
constexpr std::uint64_t kBootId = 0x4242424242424242;

void require(bool truth) {
  if (!truth) std::abort();
}

std::vector<topo::LinkEnds> mesh() {
  std::vector<topo::LinkEnds> links;
  for (std::uint16_t a = 0; a < kNodes; ++a) {
    for (std::uint16_t b = a; ++b < kNodes;) links.push_back({NodeId{a}, NodeId{b}});
  }
  return links;
}

void check(const HeardHello& heard) {
  const auto& hello = heard.hello;
  require(heard.nodes >= 2 && heard.nodes <= kMaxNodes && hello.boot_id != 0);
  require(hello.sender != hello.receiver && hello.sender.value < heard.nodes &&
          hello.receiver.value < heard.nodes);
  std::vector<LinkView> ways(kMaxNodes);
  heard.ways.update(ways);
  for (std::size_t node = heard.nodes; node < kMaxNodes; ++node) require(!ways[node].alive);
  std::array<std::uint8_t, kMaxHelloBytes> octets;
  const std::size_t size = write_hello(hello, {ways.data(), heard.nodes}, octets);
  const auto again = read_hello({octets.data(), size});
  require(again.has_value() && again->hello == hello && again->nodes == heard.nodes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const topo::FabricTable table(NodeId{0}, kNodes, mesh());
  Liveness node(table, NodeId{0}, kBootId, {});
  std::array<bool, kNodes - 1> heard_by{};
  Time now = 0xffff0000;
  for (std::size_t i = 0; i < heard_by.size(); ++i) node.set_carrier(i, true, now);
  std::array<std::uint8_t, kMaxHelloBytes> own;
  for (std::span<const std::uint8_t> rest(data, size); rest.size() >= 3;) {
    const std::size_t length = std::min<std::size_t>(rest[0] << 8 | rest[1], rest.size() - 3);
    const std::size_t link = rest[2] % heard_by.size();
    now += Time{rest[2]} * 256;
    // A buffer of its own, so that every octet beyond it is out of bounds.
    const std::vector<std::uint8_t> frame(rest.begin() + 3, rest.begin() + 3 + length);
    rest = rest.subspan(3 + length);
    if (const auto heard = read_hello(frame)) {
      check(*heard);
      const auto verdict = node.hear(link, *heard, now);
      if (verdict == HelloVerdict::believed) heard_by[link] |= heard->hello.hears == kBootId;
    }
    node.advance(now);
    for (std::size_t i = 0; i < heard_by.size(); ++i) {
      require(!node.view().links[i].alive || heard_by[i]);
      if (!node.hello_due(i, now)) continue;
      const std::size_t octets = node.write(i, now, own);
      node.sent(i, now);
      require(read_hello({own.data(), octets}).has_value());
    }
    while (node.take_event()) {
    }
  }
  return 0;
}
