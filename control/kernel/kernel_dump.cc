// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/kernel_dump.hh"

#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <chrono>
#include <span>

#include "control/kernel/link_control.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/netlink_request.hh"

namespace rackway::control {
namespace {

template <class Header>
NetlinkReply dump(NetlinkRequests& requests, std::uint16_t type, int family,
                  const NetlinkRequests::Visit& visit) {
  Header header{};
  // The first byte of every rtnetlink header is its family.
  reinterpret_cast<unsigned char&>(header) = static_cast<unsigned char>(family);
  NetlinkRequest request(type, 0, header);
  return requests.dump(request, visit);
}

// The kernel tells of a link's or an address's change before it has changed the routes, but does
// both under one lock, which this needs as well.
NetlinkReply pass_barrier(NetlinkRequests& requests) {
  ifinfomsg header{};
  header.ifi_index = LinkControl::kLoopback;
  NetlinkRequest request(RTM_GETLINK, 0, header);
  return requests.ask(request);
}

}  // namespace

KernelDump::KernelDump(const std::string& network_namespace, DaemonRoutes daemons)
    : requests_(network_namespace), daemons_(daemons) {}

void KernelDump::start() {
  made_ = std::async(std::launch::async, [this] { return make(); });
}

bool KernelDump::is_done() const {
  return made_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

KernelDump::Made KernelDump::make() {
  Made made{.reply = {}, .tables = MirrorTables(daemons_)};
  made.reply = until_consistent([&] {
    made.tables = MirrorTables(daemons_);
    return dump_all([&](std::span<const std::byte> message) {
      if (const auto parsed = parse_message(message)) {
        (void)made.tables.apply(*parsed);
      } else {
        ++made.malformed;
      }
    });
  });
  return made;
}

// Next-hop groups before the routes that take their weights from them.
NetlinkReply KernelDump::dump_all(const NetlinkRequests::Visit& visit) {
  return dump<ifinfomsg>(requests_, RTM_GETLINK, AF_UNSPEC, visit)
      .and_then([&] { return dump<ifaddrmsg>(requests_, RTM_GETADDR, AF_INET, visit); })
      .and_then([&] { return dump<ifaddrmsg>(requests_, RTM_GETADDR, AF_INET6, visit); })
      .and_then([&] { return dump<ndmsg>(requests_, RTM_GETNEIGH, AF_INET, visit); })
      .and_then([&] { return dump<ndmsg>(requests_, RTM_GETNEIGH, AF_INET6, visit); })
      .and_then([&] { return pass_barrier(requests_); })
      .and_then([&] { return dump<nhmsg>(requests_, RTM_GETNEXTHOP, AF_UNSPEC, visit); })
      .and_then([&] { return dump<rtmsg>(requests_, RTM_GETROUTE, AF_INET, visit); })
      .and_then([&] { return dump<rtmsg>(requests_, RTM_GETROUTE, AF_INET6, visit); });
}

}  // namespace rackway::control
