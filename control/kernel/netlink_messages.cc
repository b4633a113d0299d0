// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/netlink_messages.hh"

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "control/kernel/netlink_attributes.hh"
#include "control/kernel/route_message.hh"

namespace rackway::control {
namespace {

using Parsed = std::optional<NetlinkMessage>;
const Parsed kOfNoInterest{NetlinkMessage{}};

template <class Header>
Bytes after(Bytes payload) {
  static_assert(sizeof(Header) % MNL_ALIGNTO == 0);
  return payload.subspan(sizeof(Header));
}

bool read_mac(const Attribute& attribute, MacAddress& into) {
  if (attribute.payload.size() == sizeof into.bytes) {
    std::memcpy(into.bytes.data(), attribute.payload.data(), sizeof into.bytes);
  }
  return true;  // another size is another kind of link, not a fault
}

// What a link is: its kind, and what only that kind has.
bool read_link_info(Bytes link_info, std::string& kind, Bytes& data) {
  return for_each_attribute(link_info, [&](const Attribute& attribute) {
    switch (attribute.type) {
      case IFLA_INFO_KIND: return attribute.read(kind, 64);
      case IFLA_INFO_DATA: data = attribute.payload; return true;
      default: return true;
    }
  });
}

// A link of kind vlan; service tags (802.1ad) and the VLAN 0, which is no VLAN, leave id as it is.
bool read_vlan(Bytes data, VlanId& id) {
  std::uint16_t number = 0, protocol = htons(ETH_P_8021Q);
  const bool sound = for_each_attribute(data, [&](const Attribute& attribute) {
    switch (attribute.type) {
      case IFLA_VLAN_ID: return attribute.read(number);
      case IFLA_VLAN_PROTOCOL: return attribute.read(protocol);
      default: return true;
    }
  });
  if (protocol == htons(ETH_P_8021Q) && number <= kMaxVlan) id = {number};
  return sound;
}

// Of a link, what tells whether it is a VLAN of another.
struct LinkParent {
  std::uint32_t ifindex{};
  bool elsewhere{};  // ifindex counts in another namespace
  Bytes data;

  // Nothing to read for links of other kinds.
  [[nodiscard]] bool read(const std::string& kind, std::optional<KernelVlan>& into) const {
    VlanId id;
    if (kind != "vlan") return true;
    if (!read_vlan(data, id)) return false;
    if (id != VlanId{} && ifindex != 0 && !elsewhere) into = {static_cast<int>(ifindex), id};
    return true;
  }
};

Parsed parse_link(bool removed, Bytes payload) {
  const auto header = read_struct<ifinfomsg>(payload);
  if (!header) return std::nullopt;
  // Other families tell of a link's part in a bridge or of its IPv6 settings.
  if (header->ifi_family != AF_UNSPEC) return kOfNoInterest;
  LinkMessage message{.removed = removed, .link = {}, .flags = header->ifi_flags, .kind = {}};
  KernelLink& link = message.link;
  LinkParent parent;
  link.ifindex = header->ifi_index;
  link.up = (header->ifi_flags & IFF_UP) != 0;
  link.carrier = (header->ifi_flags & IFF_LOWER_UP) != 0;
  const bool sound = for_each_attribute(after<ifinfomsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case IFLA_IFNAME: return attribute.read(link.name, IFNAMSIZ);
      case IFLA_MTU: return attribute.read(link.mtu);
      case IFLA_ADDRESS: return read_mac(attribute, link.mac);
      case IFLA_LINK: return attribute.read(parent.ifindex);
      case IFLA_LINK_NETNSID: parent.elsewhere = true; return true;
      case IFLA_LINKINFO: return read_link_info(attribute.payload, message.kind, parent.data);
      default: return true;
    }
  });
  if (!sound || link.ifindex <= 0 || link.name.empty()) return std::nullopt;
  if (!parent.read(message.kind, link.vlan)) return std::nullopt;
  return message;
}

bool is_usable(std::uint32_t address_flags) {
  if ((address_flags & IFA_F_DADFAILED) != 0) return false;
  return (address_flags & IFA_F_TENTATIVE) == 0 || (address_flags & IFA_F_OPTIMISTIC) != 0;
}

Parsed parse_address(bool removed, Bytes payload) {
  const auto header = read_struct<ifaddrmsg>(payload);
  if (!header) return std::nullopt;
  const auto family = family_of(header->ifa_family);
  if (!family) return kOfNoInterest;
  std::optional<IpAddress> local, address;
  std::uint32_t flags = header->ifa_flags;
  const bool sound = for_each_attribute(after<ifaddrmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case IFA_LOCAL: return attribute.read(local, *family);
      case IFA_ADDRESS: return attribute.read(address, *family);
      case IFA_FLAGS: return attribute.read(flags);
      default: return true;
    }
  });
  // With a peer, IFA_ADDRESS is the peer's and IFA_LOCAL ours; IPv6 without one has no IFA_LOCAL.
  const auto own = local ? local : address;
  const int ifindex = static_cast<int>(header->ifa_index);
  if (!sound || !own || ifindex <= 0 || header->ifa_prefixlen > address_bits(*family)) {
    return std::nullopt;
  }
  return AddressMessage{removed, {ifindex, *own, header->ifa_prefixlen}, is_usable(flags)};
}

