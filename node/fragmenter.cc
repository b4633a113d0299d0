// SPDX-License-Identifier: Apache-2.0
#include "node/fragmenter.hh"

#include <rte_ip.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rackway::node {
namespace {

constexpr std::uint16_t kDontFragment = 0x4000, kMoreFragments = 0x2000, kOffset = 0x1fff;
constexpr std::size_t kFixedHeader = sizeof(rte_ipv4_hdr);
constexpr std::size_t kUnit = 8;  // of the fragment offset, octets
constexpr std::size_t kLargestWhole = 65'535;

struct Header {
  alignas(4) std::array<std::uint8_t, 60> octets{};
  std::size_t size{};
};

Header header_of(const IpPacket& packet) noexcept {
  Header header;
  header.size = (packet.header()[0] & 0x0fu) * 4;
  std::memcpy(header.octets.data(), packet.header(), header.size);
  return header;
}

// Octets of the option there; zero if it is longer than the header or shorter than it can be.
std::size_t size_of_option(const Header& header, std::size_t at) noexcept {
  constexpr std::uint8_t kNoOperation = 1;
  if (header.octets[at] == kNoOperation) return 1;
  if (at + 2 > header.size) return 0;
  const std::size_t size = header.octets[at + 1];
  return size >= 2 && at + size <= header.size ? size : 0;
}

// What fragments behind the first begin with; nothing if the options make no sense.
std::optional<Header> later_header(const Header& first) noexcept {
  constexpr std::uint8_t kEndOfOptions = 0, kCopied = 0x80;
  Header later;
  std::memcpy(later.octets.data(), first.octets.data(), kFixedHeader);
  later.size = kFixedHeader;
  std::size_t at = kFixedHeader;
  while (at < first.size && first.octets[at] != kEndOfOptions) {
    const std::size_t size = size_of_option(first, at);
    if (size == 0) return std::nullopt;
    if ((first.octets[at] & kCopied) != 0) {
      std::memcpy(later.octets.data() + later.size, first.octets.data() + at, size);
      later.size += size;
    }
    at += size;
  }
  later.size = (later.size + 3) / 4 * 4;  // what fills the word is zero, the end of options
  later.octets[0] = static_cast<std::uint8_t>(0x40 | later.size / 4);
  return later;
}

// Where the payload is cut.
struct Cut {
  std::size_t payload;     // octets of all fragments
  std::size_t first_room;  // octets of payload that go into one
  std::size_t later_room;

  [[nodiscard]] std::size_t piece_at(std::size_t at) const noexcept {
    const std::size_t room = at == 0 ? first_room : later_room;
    const std::size_t left = payload - at;
    return left <= room ? left : room / kUnit * kUnit;
  }
  [[nodiscard]] std::size_t pieces() const noexcept {
    std::size_t count = 0, at = 0;
    do {
      at += piece_at(at);
      ++count;
    } while (at < payload);
    return count;
  }
};

// field: flags and offset of the packet that is cut.
void write_fragment(rte_mbuf* fragment, const IpPacket& packet, Header header, std::size_t at,
                    std::size_t size, std::uint16_t field) noexcept {
  const std::size_t payload_offset = (packet.header()[0] & 0x0fu) * 4 + at;
  auto* octets = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(
      fragment, static_cast<std::uint16_t>(packet.l2_size + header.size + size)));
  fragment->port = packet.frame.port;
  auto& ip = *reinterpret_cast<rte_ipv4_hdr*>(header.octets.data());
  store_be(&ip.total_length, static_cast<std::uint16_t>(header.size + size));
  store_be(&ip.fragment_offset, field);
  ip.hdr_checksum = 0;
  ip.hdr_checksum = rte_ipv4_cksum(&ip);
  std::memcpy(octets, rte_pktmbuf_mtod(&packet.frame, const std::uint8_t*), packet.l2_size);
  std::memcpy(octets + packet.l2_size, header.octets.data(), header.size);
  packet.copy(payload_offset, size, octets + packet.l2_size + header.size);
}

// Octets of IP that a fragment may have: its buffer may take less than its link.
std::size_t largest_fragment(const IpPacket& packet, std::uint16_t mtu,
                             rte_mempool& pool) noexcept {
  const std::size_t taken = RTE_PKTMBUF_HEADROOM + std::size_t{packet.l2_size};
  const std::size_t buffer = rte_pktmbuf_data_room_size(&pool);
  return buffer > taken ? std::min<std::size_t>(mtu, buffer - taken) : 0;
}

}  // namespace

Fragments fragment_ipv4(const IpPacket& packet, std::uint16_t mtu, rte_mempool& pool,
                        std::span<rte_mbuf*> out) noexcept {
  const auto field = load_be<std::uint16_t>(packet.header() + 6);
  if ((field & kDontFragment) != 0) return {0, FragmentFault::dont_fragment};
  const Header first = header_of(packet);
  const auto later = later_header(first);
  const std::size_t payload = packet.size() - first.size;
  if (!later || (field & kOffset) * kUnit + payload > kLargestWhole) {
    return {0, FragmentFault::malformed};
  }
  const std::size_t largest = largest_fragment(packet, mtu, pool);
  if (largest < kSmallestIpv4Mtu) return {0, FragmentFault::mtu_too_small};

  const Cut cut{payload, largest - first.size, largest - later->size};
  const std::size_t count = cut.pieces();
  if (count > out.size()) return {0, FragmentFault::too_many};
  if (rte_pktmbuf_alloc_bulk(&pool, out.data(), static_cast<unsigned>(count)) != 0) {
    return {0, FragmentFault::no_buffers};
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = cut.piece_at(at);
    const auto more = i + 1 < count ? kMoreFragments : std::uint16_t{0};
    write_fragment(out[i], packet, i == 0 ? first : *later, at, size,
                   static_cast<std::uint16_t>((field | more) + at / kUnit));
    at += size;
  }
  return {static_cast<std::uint16_t>(count), FragmentFault::none};
}

}  // namespace rackway::node
