// SPDX-License-Identifier: Apache-2.0
// A frame of a packet case: layers and fields of JSON made into octets. Every field has a default
// that makes the frame sound, lengths and checksums included, and can be set to something else.
// The layers and their fields are listed in docs/testing.md.
#pragma once

#include <string>

#include "tests/node/case_field.hh"
#include "tests/node/case_router.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node::testing {

class FrameBuilder {
 public:
  // defaults: the MACs of a frame that does not say them.
  FrameBuilder(const CaseRouter& router, const Ethernet& defaults)
      : router_(router), ethernet_(defaults) {}

  [[nodiscard]] Bytes build(const Field& frame) const {
    if (frame.find("raw")) return frame.only({"raw"}).at("raw").octets();
    frame.only({"ether", "fabric", "arp", "ipv4", "ipv6", "udp", "tcp", "icmp", "icmpv6", "nd",
                "payload", "pad_to", "pad_with", "cut_to"});
    auto bytes = whole(frame);
    const auto pad_with = frame.number_or<std::uint8_t>("pad_with", 0);
    bytes = padded(std::move(bytes), frame.number_or<std::size_t>("pad_to", 0, 10000), pad_with);
    if (const auto cut = frame.find("cut_to")) bytes.resize(cut->number(0, bytes.size()));
    return bytes;
  }

 private:
  enum Protocol : std::uint8_t { kIcmp = 1, kIcmpv6 = 58, kExperiment = 253 };

  // What the layer above the IP header is, and what its checksum covers besides itself.
  struct Transport {
    std::uint8_t protocol{};
    Bytes octets;
  };

  [[nodiscard]] Bytes whole(const Field& frame) const {
    std::uint16_t type{};
    Bytes packet;
    one_of(frame, {"arp", "ipv4", "ipv6"}, false);
    if (const auto arp = frame.find("arp")) {
      type = kArpType;
      packet = arp_packet(*arp);
    } else if (const auto ipv4 = frame.find("ipv4")) {
      type = kIpv4Type;
      packet = ipv4_packet(*ipv4, frame);
    } else if (const auto ipv6 = frame.find("ipv6")) {
      type = kIpv6Type;
      packet = ipv6_packet(*ipv6, frame);
    } else {
      packet = payload(frame, 0);
    }
    if (const auto fabric = frame.find("fabric")) return join({tag(*fabric, type), packet});
    return ethernet(ethernet_header(frame, type), packet);
  }

  static void one_of(const Field& frame, std::initializer_list<const char*> layers, bool needed) {
    int there = 0;
    for (const auto* layer : layers) there += frame.find(layer) ? 1 : 0;
    if (there > 1 || (needed && there == 0)) frame.refuse("layers that exclude each other");
  }

  [[nodiscard]] Ethernet ethernet_header(const Field& frame, std::uint16_t type) const {
    Ethernet header = ethernet_;
    if (frame.find("arp")) header.destination = kBroadcastMac;
    header.type = type;
    if (const auto ether = frame.find("ether")) {
      ether->only({"destination", "source", "type"});
      header.destination = ether->mac_or("destination", header.destination);
      header.source = ether->mac_or("source", header.source);
      header.type = ether->number_or("type", header.type);
    }
    return header;
  }

  // The tag and the EtherType.
  [[nodiscard]] Bytes tag(const Field& fabric, std::uint16_t type) const {
    fabric.only({"kind", "target", "egress", "hop_budget", "time_stamp", "epoch_mark", "ingress",
                 "adjacency", "type"});
    const auto node = [&](const char* key, NodeId otherwise) {
      const auto name = fabric.find(key);
      return name ? node_of(name->text(), *name) : otherwise;
    };
    const auto adjacency = fabric.at("adjacency");
    Bytes bytes(kEthernet);
    vlb::write_tag(
        bytes.data(),
        {.kind = vlb::FabricKind{fabric.number_or<std::uint8_t>("kind", 0xd2)},
         .target = node("target", kSelf),
         .egress = node("egress", kSelf),
         .hop_budget = fabric.number_or<std::uint8_t>("hop_budget", 2, 15),
         .time_stamp = fabric.number_or<std::uint16_t>("time_stamp", 0, 0xfff),
         .epoch_mark = fabric.number_or<std::uint8_t>("epoch_mark", kEpochMark, 63),
         .ingress = node("ingress", kSelf),
         .adjacency = is_name(adjacency) ? router_.neighbor(adjacency.text(), adjacency).key.index
                                         : AdjacencyId{static_cast<std::uint32_t>(
                                               adjacency.number(0, 0xffffff))}});
    put16(bytes, kMacs, fabric.number_or("type", type));
    return bytes;
  }