constexpr unsigned kUsableStates =
    NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT | NUD_NOARP;

std::optional<MacAddress> usable_mac(unsigned state, Bytes link_layer_address) {
  MacAddress mac;
  if ((state & kUsableStates) == 0 || link_layer_address.size() != sizeof mac.bytes) {
    return std::nullopt;
  }
  std::memcpy(mac.bytes.data(), link_layer_address.data(), sizeof mac.bytes);
  if (mac.is_zero() || mac.is_multicast()) return std::nullopt;
  return mac;
}

Parsed parse_neighbor(bool removed, Bytes payload) {
  const auto header = read_struct<ndmsg>(payload);
  if (!header) return std::nullopt;
  const auto family = family_of(header->ndm_family);
  if (!family || (header->ndm_flags & NTF_PROXY) != 0) return kOfNoInterest;
  std::optional<IpAddress> address;
  Bytes link_layer_address;
  std::uint32_t more_flags = 0;
  const bool sound = for_each_attribute(after<ndmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NDA_DST: return attribute.read(address, *family);
      case NDA_LLADDR: link_layer_address = attribute.payload; return true;
      case NDA_FLAGS_EXT: return attribute.read(more_flags);
      default: return true;
    }
  });
  if (!sound || !address || header->ndm_ifindex <= 0) return std::nullopt;
  NeighborMessage message{.removed = removed, .key = {header->ndm_ifindex, *address}, .mac = {}};
  if (!removed) {
    message.mac = usable_mac(header->ndm_state, link_layer_address);
    message.fixed = (header->ndm_state & (NUD_PERMANENT | NUD_NOARP)) != 0;
    message.managed = (more_flags & NTF_EXT_MANAGED) != 0;
  }
  return message;
}

// One member of NHA_GROUP as kernels from 6.12 on write it; before, weight_high was zero.
struct GroupMember {
  std::uint32_t id;
  std::uint8_t weight_low, weight_high;  // of the weight less one
  std::uint16_t reserved;
};
static_assert(sizeof(GroupMember) == sizeof(nexthop_grp));

bool read_members(Bytes group, std::vector<NextHopMember>& members) {
  if (group.empty() || group.size() % sizeof(GroupMember) != 0) return false;
  for (; !group.empty(); group = group.subspan(sizeof(GroupMember))) {
    const auto member = *read_struct<GroupMember>(group);
    const int weight = 1 + member.weight_low + 256 * member.weight_high;
    members.push_back({member.id, static_cast<std::uint16_t>(std::min(weight, 65535))});
  }
  return true;
}

Parsed parse_next_hop(bool removed, Bytes payload) {
  const auto header = read_struct<nhmsg>(payload);
  if (!header) return std::nullopt;
  const auto family = family_of(header->nh_family);
  NextHopMessage message{.removed = removed, .id = 0, .members = {}};
  message.hop.usable = (header->nh_flags & RTNH_F_DEAD) == 0;
  const bool sound = for_each_attribute(after<nhmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NHA_ID: return attribute.read(message.id);
      case NHA_GROUP: return read_members(attribute.payload, message.members);
      case NHA_BLACKHOLE: message.blackhole = true; return true;
      case NHA_OIF: return attribute.read(message.hop.hop.ifindex);
      case NHA_GATEWAY: return family && attribute.read(message.hop.hop.gateway, *family);
      case NHA_ENCAP: message.hop.usable = false; return true;
      default: return true;
    }
  });
  if (!sound || message.id == 0) return std::nullopt;
  return message;
}

}  // namespace

std::optional<NetlinkMessage> parse_message(std::span<const std::byte> message) {
  const auto header = read_struct<nlmsghdr>(message);
  if (!header || header->nlmsg_len != message.size()) return std::nullopt;
  const Bytes payload = message.subspan(sizeof(nlmsghdr));
  switch (header->nlmsg_type) {
    case RTM_NEWLINK: return parse_link(false, payload);
    case RTM_DELLINK: return parse_link(true, payload);
    case RTM_NEWADDR: return parse_address(false, payload);
    case RTM_DELADDR: return parse_address(true, payload);
    case RTM_NEWNEIGH: return parse_neighbor(false, payload);
    case RTM_DELNEIGH: return parse_neighbor(true, payload);
    case RTM_NEWROUTE: return parse_route(false, header->nlmsg_flags, payload);
    case RTM_DELROUTE: return parse_route(true, header->nlmsg_flags, payload);
    case RTM_NEWNEXTHOP: return parse_next_hop(false, payload);
    case RTM_DELNEXTHOP: return parse_next_hop(true, payload);
    default: return kOfNoInterest;
  }
}

bool for_each_message(std::span<const std::byte> datagram,
                      const std::function<void(std::span<const std::byte>)>& visit) {
  while (!datagram.empty()) {
    const auto header = read_struct<nlmsghdr>(datagram);
    if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size()) {
      return false;
    }
    visit(datagram.first(header->nlmsg_len));
    datagram =
        datagram.subspan(std::min<std::size_t>(MNL_ALIGN(header->nlmsg_len), datagram.size()));
  }
  return true;
}

}  // namespace rackway::control
