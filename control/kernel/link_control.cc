// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/link_control.hh"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace rackway::control {
namespace {

ifinfomsg header_of(int ifindex) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = ifindex;
  return header;
}

Result<void> result_of(NetlinkReply reply) {
  if (!reply) return fail(std::move(reply.error().reason));
  return {};
}

}  // namespace

LinkControl::LinkControl(const std::string& network_namespace) : requests_(network_namespace) {}

Result<std::optional<LinkMessage>> LinkControl::find(const std::string& name) {
  NetlinkRequest request(RTM_GETLINK, 0, header_of(0));
  request.put(IFLA_IFNAME, name);
  return find(request);
}

Result<std::optional<LinkMessage>> LinkControl::find(int ifindex) {
  NetlinkRequest request(RTM_GETLINK, 0, header_of(ifindex));
  return find(request);
}

Result<std::optional<LinkMessage>> LinkControl::find(NetlinkRequest& request) {
  std::optional<LinkMessage> found;
  auto reply = requests_.ask(request, [&](std::span<const std::byte> bytes) {
    auto message = parse_message(bytes);
    if (message && std::holds_alternative<LinkMessage>(*message)) {
      found = std::get<LinkMessage>(std::move(*message));
    }
  });
  if (!reply && reply.error().code != ENODEV) return fail(std::move(reply.error().reason));
  return found;
}

Result<void> LinkControl::change(int ifindex, const LinkChange& change) {
  ifinfomsg header = header_of(ifindex);
  if (change.up) {
    header.ifi_change = IFF_UP;
    header.ifi_flags = *change.up ? IFF_UP : 0;
  }
  NetlinkRequest request(RTM_NEWLINK, 0, header);
  if (change.mac) request.put(IFLA_ADDRESS, change.mac->bytes.data(), change.mac->bytes.size());
  if (change.mtu) request.put(IFLA_MTU, *change.mtu);
  return result_of(requests_.ask(request));
}

Result<void> LinkControl::remove(int ifindex) {
  NetlinkRequest request(RTM_DELLINK, 0, header_of(ifindex));
  return result_of(requests_.ask(request));
}

}  // namespace rackway::control