  // Of a neighbour; otherwise it is an index.
  static bool is_name(const Field& adjacency) {
    return adjacency.is_text() && !adjacency.text().starts_with("0x");
  }

  [[nodiscard]] static Bytes arp_packet(const Field& field) {
    field.only({"hardware", "protocol", "hardware_length", "protocol_length", "operation",
                "sender_mac", "sender", "target_mac", "target"});
    ArpPacket arp;
    arp.hardware = field.number_or("hardware", arp.hardware);
    arp.protocol = field.number_or("protocol", arp.protocol);
    arp.hardware_length = field.number_or("hardware_length", arp.hardware_length);
    arp.protocol_length = field.number_or("protocol_length", arp.protocol_length);
    const auto operation = field.at("operation");
    const auto name = operation.is_text() ? operation.text() : "";
    arp.operation = name == "request" ? 1
                    : name == "reply" ? 2
                                      : static_cast<std::uint16_t>(operation.number(0, 0xffff));
    arp.sender_mac = field.mac_or("sender_mac", arp.sender_mac);
    arp.target_mac = field.mac_or("target_mac", arp.target_mac);
    arp.sender = field.at("sender").address(Family::ipv4).to_string();
    arp.target = field.at("target").address(Family::ipv4).to_string();
    const auto frame_of_it = frame(arp);
    return {frame_of_it.begin() + kEthernet, frame_of_it.end()};
  }

  [[nodiscard]] static Bytes ipv4_packet(const Field& field, const Field& frame) {
    field.only({"source", "destination", "ttl", "protocol", "tos", "id", "dont_fragment",
                "more_fragments", "reserved_flag", "fragment_offset", "options", "version", "ihl",
                "total_length", "checksum"});
    const auto source = field.at("source").address(Family::ipv4).to_string();
    const auto destination = field.at("destination").address(Family::ipv4).to_string();
    const auto above = transport(frame, source, destination);
    Ipv4 ip{.source = source, .destination = destination};
    ip.protocol = field.number_or("protocol", above.protocol);
    ip.ttl = field.number_or("ttl", ip.ttl);
    ip.payload = above.octets;
    ip.tos = field.number_or("tos", ip.tos);
    ip.id = field.number_or("id", ip.id);
    ip.fragment =
        static_cast<std::uint16_t>((field.flag_or("reserved_flag", false) ? 0x8000 : 0) |
                                   (field.flag_or("dont_fragment", false) ? 0x4000 : 0) |
                                   (field.flag_or("more_fragments", false) ? 0x2000 : 0) |
                                   field.number_or<std::uint16_t>("fragment_offset", 0, 0x1fff));
    ip.options = field.octets_or("options", {});
    if (ip.options.size() % 4 != 0) field.at("options").refuse("must be whole words of 4 octets");
    ip.version = field.number_or<std::uint8_t>("version", ip.version, 15);
    if (const auto ihl = field.find("ihl")) ip.ihl = static_cast<std::uint8_t>(ihl->number(0, 15));
    ip.total_length = number(field, "total_length");
    ip.checksum = number(field, "checksum");
    return packet(ip);
  }

  [[nodiscard]] static Bytes ipv6_packet(const Field& field, const Field& frame) {
    field.only({"source", "destination", "hop_limit", "next_header", "traffic_class", "flow_label",
                "version", "payload_length"});
    const auto source = field.at("source").address(Family::ipv6).to_string();
    const auto destination = field.at("destination").address(Family::ipv6).to_string();
    const auto above = transport(frame, source, destination);
    Ipv6 ip{.source = source, .destination = destination};
    ip.next_header = field.number_or("next_header", above.protocol);
    ip.hop_limit = field.number_or<std::uint8_t>("hop_limit", frame.find("nd") ? 255 : 64);
    ip.payload = above.octets;
    ip.version = field.number_or<std::uint8_t>("version", ip.version, 15);
    ip.class_and_label = field.number_or<std::uint32_t>("traffic_class", 0, 255) << 20 |
                         field.number_or<std::uint32_t>("flow_label", 0, 0xfffff);
    ip.payload_length = number(field, "payload_length");
    return packet(ip);
  }

  static std::optional<std::uint16_t> number(const Field& field, const char* key) {
    const auto member = field.find(key);
    if (!member) return std::nullopt;
    return static_cast<std::uint16_t>(member->number(0, 0xffff));
  }

