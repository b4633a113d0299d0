// SPDX-License-Identifier: Apache-2.0
// What the node makes of a packet that it can not just forward, for packets of any content: the
// IPv6 header chain, whether an ICMP error may answer it, the error itself, and the fragments.
// The input is six octets of choices, then a frame without its Ethernet header. Whatever the header
// check would not have passed on is made good as far as it must be, or left out. The frame lies in
// heap buffers of exactly its size. A fault is what a sanitizer sees, a buffer lost, an error or
// fragments that the readers of the unit tests do not accept, and another answer for the same
// octets in another place.
#include <array>
#include <optional>

#include "node/fragmenter.hh"
#include "node/icmp_error_rules.hh"
#include "node/ipv6_chain.hh"
#include "tests/node/icmp_message.hh"
#include "tests/node/naive_reassembly.hh"
#include "tests/node/packet_pool.hh"

namespace rackway::node::testing {
namespace {

struct Choices {
  std::uint16_t mtu;
  std::uint16_t split;
  IcmpError error;
  bool l2_group, no_split, small_buffers, few_buffers;
};

Choices choices_of(const std::uint8_t* octets) {
  return {.mtu = static_cast<std::uint16_t>(octets[0] << 8 | octets[1]),
          .split = static_cast<std::uint16_t>(octets[2] << 8 | octets[3]),
          .error = static_cast<IcmpError>(octets[4] % 6),
          .l2_group = (octets[5] & 1) != 0,
          .no_split = (octets[5] & 2) != 0,
          .small_buffers = (octets[5] & 4) != 0,
          .few_buffers = (octets[5] & 8) != 0};
}

// The packet's header octets if it is one that the header checks let through, once its IPv4
// checksum is made good.
std::optional<std::size_t> checked_header(Bytes& frame) {
  const auto packet = std::span(frame).subspan(kEthernet);
  if (packet.size() >= 20 && packet[0] >> 4 == 4) {
    const std::size_t header = (packet[0] & 15u) * 4, total = get16(packet, 2);
    if (header < 20 || header > total || total > packet.size()) return std::nullopt;
    put16(frame, kMacs, kIpv4Type);
    frame = with_good_checksums(std::move(frame));
    return header;
  }
  if (packet.size() >= 40 && packet[0] >> 4 == 6) {
    if (get16(packet, 4) > packet.size() - 40u) return std::nullopt;
    put16(frame, kMacs, kIpv6Type);
    return 40;
  }
  return std::nullopt;
}

Bytes packet_of(const Bytes& frame) {
  const bool four = frame[kEthernet] >> 4 == 4;
  const std::size_t size = four ? get16(frame, kEthernet + 2) : 40u + get16(frame, kEthernet + 4);
  return {frame.begin() + kEthernet, frame.begin() + static_cast<std::ptrdiff_t>(kEthernet + size)};
}

void follow_chain(const Bytes& packet) {
  const auto chain = ipv6_chain(packet.data(), packet.size());
  require(chain.offset <= packet.size(), "a chain that leads out of the packet");
  require(chain.offset >= 40, "a chain that leads back");
  require(is_extension_header(chain.protocol) ==
                  (chain.end == ChainEnd::malformed || chain.end == ChainEnd::out_of_reach) ||
              chain.end == ChainEnd::later_fragment,
          "a chain that ends with the wrong header");
  // Never more than what is readable; cut anywhere, it is the same as far as it goes.
  for (std::size_t readable = 40; readable < std::min<std::size_t>(packet.size(), 120);
       ++readable) {
    const Bytes exact(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(readable));
    const auto shorter = ipv6_chain(exact.data(), readable);
    require(shorter == chain || shorter.end == ChainEnd::out_of_reach, "another chain");
  }
}

// False: no buffer.
bool answer(const IpPacket& packet, const Bytes& octets, const Choices& choices,
            rte_mempool& pool) {
  static IcmpErrorBuilder builder(*packet_pool()), from_small(*small_pool());
  const bool four = packet.family == Family::ipv4;
  if (four && choices.error == IcmpError::beyond_scope) return true;
  const IcmpReport report{
      .error = choices.error, .source = ip(four ? "10.0.0.1" : "2001:db8::1"), .mtu = choices.mtu};
  const OwnedFrame message((&pool == &*small_pool() ? from_small : builder).build(packet, report));
  if (message.frame == nullptr) return false;
  const auto read = read_icmp_error(bytes_of(message.frame));
  require(read.source == report.source, "source of an ICMP error");
  require(read.quote.size() == std::min<std::size_t>(octets.size(), four ? 548 : 1232), "quote");
  require(std::equal(read.quote.begin(), read.quote.end(), octets.begin()), "quote's octets");
  return true;
}

void fragment(const IpPacket& packet, const Bytes& octets, const Choices& choices,
              rte_mempool& pool) {
  static std::array<rte_mbuf*, 1500> out;
  const auto made = fragment_ipv4(packet, choices.mtu, pool, out);
  require((made.count == 0) == (made.fault != FragmentFault::none), "fragments and a fault");
  if (made.count == 0) return;
  std::vector<Bytes> frames;
  for (std::size_t i = 0; i < made.count; ++i) {
    frames.push_back(bytes_of(out[i]));
    rte_pktmbuf_free(out[i]);
    require(frames[i].size() <= kEthernet + std::size_t{choices.mtu}, "a fragment over the MTU");
  }
  require(reassembled(frames) == octets, "fragments of another packet");
}

void examine(const Bytes& frame, std::size_t header, const Choices& choices) {
  const Bytes octets = packet_of(frame);
  const bool four = octets[0] >> 4 == 4;
  if (!four) follow_chain(octets);
  const std::size_t first = kEthernet + header;
  const OwnedFrame whole(frame);
  const OwnedFrame parted(
      frame, {.split = choices.no_split ? Reception::kWhole
                                        : first + choices.split % (frame.size() - first + 1)});
  const auto family = four ? Family::ipv4 : Family::ipv6;
  const IpPacket one{*whole.frame, family, choices.l2_group};
  const IpPacket other{*parted.frame, family, choices.l2_group};
  require(may_be_answered(one, choices.error) == may_be_answered(other, choices.error),
          "segments change who is answered");
  const auto& pool = choices.small_buffers ? small_pool() : packet_pool();
  const unsigned before = pool.free_buffers();
  {
    const auto taken = pool.all_but(choices.few_buffers ? choices.mtu % 8u : before);
    const bool built = answer(other, octets, choices, *pool);
    require(built || choices.small_buffers || choices.few_buffers, "no answer");
    if (four) fragment(other, octets, choices, *pool);
  }
  require(pool.free_buffers() == before, "a buffer was lost or freed twice");
}

}  // namespace
}  // namespace rackway::node::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rackway::node::testing;
  constexpr std::size_t kChoices = 6;
  if (size < kChoices || size > 10'000) return -1;
  Bytes frame(kEthernet);
  frame.insert(frame.end(), data + kChoices, data + size);
  const auto header = checked_header(frame);
  if (!header) return -1;
  examine(frame, *header, choices_of(data));
  return 0;
}
