// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/mrt_reader.hh"

#include <algorithm>
#include <array>
#include <optional>

namespace rackway::table_file {
namespace {

enum Type : std::uint16_t { kTableDump = 12, kTableDumpV2 = 13 };
enum TableDump : std::uint16_t { kIpv4 = 1, kIpv6 = 2 };
enum TableDumpV2 : std::uint16_t {
  kPeerIndex = 1,
  kRibIpv4 = 2,
  kRibIpv4Multicast = 3,
  kRibIpv6 = 4,
  kRibIpv6Multicast = 5,
  kRibGeneric = 6,
  kGeoPeers = 7,
  kRibIpv4AddPath = 8,
  kRibIpv4MulticastAddPath = 9,
  kRibIpv6AddPath = 10,
  kRibIpv6MulticastAddPath = 11,
  kRibGenericAddPath = 12,
};
enum PeerType : std::uint8_t { kPeerIpv6 = 1, kPeerAs4 = 2 };
constexpr std::uint8_t kUnicast = 1;  // SAFI

std::size_t octets_of(Family family) {
  return family == Family::ipv4 ? 4 : 16;
}

IpAddress read_address(WireReader& in, Family family) {
  const auto octets = in.bytes(octets_of(family));
  return IpAddress::from_bytes(octets.data(), octets.size()).value_or(IpAddress());
}

// As many octets as the length needs; bits behind it may be anything.
std::optional<IpPrefix> read_prefix(WireReader& in, Family family, unsigned length) {
  if (length > static_cast<unsigned>(address_bits(family))) return std::nullopt;
  std::array<char, 16> octets{};
  const auto some = in.bytes((length + 7) / 8);
  std::copy(some.begin(), some.end(), octets.begin());
  return IpPrefix::covering(*IpAddress::from_bytes(octets.data(), octets_of(family)),
                            static_cast<std::uint8_t>(length));
}

}  // namespace

bool MrtReader::next(MrtRib& rib) {
  while (const auto record = records_.next()) {
    ++records_read_;
    rib.paths.clear();
    rib.is_complete = record->type == kTableDumpV2;
    switch (record->type) {
      case kTableDump: read_table_dump(*record, rib); break;
      case kTableDumpV2: read_v2(*record, rib); break;
      default: skipped_.add(Skip::not_a_rib);
    }
    if (!rib.paths.empty()) return true;
  }
  return false;
}

void MrtReader::add_path(std::uint32_t peer, std::uint32_t path_id, std::string_view attributes,
                         std::size_t as_octets, MrtRib& rib) {
  const auto read = read_path_attributes(attributes, rib.prefix.address.family(), as_octets);
  if (!read) return skipped_.add(read.error());
  rib.paths.push_back({peer, path_id, *read});
  ++paths_;
}

// ---- TABLE_DUMP (RFC 6396 4.2)

std::uint32_t MrtReader::index_of(const MrtPeer& peer) {
  const auto [at, is_new] = indices_.try_emplace(peer, static_cast<std::uint32_t>(peers_.size()));
  if (is_new) peers_.push_back(peer);
  return at->second;
}

void MrtReader::read_table_dump(const MrtRecord& record, MrtRib& rib) {
  if (record.subtype != kIpv4 && record.subtype != kIpv6) {
    return skipped_.add(Skip::unsupported_rib);
  }
  const auto family = record.subtype == kIpv4 ? Family::ipv4 : Family::ipv6;
  WireReader in(record.body);
  (void)in.bytes(4);  // view, sequence
  const auto address = read_address(in, family);
  const auto length = in.number<std::uint8_t>();
  (void)in.bytes(5);  // status, time
  MrtPeer peer{read_address(in, family), in.number<std::uint16_t>()};
  const auto attributes = in.bytes(in.number<std::uint16_t>());
  if (!in.ok()) return skipped_.add(Skip::broken_record);
  if (length > address_bits(family)) return skipped_.add(Skip::bad_prefix);
  rib.prefix = IpPrefix::covering(address, length);
  add_path(index_of(peer), 0, attributes, 2, rib);
}

// ---- TABLE_DUMP_V2 (RFC 6396 4.3, RFC 8050 section 4)

void MrtReader::read_v2(const MrtRecord& record, MrtRib& rib) {
  switch (record.subtype) {
    case kPeerIndex: return read_peer_index(record.body);
    case kRibIpv4: return read_rib(record.body, {Family::ipv4, false}, rib);
    case kRibIpv6: return read_rib(record.body, {Family::ipv6, false}, rib);
    case kRibIpv4AddPath: return read_rib(record.body, {Family::ipv4, true}, rib);
    case kRibIpv6AddPath: return read_rib(record.body, {Family::ipv6, true}, rib);
    case kRibGeneric: return read_generic(record.body, rib);
    case kRibIpv4Multicast:
    case kRibIpv6Multicast:
    case kRibIpv4MulticastAddPath:
    case kRibIpv6MulticastAddPath:
    case kRibGenericAddPath: return skipped_.add(Skip::unsupported_rib);
    default: return skipped_.add(Skip::not_a_rib);
  }
}

void MrtReader::read_peer_index(std::string_view body) {
  peers_.clear();
  WireReader in(body);
  (void)in.bytes(4);  // the collector's BGP identifier
  (void)in.text();    // the view's name
  for (std::size_t left = in.number<std::uint16_t>(); left > 0 && in.ok(); --left) {
    const auto type = in.number<std::uint8_t>();
    (void)in.bytes(4);  // BGP identifier
    MrtPeer peer{read_address(in, (type & kPeerIpv6) != 0 ? Family::ipv6 : Family::ipv4), 0};
    peer.as = (type & kPeerAs4) != 0 ? in.number<std::uint32_t>() : in.number<std::uint16_t>();
    peers_.push_back(peer);
  }
  has_peer_index_ = in.ok();
  if (in.ok()) return;
  peers_.clear();
  skipped_.add(Skip::broken_peer_index);
}

void MrtReader::read_rib(std::string_view body, Layout layout, MrtRib& rib) {
  if (!has_peer_index_) return skipped_.add(Skip::no_peer_index);
  WireReader in(body);
  (void)in.bytes(4);  // sequence
  const auto prefix = read_prefix(in, layout.family, in.number<std::uint8_t>());
  if (!prefix) return skipped_.add(Skip::bad_prefix);
  rib.prefix = *prefix;
  read_entries(in, layout, rib);
}

void MrtReader::read_generic(std::string_view body, MrtRib& rib) {
  if (!has_peer_index_) return skipped_.add(Skip::no_peer_index);
  WireReader in(body);
  (void)in.bytes(4);  // sequence
  const auto afi = in.number<std::uint16_t>();
  const auto safi = in.number<std::uint8_t>();
  if (in.ok() && ((afi != kIpv4 && afi != kIpv6) || safi != kUnicast)) {
    return skipped_.add(Skip::unsupported_rib);
  }
  const auto family = afi == kIpv4 ? Family::ipv4 : Family::ipv6;
  const auto prefix = read_prefix(in, family, in.number<std::uint8_t>());
  if (!prefix) return skipped_.add(Skip::bad_prefix);
  rib.prefix = *prefix;
  read_entries(in, {family, false}, rib);
}

// Paths before the place where a record breaks are good.
void MrtReader::read_entries(WireReader& in, Layout layout, MrtRib& rib) {
  for (std::size_t left = in.number<std::uint16_t>(); left > 0; --left) {
    const auto peer = in.number<std::uint16_t>();
    (void)in.bytes(4);  // time
    const auto path_id = layout.path_ids ? in.number<std::uint32_t>() : 0;
    const auto attributes = in.bytes(in.number<std::uint16_t>());
    if (!in.ok()) break;
    if (peer >= peers_.size()) {
      skipped_.add(Skip::unknown_peer);
    } else {
      add_path(peer, path_id, attributes, 4, rib);
    }
  }
  if (!in.ok() || !in.at_end()) skipped_.add(Skip::broken_record);
}

}  // namespace rackway::table_file