  static Transport transport(const Field& frame, const std::string& source,
                             const std::string& destination) {
    one_of(frame, {"udp", "tcp", "icmp", "icmpv6", "nd"}, false);
    if (const auto udp = frame.find("udp"))
      return sealed(udp_of(*udp, frame), 6, *udp, source, destination);
    if (const auto tcp = frame.find("tcp"))
      return sealed(tcp_of(*tcp, frame), 16, *tcp, source, destination);
    if (const auto icmp = frame.find("icmp")) {
      return sealed(icmp_of(kIcmp, *icmp, frame), 2, *icmp, "", "");
    }
    if (const auto icmpv6 = frame.find("icmpv6")) {
      return sealed(icmp_of(kIcmpv6, *icmpv6, frame), 2, *icmpv6, source, destination);
    }
    if (const auto nd = frame.find("nd")) return sealed(nd_of(*nd), 2, *nd, source, destination);
    return {kExperiment, payload(frame, 0)};
  }

  // With the checksum at its place: the given one, or the right one over pseudo header and message.
  static Transport sealed(Transport message, std::size_t at, const Field& field,
                          const std::string& source, const std::string& destination) {
    Bytes pseudo;
    if (!source.empty()) {
      Bytes tail(8);
      put16(tail, 2, message.octets.size());
      tail[7] = message.protocol;
      pseudo = join({octets_of(source), octets_of(destination), tail});
    }
    const auto right = internet_checksum(join({pseudo, message.octets}));
    put16(message.octets, at, field.number_or("checksum", right));
    return message;
  }

  static Transport udp_of(const Field& field, const Field& frame) {
    field.only({"source", "destination", "length", "checksum"});
    const auto data = payload(frame, 18);
    Bytes header(8);
    put16(header, 0, field.number_or<std::uint16_t>("source", 1000));
    put16(header, 2, field.number_or<std::uint16_t>("destination", 2000));
    put16(header, 4,
          field.number_or("length", static_cast<std::uint16_t>(header.size() + data.size())));
    return {kUdp, join({header, data})};
  }

  static Transport tcp_of(const Field& field, const Field& frame) {
    field.only({"source", "destination", "flags", "checksum"});
    Bytes header(20);
    put16(header, 0, field.number_or<std::uint16_t>("source", 1000));
    put16(header, 2, field.number_or<std::uint16_t>("destination", 2000));
    header[12] = 5 << 4;
    header[13] = field.number_or<std::uint8_t>("flags", 0x10);
    put16(header, 14, 0xffff);
    return {kTcp, join({header, payload(frame, 6)})};
  }

  static Transport icmp_of(std::uint8_t protocol, const Field& field, const Field& frame) {
    field.only({"type", "code", "rest", "checksum"});
    const Bytes head{static_cast<std::uint8_t>(field.at("type").number(0, 255)),
                     field.number_or<std::uint8_t>("code", 0), 0, 0};
    return {protocol, join({head, field.octets_or("rest", {0, 1, 0, 1}), payload(frame, 18)})};
  }

  // Neighbour discovery: fixed part, then options.
  static Transport nd_of(const Field& field) {
    field.only({"type", "code", "flags", "target", "destination", "source_link_layer",
                "target_link_layer", "options", "checksum"});
    const auto type = nd_type(field.at("type"));
    Bytes bytes{type, field.number_or<std::uint8_t>("code", 0), 0, 0};
    Bytes word(type == 134 ? 12 : 4);
    store_be(word.data(), field.number_or<std::uint32_t>("flags", 0));
    bytes = join({bytes, word});
    for (const auto* key : {"target", "destination"}) {
      const auto address = field.find(key);
      if (address) bytes = join({bytes, octets_of(address->address(Family::ipv6).to_string())});
    }
    for (const auto& [key, option] :
         {std::pair("source_link_layer", 1), {"target_link_layer", 2}}) {
      const auto address = field.find(key);
      if (!address) continue;
      bytes = join({bytes, link_layer_option(static_cast<std::uint8_t>(option), address->mac())});
    }
    return {kIcmpv6, join({bytes, field.octets_or("options", {})})};
  }

  static std::uint8_t nd_type(const Field& type) {
    const std::pair<const char*, std::uint8_t> types[] = {{"router solicitation", 133},
                                                          {"router advertisement", 134},
                                                          {"neighbor solicitation", 135},
                                                          {"neighbor advertisement", 136},
                                                          {"redirect", 137}};
    const auto text = type.text();
    for (const auto& [name, number] : types) {
      if (text == name) return number;
    }
    type.refuse("\"" + text + "\" is no message of neighbour discovery");
  }

  // Octets as hex digits, or how many of 00 01 02 ...
  static Bytes payload(const Field& frame, std::size_t otherwise) {
    const auto field = frame.find("payload");
    if (!field) return counting(otherwise);
    return field->is_text() ? field->octets() : counting(field->number(0, 65535));
  }

  const CaseRouter& router_;
  Ethernet ethernet_;
};

}  // namespace rackway::node::testing
